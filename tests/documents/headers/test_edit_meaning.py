"""A header changes nothing that other programs read in a file: Python, YAML, TOML and browsers."""

import ast
import tomllib
from html.parser import HTMLParser
from typing import Any

import pytest
import yaml

from howsure.documents.headers.edit import put, remove
from tests.documents.headers.styles import CODE, CONTENT, ENDS, HTML, MARKDOWN, PYTHON, SEED, TOML, YAML

PROGRAMS = [
    b"",
    b'"""Doc."""\nfrom __future__ import annotations\nx = "\xe9"\n',
    b"'''Doc\n# CONFIDENCE SCORE: 0.5\n'''\nx = 1",
    b"\n\n\tpass\n".replace(b"\t", b""),
    b"# a comment\nfrom __future__ import annotations\n",
]


@pytest.mark.parametrize("first", [b"", b"#!/usr/bin/python\n", b"# licence\n", b"\n"])
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("end", ENDS)
def test_a_header_does_not_change_a_python_program(first: bytes, program: bytes, end: bytes) -> None:
    data = (first + b"# coding: latin-1\n" + program).replace(b"\n", end)
    after = put(data, PYTHON, CODE)
    assert ast.dump(ast.parse(after)) == ast.dump(ast.parse(data))
    assert ast.get_docstring(ast.parse(after)) == ast.get_docstring(ast.parse(data))
    compile(after, "x.py", "exec", dont_inherit=True)


@pytest.mark.parametrize("cap", [b"", b"\xef\xbb\xbf", b"---\n", b"%YAML 1.1\n---\n", b"# note\n---\n", b"\n\n"])
@pytest.mark.parametrize(
    "data", [b"", b"a: 1\n", b"- a\n- b: |\n    # CONFIDENCE SCORE: 0.5\n", b"plain\n  text", b"a: 1\n---\nb: 2\n...\n"]
)
@pytest.mark.parametrize("end", ENDS)
def test_a_header_does_not_change_yaml(cap: bytes, data: bytes, end: bytes) -> None:
    data = (cap + data).replace(b"\n", end)
    after = put(data, YAML, CONTENT)
    assert list(yaml.safe_load_all(after)) == list(yaml.safe_load_all(data))
    assert remove(after, YAML) == data


@pytest.mark.parametrize(
    "text", ["--- |\n  text\n", "--- {a: 1}\n", "%YAML 1.1\n--- !!map\na: 1\n", "--- # note\na: 1\n"]
)
def test_yaml_that_begins_on_the_line_of_its_marker_holds_the_same(text: str) -> None:
    assert yaml.safe_load(put(text.encode(), YAML, CONTENT)) == yaml.safe_load(text)


def test_the_seeds_data_metadata_stay_front_matter() -> None:
    page = b"---\ndata_metadata:\n  created: 2026-03-20\n---\n# Title\n"
    _, metadata, body = put(page, MARKDOWN, CONTENT).split(b"---\n", 2)
    assert yaml.safe_load(metadata) == yaml.safe_load("data_metadata: {created: 2026-03-20}")
    assert body == SEED + b"# Title\n"


@pytest.mark.parametrize("text", ["", "a = 1", "# note\n[t]\nx = '''\n# y\n'''\n", "\r\na = 1\r\n"])
def test_a_header_does_not_change_toml(text: str) -> None:
    assert tomllib.loads(put(text.encode(), TOML, CONTENT).decode()) == tomllib.loads(text)


class _Page(HTMLParser):
    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.seen: list[tuple[str, Any]] = []
        self.feed(data.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, attrs))

    def handle_decl(self, decl: str) -> None:
        self.seen.append(("decl", decl))

    def handle_pi(self, data: str) -> None:
        self.seen.append(("pi", data))

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.seen.append(("text", data.strip()))


@pytest.mark.parametrize(
    "first", ["", "<!DOCTYPE html>", "<!doctype html>\r\n", '<?xml version="1.0"?>\n<!DOCTYPE html>\n']
)
@pytest.mark.parametrize("body", ["", "<p class='a'>x</p>", "text", "<!-- licence -->\n<html>x"])
def test_a_header_does_not_change_a_rendered_page(first: str, body: str) -> None:
    data = (first + body).encode()
    assert _Page(put(data, HTML, CONTENT)).seen == _Page(data).seen
