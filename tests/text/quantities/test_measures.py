"""Reading and comparing numbers, amounts, versions, recurrences and dates."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.text.quantities.measures import measure_gap, read_measures


def _one(text: str) -> tuple[float, float, str]:
    (found,) = read_measures(text)
    return found.low, found.high, found.dimension


@pytest.mark.parametrize(
    ("text", "value", "dimension"),
    [
        ("8080", 8080, "number"),
        ("1,234.5 kg", 1234.5, "mass"),
        ("three replicas", 3, "number"),
        ("with one node", 1, "number"),
        ("5k rows", 5000, "number"),
        ("1.5 million", 1.5e6, "number"),
        ("250 ms", 0.25, "time"),
        ("5 minutes", 300, "time"),
        ("a 5-minute break", 300, "time"),
        ("2 km", 2000, "length"),
        ("5 mb", 5e6, "data"),
        ("10 mb/s", 1e7, "data rate"),
        ("50%", 50, "percent"),
        ("50 percent", 50, "percent"),
        ("$5 million", 5e6, "usd"),
        ("5 million dollars", 5e6, "usd"),
        ("\u20ac12", 12, "eur"),
        ("12 euros", 12, "eur"),
        ("-40 \u00b0c", -40, "temperature"),
        ("1e-5", 1e-5, "number"),
        ("at 9:30 pm", 21 * 60 + 30, "clock"),
        ("at 9 a.m.", 9 * 60, "clock"),
        ("on tuesday", 1, "weekday"),
        ("every hour", 24, "recurrence"),
        ("every 5 minutes", 288, "recurrence"),
        ("every other day", 0.5, "recurrence"),
        ("once a day", 1, "recurrence"),
        ("12 times an hour", 288, "recurrence"),
        ("twice per week", 2 / 7, "recurrence"),
        ("sent weekly.", 1 / 7, "recurrence"),
        ("once at startup", 1, "number"),
        ("the 28th", 28, "ordinal"),
        ("10.0.0.1", 10_000_000_000_001, "version"),
        ("thirty-five users", 35, "number"),
        ("twenty five users", 25, "number"),
        ("ninety-nine percent", 99, "percent"),
        ("one hundred and five users", 105, "number"),
        ("one hundred five users", 105, "number"),
        ("two thousand three hundred rows", 2300, "number"),
        ("twenty-five thousand rows", 25000, "number"),
        ("one and a half hours", 5400, "time"),
        ("2 and a half million", 2.5e6, "number"),
        ("half a day", 43200, "time"),
        ("every thirty-five minutes", 1440 / 35, "recurrence"),
        ("sixty four-core machines", 60, "number"),
        ("1 500 000 rows", 1.5e6, "number"),
        ("1 234 567 rows", 1234567, "number"),
        ("1\u202f500 ms", 1.5, "time"),
        ("1 min 30 s", 90, "time"),
        ("1h30m", 5400, "time"),
        ("2 hours and 15 minutes", 8100, "time"),
        ("5 feet 11 inches", 71 * 0.0254, "length"),
        ("after 1440 minutes", 86400, "time"),
    ],
)
def test_a_value_is_read(text: str, value: float, dimension: str) -> None:
    low, high, found = _one(text)
    assert low == high == pytest.approx(value)
    assert found == dimension


def test_degrees_are_those_of_one_scale() -> None:
    assert _one("212 \u00b0f")[0] == pytest.approx(100, abs=0.01)
    assert _one("300 kelvin")[0] == pytest.approx(26.85)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("at least 5", 5, math.inf),
        ("no more than 30 nodes", -math.inf, 30),
        ("30 or fewer", -math.inf, 30),
        ("100+ users", 100, math.inf),
        ("between 3 and 5", 3, 5),
        ("from 3 to 5", 3, 5),
        ("3-5", 3, 5),
        ("one or two", 1, 1),
        ("3 or 5", 3, 5),
        ("since 3.0 the", 3e12, math.inf),
        ("before 3.0 the", -math.inf, 3e12 - 1),
        ("from 1809 to 1812", 672949, 674436),
        ("in 1990-1995", 740281, 742512),
        ("monday to friday", 0, 4),
    ],
)
def test_a_range_is_read(text: str, low: float, high: float) -> None:
    first = read_measures(text)[0]
    assert (first.low, first.high) == (low, high)


def test_more_than_does_not_include_the_number() -> None:
    more, less = read_measures("more than 12 ms")[0], read_measures("under 12 ms")[0]
    assert more.low > 0.012 > less.high


@pytest.mark.parametrize(
    "text",
    [
        "one of the",
        "no one",
        "it may be",
        "march on",
        "half",
        "x86",
        "a_1",
        "9f8e7d6",
        "10x",
        "once it is full",
        "the weekly report",
        "every request",
    ],
)
def test_texts_without_numbers_give_none(text: str) -> None:
    assert read_measures(text) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("in 2019", "in march 2019"),
        ("in march 2019", "on 5 march 2019"),
        ("march 5, 2019", "2019-03-05"),
        ("5th of march 2019", "5 march 2019"),
        ("since 2019", "in 2021"),
        ("until 2019", "in 2019"),
        ("in the 1990s", "in 1994"),
        ("5 minutes", "300 seconds"),
        ("1 mile", "1.6 km"),
        ("100 \u00b0c", "212 \u00b0f"),
        ("3.14", "3.1416"),
        ("about 100", "108"),
        ("at least 5", "7"),
        ("under 10 ms", "4 ms"),
        ("between 3 and 9", "between 8 and 12"),
        ("120 ms", "121 ms"),
        ("version 1.2", "version 1.2.7"),
        ("$3 million", "3,000,000 dollars"),
        ("5 kg", "5 km"),
        ("every 60 minutes", "once an hour"),
        ("every month", "every 30 days"),
        ("3 may 2019", "in may"),
        ("in 2019", "in may"),
        ("in may of 2019", "3 may 2019"),
        ("in 4.2", "version 4.2.1"),
        ("4 gb", "4,096 mb"),
        ("100 requests per minute", "6,000 requests per hour"),
        ("10 per second", "600 per minute"),
        ("$10 per month", "$120 a year"),
        ("$1 per day", "$30 per month"),
        ("14:00 utc", "15:00 utc+1"),
        ("23:00 utc", "1:00 cest"),
        ("14:00", "14:00 utc"),
    ],
)
def test_compatible_measures_do_not_conflict(one: str, other: str) -> None:
    assert (
        measure_gap(read_measures(one)[0], read_measures(other)[0])
        == measure_gap(read_measures(other)[0], read_measures(one)[0])
        == 0
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("in 2019", "in 2021"),
        ("in march 2019", "in april 2019"),
        ("before 2019", "in 2019"),
        ("after 2019", "in 2019"),
        ("on monday", "on friday"),
        ("5 minutes", "301 minutes"),
        ("1 mile", "1.9 km"),
        ("8080", "8081"),
        ("about 100", "150"),
        ("at least 5", "4"),
        ("more than 5", "5"),
        ("between 3 and 5", "7"),
        ("version 1.2", "version 1.3"),
        ("$3 million", "$4 million"),
        ("50%", "60%"),
        ("every hour", "once a day"),
        ("weekly", "every month"),
        ("3 may 2019", "in june"),
        ("3 may 2019", "on 4 may"),
        ("the 28th", "the 27th"),
        ("from 1809 to 1812", "in 1813"),
        ("4 gb", "4,600 mb"),
        ("100 requests per minute", "600 requests per hour"),
        ("within a day", "2 days"),
        ("14:00 utc", "15:00 utc"),
        ("14:00 utc", "14:00 utc+1"),
        ("14:00 utc", "15:00 utc-1"),
    ],
)
def test_incompatible_measures_conflict(one: str, other: str) -> None:
    assert (
        0
        < measure_gap(read_measures(one)[0], read_measures(other)[0])
        == measure_gap(read_measures(other)[0], read_measures(one)[0])
        <= 1
    )


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("between one hundred and two hundred", [100, 200]),
        ("one two three", [1, 2, 3]),
        ("ports 80 443", [80, 443]),
        ("codes 200 404 500", [200, 404, 500]),
        ("30 s 1 min", [30, 60]),
        ("2 hours and 90 minutes", [7200, 5400]),
        ("in 2003 us troops", [2003 * 372 + 1]),
    ],
)
def test_numbers_beside_each_other_are_not_one(text: str, values: list[float]) -> None:
    assert [found.low for found in read_measures(text)] == values


def test_a_number_before_a_noun_is_not_a_year() -> None:
    assert [found.dimension for found in read_measures("limited to 1000 requests since 2019")] == ["number", "date"]


@settings(deadline=None)
@given(st.text(max_size=100) | st.text(alphabet="0123456789.,-+eE%$ tomayv:/", max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    place = 0
    for found in read_measures(text.lower()):
        assert place <= found.start < found.end <= len(text.lower())
        assert found.low <= found.high
        assert measure_gap(found, found) == 0
        place = found.end


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "1 ",
        "1,",
        "1.",
        "-",
        "one ",
        "may ",
        "v1.",
        "$",
        "1-1",
        "1 to ",
        "march 1",
        "between 1 and ",
        "every ",
        "once a ",
        "in 1990 to ",
    ],
)
def test_no_text_takes_more_than_linear_time(piece: str) -> None:
    assert len(read_measures(piece * 10_000)) <= 20_000
