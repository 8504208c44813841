"""Reading Markdown without a parser, compared with plain regular expressions."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.documents.content.markdown import find_links, find_names, remove_code, remove_quoted_items

# The same rules as one expression each: slow, and quadratic for hostile texts.
BLOCK = r"^[ \t]*(```|~~~)[^\n]*\n.*?^[ \t]*\1[^\n]*$|<!--.*?-->"
CODE_BLOCK = re.compile(BLOCK, re.DOTALL | re.MULTILINE)
CODE = re.compile(rf"{BLOCK}|`[^`\n]*`", re.DOTALL | re.MULTILINE)
QUOTED_ITEM = re.compile(
    r"""^[ \t]*(?:[-*+]|\d+[.)])[ \t]+["'\u201c\u2018][^\n]*["'\u201d\u2019][ \t]*\r?$""", re.MULTILINE
)

PIECES = (
    "`",
    "``",
    "```",
    "~~~",
    "<!--",
    "-->",
    "\n",
    "\n\n",
    " ",
    "\t",
    "- ",
    "1. ",
    '"',
    "'",
    "\u201c",
    "a",
    "b.md",
    "](",
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(TEXTS)
def test_code_is_removed_as_by_one_expression(text: str) -> None:
    assert remove_code(text) == CODE.sub(" ", text)
    assert remove_code(text, spans=False) == CODE_BLOCK.sub(" ", text)


@given(TEXTS)
def test_quoted_items_are_removed_as_by_one_expression(text: str) -> None:
    assert remove_quoted_items(text) == QUOTED_ITEM.sub(" ", text)


def test_links_are_relative_paths_without_anchors() -> None:
    text = '[a](one.md#part) [b](<two.md> "title") [c](https://example.org) [d](#here) [e](a(1).md?x=1) [f](one.md)'
    assert find_links(text) == ("one.md", "two.md", "a(1).md")


def test_names_in_code_blocks_do_not_count() -> None:
    assert find_names("```\nsee `src/no.py`\n```\n`src/yes.py`") == ("src/yes.py",)


@pytest.mark.parametrize("piece", ["<!--", "](a '", "\n```x\n~~~", "`a/", "- '", "\n ", "](", "`", "~~~\n"])
def test_hostile_texts_take_time_in_proportion_to_their_length(piece: str) -> None:
    text = piece * 100_000  # quadratic time would be hours
    outside = remove_code(text)
    assert remove_quoted_items(outside)
    find_links(outside)
    find_names(text)
