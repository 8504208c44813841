"""Output in parts: a folder of files that appears when all are there, and a run that goes on where it was."""

import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from howsure import __version__
from howsure.bulk.choose import Choice
from howsure.bulk.engines.base import Counts, Part, Reading, Taken
from howsure.bulk.outputs import Output, remove, settle
from howsure.errors import HowsureError, InputError
from howsure.files import sha256

NOTES = "notes.json"
"""What is known about the parts that are there."""


def in_parts(
    choice: Choice, taken: Taken, reading: Reading, columns: list[str], output: Output, parts: int, *, pinned: bool
) -> tuple[int, Counts, float]:
    """Write the scores as a folder of so many files; return how many rows, what was read, and which moment counted.

    Parts that an interrupted run has left are kept, if it was the same run: the same tables, formula and columns.
    Unless the moment is pinned, it is that of the first run.
    """
    if choice.name not in ("duckdb", "arrays"):
        problem = f"the engine {choice.name} does not write in parts"
        raise InputError(problem, field="partitions", hint="duckdb and arrays do")
    path = Path(output.place)
    folder = path.with_name(f".{path.name}.parts")
    key = fingerprint(choice, taken, reading, columns, output, parts, pinned=pinned)
    notes = _notes(folder, key)
    if notes is None:
        remove(folder)
        folder.mkdir()
        notes = {"key": key, "now": reading.now, "done": {}}
        _write(folder, notes)
    reading = replace(reading, now=notes["now"])
    try:
        with choice.opened(scratch=folder) as engine:
            counts = engine.load(taken)
            for number in range(parts):
                if str(number) not in notes["done"]:
                    taken.progress(f"part {number + 1} of {parts}", number, parts)
                    part = replace(output.within(folder, number), replace=True)
                    written = engine.write(reading, columns, part, Part(number, parts), taken.progress)
                    notes["done"][str(number)] = written
                    _write(folder, notes)
    except HowsureError:
        if not notes["done"]:  # there is nothing to go on with
            remove(folder)
        raise
    for file in folder.iterdir():
        if not file.name.startswith("part-"):
            file.unlink()
    settle(folder, path, replace=output.replace)
    return sum(notes["done"].values()), counts, float(notes["now"])


def fingerprint(
    choice: Choice, taken: Taken, reading: Reading, columns: list[str], output: Output, parts: int, *, pinned: bool
) -> str:
    """Return what is the same only for the same run. Tables that may change unseen are never the same."""
    places: dict[str, Any] = {}
    for role, given in taken.inputs().items():
        files = given.files()
        about = [(file, Path(file).stat().st_size, Path(file).stat().st_mtime_ns) for file in files]
        places[role] = [given.kind, given.table, about or uuid.uuid4().hex]
    what = {
        "version": __version__,
        "engine": choice.name,
        "places": places,
        "spec": reading.formula.spec._asdict(),
        "now": reading.now if pinned else None,
        "as_of": taken.as_of,
        "trust": reading.trust,
        "columns": columns,
        "kind": output.kind,
        "parts": parts,
    }
    return sha256(orjson.dumps(what, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _notes(folder: Path, key: str) -> dict[str, Any] | None:
    try:
        notes = orjson.loads((folder / NOTES).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return notes if isinstance(notes, dict) and notes.get("key") == key else None


def _write(folder: Path, notes: dict[str, Any]) -> None:
    fresh = folder / f"{NOTES}.new"
    fresh.write_bytes(orjson.dumps(notes))
    fresh.replace(folder / NOTES)
