"""Values, properties and the verbs that name a value."""

from howsure.text.words import values


def test_verbs_that_name_a_value_have_one_preposition() -> None:
    assert all(entry.count(":") == 1 for entry in values.RELATIONS.split())


def test_properties_and_events_are_in_lower_case() -> None:
    assert values.PROPERTIES.lower() == values.PROPERTIES
    assert values.EVENTS.lower() == values.EVENTS
