"""Reasons of the gate in words."""

from howsure.sure import Sure


def test_nearly_equal_numbers_are_shown_with_enough_digits(sure: Sure) -> None:
    found = sure.responses.check(agent="a", knowledge=0.796, code=0.796, certainty=0.796, history=0.796)
    assert found.reason.startswith("0.796 is below the threshold 0.800")
    assert "my confidence is 79.6%, and 80.0% is needed" in found.message
