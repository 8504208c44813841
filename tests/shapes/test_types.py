"""Shared methods of frozen dataclasses."""

from dataclasses import dataclass, field

from howsure.shapes.types import Record


@dataclass(frozen=True, eq=False, repr=False)
class Place(Record):
    """A place."""

    name: str
    size: int = 1
    notes: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class Town(Place):
    """A town."""


def test_records_compare_by_class_and_fields() -> None:
    assert Place("a", 2) == Place("a", 2, notes="seen")
    assert Place("a", 2) != Place("a", 3)
    assert Place("a") != Town("a")
    assert Place("a") != "a"
    assert len({Place("a"), Place("a", notes="seen"), Town("a")}) == 2


def test_the_text_of_a_record_is_the_call_that_makes_it() -> None:
    assert repr(Place("a", 2, notes="seen")) == "Place(name='a', size=2)"
    assert eval(repr(Town("b"))) == Town("b")  # noqa: S307 - our own text
