"""One word for one thing: public names, JSON fields, columns and options use the words of CONTRIBUTING."""

import ast
import re
import sqlite3
from collections.abc import Iterator
from typing import Any

import howsure
from howsure.serve.openapi import describe_api as description
from howsure.serve.operations import OPERATIONS
from howsure.sure import open as open_store
from tests.conftest import ROOT

FORBIDDEN = {
    "provenance": "source",
    "assessment": "decision",
    "assessments": "decision",
    "entry": "source or decision",
    "entries": "source or decision",
    "verdict": "outcome",
    "verdicts": "outcome",
    "notebook": "session",
    "belief": "claim",
    "beliefs": "claim",
    "retrieved": "knowledge",
}
PARTICIPLES = re.compile(
    r"_?(Said|Told|Heard|Taken|Made|Kept|Held|Known|Given|Wanted|Asked|Weighed|Offered|Found|Folded|Taking|Seen|Shown"
    r"|Listed|Learned|Scored|Judged|Counted|Gone|Done|Served|Posted|Opened|Chosen|Signed|Named|Meant|Written)"
)
"""Class names that are bare participles. A class is a noun."""
SOURCE_DOCUMENTS = {"compat"}
"""Packages that keep the source documents' own names."""


SOURCE_DOCUMENT_FIELDS = {"provenance"}
"""Fields that `howsure synthesize --json` has printed since the source document: whether sources are listed."""


def _forbidden(name: str) -> set[str]:
    return set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())) & FORBIDDEN.keys()


def _fields(schema: Any) -> Iterator[str]:
    """Yield the names of all properties in a JSON Schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
        for value in schema.values():
            yield from _fields(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _fields(value)


def test_operations_and_their_parameters_use_the_words() -> None:
    for operation in OPERATIONS:
        assert not _forbidden(operation.name), operation.name
        assert not _forbidden(operation.path), operation.path
        for name in operation.input_schema["properties"]:
            assert not _forbidden(name), f"{operation.name}: {name}"


def test_json_fields_use_the_words() -> None:
    described = description()
    names = {name for name in _fields(described) if _forbidden(name)} - SOURCE_DOCUMENT_FIELDS
    names |= {name for name in described["components"]["schemas"] if _forbidden(name)}
    assert names == set()


def test_tables_and_columns_use_the_words(tmp_path: Any) -> None:
    path = str(tmp_path / "howsure.db")
    open_store(path).close()
    connection = sqlite3.connect(path)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
    columns = [f"{table}.{row[1]}" for table in tables for row in connection.execute(f"PRAGMA table_info({table})")]
    connection.close()
    assert tables
    assert [name for name in (*tables, *columns) if _forbidden(name)] == []


def test_public_names_use_the_words() -> None:
    assert [name for name in howsure.__all__ if _forbidden(name)] == []


def test_classes_are_nouns_and_names_use_the_words() -> None:
    wrong = []
    for path in sorted((ROOT / "src" / "howsure").rglob("*.py")):
        module = path.relative_to(ROOT / "src" / "howsure")
        if module.parts[0] in SOURCE_DOCUMENTS:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef) and (PARTICIPLES.fullmatch(node.name) or _forbidden(node.name)):
                wrong.append(f"{module}:{node.lineno} class {node.name}")
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and _forbidden(node.name):
                wrong.append(f"{module}:{node.lineno} def {node.name}")
    assert wrong == []


def test_the_table_of_words_is_in_contributing() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    for word in ("claim", "source", "relation", "formula", "model", "fit", "decision", "response", "outcome", "trace"):
        assert f"| {word} |" in text
    assert all(word in text for word in ("provenance", "assessment", "entry", "verdict", "retrieved"))


def test_messages_are_plain_english() -> None:
    """Riddles that were once the house style: "'x' is no tier", "nothing, where", "no cursor of ours"."""
    riddle = re.compile(r"nothing, where|goes without saying|of ours\"|[}'\"] is no [a-z]+")
    wrong = [
        f"{path.relative_to(ROOT)}:{number} {line.strip()[:100]}"
        for path in sorted((ROOT / "src" / "howsure").rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if riddle.search(line)
    ]
    assert wrong == []
