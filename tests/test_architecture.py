"""The rules of the house hold: layers, sizes, names, and where SQL and imports may stand."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

import howsure
from tests.conftest import ROOT

HOUSE = ROOT / "src" / "howsure"
SOURCES = sorted(HOUSE.rglob("*.py"))
HEAVY = {"numpy", "pydantic", "duckdb", "rich", "typer", "sqlite3", "orjson", "asyncio", "importlib.metadata"}
LONGEST = 500
"""Lines of a file. A longer one holds two subjects."""
SQL_PACKAGES = {"store", "graph", "sql", "bulk"}
SQL = re.compile(
    r"\b(SELECT\b.*\bFROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE (TABLE|INDEX|VIEW)|ORDER BY|WHERE \w+ [=<>])"
)
each = pytest.mark.parametrize("path", SOURCES, ids=[str(path.relative_to(ROOT)) for path in SOURCES])


def _imported_by(code: str) -> set[str]:
    script = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_howsure_loads_nothing_heavy() -> None:
    assert not _imported_by("import howsure") & HEAVY


def test_scoring_a_response_loads_neither_the_command_line_nor_number_libraries() -> None:
    loaded = _imported_by("from howsure.formulas.response import Response; Response().score({'response': 'tested'})")
    assert not loaded & (HEAVY - {"sqlite3"})


def test_the_version_is_printed_before_a_parser_is_loaded() -> None:
    code = "import sys; sys.argv = ['howsure', '--version']; from howsure.cli import main; main()"
    assert not _imported_by(code) & HEAVY


MOST_MODULES = 31
"""Modules that adding a claim may run, from the command line to the commit; one of them syncs the log of SQLite."""
WATCH = """
import sys

house, ran = sys.argv.pop(1), set()

def watch(frame, event, _):
    if event != "call" or not frame.f_code.co_filename.startswith(house):
        return
    outer = frame
    while outer is not None:  # what runs while a module is imported does not count
        if outer.f_code.co_name == "<module>" and outer.f_code.co_filename.startswith(house):
            return
        outer = outer.f_back
    ran.add(frame.f_code.co_filename[len(house) + 1:])

sys.setprofile(watch)
try:
    from howsure.cli import main
    main()
finally:
    sys.setprofile(None)
    print(*sorted(ran), sep="\\n", file=sys.stderr)
"""


def test_a_claim_passes_few_modules_on_its_way_from_the_command_line_to_the_store(tmp_path: Path) -> None:
    words = ["claim", "add", "The cache is safe", "--source", "user_input:ann", "--contribution", "0.8", "--json"]
    command = [sys.executable, "-c", WATCH, str(HOUSE), *words, "--store", str(tmp_path / "store.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert '"outcome":"created"' in done.stdout
    ran = done.stderr.split()
    assert {"cli/__init__.py", "claims/add.py", "store/backends/sqlite.py"} <= set(ran)
    assert len(ran) <= MOST_MODULES, ran


def test_public_names_are_few_and_documented() -> None:
    assert len(howsure.__all__) <= 18
    assert all(getattr(howsure, name).__doc__ for name in howsure.__all__)
    assert set(howsure.__all__) <= set(dir(howsure))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = howsure.nonsense


@each
def test_a_file_holds_one_subject(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LONGEST
    assert path.stem not in {"utils", "helpers", "misc", "common", "manager", "service"}


@each
def test_own_modules_are_imported_by_name(path: Path) -> None:
    """A dynamic import would hide the module from the import contract and from type checkers."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__"):
            assert "howsure" not in ast.unparse(node.args[0]), f"{path}:{node.lineno}"


def _strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield every string of a module that is not a docstring."""
    docs = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.JoinedStr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


@pytest.mark.parametrize(
    "path",
    [path for path in SOURCES if path.relative_to(HOUSE).parts[0] not in SQL_PACKAGES],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_sql_is_written_in_store_graph_and_bulk(path: Path) -> None:
    if path.name == "checks.py":
        return  # compares a formula on floats with the same formula in SQLite
    found = [(line, text[:60]) for line, text in _strings(ast.parse(path.read_text())) if SQL.search(text)]
    assert found == []


def test_no_file_refers_outside_the_project() -> None:
    for folder in ("src", "tests", "benchmarks", "examples"):
        for file in (ROOT / folder).rglob("*.py"):
            assert not re.search(r"\.\./shar" + r"ed", file.read_text()), file


UNTESTED = {
    "agents/known_tools": "a table, tested through agents/test_tool_purposes",
    "bulk/engines/*": "every engine runs the same tests: bulk/test_engines and bulk/test_formats",
    "claims/claim": "the type that every test of claims reads",
    "claims/federation/scoring": "compared with an oracle over real servers in claims/federation/test_find",
    "claims/federation/survey": "run over real servers in claims/federation/test_find and test_client",
    "cli/hook": "run as a process in cli/test_install and integrations/test_hooks",
    "cli/progress": "drawn on a terminal only",
    "cli/sample": "filled and looked at in cli/test_demo",
    "cli/stores": "two options that nearly every command has",
    "formulas/evidence_case": "the input of a model, tested in formulas/test_evidence",
    "progress": "a type and a default that does nothing",
    "responses/*": "parts of the gate, tested through responses/test_api and responses/test_signals",
    "store/ledger_tables/ledger_transfer": "tested with the whole store in store/test_transfer",
    "text/contradictions/clause": "plain tuples, tested through text/contradictions/test_parser",
    "version": "a constant, checked by test_release",
}
"""Modules (by pattern) that may have neither a test file of their name nor a doctest, each with the reason."""
MOST_UNTESTED = 30


def test_every_module_has_a_test_of_its_name() -> None:
    modules = [path.relative_to(HOUSE) for path in SOURCES if path.name not in ("__init__.py", "__main__.py")]
    missing = [
        module.with_suffix("").as_posix()
        for module in modules
        if not (ROOT / "tests" / module.parent / f"test_{module.stem}.py").exists()
        and ">>> " not in (HOUSE / module).read_text()
    ]
    assert [name for name in missing if not any(fnmatch(name, pattern) for pattern in UNTESTED)] == []
    assert len(missing) <= MOST_UNTESTED, "write a test instead of relying on the list"
    unused = [pattern for pattern in UNTESTED if not any(fnmatch(name, pattern) for name in missing)]
    assert unused == [], "a reason that no module needs"


def test_contributing_lists_the_layers_that_are_checked() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    checked = [set(re.findall(r"howsure\.(\w+)", layer)) for layer in contracts[0]["layers"]]
    listed = re.search(r"```text\n(cli\n.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    assert listed is not None
    assert [set(line.split()) for line in listed[1].splitlines()] == checked
    named = {path.stem for path in HOUSE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert named - {"__init__", "__main__"} == set().union(*checked)
