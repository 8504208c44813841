"""Run the code cells of notebooks, without Jupyter, and keep what they print: `.venv/bin/python docs/notebooks.py`."""

import contextlib
import io
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "examples" / "notebooks"


def run(notebook: dict[str, Any]) -> list[str]:
    """Run the code cells of a notebook in order; return what each prints."""
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = []
    for number, cell in enumerate(code_cells(notebook), start=1):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)  # noqa: S102 - our own notebooks
        printed.append(out.getvalue())
    return printed


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cells that hold code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def shown(cell: dict[str, Any]) -> str:
    """Return what a notebook says that a cell prints."""
    return "".join(line for output in cell["outputs"] for line in output["text"])


def main() -> None:
    """Run all notebooks and write down what they print."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = json.loads(path.read_text())
        for number, (cell, text) in enumerate(zip(code_cells(notebook), run(notebook), strict=True), start=1):
            stream = {"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}
            cell["execution_count"], cell["outputs"] = number, [stream] if text else []
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
