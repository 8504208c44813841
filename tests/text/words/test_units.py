"""Units have sizes."""

from howsure.text.words import units


def test_every_unit_has_a_size() -> None:
    for listed in units.UNITS.values():
        for entry in listed.split(","):
            name, size = entry.split()
            assert name == name.lower()
            assert float(size) > 0
