"""The house stays in order."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import howsure
from tests.conftest import ROOT

SOURCES = sorted((ROOT / "src").rglob("*.py"))
HEAVY = {"numpy", "pydantic", "duckdb", "rich", "typer", "sqlite3", "orjson", "asyncio", "importlib.metadata"}


def _imported_by(code: str) -> set[str]:
    script = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_howsure_costs_next_to_nothing() -> None:
    assert not _imported_by("import howsure") & HEAVY


def test_scoring_a_response_loads_neither_the_command_line_nor_numbers_of_others() -> None:
    loaded = _imported_by("from howsure.formulas.response import Response; Response().score({'response': 'tested'})")
    assert not loaded & (HEAVY - {"sqlite3"})


def test_the_version_is_told_before_a_parser_is_loaded() -> None:
    assert (
        not _imported_by("import sys; sys.argv = ['howsure', '--version']; from howsure.cli import main; main()")
        & HEAVY
    )


def test_public_names_are_few_and_all_there() -> None:
    assert len(howsure.__all__) <= 15
    assert all(getattr(howsure, name).__doc__ for name in howsure.__all__)
    assert set(howsure.__all__) <= set(dir(howsure))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = howsure.nonsense


@pytest.mark.parametrize("path", SOURCES, ids=[str(path.relative_to(ROOT)) for path in SOURCES])
def test_a_file_holds_one_noun(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 500
    assert path.stem not in {"utils", "helpers", "misc", "common", "manager", "service"}


def test_nothing_reads_the_world_outside_the_project() -> None:
    for path in (ROOT / "src", ROOT / "tests", ROOT / "benchmarks", ROOT / "examples"):
        for file in path.rglob("*.py"):
            assert not re.search(r"\.\./shar" + r"ed", file.read_text()), file


def test_every_module_has_a_test_of_its_name_or_is_reached_by_the_contract() -> None:
    tested = {path.stem.removeprefix("test_") for path in (ROOT / "tests").rglob("test_*.py")}
    house = ROOT / "src" / "howsure"
    packages = {path.parent.relative_to(house).as_posix() for path in SOURCES if path.name == "__init__.py"} - {"."}
    untested = {package for package in packages if not list((ROOT / "tests" / package).glob("test_*.py"))}
    assert untested <= {
        "bulk/engines",
        "documents/report",
        "text/words",
        "serve/operations",
    }, untested
    assert tested
