"""Write scores in partitions, so that an interrupted run can continue where it stopped."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from howsure.bulk.choose import EngineChoice
from howsure.bulk.engines.base import Counts, Part, Tables
from howsure.bulk.outputs import Output, move_into_place, remove
from howsure.errors import HowsureError, InputError
from howsure.files import get_umask, is_private, sha256
from howsure.graph.sql import ReadOptions
from howsure.version import __version__

STATE = "state.json"
"""The file that records which partitions are finished."""


def write_partitions(
    choice: EngineChoice,
    tables: Tables,
    options: ReadOptions,
    columns: list[str],
    output: Output,
    parts: int,
    *,
    fixed_moment: bool,
) -> tuple[int, Counts, float]:
    """Write the scores as a folder of files; return the number of rows, the counts, and the moment that was used.

    Finished partitions of an interrupted run are kept if that run had the same tables, formula and columns. Unless the
    caller fixed the moment, the moment of the first run is used.

    Raises:
        InputError: if the engine cannot write partitions.
    """
    if choice.name not in ("duckdb", "arrays"):
        problem = f"the engine {choice.name} cannot write partitions"
        raise InputError(problem, field="partitions", hint="duckdb and arrays can")
    path = Path(output.place)
    folder = path.with_name(f".{path.name}.parts")
    key = fingerprint(choice, tables, options, columns, output, parts, fixed_moment=fixed_moment)
    state = _read_state(folder, key)
    if state is None:
        with _as_input_error(path):
            remove(folder)
            folder.mkdir(mode=0o700)  # nobody else may add partitions
            state = {"key": key, "now": options.now, "done": {}}
            _write_state(folder, state)
    options = replace(options, now=state["now"])
    try:
        with choice.open(scratch=folder) as engine:
            counts = engine.load(tables, options.as_of)
            for number in range(parts):
                if str(number) not in state["done"]:
                    tables.progress(f"part {number + 1} of {parts}", number, parts)
                    part = replace(output.part_in(folder, number), replace=True)
                    rows = engine.write(options, columns, part, Part(number, parts), tables.progress)
                    state["done"][str(number)] = rows
                    _write_state(folder, state)
    except HowsureError:
        if not state["done"]:  # nothing to continue from
            remove(folder)
        raise
    with _as_input_error(path):
        for file in folder.iterdir():
            if not file.name.startswith("part-"):
                file.unlink()
        folder.chmod(0o777 & ~get_umask())
        move_into_place(folder, path, replace=output.replace)
    return sum(state["done"].values()), counts, float(state["now"])


def fingerprint(
    choice: EngineChoice,
    tables: Tables,
    options: ReadOptions,
    columns: list[str],
    output: Output,
    parts: int,
    *,
    fixed_moment: bool,
) -> str:
    """Return a hash that is equal only for runs with the same tables and options.

    Files are compared by path, size and modification time. Other tables may change unnoticed, so they never match.
    """
    places: dict[str, Any] = {}
    for role, table in tables.inputs().items():
        files = [(file, Path(file).stat().st_size, Path(file).stat().st_mtime_ns) for file in table.files()]
        places[role] = [table.kind, table.table, files or uuid.uuid4().hex]
    run = {
        "version": __version__,
        "engine": choice.name,
        "places": places,
        "spec": options.formula.spec._asdict(),
        "now": options.now if fixed_moment else None,
        "as_of": options.as_of,
        "trust": options.trust,
        "columns": columns,
        "mapping": dict(tables.mapping),
        "kind": output.kind,
        "parts": parts,
    }
    return sha256(orjson.dumps(run, option=orjson.OPT_SORT_KEYS)).hexdigest()


@contextmanager
def _as_input_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{path.name} could not be written: {error.strerror or error}", field="out") from error


def _read_state(folder: Path, key: str) -> dict[str, Any] | None:
    """Return the state of an interrupted run; None if there is none, or it was another run, or one of another user.

    The name of the folder can be guessed: in a shared folder somebody else could have put finished partitions there.
    """
    if folder.is_symlink() or not is_private(folder):
        return None
    try:
        state = orjson.loads((folder / STATE).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return state if isinstance(state, dict) and state.get("key") == key else None


def _write_state(folder: Path, state: dict[str, Any]) -> None:
    new = folder / f"{STATE}.new"
    new.write_bytes(orjson.dumps(state))
    new.replace(folder / STATE)
