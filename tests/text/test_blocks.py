"""Splitting text into paragraphs, items, headings and table rows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.text.blocks import split_blocks


def _blocks(text: str) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in split_blocks(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n \n", []),
        ("one\ntwo\n\nthree", [("text", "one\ntwo"), ("text", "three")]),
        ("# One\ntwo", [("heading", "One"), ("text", "two")]),
        ("###### Six\n####### seven", [("heading", "Six"), ("text", "####### seven")]),
        ("One\n===\ntwo", [("heading", "One"), ("text", "two")]),
        ("One\n---\ntwo", [("heading", "One"), ("text", "two")]),
        ("one\n\n---\n\ntwo", [("text", "one"), ("text", "two")]),
        ("**One**\ntwo", [("heading", "**One**"), ("text", "two")]),
        (
            "- one\n  more\n* two\n1. three\n2) four",
            [("item", text) for text in ("one\n  more", "two", "three", "four")],
        ),
        ("- [x] done\n- [ ] open", [("item", "done"), ("item", "open")]),
        ("text:\n- item", [("text", "text:"), ("item", "item")]),
        ("| a | b |\n|---|---|", [("table", "| a | b |"), ("table", "|---|---|")]),
        ("before\n> one\n> two\nafter", [("text", "before"), ("text", "one\n> two"), ("text", "after")]),
        ("Port: 8080\nHost: here\nand on", [("text", "Port: 8080"), ("text", "Host: here"), ("text", "and on")]),
        ("a\n```\ncode\n```\nb", [("text", "a"), ("text", "b")]),
        ("a\n~~~py\n```\n~~~\nb", [("text", "a"), ("text", "b")]),
        ("a\n````\n```\n````\nb", [("text", "a"), ("text", "b")]),
        ("a\n```\nno end", [("text", "a")]),
        ("```code``` in a line", [("text", "```code``` in a line")]),
        ("one\r\ntwo\r\n", [("text", "one\r\ntwo")]),
    ],
)
def test_a_text_is_taken_apart(text: str, expected: list[tuple[str, str]]) -> None:
    assert _blocks(text) == expected


@settings(deadline=None)
@given(st.lists(st.sampled_from([*"#->*|:`~=_ \t\n.a1B", "\r\n", "```", "- "]), max_size=80))
def test_blocks_are_in_order_and_do_not_overlap(pieces: list[str]) -> None:
    text = "".join(pieces)
    place = 0
    for block in split_blocks(text):
        assert place <= block.start < block.end <= len(text)
        place = block.end
