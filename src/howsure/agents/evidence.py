"""Evidence: what tools returned in a session, written down in a few words each, and read as factors of an answer."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import orjson

from howsure.agents.outputs.tool_output import reply
from howsure.agents.tools import uses
from howsure.ledger.redact import redacted
from howsure.store.session import Session

if TYPE_CHECKING:  # only an answer that is judged needs it, and noting a call has to be quick
    from howsure.formulas.response import Code

LONGEST = 500
"""Characters that are kept of a target or a path."""
FIELDS = ("tool", "category", "kind", "target", "path", "results", "ok")
"""What is written down of a call: never what the tool put out."""
KNOWLEDGE = {"search": ("grep", "find", "references", "web"), "read": ("read",), "git": ("git",), "ci": ("ci",)}
"""Categories of call that look something up, with their kinds."""
STOP, UNSEEN = "stop", "stop without evidence"
"""Tasks under which hooks record answers: one that may be sent back, and one of a session in which nothing was looked
up or checked, which is for people to review."""

Call = Mapping[str, Any]
"""A call as it is written down, by the names in FIELDS."""


def seen(
    tool: str, given: Any, returned: Any, *, failed: bool = False, folder: str = "", redact: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    """Return what a tool call shows, in a few words; nothing where it shows nothing.

    `given` is what the tool was called with; paths are told as seen from `folder`. A line of shell commands may show
    several things.

    >>> seen("Grep", {"pattern": "Parser"}, {"numFiles": 2, "filenames": ["a.py", "b.py"]})
    [{'tool': 'Grep', 'category': 'search', 'kind': 'grep', 'target': 'Parser', 'ok': True, 'results': 2}]
    """
    found = uses(tool, _without_secrets(given, redact))
    if not found:
        return []
    answer = reply(returned, failed=failed)
    said = [use.target for use in found if use.category == "said"]
    kinds = [use.kind for use in found if use.category == "verification"]
    calls = []
    for use in found:
        call: dict[str, Any] = {"tool": use.tool, "category": use.category, "kind": use.kind}
        call |= {name: _within(value, folder) for name in ("target", "path") if (value := getattr(use, name))}
        if use.category == "verification":
            call["ok"] = answer.passed(use.kind, kinds, masked=use.masked, said=said)
        elif use.category == "edit":
            call["ok"] = not answer.wrong("edit")
        else:
            call |= {"ok": not answer.wrong(use.category), "results": answer.found(use, said)}
        if use.category != "said" and call["ok"] is not None:
            calls.append(call)
    return calls


def _without_secrets(given: Any, redact: tuple[str, ...]) -> Any:
    """Return what a tool was called with, without secrets: cut out of it, one would no longer look like one."""
    if isinstance(given, Mapping):
        return {name: _without_secrets(value, redact) for name, value in given.items()}
    if isinstance(given, list):
        return [_without_secrets(value, redact) for value in given[:1000]]
    return redacted(given[:100_000], redact) if isinstance(given, str) else given


def _within(path: str, folder: str) -> str:
    """Return a path as seen from a folder, if it lies in it."""
    return path.removeprefix(folder.rstrip("/\\") + "/") if folder else path


def note(session: Session, trace: str, call: Call, now: float | None = None) -> None:
    """Write down one call of a session."""
    note_all(session, trace, [call], now)


def note_all(session: Session, trace: str, calls: Iterable[Call], now: float | None = None) -> None:
    """Write down calls of a session, in a few words each and without what looks like a secret."""
    at = session.at(now)
    rows = [(trace, at, orjson.dumps(_kept(call)).decode()) for call in calls]
    with session.write() as transaction:
        for row in rows:
            transaction.run("INSERT INTO tool_calls (trace_id, at, content) VALUES (?, ?, ?)", row)


def _kept(call: Call) -> dict[str, Any]:
    return {
        name: redacted(value)[:LONGEST] if isinstance(value := call[name], str) else value
        for name in FIELDS
        if name in call
    }


def calls_of(session: Session, trace: str) -> list[dict[str, Any]]:
    """Return the calls of a session, in order."""
    with session.database.read() as transaction:
        rows = transaction.rows("SELECT content FROM tool_calls WHERE trace_id = ? ORDER BY key", [trace])
    return [orjson.loads(content) for (content,) in rows]


def factors(calls: Iterable[Call]) -> "tuple[float | None, Code | None]":
    """Return what the calls of a session say about an answer: the knowledge factor, and checks of its code."""
    calls = list(calls)
    return knowledge(calls), checks(calls)


def knowledge(calls: Iterable[Call]) -> float | None:
    """Return how sure an investigation is that made these calls, building and testing left out; nothing without any."""
    from howsure.formulas.investigation import Case, Investigation
    from howsure.formulas.tool_calls import ToolCall as Step

    steps = tuple(
        Step(
            tool=call["kind"],
            target=call.get("target", ""),
            results=call.get("results", 0),
            error=None if call.get("ok") else "failed",
        )
        for call in calls
        if call.get("kind") in KNOWLEDGE.get(call.get("category", ""), ())
    )
    if not steps:
        return None
    model = Investigation(tools={kind: category for category, kinds in KNOWLEDGE.items() for kind in kinds})
    return float(model.score(Case(steps))["score"])


def checks(calls: Iterable[Call]) -> "Code | None":
    """Return what a session has checked of its code, by the latest run of each kind; nothing where it has seen none."""
    from pathlib import PurePath

    from howsure.formulas.response import Code
    from howsure.responses.code_checks import SOURCES, TEST_FILE

    runs: dict[str, bool] = {}
    files: set[str] = set()
    for call in calls:
        if call.get("category") == "verification":
            runs["syntax" if call["kind"] == "build" else call["kind"]] = bool(call.get("ok"))
            continue
        if call.get("category") == "edit" and call.get("ok"):
            runs = {kind: passed for kind, passed in runs.items() if not passed}  # what passed was other code
        if (
            call.get("ok")
            and call.get("results", 1)
            and PurePath(path := call.get("path", "")).suffix.lower() in SOURCES
        ):
            files.add(path)
    if not runs and not files:
        return None
    return Code(
        exists=True if files else None,
        syntax_valid=runs.get("syntax"),
        types_valid=runs.get("types"),
        tests_exist=True if "test" in runs or any(map(TEST_FILE.search, files)) else None,
        tests_pass=runs.get("test"),
    )


def sent_back(session: Session, trace: str, task: str, id_: str) -> bool:
    """Say whether the answer before a blocked one was sent back: blocks in a row are, and are not, in turn.

    Answers are recorded one after the other, so that this holds however many events come at once.
    """
    with session.database.read() as transaction:
        rows = transaction.rows(
            "SELECT decision FROM decisions WHERE trace_id = ? AND model = 'response' AND task_id = ? "
            "AND key < (SELECT key FROM decisions WHERE id = ?) ORDER BY key DESC LIMIT 1000",
            [trace, task, id_],
        )
    before = next((place for place, (decision,) in enumerate(rows) if decision != "block"), len(rows))
    return before % 2 == 1
