"""Reading Markdown without a parser, compared with plain regular expressions."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.documents.content.markdown import (
    find_anchored_links,
    find_links,
    find_names,
    remove_code,
    remove_quoted_items,
)

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


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[a][one] and [b][]\n\n[One]: one.md\n[b]: <b.md> 'B'\n", ("one.md", "b.md")),
        ("See [a] and\n[two\nwords].\n\n[a]: a.md#part\n[two words]:\n  b.md\n", ("a.md", "b.md")),
        ("[unused]: a.md\n[^1]: foot.md\n[a]: two words\n\n[^1], [a]\n", ()),
        ("[a]\n\n[a]: https://example.org\n", ()),
        ('<a class="x"\n href="a.md">a</a> <img src=\'b.png\' alt="">', ("a.md", "b.png")),
        ('<a href="https://example.org"> <a href="{{ page }}.md"> <abbr title="x.md">', ()),
        ("[a](/docs/a.md) [b](//example.org/b.md)", ("/docs/a.md",)),
    ],
)
def test_links_by_reference_in_tags_and_from_the_root_are_found(text: str, links: tuple[str, ...]) -> None:
    assert find_links(text) == links


def test_links_to_places_are_found_in_every_form() -> None:
    text = '[a](#a) [b] <a href="#c"> [d](/d.md#d)\n\n[b]: b.md#b\n'
    assert find_anchored_links(text) == ("#a", "/d.md#d", "b.md#b", "#c")


@pytest.mark.parametrize("piece", ["[a]: ", "\n[a]:\n ", '\n[a]: b "', "<a ", "<img src='", "[", "[a]", "\n[a]: b "])
def test_hostile_links_take_time_in_proportion_to_their_length(piece: str) -> None:
    assert len(find_links("]: <a" + piece * 50_000)) <= 1  # quadratic time would be hours


def test_names_in_code_blocks_do_not_count() -> None:
    assert find_names("```\nsee `src/no.py`\n```\n`src/yes.py`") == ("src/yes.py",)


@pytest.mark.parametrize("piece", ["<!--", "](a '", "\n```x\n~~~", "`a/", "- '", "\n ", "](", "`", "~~~\n"])
def test_hostile_texts_take_time_in_proportion_to_their_length(piece: str) -> None:
    text = piece * 100_000  # quadratic time would be hours
    outside = remove_code(text)
    assert remove_quoted_items(outside)
    find_links(outside)
    find_names(text)
