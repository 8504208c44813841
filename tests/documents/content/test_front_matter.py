"""Evidence: what a file says about itself is read, and what cannot be read counts for nothing."""

import itertools
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.documents.content.front_matter import front_matter, parse_date, parse_metadata, yaml_metadata


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\ntitle: Home\n---\nbody", {"title": "Home"}),
        ("---\r\ntitle: Home\r\n---\r\nbody", {"title": "Home"}),
        ("\ufeff---\ntitle: Home\n---\n", {"title": "Home"}),
        ("---\ntitle: Home\n...\n", {"title": "Home"}),
        ("---\n---\nempty", {}),
        ('+++\ntitle = "Home"\n+++\n', {"title": "Home"}),
        ("no front matter", {}),
        ("---\nnever closed\n", {}),
        ("text\n---\ntitle: not at the top\n---\n", {}),
    ],
)
def test_front_matter_is_read_only_at_the_top(text: str, expected: dict[str, Any]) -> None:
    assert front_matter(text) == (expected, "")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("---\ntitle: [unclosed\n---\n", "the front matter cannot be read: line"),
        ("---\n- a\n- b\n---\n", "the front matter is not a mapping"),
        ("---\na: 1\n\tb: 2\n---\n", "the front matter cannot be read: line"),
        ("+++\ntitle = \n+++\n", "the front matter cannot be read"),
        ("---\na: 2026-99-99\n---\n", "the front matter cannot be read"),
        ("---\n!!python/object/apply:os.system ['true']\n---\n", "the front matter cannot be read"),
    ],
)
def test_invalid_front_matter_is_reported_and_ignored(text: str, told: str) -> None:
    data, problem = front_matter(text)
    assert data == {}
    assert problem.startswith(told)


def test_a_source_counts_by_what_is_known_of_it() -> None:
    sources: list[Any] = [
        "https://a.example",
        {"url": "b"},
        {"url": "c", "visited": True},
        {"url": "d", "visited": "2026-01-02"},
        {"url": "e", "visited": True, "confirmed": date(2026, 1, 2)},
        {"url": "f", "confirmed": True, "evidence": 0.4},
        {"url": "g", "confirmed": False, "weight": 0.2},
    ]
    found = parse_metadata({"sources": sources})
    expected = [(1, 0), (1, 0), (1, 0.5), (1, 0.5), (1, 1), (0.4, 1), (0.2, 0)]
    assert [tuple(source) for source in found.sources] == expected
    assert found.problems == ()


def test_a_weight_for_all_sources_holds_where_none_is_given() -> None:
    found = parse_metadata({"evidence": 0.5, "sources": ["a", {"confirmed": True}, {"evidence": 1, "confirmed": True}]})
    assert [tuple(source) for source in found.sources] == [(0.5, 0), (0.5, 1), (1, 1)]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"sources": "a"}, "sources: 'a' is not a list"),
        ({"sources": [{"evidence": 1.5}]}, "sources[0].evidence: 1.5 is not between 0 and 1"),
        ({"sources": [{"evidence": float("nan")}]}, "sources[0].evidence: nan is not between 0 and 1"),
        ({"sources": [{"evidence": True}]}, "sources[0].evidence: true is not between 0 and 1"),
        ({"sources": [{"confirmed": "maybe"}]}, "sources[0].confirmed: 'maybe' is neither a date nor true or false"),
        ({"validated": "soon"}, "validated: 'soon' is neither a date nor true or false"),
        ({"data_metadata": ["x"]}, "data_metadata: "),
        ({"data_metadata": {"created": "x"}}, "data_metadata.created: 'x' is not a date"),
        ({"data_metadata": {"confidence": 2}}, "data_metadata.confidence: 2 is not between 0 and 1"),
    ],
)
def test_unreadable_front_matter_is_reported(data: dict[str, Any], told: str) -> None:
    found = parse_metadata(data)
    assert len(found.problems) == 1
    assert found.problems[0].startswith(told)
    assert all(observation == 0 for _, observation in found.sources)


def test_metadata_are_dates_confidence_and_a_name() -> None:
    metadata = {"created": date(2026, 3, 20), "validated": "2026-04-01", "reviewed_by": "ann", "confidence": 1}
    found = parse_metadata({"data_metadata": metadata | {"other": "left out"}})
    assert found.metadata == {
        "created": "2026-03-20", "validated": "2026-04-01", "confidence": 1.0, "reviewed_by": "ann",
    }  # fmt: skip
    assert found.validated == "2026-04-01"


def test_the_metadata_of_yaml_are_found_without_reading_the_rest() -> None:
    text = (
        "# comment\nrows:\n  - a: [broken\ndata_metadata:\n  created: 2026-03-20\n\n  validated: 2026-03-21\nmore: 1\n"
    )
    data, problem = yaml_metadata(text)
    assert (problem, data["data_metadata"]["validated"]) == ("", date(2026, 3, 21))
    assert yaml_metadata("rows: []\n") == ({}, "")


def test_a_thousand_sources_are_too_many() -> None:
    found = parse_metadata({"sources": ["a"] * 1000})
    assert (len(found.sources), found.problems) == (500, ("sources: only the first 500 of 1000 are read",))


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=8) | st.dates(), lambda inner: (
    st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["sources", "data_metadata", "validated", "evidence", "confirmed", "visited", "created"]), inner
    )
), max_leaves=12))  # fmt: skip
def test_any_front_matter_gives_weights_within_range(data: Any) -> None:
    found = parse_metadata(
        data if isinstance(data, dict) else {"sources": data, "data_metadata": data, "validated": data}
    )
    for source in found.sources:
        assert 0.0 <= source.evidence <= 1.0
        assert source.observation in (0.0, 0.5, 1.0)


def test_dates_are_read_as_they_are_written() -> None:
    assert parse_date("2026-03-20T23:30:00+02:00") == date(2026, 3, 20)
    assert parse_date(datetime(2026, 3, 20, 23, 30, tzinfo=UTC)) == date(2026, 3, 20)
    assert parse_date(20260320) is None
    assert parse_date("") is None


def _laughs(kind: str) -> str:
    """Return YAML of a few lines that stands for a billion values."""
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]" if kind == "list" else "a: &a {x: 1}"]
    for old, new in itertools.pairwise("abcdefghi"):
        many = ", ".join([f"*{old}"] * 9)
        lines.append(f"{new}: &{new} [{many}]" if kind == "list" else f"{new}: &{new}\n  <<: [{many}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{_laughs('list')}\ndata_metadata:\n  reviewed_by: *i", "aliases make it too large"),
        (_laughs("merge"), "aliases make it too large"),
        ("a: &a [*a]", "aliases make it too large"),
        ("a: " + "[" * 90_000, "nested too deeply"),
        ("- " * 90_000, "nested too deeply"),
        ("x: !!int ''", "invalid YAML"),
        ("next_review: 2026-13-45", "month must be in 1..12"),
    ],
)
def test_yaml_that_would_never_end_is_refused_at_once(text: str, told: str) -> None:
    data, problem = front_matter(f"---\n{text}\n---\n")
    assert data == {}
    assert told in problem


def test_aliases_and_deep_lists_as_people_write_them_are_read() -> None:
    text = "a: &a {x: 1}\nb: {<<: *a, y: *a}\nc: " + "[" * 40 + "]" * 40 + "\n" + "d:\n" + "- x\n" * 1000
    found, problem = front_matter(f"---\n{text}---\n")
    assert (found["b"], len(found["d"]), problem) == ({"x": 1, "y": {"x": 1}}, 1000, "")


@pytest.mark.parametrize("day", ["0001-01-01T00:00:00+10:00", "9999-12-31T23:00:00-10:00"])
def test_an_impossible_date_is_none(day: str) -> None:
    data, _ = front_matter(f"---\nvalidated: {day}\n---\n")
    assert parse_metadata(data).validated == ""
    assert "is neither a date" in parse_metadata(data).problems[0]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffdata_metadata:\n  validated: 2026-01-01\n",
        '"data_metadata":\n  validated: 2026-01-01\n',
        "'data_metadata' :\n  validated: 2026-01-01\n",
        "a: 1\ndata_metadata: {validated: 2026-01-01}",
        "data_metadata: {\n  validated: 2026-01-01\n}\na: 1\n",
        "data_metadata:\n# when\n  validated: 2026-01-01\na: 1\n",
        "day: &day 2026-01-01\ndata_metadata:\n  validated: *day\n",
    ],
)
def test_data_metadata_may_be_written_in_any_way_that_yaml_has(text: str) -> None:
    data, problem = yaml_metadata(text)
    assert problem == ""
    assert parse_metadata(data).validated == "2026-01-01"


def test_a_key_of_many_parts_does_not_stop_a_scan() -> None:
    """Python takes quadratic time to read a dotted key: minutes for one that fills the front matter."""
    _, problem = front_matter("+++\n" + ".".join(["a"] * 90_000) + " = 1\n+++\nText")
    assert problem == "the front matter cannot be read: a line has more than 500 dots"
