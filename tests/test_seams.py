"""The recipes of docs/extending.md work as written, and touch as few files as they say.

Each recipe is a section of the page. A block with a title is a file: `py` blocks are new files, `diff` blocks edit
existing ones. A test applies the blocks of a section to a copy of the source, and uses what was added.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "extending.md"
BLOCK = re.compile(r'^```(\w+) title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
MOST_FILES = {
    "A formula": 2,
    "A model": 2,
    "An operation": 2,
    "A command": 2,
    "A chart": 2,
    "A bulk engine": 4,
    "A store backend": 4,
}
"""Files that each recipe may touch."""


def _sections() -> dict[str, list[tuple[str, str, str]]]:
    parts = re.split(r"^## (.+)$", PAGE.read_text(), flags=re.MULTILINE)[1:]
    return {name: BLOCK.findall(text) for name, text in zip(parts[::2], parts[1::2], strict=True)}


SECTIONS = _sections()


class House:
    """A copy of the source to which recipes are applied."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "tests").mkdir()

    def follow(self, recipe: str) -> set[str]:
        """Apply the blocks of a recipe; return the files that it touches."""
        for kind, name, text in SECTIONS[recipe]:
            path = self.folder / name
            if kind == "diff":
                path.write_text(_patched(path.read_text(), text))
            else:
                assert not path.exists(), f"{name} is there already"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        return {name for _, name, _ in SECTIONS[recipe]}

    def python(self, code: str) -> str:
        """Run Python with the changed source; return what it prints."""
        return self._run(sys.executable, "-c", code)

    def howsure(self, *arguments: str, stdin: str = "") -> str:
        """Run the command line with the changed source; return what it prints."""
        return self._run(sys.executable, "-m", "howsure", *arguments, stdin=stdin)

    def pytest(self) -> str:
        """Run the tests that a recipe brings."""
        return self._run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(self.folder / "tests"))

    def _run(self, *command: str, stdin: str = "") -> str:
        environment = os.environ | {
            "PYTHONPATH": str(self.folder / "src"),
            "HOWSURE_STORE": str(self.folder / "howsure.db"),
            "TMPDIR": str(self.folder),
            "COLUMNS": "100",
            "NO_COLOR": "1",
        }
        done = subprocess.run(
            command, cwd=self.folder, env=environment, input=stdin, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def _patched(text: str, diff: str) -> str:
    """Apply a block of context (two blanks), added (+) and removed (-) lines, which may skip lines by `...`."""
    for piece in re.split(r"^\.\.\.\n", diff, flags=re.MULTILINE):
        lines = piece.splitlines()
        before = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
        after = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
        assert text.count(before) == 1, f"not found once:\n{before}"
        text = text.replace(before, after)
    return text


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.mark.parametrize("recipe", MOST_FILES)
def test_a_recipe_touches_few_files(recipe: str) -> None:
    assert recipe in SECTIONS, f"docs/extending.md has no section {recipe!r}"
    files = {name for _, name, _ in SECTIONS[recipe]}
    assert 0 < len(files) <= MOST_FILES[recipe], files


def test_a_formula_is_scored_explained_and_listed(house: House) -> None:
    house.follow("A formula")
    case = '{"now": 0, "sources": [{"source_type": "user", "source_id": "ann", "contribution": 0.6}]}'
    assert '"strongest":[0.6,0.6]' in house.howsure("score", "claims", "-f", "strongest", stdin=case)
    assert "strongest" in house.howsure("models")
    house.python("from howsure.checks import check; from howsure.formulas.strongest import Strongest; check(Strongest)")


def test_a_model_is_scored_and_checked(house: House) -> None:
    house.follow("A model")
    assert '"score":0.75' in house.howsure("score", "review", stdin='{"approvals": 3, "reviewers": 4}')
    house.python("from howsure.checks import check; from howsure.formulas.review import Review; check(Review)")


def test_an_operation_is_a_route_a_tool_and_a_method(house: House) -> None:
    house.follow("An operation")
    code = """
from howsure.serve.operations import operation
from howsure.serve.openapi import describe_api as description
found = operation("claims.words")
print(found.path, found.tool.name, "WordCount" in description()["components"]["schemas"])
"""
    assert house.python(code) == "/v1/claims/{claim}/words count_words True\n"
    assert "1 passed" in house.pytest()


def test_a_command_is_listed_and_runs(house: House) -> None:
    house.follow("A command")
    assert house.howsure("greet", "Ann") == "Hello, Ann.\n"
    assert "greet" in house.howsure("--help")


def test_a_chart_is_drawn_by_the_library_and_the_command_line(house: House) -> None:
    house.follow("A chart")
    house.howsure("claim", "add", "The sky is blue", "--source", "user_input:ann")
    assert "Claims by tier: task 1" in house.howsure("plot", "tiers")


def test_a_bulk_engine_scores_a_table(house: House) -> None:
    house.follow("A bulk engine")
    (house.folder / "claims.csv").write_text("id\n1\n")
    (house.folder / "sources.csv").write_text("claim,source_type,source_id,contribution\n1,user,ann,0.6\n")
    words = ["claims.csv", "--sources", "sources.csv", "--engine", "plain", "--now", "0", "--out", "scores.csv"]
    house.howsure("bulk", "score", *words)
    assert "0.6" in (house.folder / "scores.csv").read_text()


def test_a_store_backend_keeps_claims(house: House) -> None:
    house.follow("A store backend")
    house.howsure("claim", "add", "The sky is blue", "--source", "user_input:ann", "--store", "shared:sky")
    assert "The sky is blue" in house.howsure("claim", "find", "--json", "--store", "shared:sky")
