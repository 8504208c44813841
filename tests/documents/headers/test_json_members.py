"""Scoring headers in JSON: a member put in, read and remove out, with nothing else changed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.documents.headers.edit import EMPTY_SIDECAR, Style, has_room, put, read, remove
from howsure.documents.headers.fields import Fields
from howsure.errors import InputError

JSON = Style("json")
DATA: Fields = {
    "score": 0.997,
    "created": "2026-03-20",
    "next_review": "2026-09-20",
    "decay_rate": 0.001,
    "human_validated": True,
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{"_confidence": {"score": 1.0}}'),
        ("{ }\n", '{ "_confidence": {"score": 1.0} }\n'),
        ("{\n}\n", '{\n  "_confidence": {\n    "score": 1.0\n  }\n}\n'),
        ('{"a":1}', '{"_confidence": {"score": 1.0}, "a":1}'),
        ('{ "a": 1 }', '{ "_confidence": {"score": 1.0}, "a": 1 }'),
        ('{\n\t"a": 1\n}', '{\n\t"_confidence": {\n\t\t"score": 1.0\n\t},\n\t"a": 1\n}'),
        ('{\r\n    "a": 1}', '{\r\n    "_confidence": {\r\n        "score": 1.0\r\n    },\r\n    "a": 1}'),
        ('\ufeff{"a": 1E+2}', '\ufeff{"_confidence": {"score": 1.0}, "a": 1E+2}'),
        (' {"a": {"_confidence": 1}}', ' {"_confidence": {"score": 1.0}, "a": {"_confidence": 1}}'),
    ],
)
def test_a_member_goes_in_as_the_others_are_written(before: str, after: str) -> None:
    assert put(before.encode(), JSON, {"score": 1.0}).decode() == after
    assert remove(after.encode(), JSON).decode() == before


def test_data_get_the_seeds_member() -> None:
    after = put(EMPTY_SIDECAR, JSON, DATA)
    assert after.decode() == json.dumps({"_confidence": DATA}, indent=2) + "\n"
    assert read(after, JSON) == DATA
    assert remove(after, JSON) == EMPTY_SIDECAR


@pytest.mark.parametrize(
    ("before", "without"),
    [
        ('{"a": 1, "_confidence": {"score": 1}, "b": 2}', '{"a": 1, "b": 2}'),
        ('{\n  "a": 1,\n  "\\u005fconfidence": {"score": 1}\n}', '{\n  "a": 1\n}'),
    ],
)
def test_a_member_stays_where_it_was_moved_to(before: str, without: str) -> None:
    assert read(before.encode(), JSON) == {"score": 1}
    assert remove(before.encode(), JSON).decode() == without
    after = put(before.encode(), JSON, {"score": 0.5}).decode()
    assert list(json.loads(after)) == list(json.loads(before))
    assert put(after.encode(), JSON, {"score": 0.5}).decode() == after


@pytest.mark.parametrize(
    "value",
    [
        "1",
        "{}",
        '{"score": "high"}',
        '{"score": 1, "by": "ann"}',
        '{"score": true}',
        '{"score": 1e999}',
        '{"score": 1, "created": "soon"}',
        '{"score": 1, "human_validated": 1}',
        f'{{"score": {"1" * 500}}}',
        f'{{"score": {"1" * 5000}}}',
        '{"score": 1}, "_confidence": {"score": 1}',
    ],
)
def test_a_member_that_is_not_ours_is_never_touched(value: str) -> None:
    data = f'{{"a": 1, "_confidence": {value}}}'.encode()
    assert read(data, JSON) is None
    assert remove(data, JSON) == data
    with pytest.raises(InputError, match="_confidence: exists but is not a scoring header"):
        put(data, JSON, DATA)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "invalid JSON"),
        (b"{", "invalid JSON"),
        (b'{"a": 1,}', "line 1: invalid JSON"),
        (b'{\n"a" 1}', "line 2: invalid JSON: Expecting :"),
        (b'{"a": 1} x', "invalid JSON: Extra data"),
        (b"{'a': 1}", "invalid JSON"),
        (b'{"a": NaN}', "NaN is not a number in JSON"),
        (b'{"a": "\n"}', "invalid JSON"),
        (b'// note\n{"a": 1}', "invalid JSON"),
        (b'{"a": "\xe9"}', "invalid JSON: not UTF-8 at byte 7"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "invalid JSON"),
    ],
)
def test_invalid_json_is_never_edited(data: bytes, problem: str) -> None:
    for edit in (lambda: put(data, JSON, DATA), lambda: has_room(data, JSON)):
        with pytest.raises(InputError, match=problem):
            edit()
    assert remove(data, JSON) == data
    assert read(data, JSON) is None


@pytest.mark.parametrize("data", [b"[]", b' [{"_confidence": {"score": 1}}]\n', b"1", b'"x"', b"null"])
def test_json_without_members_has_no_room(data: bytes) -> None:
    assert not has_room(data, JSON)
    with pytest.raises(InputError, match="only a JSON object can hold a header"):
        put(data, JSON, DATA)
    assert remove(data, JSON) == data


def test_markdown_and_json_objects_can_hold_a_header_but_tables_cannot() -> None:
    assert has_room(b"", Style("markup", "markdown"))
    assert has_room(b"{}", JSON)
    assert not has_room(b"a,b\n", Style("sidecar"))


@pytest.mark.parametrize("fields", [{}, {"created": "2026-03-20"}, {"score": float("nan")}, {"score": 1, "why": "x"}])
def test_only_members_that_can_be_read_again_are_written(fields: Fields) -> None:
    with pytest.raises(InputError):
        put(b"{}", JSON, fields)


KEYS = st.sampled_from(["_confidence", "a", "{", '"', "\\", "}", ",", "\u00e9"]) | st.text(max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
GAPS = st.sampled_from(["", " ", "\n", "\n  ", "\r\n\t", "\r", "\n\n    "])


@st.composite
def objects(draw: st.DrawFn) -> str:
    """Objects with any spaces and any keys, the same one twice included."""
    outer = KEYS.filter(lambda key: key != "_confidence")
    pairs = draw(st.lists(st.tuples(outer, VALUES), max_size=4))
    indent = draw(st.sampled_from([None, 0, 2, "\t"]))
    parts = [
        draw(GAPS) + json.dumps(key) + draw(GAPS) + ":" + draw(GAPS) + json.dumps(value, indent=indent) + draw(GAPS)
        for key, value in pairs
    ]
    return draw(GAPS) + "{" + (",".join(parts) or draw(GAPS)) + "}" + draw(GAPS)


@given(objects(), st.sampled_from(["", "\ufeff"]))
def test_a_member_is_added_once_and_removed_completely(text: str, cap: str) -> None:
    data = (cap + text).encode()
    after = put(data, JSON, DATA)
    assert read(after, JSON) == DATA
    assert remove(data, JSON) == data
    assert remove(after, JSON) == data
    assert put(after, JSON, DATA) == after
    assert put(after, JSON, {"score": 0.5}) == put(data, JSON, {"score": 0.5})
    before = json.loads(text, object_pairs_hook=list)
    assert json.loads(after.decode("utf-8-sig"), object_pairs_hook=list) == [
        ("_confidence", list(DATA.items())),
        *before,
    ]
