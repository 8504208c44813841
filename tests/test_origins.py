"""Every name, number, command and link on the page of origins exists."""

import ast
import dataclasses
import math
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import typer

from howsure.cli.app import COMMANDS, load
from howsure.formulas import catalog
from howsure.formulas.scoring import score
from howsure.text.markers import marker_lists
from howsure.text.patterns import load_builtin_pack
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "origins.md"
TEXT = PAGE.read_text(encoding="utf-8")
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


def _names(text: str) -> set[str]:
    return {code for code in _CODE.findall(text) if code.startswith("howsure.")}


def _commands(text: str) -> set[str]:
    return {code for code in _CODE.findall(text) if code.startswith("howsure ")}


def _resolve(name: str) -> Any:
    """Return the object at a dotted path, with or without subscripts; for a field of a class, its default."""
    parts = _PART.findall(name)
    if name != "howsure" + "".join(f".{attribute}" if attribute else f"[{key}]" for attribute, key in parts):
        raise LookupError(f"invalid path {name}")
    module = "howsure"
    while parts and hasattr(import_module(module), "__path__") and find_spec(f"{module}.{parts[0][0]}"):
        module += f".{parts.pop(0)[0]}"
    value: Any = import_module(module)
    for attribute, key in parts:
        value = _member(value, attribute) if attribute else value[ast.literal_eval(key)]
    return value


def _member(owner: Any, name: str) -> Any:
    if isinstance(owner, type) and dataclasses.is_dataclass(owner):
        for field in dataclasses.fields(owner):
            if field.name == name:
                if field.default_factory is not dataclasses.MISSING:
                    return field.default_factory()
                return _NO_VALUE if field.default is dataclasses.MISSING else field.default
    if isinstance(owner, type) and name in getattr(owner, "_fields", ()):
        return _NO_VALUE
    return getattr(owner, name)


def _exists(name: str) -> bool:
    try:
        _resolve(name)
    except (LookupError, AttributeError):
        return False
    return True


def _same(found: Any, stated: Any) -> bool:
    """Return whether a number on the page is the one in the code, up to rounding."""
    if isinstance(stated, tuple):
        return isinstance(found, tuple) and len(found) == len(stated) and all(map(_same, found, stated))
    if isinstance(stated, bool | str):
        return bool(found == stated)
    return isinstance(found, int | float) and math.isclose(found, stated, rel_tol=1e-9)


def _runs(command: str) -> bool:
    """Return whether a command exists, with the command of its group or the model that follows it."""
    name, *given = command.split()[1:]
    if name not in COMMANDS:
        return False
    found = load(name)
    if isinstance(found, typer.Typer):
        known = set(typer.main.get_group(found).commands)
    else:
        known = {*catalog.names(), *catalog.formulas()} if name in {"score", "explain", "models"} else set()
    return all(word in known for word in given[:1])


def _anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def _leads(link: str, text: str = TEXT, folder: Path = PAGE.parent) -> bool:
    """Return whether a link leads to another site, a file of the project or an existing heading."""
    path, _, anchor = link.partition("#")
    target = (folder / path).resolve()
    if re.match(r"https?://", link):
        return True
    if path and not (target.is_file() and target.is_relative_to(ROOT)):
        return False
    return not anchor or anchor in _anchors(target.read_text(encoding="utf-8") if path else text)


def _sections(text: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _rows(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        if line.startswith("|") and not line.startswith("|---"):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _says_where(here: str, note: str) -> bool:
    """Return whether a row names an object, says what it waits for, or is left out for a reason."""
    return bool(re.match(r"`howsure[. ]|not yet: arrives with \w", here) or (here == "left out" and note))


def test_every_name_exists() -> None:
    assert _names(TEXT)
    assert [name for name in sorted(_names(TEXT)) if not _exists(name)] == []


def test_every_number_holds() -> None:
    stated = _VALUE.findall(TEXT)
    assert len(stated) == len(re.findall(r"`howsure\.[^`]+` =", TEXT)) > 0
    for name, value in stated:
        assert _same(_resolve(name), ast.literal_eval(value)), f"{name} is {_resolve(name)}, not {value}"


def _said(*contributions: float) -> dict[str, Any]:
    sources = [{"source_type": "user", "source_id": str(n), "contribution": c} for n, c in enumerate(contributions)]
    return {"now": 0, "provenance": sources}


def _calls(*calls: str) -> dict[str, Any]:
    return {"steps": [dict(zip(("tool", "target"), call.split(), strict=True)) | {"results": 1} for call in calls]}


THREE = {
    "now": 0,
    "provenance": [{"source_type": t, "source_id": "s", "contribution": 0.8} for t in ("user", "extraction", "agent")],
    "supported_by": [{"influence": 0.9}, {"influence": 0.9}],
}
NUMBERS = {"agent_type": "patcher", "knowledge_base": 0.85, "code_validation": 0.9, "certainty": 0.75}
EXAMPLE = {"knowledge_base": 1, "code_validation": 0.85, "history": 0.9, "certainty": 0.8}
SENTENCE = {"response": "I definitely tested this and it's confirmed working"}
HEADER = {"base": 0.5**0.5, "observations": [[0.08, 0.05]]}
HELD = {"validated": True, "matched": True, "integrated": True}


@pytest.mark.parametrize(
    ("words", "model", "case", "key", "number"),
    [
        ("one source of 0.8 gives [0.5333, 0.8000]", "noisy_or", _said(0.8), "lower", 0.5333),
        ("one of 0.95 gives [0.6333, 0.9500]", "noisy_or", _said(0.95), "lower", 0.6333),
        ("0.8 once: width 0.2667; twice: 0.4267", "noisy_or", _said(0.8), "width", 0.2667),
        ("0.8 once: width 0.2667; twice: 0.4267", "noisy_or", _said(0.8, 0.8), "width", 0.4267),
        ("trust 0.5: [0.4, 0.5]", "noisy_or", THREE | {"trust": 0.5}, "lower", 0.4),
        ("trust 0.5: [0.4, 0.5]", "noisy_or", THREE | {"trust": 0.5}, "upper", 0.5),
        ("have width 0.20;", "noisy_or", THREE, "width", 0.2),
        ("widens it to 0.28", "noisy_or", THREE | {"contradicted_by": [{"influence": 0.5}]}, "width", 0.28),
        ("multiplying 0.92, this 0.83", "investigation", _calls("find X", "grep X", "read X"), "score", 0.83),
        ("0.73 on different targets, 0.77 on one", "investigation", _calls("find X", "read Y"), "score", 0.7318),
        ("0.73 on different targets, 0.77 on one", "investigation", _calls("find X", "read X"), "score", 0.7720),
        ("find 0.65, git 0.75", "investigation", _calls("find X"), "score", 0.65),
        ('three markers ("tested" too), 0.8', "response", SENTENCE, "certainty", 0.8),
        ("Corrected: 0.895", "response", EXAMPLE, "composite", 0.895),
        ("Without history 0.775", "response", NUMBERS, "composite", 0.775),
        ("| 0.8151. |", "document", HEADER | {"modifiers": HELD}, "full_reinforcement", 0.8151),
        ("the fixed point is 0.638", "document", {"observations": [[1, 1]] * 200}, "compound", 0.6381),
        ("adds 0.0414 at 0.50", "document", {"base": 0.5, "observations": [[1, 1]]}, "compound", 0.5414),
        ("takes 0.0036 at 0.65", "document", {"base": 0.65, "observations": [[1, 1]]}, "compound", 0.6464),
    ],
)
def test_corrected_numbers_are_what_the_models_give(
    words: str, model: str, case: dict[str, Any], key: str, number: float
) -> None:
    assert words in TEXT
    assert score(model, case)[key] == pytest.approx(number, abs=5e-5)


def test_the_command_line_example_is_80_percent() -> None:
    given = {"agent_type": "planner", "knowledge_base": 0.8, "code_validation": 0.9, "certainty": 0.7, "history": 0.75}
    answer = score("response", given)
    assert "82.50 %, MODERATE, threshold 75.00 %" in TEXT
    assert "Corrected: 80.00 %" in TEXT
    assert (f"{answer['composite']:.2%}", answer["level"], answer["decision"]) == ("80.00%", "MODERATE", "pass")


@pytest.mark.parametrize(
    ("name", "kind", "side"),
    [
        ("uncertainty_markers", "response", "uncertain"),
        ("certainty_markers", "response", "certain"),
        ("hedgeWords", "subresult", "uncertain"),
        ("certaintyWords", "subresult", "certain"),
    ],
)
def test_the_documents_phrases_are_the_lists(name: str, kind: str, side: str) -> None:
    (phrases,) = [row[0] for row in _rows(TEXT) if row[0].startswith(f"`{name}`:")]
    assert re.findall(r'"([^"]+)"', phrases) == marker_lists("en")[kind][side]


def test_the_documents_patterns_are_in_the_packs() -> None:
    rows = [row for row in _rows(TEXT) if row[1] == "`howsure.text.patterns.load_builtin_pack`"]
    assert len(rows) == len({pattern.category for pattern in load_builtin_pack("legal-luminary").patterns})
    for there, _, note in rows:
        category, milestone = there.split(":")[0].split(", ")
        weight = float(re.findall(r"0\.\d+", note)[0])
        found = {
            p.pattern: p
            for p in load_builtin_pack("legal-luminary" if "legal-luminary" in note else "default").patterns
        }
        for text in _CODE.findall(there):
            pattern = found[text]
            assert (pattern.category, pattern.milestone, pattern.weight) == (category, milestone, weight), text


def test_every_command_exists() -> None:
    assert _commands(TEXT)
    assert [command for command in sorted(_commands(TEXT)) if not _runs(command)] == []


def test_every_file_exists() -> None:
    files = {code for code in _CODE.findall(TEXT) if re.match(r"(src|tests|examples|benchmarks|docs)/", code)}
    assert [file for file in sorted(files) if not (ROOT / file).exists()] == []


def test_every_link_leads_somewhere() -> None:
    assert [link for link in _LINK.findall(TEXT) if not _leads(link)] == []


def test_each_document_has_its_section() -> None:
    assert tuple(_sections(TEXT)) == DOCUMENTS


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_line_says_where_a_thing_is_or_why_it_is_not(document: str) -> None:
    section = _sections(TEXT)[document]
    rows = list(_rows(section))
    assert rows.count(COLUMNS) == len(re.findall(r"^### ", section, re.MULTILINE)) > 0
    for row in rows:
        assert len(row) == len(COLUMNS), row
        assert row == COLUMNS or (row[0] and _says_where(*row[1:])), row


@pytest.mark.parametrize(
    "name",
    [
        "howsure.nowhere",
        "howsure.core.nowhere.Interval",
        "howsure.formulas.interval.Interval.depth",
        "howsure.formulas.decay.HalfLives.weekly",
        "howsure.formulas.noisy_or.Steps.nonsense",
        "howsure.formulas.investigation.Investigation.search_scores[3]",
        "howsure.formulas.response.THRESHOLDS['nobody']",
        "howsure.formulas.decay.half_lives()",
    ],
)
def test_a_name_that_does_not_exist_is_noticed(name: str) -> None:
    assert not _exists(name)


def test_fields_exist_with_and_without_a_default() -> None:
    assert _resolve("howsure.formulas.claim.ClaimCase.now") is _NO_VALUE
    assert _resolve("howsure.formulas.interval.Interval.lower") is _NO_VALUE
    assert _resolve("howsure.formulas.claim.ClaimCase.trust") == 1.0
    assert _resolve("howsure.formulas.response.Response.thresholds['clerk']") == 0.70


@pytest.mark.parametrize(
    ("found", "stated"), [(0.1, 0.11), (_NO_VALUE, 0.1), ((0.1,), (0.1, 0.2)), ((0.1, 0.3), (0.1, 0.2)), ("a", "b")]
)
def test_a_number_that_does_not_hold_is_noticed(found: Any, stated: Any) -> None:
    assert _same(stated, stated)
    assert not _same(found, stated)


@pytest.mark.parametrize("command", ["howsure claim find", "howsure claim import", "howsure store check"])
def test_a_command_of_a_group_is_found(command: str) -> None:
    assert _runs(command)


@pytest.mark.parametrize(
    "command",
    [
        "howsure guess",
        "howsure score horoscope",
        "howsure demo response",
        "howsure claim guess",
        "howsure claim response",
        "howsure store find",
        "howsure janitor find",
    ],
)
def test_a_command_that_does_not_exist_is_noticed(command: str) -> None:
    assert not _runs(command)


@pytest.mark.parametrize("link", ["nowhere.md", "#nothing", "../../elsewhere.txt", "origins.md#nothing"])
def test_a_link_that_leads_nowhere_is_noticed(link: str) -> None:
    assert not _leads(link)


@pytest.mark.parametrize(("here", "note"), [("", ""), ("soon", ""), ("left out", ""), ("not yet", "later")])
def test_a_line_that_says_nothing_is_noticed(here: str, note: str) -> None:
    assert not _says_where(here, note)
