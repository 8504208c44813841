"""JSON with comments is edited without losing them."""

import json

from hypothesis import given
from hypothesis import strategies as st

from howsure.cli.json_edit import append_value, remove_value
from howsure.cli.jsonc import blank_comments, edit

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
