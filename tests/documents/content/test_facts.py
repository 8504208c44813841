"""Reading: bytes in, facts out, whatever the bytes are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.documents.content.facts import Facts, FactsReader
from howsure.documents.content.file_reader import has_sidecar
from howsure.documents.document import DocumentKind
from howsure.documents.headers import edit as headers
from howsure.formulas.patterns import Patterns
from howsure.text.patterns import load_builtin_pack

READER = FactsReader(load_builtin_pack("default"))


def read(path: str, data: bytes | str, kind: DocumentKind = "content", beside: bytes | None = None) -> Facts:
    return READER.read(path, kind, data.encode() if isinstance(data, str) else data, beside)


def test_patterns_are_worth_what_the_model_says() -> None:
    text = (
        "---\ntitle: Home\nsources: []\nevidence: 1\n---\n# Home\nvisited: https://example.org next_review: decay_rate:"
    )
    found = read("index.md", text)
    expected = Patterns().score({"text": text, "base": 0.0})
    assert list(found.matches) == expected["matches"]
    assert found.boost == pytest.approx(expected["boost"])
    assert found.bonus == pytest.approx(expected["bonus"])
    assert found.categories == ("format", "metadata", "process", "source", "structure", "verification")


def test_our_own_header_is_neither_matched_nor_hashed() -> None:
    plain = b"# Home\ntext\n"
    style = headers.Style("markup", "markdown")
    fields = {"CONFIDENCE SCORE": "0.6", "MILESTONE": "M1", "LAST_UPDATED": "2026-01-01"}
    marked = read("index.md", headers.put(plain, style, fields))
    bare = read("index.md", plain)
    assert marked.header == fields
    assert bare.header is None
    assert marked._replace(header=None) == bare
    assert "MILESTONE:" not in marked.matches


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"])
def test_encodings_are_recognized(codec: str) -> None:
    found = read("a.md", "# Überschrift\nsources: drei\n".encode(codec))
    if codec == "utf-16-le":  # without a mark nobody can know
        assert found.binary
    else:
        assert {"# ", "sources:"} <= set(found.matches)
        assert found.problems == ()


def test_other_encodings_are_read_as_latin_1_and_noted() -> None:
    found = read("a.txt", "café sources: x".encode("latin-1"))
    assert found.problems == ("not UTF-8 (byte 3): read as Latin-1",)
    assert "sources:" in found.matches


def test_binary_files_are_recognized() -> None:
    assert read("a.txt", b"\x7fELF\x00\x01").binary
    assert read("a.md", b"\xff\xfe\x00").binary  # begins as UTF-16, and is not


def test_data_are_not_looked_through_for_patterns() -> None:
    found = read("_data/a.yml", "sources: x\ndata_metadata:\n  validated: 2026-01-02\n", "data")
    assert (found.matches, found.validated, found.boost) == ((), "2026-01-02", 0.0)


def test_truncated_json_is_reported_with_its_position() -> None:
    found = read("_data/a.json", '{"a": [1, 2', "data")
    assert found.problems[0].startswith("invalid JSON: line 1, column")
    assert found.metadata is None


def test_deeply_nested_json_is_handled() -> None:
    found = read("_data/a.json", "[" * 100_000, "data")
    assert found.problems


def test_a_sidecar_describes_a_table() -> None:
    beside = b'{"data_metadata": {"validated": "2026-01-02"}, "_confidence": {"score": 0.9}}'
    found = read("_data/a.csv", "a,b\n", "data", beside)
    assert (found.validated, found.header) == ("2026-01-02", {"score": 0.9})
    assert read("_data/a.csv", "a,b\n", "data", b"{broken").problems


def test_links_to_other_files_are_found_and_those_elsewhere_are_not() -> None:
    text = (
        '[a](a.md) [b](<b c.md>) [c](../c.md#part "title") ![d](img/d.png) [e](https://x.example/e.md) [f](#part) '
        "[g](/root.md) [h](mailto:x@example.org) `[i](i.md)` [j](j(1).md)\n```\n[k](k.md)\n```\n<!-- [l](l.md) -->\n"
    )
    assert read("index.md", text).links == ("a.md", "../c.md", "img/d.png", "/root.md", "j(1).md")


@given(st.binary(max_size=400), st.sampled_from(["a.md", "a.txt", "a.py", "a.html", "a.json", "_data/a.json", "a.csv"]))
def test_any_bytes_give_facts(data: bytes, path: str) -> None:
    kind: DocumentKind = "data" if path.startswith("_data") else "content"
    found = read(path, data, kind)
    assert found == Facts(binary=True) or not found.binary
    if not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        assert found.binary == (b"\x00" in data)


@pytest.mark.parametrize(("name", "content"), [("a.json", "[1]\n"), ("a.yml", "- a\n"), ("a.toml", "a = 1\n")])
def test_a_sidecar_describes_data_without_metadata_of_its_own(name: str, content: str) -> None:
    beside = b'{"data_metadata": {"validated": "2026-01-02"}}'
    assert has_sidecar(f"_data/{name}", "data")
    found = read(f"_data/{name}", content, "data", beside)
    assert (found.metadata, found.problems) == ({"validated": "2026-01-02"}, ())


def test_metadata_in_the_file_win_over_a_sidecar() -> None:
    beside = b'{"data_metadata": {"validated": "2026-01-02"}}'
    found = read("_data/a.yml", "data_metadata:\n  validated: 2026-03-04\n", "data", beside)
    assert found.validated == "2026-03-04"
    assert read("_data/a.json", '{"data_metadata": {}}', "data", beside).metadata == {}


@pytest.mark.parametrize(
    ("path", "text", "brief"),
    [
        ("authors.rst", "Authors\n=======\n\n.. include:: ../AUTHORS.rst\n", True),
        ("index.md", "# Plugins\n\n```{toctree}\none\ntwo\n```\n", True),
        ("a.md", "A sentence that says something about the subject. " * 6, False),
        ("a.md", "\u6587\u6863\u8bf4\u660e\u4e86\u4e00\u5207\u3002" * 15, False),
        ("a.txt", "short", False),
        ("a.md", "<!-- Generated by make: do not edit. -->\n" + "A sentence that says something. " * 20, True),
        ("page.html", "<h1>Hours</h1>" + "<p>We open at nine, and close at six.</p>" * 10, False),
        ("page.html", "{% block content %}" + "<p>We open at nine, and close at six.</p>" * 10, True),
        ("moved.html", '<html><head><meta http-equiv="refresh" content="0; url=new.html"></head></html>', True),
    ],
)
def test_a_page_without_text_of_its_own_is_brief(path: str, text: str, brief: bool) -> None:
    assert read(path, text).brief is brief
