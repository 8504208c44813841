"""Reading dates as ranges of days."""

import math

import pytest

from howsure.text.quantities.dates import MONTH, YEAR, read_date


@pytest.mark.parametrize(
    ("sentence", "start", "low", "high", "dimension"),
    [
        ("2021-03-05", 0, 2021 * YEAR + 2 * MONTH + 5, 2021 * YEAR + 2 * MONTH + 5, "date"),
        ("5 march 2021", 0, 2021 * YEAR + 2 * MONTH + 5, 2021 * YEAR + 2 * MONTH + 5, "date"),
        ("march 5, 2021", 0, 2021 * YEAR + 2 * MONTH + 5, 2021 * YEAR + 2 * MONTH + 5, "date"),
        ("in 2021", 3, 2021 * YEAR + 1, 2021 * YEAR + YEAR, "date"),
        ("from 2019 to 2021", 5, 2019 * YEAR + 1, 2021 * YEAR + YEAR, "date"),
        ("june", 0, 5 * MONTH + 1, 6 * MONTH, "month"),
        ("tuesday", 0, 1, 1, "weekday"),
        ("3:30 pm", 0, 15 * 60 + 30, 15 * 60 + 30, "clock"),
        ("since 2021", 6, 2021 * YEAR + 1, math.inf, "date"),
        ("before 2021", 7, -math.inf, 2021 * YEAR, "date"),
    ],
)
def test_a_date_is_a_range(sentence: str, start: int, low: float, high: float, dimension: str) -> None:
    date = read_date(sentence, start)
    assert date is not None
    assert date[:3] == (low, high, dimension)


@pytest.mark.parametrize("sentence", ["it may fail", "2021-13-01", "port 2021", "march on"])
def test_texts_that_only_look_like_dates_are_not_dates(sentence: str) -> None:
    start = next(place for place, sign in enumerate(sentence) if sign.isdigit() or sentence[place:].startswith("ma"))
    assert read_date(sentence, start) is None
