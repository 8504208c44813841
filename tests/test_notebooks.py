"""The notebooks are valid and print what they show."""

import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

PATHS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
MEASURED = "5_ten_million_claims"
"""The notebook that shows a measurement: the tests run it with fewer claims."""


@pytest.fixture
def notebooks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    monkeypatch.setenv("HOWSURE_STORE", str(tmp_path / "howsure.db"))
    monkeypatch.setenv("CLAIMS", "20000")
    return importlib.import_module("notebooks")


def test_there_are_five() -> None:
    assert len(PATHS) == 5


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(notebooks: Any, path: Path) -> None:
    notebook = json.loads(path.read_text())
    printed = notebooks.run(notebook)
    shown = [notebooks.shown(cell) for cell in notebooks.code_cells(notebook)]
    if path.stem == MEASURED:
        printed, shown = ([re.sub(r"[\d.,]+", "0", text) for text in texts] for texts in (printed, shown))
    assert printed == shown


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_is_valid(path: Path) -> None:
    """The rules of nbformat 4.5 that matter to readers of notebooks."""
    notebook = json.loads(path.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert set(notebook) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9-_]{1,64}", one) for one in ids)
    for cell in notebook["cells"]:
        required = {"cell_type", "id", "metadata", "source"}
        assert set(cell) == required | ({"execution_count", "outputs"} if cell["cell_type"] == "code" else set())
        assert all(isinstance(line, str) for line in cell["source"])
        for output in cell.get("outputs", ()):
            assert set(output) == {"name", "output_type", "text"}
    assert notebook["cells"][0]["source"][0].startswith("# ")
