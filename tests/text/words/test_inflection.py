"""Irregular forms have a base, and verbs are in lower case."""

from howsure.text.words import inflection


def test_every_irregular_form_has_a_base() -> None:
    for line in inflection.FORMS.strip().splitlines():
        assert len(line.split()) > 1


def test_verbs_are_in_lower_case() -> None:
    assert inflection.VERBS.lower() == inflection.VERBS
