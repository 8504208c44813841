"""Types as users see them: examples pass mypy --strict and pyright, and a typo is an error."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT

Checker = Callable[[Path], "subprocess.CompletedProcess[str]"]
BIN = Path(sys.executable).parent
PAGES = ("README.md", "docs/tutorial.md")
ASYNC = """
import howsure


async def remember(sure: howsure.Sure) -> str:
    added = await sure.claims.aadd("The sky is blue", source="user_input:ann", contribution=0.8)
    claim: howsure.Claim = await sure.claims.aget(added.id)
    page = await sure.claims.afind(min_lower=0.4)
    decision = await sure.responses.acheck("It works.", agent="ann", knowledge=0.9)
    return f"{claim.statement} {claim.interval.lower:.2f} {len(page.claims)} {decision.decision}"


@howsure.gate(agent="ann")
def answer(question: str) -> tuple[str, dict[str, object]]:
    return question, {"knowledge": 0.9}


@howsure.gate
async def later(question: str) -> str:
    return question


def streamed() -> list[str]:
    return list(howsure.gate(iter(["It ", "works."]), agent="ann", knowledge=0.9))


async def all_of_them() -> str:
    decision = howsure.gate("It works.", agent="ann", knowledge=0.9)
    return answer("?") + await later("?") + decision.reason


def believed(sure: howsure.Sure) -> list[howsure.Claim]:
    return sure.claims.find(min_lower=0.7).claims
"""
TYPOS = {
    'sure.claims.add("x", sorce="a:b")': "sorce",
    "sure.claims.find(min_lowr=0.4)": "min_lowr",
    "sure.charts.claims(min_lowr=0.4)": "min_lowr",
    'sure.responses.check("x", knowlege=0.4)': "knowlege",
    'howsure.gate("x", knowlege=0.4)': "(knowlege|No overload)",
    "howsure.gate(knowlege=0.4)": "(knowlege|No overload)",
    'sure.claims.aadd("x", sorce="a:b")': "sorce",
    'sure.ledger.find(agnt="ann")': "agnt",
    'sure.syntheses.combine("q", [], contxt="")': "contxt",
    'sure.investigations.start("q", agnt="ann")': "agnt",
}


def _examples(page: str) -> str:
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    return "\n".join(blocks)


def _run(*command: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"  # pyright takes the packages of the first Python it finds
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT / "src"), "MYPYPATH": str(ROOT / "src")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _mypy(folder: Path) -> "subprocess.CompletedProcess[str]":
    # With the settings of the project, which are strict too, what `make types` has learned of howsure is used again.
    config, cache = f"--config-file={ROOT / 'pyproject.toml'}", f"--cache-dir={ROOT / '.mypy_cache'}"
    return _run(str(BIN / "mypy"), config, "--strict", "--no-error-summary", cache, ".", folder=folder)


def _pyright(folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    return _run(str(BIN / "pyright"), *options, folder=folder)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    for page in PAGES:
        (tmp_path / f"{Path(page).stem.lower()}_examples.py").write_text(_examples(page))
    (tmp_path / "asynchronous_use.py").write_text(ASYNC)
    return tmp_path


@pytest.mark.parametrize("checker", [_mypy, _pyright], ids=["mypy", "pyright"])
def test_examples_of_the_docs_are_typed(checker: Checker, good: Path) -> None:
    done = checker(good)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("checker", [_mypy, _pyright], ids=["mypy", "pyright"])
def test_a_typo_is_a_type_error(checker: Checker, tmp_path: Path) -> None:
    lines = ["import howsure", "sure = howsure.open()", *TYPOS]
    (tmp_path / "typos.py").write_text("\n".join(lines) + "\n")
    done = checker(tmp_path)
    for number, name in enumerate(TYPOS.values(), start=3):
        assert re.search(rf"typos\.py:{number}:.*{name}", done.stdout), f"line {number} ({name}):\n{done.stdout}"


def test_public_types_are_complete(tmp_path: Path) -> None:
    done = _pyright(tmp_path, "--verifytypes", "howsure", "--ignoreexternal", "--outputjson")
    report = json.loads(done.stdout)["typeCompleteness"]
    unknown = [symbol["name"] for symbol in report["symbols"] if symbol["isExported"] and not symbol["isTypeKnown"]]
    assert report["exportedSymbolCounts"]["withKnownType"] > 100
    assert report["completenessScore"] >= 0.98, unknown
