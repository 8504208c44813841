"""Scoring headers in files: put in, read and remove out, with nothing else changed."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from howsure.documents.headers.edit import Style, header_style, put, read, remove
from howsure.documents.headers.fields import Fields
from howsure.errors import InputError
from tests.documents.headers.styles import (
    CARRIAGE,
    CODE,
    COMMENTS,
    CONTENT,
    ENDS,
    HTML,
    JSON,
    MARKDOWN,
    PYTHON,
    RUBY,
    SCRIPT,
    SEED,
    SEED_CODE,
    SHELL,
    TEXT,
    TOML,
    YAML,
    fields_of,
    placed,
    short,
)


@pytest.mark.parametrize(
    ("name", "kind", "code"),
    [
        ("README.md", "markup", False),
        ("a.MARKDOWN", "markup", False),
        ("notes.txt", "markup", False),
        ("a.html", "markup", False),
        ("a.htm", "markup", False),
        ("a.py", "hash", True),
        ("a.pyi", "hash", True),
        ("a.rb", "hash", True),
        ("a.sh", "hash", True),
        ("a.zsh", "hash", True),
        ("a.yml", "hash", False),
        ("a.yaml", "hash", False),
        ("a.toml", "hash", False),
        ("a.js", "slash", True),
        ("a.d.ts", "slash", True),
        ("a.tsx", "slash", True),
        ("a.csv", "sidecar", False),
        ("a.TSV", "sidecar", False),
        ("requirements-dev.txt", "hash", False),
        ("CMakeLists.txt", "hash", False),
        ("robots.txt", "hash", False),
    ],
)
def test_the_style_of_a_header_follows_from_the_file_name(name: str, kind: str, code: bool) -> None:
    found = header_style(f"docs/{name}", in_data=False)
    assert found is not None
    assert (found.kind, found.code) == (kind, code)


@pytest.mark.parametrize("name", ["a.mdx", "a.png", "Makefile", ".md", "a.json", "a.lock", "", "a.csv.confidence.json"])
def test_other_files_get_no_header(name: str) -> None:
    assert header_style(name, in_data=False) is None


def test_json_is_edited_in_data_folders_only_and_a_sidecar_never_gets_one_of_its_own() -> None:
    assert header_style("a.JSON", in_data=True) == Style("json")
    assert header_style("a.csv.confidence.json", in_data=True) is None


def test_a_text_gets_the_seeds_header() -> None:
    assert put(b"# Title\n", MARKDOWN, CONTENT) == SEED + b"# Title\n"
    assert read(SEED + b"# Title\n", MARKDOWN) == CONTENT
    assert put(b"", TEXT, CONTENT) == SEED
    assert (
        put(b"a: 1\n", YAML, CONTENT)
        == b"".join(b"# " + line.strip() + b"\n" for line in SEED.splitlines()[1:-1]) + b"\na: 1\n"
    )


def test_code_gets_the_header_lines_of_the_source_document() -> None:
    header = b"# CONFIDENCE SCORE: 0.68\n" + SEED_CODE + b"# LAST_UPDATED: 2026-03-20\n\n"
    assert put(b"import os\n", PYTHON, CODE) == header + b"import os\n"
    assert put(b"f()\n", SCRIPT, CODE) == header.replace(b"# ", b"// ") + b"f()\n"


@pytest.mark.parametrize("apart", [b"", b"\n"])
def test_the_seeds_own_header_of_code_is_ours_and_is_replaced(apart: bytes) -> None:
    data = SEED_CODE + apart + b"import os\n"
    assert read(data, PYTHON) == {key: CODE[key] for key in ("CONFIDENCE", "V&V_INTEGRATION", "MILESTONE")}
    assert put(data, PYTHON, CODE) == put(b"import os\n", PYTHON, CODE)


@pytest.mark.parametrize("style", COMMENTS)
@pytest.mark.parametrize("end", ENDS)
def test_a_header_ends_its_lines_as_the_file_does(style: Style, end: bytes) -> None:
    data = end.join([b"one", b"two", b""])
    after = put(data, style, fields_of(style))
    expected = end if end != b"\r" or style in CARRIAGE else b"\n"
    assert after[: -len(data)].replace(expected, b"").count(b"\r") == 0
    assert after[: -len(data)].count(expected) >= len(fields_of(style)) // 3
    assert remove(after, style) == data


def test_with_mixed_line_ends_the_first_one_counts() -> None:
    assert placed(b"a\r\nb\nc\r", MARKDOWN).startswith(b"<!--\r\n")
    assert placed(b"a\nb\r\nc\r", MARKDOWN).startswith(b"<!--\n ")
    assert placed(b"a\rb\r\nc\r", MARKDOWN).startswith(b"<!--\r\n")


@pytest.mark.parametrize("style", COMMENTS)
@pytest.mark.parametrize(
    "data", [b"", b"x", b"\n", b"\n\n", b" ", b"\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbfx", b"\xe9\n"]
)
def test_an_empty_file_can_get_and_lose_a_header(style: Style, data: bytes) -> None:
    assert placed(data, style).startswith(data[: 3 * data.startswith(b"\xef")] + short(style).splitlines()[0])


FIRST: list[tuple[Style, bytes]] = [
    (MARKDOWN, b"---\ntitle: x\n---\n"),
    (MARKDOWN, b"---\n---\n"),
    (MARKDOWN, b"--- \ntitle: x\n...\n"),
    (MARKDOWN, b"+++\ntitle = 'x'\n+++\n"),
    (MARKDOWN, b'{\n  "title": "x"\n}\n'),
    (MARKDOWN, b"\xef\xbb\xbf---\ntitle: x\n---\n"),
    (MARKDOWN, b"Title: x\nDate: 2026-03-20\n    and more\n\n"),
    (MARKDOWN, b"% Title\n% Author\n\n"),
    (TEXT, b"---\ntitle: x\n---\n"),
    (HTML, b"---\nlayout: x\n---\n<!doctype html>\n"),
    (HTML, b"<!DOCTYPE html>\n"),
    (HTML, b"\n <!DOCTYPE html>  \n"),
    (HTML, b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD" [ <!ENTITY a "b>"> ]>\n'),
    (HTML, b'<?xml version="1.0"?>\n'),
    (PYTHON, b"#!/usr/bin/env python\n"),
    (PYTHON, b"#!/usr/bin/env python\n# -*- coding: latin-1 -*-\n"),
    (PYTHON, b"# licence\n# vim: set fileencoding=latin-1 :\n"),
    (PYTHON, b"\n# coding=latin-1\n"),
    (PYTHON, b"# ---\n# jupyter:\n# ---\n"),
    (PYTHON, b"#!/usr/bin/env python\n\n"),
    (RUBY, b"#!/usr/bin/env ruby\n# encoding: latin-1\n# frozen_string_literal: true\n\n"),
    (RUBY, b"# -*- frozen-string-literal: true -*-\n# typed: strict\n"),
    (SHELL, b"#!/bin/sh\n"),
    (SHELL, b"#compdef x\n"),
    (SHELL, b"#!/bin/sh\n# vim: ts=2\n"),
    (YAML, b"---\n"),
    (YAML, b"%YAML 1.1\n%TAG ! tag:example.com,2026:\n---\n"),
    (YAML, b"#cloud-config\n"),
    (YAML, b"## template: jinja\n#cloud-config\n---\n\n"),
    (TOML, b"# -*- mode: toml -*-\n"),
    (SCRIPT, b"#!/usr/bin/env node\n"),
    (SCRIPT, b"// @flow strict\n"),
    (SCRIPT, b"/**\n * @jest-environment jsdom\n */\n"),
    (SCRIPT, b"#!/usr/bin/env node\n\n/** @format */\n\n"),
]


@pytest.mark.parametrize(("style", "first"), FIRST)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_required_first_lines_stay_first(style: Style, first: bytes, end: bytes) -> None:
    first = first.replace(b"\n", end)
    header = short(style).replace(b"\n", end)
    assert placed(first + b"x" + end, style) == first + header + b"x" + end
    assert placed(first, style) == first + (header if style.kind == "markup" else header.removesuffix(end))


@pytest.mark.parametrize(("style", "first"), [pair for pair in FIRST if not pair[1].endswith(b"\n\n")])
def test_a_file_may_hold_only_its_required_first_line(style: Style, first: bytes) -> None:
    bare = first.removesuffix(b"\n").rstrip(b" ")
    after = placed(bare, style)
    assert after == bare + (b"" if bare.endswith(b">") else b"\n") + short(style).rstrip(b"\n")


NOT_FIRST: list[tuple[Style, bytes]] = [
    (MARKDOWN, b"---\nnever closed\n"),
    (MARKDOWN, b"Title: a paragraph\nthat goes on\n"),
    (MARKDOWN, b"Note: a paragraph\n\n"),
    (MARKDOWN, b"Title:\n\nText\n"),
    (MARKDOWN, b"1. Title: an item\n\n   that goes on\n"),
    (TEXT, b"Title: x\n\nText\n"),
    (HTML, b"<html></html>\n"),
    (HTML, b"<!-- licence --><!DOCTYPE html>\n"),
    (PYTHON, b"import os\n# coding: latin-1\n"),
    (PYTHON, b'"""Doc."""\n'),
    (YAML, b"--- |\n  text\n"),
    (YAML, b"--- # comment\na: 1\n"),
    (YAML, b"%YAML 1.2\n--- !x\na: 1\n"),
    (SCRIPT, b"'use strict';\n"),
    (SCRIPT, b'/// <reference path="x.d.ts" />\n'),
    (SCRIPT, b"/** Adds @param. */\nfunction add() {}\n"),
    (SHELL, b"echo 'a\rb'\n"),
]


@pytest.mark.parametrize(("style", "data"), NOT_FIRST)
def test_everything_else_comes_after_the_header(style: Style, data: bytes) -> None:
    assert placed(data, style) == short(style) + data


def test_a_header_is_inside_a_line_only_after_a_doctype() -> None:
    header = short(HTML).rstrip(b"\n")
    assert placed(b"<!DOCTYPE html><p>x", HTML) == b"<!DOCTYPE html>" + header + b"<p>x"
    assert placed(b"<!DOCTYPE html>  <p>x", HTML) == b"<!DOCTYPE html>" + header + b"  <p>x"
    assert read(header + b"text", HTML) is None
    assert read(b"---\n---\n" + header + b"text", HTML) is None


FOREIGN: list[tuple[Style, bytes]] = [
    (MARKDOWN, SEED.replace(b"  LAST", b"  REVIEWER: Ann\n  LAST")),
    (MARKDOWN, SEED.replace(b"M2", b"M9")),
    (MARKDOWN, SEED.replace(b"0.82", b"high")),
    (MARKDOWN, SEED.replace(b"BASE:", b"EVIDENCE:")),
    (MARKDOWN, SEED.replace(b"-->", b"--> see below")),
    (MARKDOWN, b"<!-- CONFIDENCE SCORE: 0.82 is what we write -->\n"),
    (MARKDOWN, b"<!--\n  MILESTONE: M2\n-->\n"),
    (MARKDOWN, b"<!--\n  Copyright 2026\n-->\n"),
    (MARKDOWN, b" " + SEED),
    (MARKDOWN, b"Every page begins with a header:\n\n```html\n" + SEED + b"```\n"),
    (MARKDOWN, b"```html\n" + SEED + b"```\n"),
    (MARKDOWN, b"\n" + SEED),
    (HTML, b"<p>\n" + SEED),
    (PYTHON, b"# MILESTONE: M3\nimport os\n"),
    (PYTHON, b"# CONFIDENCE: 0.9 (my own guess)\nimport os\n"),
    (PYTHON, b"# CONFIDENCE: high\n# MILESTONE: M3\nimport os\n"),
    (PYTHON, SEED_CODE + b"# REVIEWER: Ann\nimport os\n"),
    (PYTHON, b"# Copyright 2026\n" + SEED_CODE),
    (PYTHON, b"import os\n" + SEED_CODE),
    (PYTHON, b'"""Files begin with\n' + SEED_CODE + b'"""\n'),
    (SCRIPT, SEED_CODE.replace(b"#", b"//") + b"/// <reference path='x' />\n"),
    (SCRIPT, b"/*\n" + SEED_CODE.replace(b"# ", b" * ") + b"*/\n"),
    (YAML, b"# CONFIDENCE SCORE: 0.5 | OWNER: Ann\na: 1\n"),
]


@pytest.mark.parametrize(("style", "data"), FOREIGN)
def test_foreign_headers_are_kept_and_ours_is_added(style: Style, data: bytes) -> None:
    assert read(data, style) is None
    assert remove(data, style) == data
    assert placed(data, style) == short(style) + data


def test_a_page_that_documents_headers_keeps_its_examples_when_its_own_is_cut() -> None:
    page = b"# Headers\n\n    " + SEED.replace(b"\n", b"\n    ") + b"\n" + SEED
    assert remove(put(page, MARKDOWN, CONTENT), MARKDOWN) == page
    assert read(put(page, MARKDOWN, {"CONFIDENCE SCORE": "0.5"}), MARKDOWN) == {"CONFIDENCE SCORE": "0.5"}


def test_a_header_may_be_written_by_hand_with_other_spaces_lines_and_order() -> None:
    header = b"<!-- \r\nLAST_UPDATED:2026-03-20\r\n\tCONFIDENCE SCORE: 0.8|BASE: -1\r\n --> \r\n"
    assert read(header, MARKDOWN) == {"LAST_UPDATED": "2026-03-20", "CONFIDENCE SCORE": "0.8", "BASE": "-1"}
    assert put(header + b"x", MARKDOWN, CONTENT) == put(b"x", MARKDOWN, CONTENT)
    assert read(b"#!/bin/sh\n\n#CONFIDENCE SCORE: 1 ", SHELL) == {"CONFIDENCE SCORE": "1"}


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("style", [*COMMENTS, JSON])
def test_wide_encodings_stay_what_they_were(style: Style, codec: str) -> None:
    text = '{"\U0001f600": 1}' if style == JSON else "# \U0001f600\r\nx"
    data = ("\ufeff" + text).encode(codec)
    after = put(data, style, fields_of(style))
    plain = put(text.encode(), style, fields_of(style)).decode()
    assert after == ("\ufeff" + plain).encode(codec)
    assert read(after, style) == fields_of(style)
    assert remove(after, style) == data


def test_a_lone_surrogate_is_handled() -> None:
    data = b"\xff\xfe" + b"\x00\xd8" + b"x\x00"
    assert remove(put(data, MARKDOWN, CONTENT), MARKDOWN) == data


@pytest.mark.parametrize(
    ("data", "style", "problem"),
    [
        (b"x\0y", MARKDOWN, "is binary: it holds NUL bytes"),
        (b"x\0y", JSON, "is binary: it holds NUL bytes"),
        (b"\xff\xfex", TEXT, "begins as UTF-16-LE but is not"),
        (b"\xff\xfex\x00\x00\x00", TEXT, "is binary"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE TS><TS></TS>', SCRIPT, "is not what its name says"),
        (b"$ANSIBLE_VAULT;1.1;AES256\n3132\n", YAML, "is not what its name says"),
        (b"version https://git-lfs.github.com/spec/v1\noid x\n", MARKDOWN, "is not what its name says"),
        (b"a,b\n", Style("sidecar"), "goes into a sidecar file"),
    ],
)
def test_files_that_a_header_would_break_are_refused(data: bytes, style: Style, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        put(data, style, fields_of(style))
    assert remove(data, style) == data
    assert read(data, style) is None


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"CONFIDENCE SCORE": "0.5", "MILSTONE": "M2"}, r"unknown header field 'MILSTONE' \(there are: AHO"),
        ({"CONFIDENCE SCORE": "--> <script>"}, "CONFIDENCE SCORE: '--> <script>' does not fit into a header"),
        ({"CONFIDENCE SCORE": "0.5\n"}, "does not fit"),
        ({"CONFIDENCE SCORE": "\u0665"}, "does not fit"),
        ({"CONFIDENCE SCORE": float("nan")}, "does not fit"),
        ({"CONFIDENCE SCORE": "0.5", "CONFIDENCE": "+0.003"}, "unknown header field 'CONFIDENCE'"),
        ({"MILESTONE": "M2"}, "CONFIDENCE SCORE: a header needs a score"),
    ],
)
def test_only_what_can_be_read_again_is_written(fields: Fields, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        put(b"", MARKDOWN, fields)


# Properties

PIECES = b"""---
...
+++
{
}
%YAML 1.1
#!/bin/sh
# coding: latin-1
# vim: x
#cloud-config
<!DOCTYPE html>
<?xml version='1.0'?>
/* @flow */
// @flow
Title: value
Key: value
% title
# frozen_string_literal: true
# CONFIDENCE SCORE: 0.5
// CONFIDENCE SCORE: 0.5
# CONFIDENCE SCORE: 0.5 | OTHER: 1
<!--
  CONFIDENCE SCORE: 0.5
-->
# ---
# note
// note
/// <reference path='x' />
<!-- note -->
text
\xe9\x9f
\xff\xfe""".split(b"\n")
SOME = st.sampled_from([*PIECES, b"", b"", b"  ", b"\t"])
TOPS = st.just(b"") | st.sampled_from([first.removeprefix(b"\xef\xbb\xbf") for _, first in FIRST])
LONE = st.sampled_from([b"\n", b"\r\n", b"\r", b""])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Files of lines that mean something to somebody, in any order, with any line ends."""
    end = draw(st.sampled_from([*ENDS, None]))
    lines = [*draw(TOPS).splitlines(), *draw(st.lists(SOME | st.binary(max_size=6), max_size=6))]
    data = b"".join(line + (draw(LONE) if end is None else end) for line in lines)
    cap = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return (cap + (data if draw(st.booleans()) else data.rstrip(b"\r\n"))).replace(b"\0", b"")


@given(files(), st.sampled_from(COMMENTS), st.booleans())
@example(b"<!DOCTYPE html>\r", HTML, True)
@example(b"#!/bin/sh\n\n", SHELL, False)
@example(b"#!/bin/sh\r", RUBY, True)
def test_a_header_is_added_once_and_removed_completely(data: bytes, style: Style, brief: bool) -> None:
    one: Fields = {"CONFIDENCE SCORE": "0.123"} if brief else fields_of(style)
    other: Fields = {"CONFIDENCE SCORE": "0.9", "MILESTONE": "M4"}
    try:
        after = put(data, style, one)
    except InputError:
        assert remove(data, style) == data
        return
    assert read(after, style) == one
    assert remove(after, style) == remove(data, style)
    assert put(after, style, one) == after
    assert put(after, style, other) == put(data, style, other)
    if read(data, style) is None:
        assert remove(data, style) == data
