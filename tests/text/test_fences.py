"""Finding fenced code, also in list items."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.responses.code_checks import blocks, check_blocks
from howsure.text.fences import read_lines
from howsure.text.sentences import split_sentences

AFTER = "\nThen it works.\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```py\nx = 1\n```\n", [("py", "x = 1\n")]),
        ("   ```py\n   if x:\n       y()\n   ```\n", [("py", "if x:\n    y()\n")]),
        ("1. Run:\n\n    ```py\n    if x:\n        y()\n    ```\n", [("py", "if x:\n    y()\n")]),
        ("- a\n  - b\n\n      ~~~py\n      x = 1\n\n      y = 2\n      ~~~\n", [("py", "x = 1\n\ny = 2\n")]),
        ("- ```py\n  x = 1\n  ```\n", [("py", "x = 1\n")]),
        ("1. ```py\nx = 1\n```\n", [("py", "x = 1\n")]),
        ("\t```py\n\tx = 1\n\t```\n", [("py", "x = 1\n")]),
        ("1. Run:\n\n    ```py\n    x = 1\n", [("py", "x = 1\n\n")]),  # ends with its item
        ("```py\ndef f():\n    '''\n    ```\n    '''\n```\n", [("py", "def f():\n    '''\n    ```\n    '''\n")]),
        ("````md\n```py\n```\n````\n", [("md", "```py\n```\n")]),
        ("```code``` in a line\n", []),
        ("A\n\n    ```py x```\n", []),
    ],
)
def test_code_is_told_from_text(text: str, code: list[tuple[str, str]]) -> None:
    assert blocks(text + AFTER) == code
    assert split_sentences(text + AFTER)[-1].text == AFTER.strip()
    assert not any("x = 1" in sentence.text for sentence in split_sentences(text + AFTER))


def test_code_in_a_list_is_parsed_without_its_indentation() -> None:
    listed = "1. Run:\n\n   ```python\n   if x:\n       y({})\n   ```\n"
    for text in (listed, listed.replace("   ", "     "), listed.replace("```", "~~~")):
        checks = [check_blocks(text.format(more)) for more in ("", "(")]
        assert [one and one.syntax_valid for one in checks] == [True, False]


@settings(deadline=None)
@given(st.lists(st.sampled_from(["```", "~~~", "````", "py", "\n", "\n", "    ", "  ", "\t", "- ", "1. ", "x", "`"])))
def test_every_line_is_read_once_and_a_part_as_in_the_whole(pieces: list[str]) -> None:
    text = "".join(pieces)
    lines = list(read_lines(text))
    assert "".join(line.raw for line in lines) == text
    for place, line in enumerate(lines):
        if line.kind == "text":
            assert [line, *read_lines("".join(one.raw for one in lines[place + 1 :]))] == lines[place:]
