"""JSON with comments is edited without losing them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.cli.json_edit import append_value, parse_object, remove_value
from howsure.cli.jsonc import blank_comments, edit
from howsure.errors import InputError

ZED = """// Zed settings
{
  /* the font */
  "buffer_font_size": 15, // large
  "url": "https://example.org/*", // not a comment inside
}
"""


def test_comments_and_trailing_commas_stay() -> None:
    added = edit(ZED, lambda text: append_value(text, [], {"a": 1}, "context_servers"))
    for part in ("// Zed settings", "/* the font */", "// large", '"https://example.org/*"', "// not a comment inside"):
        assert part in added
    assert json.loads(blank_comments(added))["context_servers"] == {"a": 1}
    removed = edit(added, lambda text: remove_value(text, ["context_servers"]))
    assert json.loads(blank_comments(removed)) == json.loads(blank_comments(ZED))


VALUES = st.recursive(st.text(max_size=8) | st.integers(), lambda inner: st.lists(inner, max_size=3), max_leaves=5)


@given(st.dictionaries(st.text(max_size=6), VALUES, max_size=4))
def test_plain_json_is_left_alone(data: dict[str, object]) -> None:
    for text in (json.dumps(data), json.dumps(data, indent=2)):
        assert blank_comments(text) == text


def test_numbers_that_are_not_json_are_refused() -> None:
    with pytest.raises(InputError, match="the settings are not JSON: NaN is not a number in JSON"):
        parse_object('{"a": NaN}')


def test_a_byte_order_mark_stays() -> None:
    assert append_value('\ufeff{"a": 1}', [], 2, "b") == '\ufeff{"a": 1, "b": 2}'
    assert remove_value('\ufeff{"a": 1, "b": 2}', ["a"]) == '\ufeff{"b": 2}'
