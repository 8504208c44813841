"""Let every write, sync, truncation, rename and link of an operation fail in turn, and look at what is left.

python -m tests.store.fault_points FOLDER OPERATION MODE... prints how many points failed and what was wrong, as JSON.
Needs faults.c loaded. Each point runs in a process of its own on a copy of the same files.
"""

import ctypes
import errno
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError
from howsure.replace_file import read_current, replace_file
from howsure.store import check as upkeep
from howsure.store import transfer
from howsure.sure import open as open_store

CLAIMS = 20
MODES = {"once": 1, "on": 2, "torn": 3}
"""The point alone fails; it and all after it; it alone, with half of a write done."""


def prepare(folder: Path) -> None:
    """Make a store, a backup of each kind and a document."""
    with open_store(str(folder / "store.db"), actor="ann") as sure:
        sure.claims.learn({"statement": f"claim {number}", "source": "log:a"} for number in range(CLAIMS))
        sure.responses.check("It is so.", agent="a", knowledge=0.5)
        transfer.backup(sure.session, folder / "copy.db")
        transfer.backup(sure.session, folder / "copy.jsonl")
    (folder / "page.md").write_bytes(b"old" * 1000)


def _add(folder: Path) -> str:
    with open_store(str(folder / "store.db"), actor="ann") as sure:
        return str(sure.claims.add("new", source="log:b").id)


def _gate(folder: Path) -> str:
    with open_store(str(folder / "store.db"), actor="ann") as sure:
        return sure.responses.check("It is so, too.", agent="a", knowledge=0.9).id


def _backup(folder: Path, name: str) -> str:
    with open_store(str(folder / "store.db"), actor="ann") as sure:
        transfer.backup(sure.session, folder / name)
    return name


def _restore(folder: Path, name: str) -> str:
    with open_store(str(folder / "restored.db"), actor="ann") as sure:
        transfer.restore(sure.session, folder / name)
    return name


def _migrate(folder: Path) -> str:
    with open_store(str(folder / "restored.db"), actor="ann") as sure:
        return sure.session.database.address


def _replace(folder: Path) -> str:
    replace_file(folder / "page.md", b"old" * 1000, b"new" * 1000)
    return "new"


OPERATIONS: dict[str, Callable[[Path], str]] = {
    "add": _add,
    "gate": _gate,
    "backup db": lambda folder: _backup(folder, "new.db"),
    "backup jsonl": lambda folder: _backup(folder, "new.jsonl"),
    "restore db": lambda folder: _restore(folder, "copy.db"),
    "restore jsonl": lambda folder: _restore(folder, "copy.jsonl"),
    "migrate": _migrate,
    "replace": _replace,
}


def judge(folder: Path, operation: str, answer: str | None) -> list[str]:
    """Return what is wrong after an operation that answered something, or failed."""
    wrong = []
    with open_store(str(folder / "store.db"), actor="ann") as sure:
        wrong += upkeep.check(sure.session)
        names = {claim.id: claim.statement for claim in sure.claims.find(limit=None).claims}
        decisions = {decision.id for decision in sure.ledger.find().decisions}
        if not {f"claim {number}" for number in range(CLAIMS)} <= set(names.values()) or not decisions:
            wrong.append("what was there before is lost")
        if operation == "add" and answer is not None and names.get(answer) != "new":
            wrong.append("an acknowledged claim is lost")
        if operation == "gate" and answer is not None and answer not in decisions:
            wrong.append("an acknowledged decision is lost")
    if operation.startswith("backup"):
        wrong += _judge_backup(folder, f"new.{operation.split()[1]}", answer)
    if operation.startswith("restore"):
        wrong += _judge_restored(folder, answer)
    if operation == "migrate":
        with open_store(str(folder / "restored.db"), actor="ann") as sure:
            wrong += upkeep.check(sure.session)
            sure.claims.add("usable", source="log:a")
    if operation == "replace":
        content = read_current(folder / "page.md")
        if content not in (b"old" * 1000, b"new" * 1000) or (answer and content != b"new" * 1000):
            wrong.append("the file is half written")
    return wrong + [f"left over: {path.name}" for path in folder.glob(".*.part")]


def _judge_backup(folder: Path, name: str, answer: str | None) -> list[str]:
    if not (folder / name).exists():
        return [] if answer is None else ["an acknowledged backup is not there"]
    with open_store(str(folder / "judged.db"), actor="ann") as sure:
        if transfer.restore(sure.session, folder / name).claims != CLAIMS:
            return ["a backup is incomplete"]
    return []


def _judge_restored(folder: Path, answer: str | None) -> list[str]:
    with open_store(str(folder / "restored.db"), actor="ann") as sure:
        wrong = upkeep.check(sure.session)
        claims, decisions = sure.claims.count().total, len(sure.ledger.find().decisions)
    if (claims, decisions) not in ((0, 0), (CLAIMS, 1)) or (answer is not None and not claims):
        wrong.append(f"{claims} claims and {decisions} decisions were restored")
    return wrong


def _run(folder: Path, operation: str, point: int, kind: int, mode: int) -> tuple[int, str | None, str]:
    """Run an operation in a process of its own; return the points, the answer and the error."""
    library = ctypes.CDLL(None)
    reader, writer = os.pipe()
    process = os.fork()
    if not process:
        answer, error = None, ""
        library.faults_at(point, kind, mode)
        try:
            answer = OPERATIONS[operation](folder)
        except HowsureError as failure:
            error = f"told: {failure}"
        except BaseException as failure:  # noqa: BLE001 - whatever it is, the report says
            error = f"raised: {failure!r}"
        points = library.faults_end()
        os.write(writer, json.dumps([points, answer, error]).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        told = file.read()
    os.waitpid(process, 0)
    points, answer, error = json.loads(told or '[0, null, "raised: the process died"]')
    return points, answer, error


def try_all(scratch: Path, operation: str, modes: list[str]) -> dict[str, Any]:
    """Let each point of an operation fail in each mode; return how many did, and what was wrong."""
    template, folder = scratch / "template", scratch / "run"
    template.mkdir()
    prepare(template)

    def fresh() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(template, folder)

    fresh()
    points, answer, error = _run(folder, operation, 0, 0, 1)
    assert answer is not None, error
    found: dict[str, Any] = {"points": points, "runs": 0, "refused": 0, "wrong": [], "errors": []}
    for mode in modes:
        for point in range(1, points + 1):
            fresh()
            kind = (errno.EIO, errno.ENOSPC)[point % 2]
            _, answer, error = _run(folder, operation, point, kind, MODES[mode])
            found["runs"] += 1
            found["refused"] += answer is None
            found["errors"] = sorted({*found["errors"], error.replace(str(folder), "")} - {""})
            wrong = [error] if error.startswith("raised") else []
            try:
                wrong += judge(folder, operation, answer)
            except Exception as failure:  # noqa: BLE001 - whatever it is, the report says
                wrong.append(f"afterwards: {failure!r}")
            found["wrong"] += [f"{operation}, {mode} {point}: {problem}" for problem in wrong]
    return found


if __name__ == "__main__":
    print(json.dumps(try_all(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])))  # noqa: T201
