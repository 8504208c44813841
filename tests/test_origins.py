"""The page of origins names what is there, with the numbers that hold."""

import ast
import dataclasses
import importlib
import math
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from howsure.cli.app import COMMANDS
from howsure.engine import catalog
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "origins.md"
TEXT = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
DOCUMENTS = (
    "Boswell confidence model",
    "Phase 2: confidence model design",
    "NLNH confidence scoring workflow",
    "Confidence-weighted synthesis design",
    "Confidence score mathematical definition",
)
COLUMNS = ["In the document", "Here", "Note"]

_CODE = re.compile(r"`([^`\n]+)`")
_PART = re.compile(r"\.(\w+)|\[([^]]+)]")
_VALUE = re.compile(r'`(howsure\.[^`]+)` = (-?\d[\d.]*(?:e-?\d+)?(?<!\.)|\([^)]*\)|"[^"]*"|True|False)')
_LINK = re.compile(r"\[[^]]*]\(([^)\s]+)\)")
_NO_VALUE = object()


def _references(text: str) -> list[str]:
    return sorted({code for code in _CODE.findall(text) if code.startswith("howsure.")})


def _commands(text: str) -> list[str]:
    return sorted({code for code in _CODE.findall(text) if code.split()[0] == "howsure"})


def _values(text: str) -> list[tuple[str, str]]:
    return sorted(set(_VALUE.findall(text)))


def _resolve(reference: str) -> Any:
    """Return what a dotted path, with or without subscripts, leads to; for a field of a class, its default."""
    parts = _PART.findall(reference)
    if reference != "howsure" + "".join(f".{name}" if name else f"[{key}]" for name, key in parts):
        raise LookupError(f"{reference} is no path")
    module = "howsure"
    while parts and parts[0][0] and hasattr(importlib.import_module(module), "__path__"):
        if find_spec(f"{module}.{parts[0][0]}") is None:
            break
        module = f"{module}.{parts.pop(0)[0]}"
    found: Any = importlib.import_module(module)
    for name, key in parts:
        found = _member(found, name) if name else found[ast.literal_eval(key)]
    return found


def _member(owner: Any, name: str) -> Any:
    if isinstance(owner, type) and dataclasses.is_dataclass(owner):
        for field in dataclasses.fields(owner):
            if field.name == name and field.default is not dataclasses.MISSING:
                return field.default
            if field.name == name and field.default_factory is not dataclasses.MISSING:
                return field.default_factory()
            if field.name == name:
                return _NO_VALUE
    if name in getattr(owner, "_fields", ()) and isinstance(owner, type):
        return _NO_VALUE
    return getattr(owner, name)


def _same(found: Any, stated: Any) -> bool:
    """Say whether a number on the page is the one in the code, to the digits that a page has room for."""
    if isinstance(stated, tuple):
        return isinstance(found, tuple) and len(found) == len(stated) and all(map(_same, found, stated))
    if isinstance(stated, bool | str) or isinstance(found, bool):
        return bool(found == stated)
    return isinstance(found, int | float) and math.isclose(found, stated, rel_tol=1e-5)


def _check_command(command: str) -> None:
    name, *rest = [word for word in command.split()[1:] if not word.startswith("-")] or [""]
    if command == "howsure":
        return
    assert name in COMMANDS, f"{command}: there is no command {name}"
    if rest and name in {"score", "explain", "models"}:
        known = {*catalog.names(), *catalog.formulas()}
        assert rest[0] in known, f"{command}: there is no model {rest[0]}"


def _anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def _broken_links(text: str, folder: Path) -> list[str]:
    broken = []
    for link in _LINK.findall(text):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = (folder / path).resolve()
        if path and not (target.is_file() and target.is_relative_to(ROOT)):
            broken.append(link)
        elif anchor and anchor not in _anchors(target.read_text(encoding="utf-8") if path else text):
            broken.append(link)
    return broken


def _sections(text: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _rows(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        if line.startswith("|"):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_there_is_a_page() -> None:
    assert PAGE.is_file()
    assert _references(TEXT)
    assert _commands(TEXT)
    assert _values(TEXT)
    assert _LINK.findall(TEXT)


@pytest.mark.parametrize("reference", _references(TEXT))
def test_every_name_on_the_page_exists(reference: str) -> None:
    _resolve(reference)


@pytest.mark.parametrize(("reference", "stated"), _values(TEXT))
def test_every_number_on_the_page_holds(reference: str, stated: str) -> None:
    found = _resolve(reference)
    assert _same(found, ast.literal_eval(stated)), f"{reference} is {found}, not {stated}"


def test_no_number_on_the_page_goes_unread() -> None:
    assert len(re.findall(r"`howsure\.[^`]+` =", TEXT)) == len(_VALUE.findall(TEXT))


@pytest.mark.parametrize("command", _commands(TEXT))
def test_every_command_on_the_page_exists(command: str) -> None:
    _check_command(command)


@pytest.mark.parametrize(
    "path", sorted({code for code in _CODE.findall(TEXT) if re.match(r"(src|tests|examples|benchmarks|docs)/", code)})
)
def test_every_file_on_the_page_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_every_link_on_the_page_leads_somewhere() -> None:
    assert _broken_links(TEXT, PAGE.parent) == []


def test_there_is_one_section_for_each_document() -> None:
    assert tuple(_sections(TEXT)) == DOCUMENTS


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_line_says_where_a_thing_is_or_why_it_is_not(document: str) -> None:
    rows = [row for row in _rows(_sections(TEXT)[document]) if set("".join(row)) != {"-"}]
    tables = re.findall(r"^### ", _sections(TEXT)[document], re.MULTILINE)
    assert rows.count(COLUMNS) == len(tables) > 0
    for row in rows:
        assert len(row) == len(COLUMNS), row
        if row != COLUMNS:
            there, here, note = row
            assert there, row
            assert re.match(r"`howsure[. ]|not yet: arrives with \w|left out$", here), row
            assert note or here != "left out", row


@pytest.mark.parametrize(
    "reference",
    [
        "howsure.nowhere",
        "howsure.core.nowhere.Interval",
        "howsure.core.interval.Interval.depth",
        "howsure.core.decay.HalfLives.weekly",
        "howsure.models.noisy_or.Steps.nonsense",
        "howsure.models.investigation.Investigation.search_scores[3]",
        "howsure.models.response.THRESHOLDS['nobody']",
        "howsure.core.decay.half_lives()",
    ],
)
def test_a_name_that_does_not_exist_is_noticed(reference: str) -> None:
    with pytest.raises((LookupError, AttributeError)):
        _resolve(reference)


def test_fields_count_with_and_without_a_default() -> None:
    assert _resolve("howsure.core.claim.Evidence.now") is _NO_VALUE
    assert _resolve("howsure.core.interval.Interval.lower") is _NO_VALUE
    assert _resolve("howsure.core.claim.Evidence.trust") == 1.0
    assert _resolve("howsure.models.response.Response.thresholds['clerk']") == 0.70


@pytest.mark.parametrize(
    ("found", "stated"), [(0.1, 0.11), (_NO_VALUE, 0.1), ((0.1,), (0.1, 0.2)), ("a", "b"), (1.0, True), (True, 1)]
)
def test_a_number_that_does_not_hold_is_noticed(found: Any, stated: Any) -> None:
    assert _same(found, stated) is (found is True and stated == 1)


@pytest.mark.parametrize("command", ["howsure guess", "howsure score horoscope", "howsure explain --json horoscope"])
def test_a_command_that_does_not_exist_is_noticed(command: str) -> None:
    with pytest.raises(AssertionError, match="there is no"):
        _check_command(command)


@pytest.mark.parametrize(
    "link", ["nowhere.md", "#no-such-heading", "../../elsewhere.txt", "origins.md#no-such-heading"]
)
def test_a_link_that_leads_nowhere_is_noticed(link: str) -> None:
    assert _broken_links(f"# Top\n[here](#top) [there]({link})", PAGE.parent) == [link]
