"""Records of the ledger: an assessment as it is kept, and how one looks for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from howsure.errors import InputError, nearest
from howsure.shapes import Moment, decode_as
from howsure.store.decisions import LATEST
from howsure.store.text_rules import check_name


@dataclass(frozen=True)
class Record:
    """An assessment as the ledger keeps it."""

    id: str
    at: float
    model: str
    agent: str
    agent_type: str
    project: str
    task_id: str
    trace_id: str
    score: float
    threshold: float | None
    decision: str
    met: bool
    digest: str | None
    content: str | None
    detail: dict[str, Any] = field(default_factory=dict)
    """Row and answer of the model."""
    spec: dict[str, Any] = field(default_factory=dict)
    """Name, version and parameters of the model."""
    outcome: str | None = None
    """What became of it, if that is known."""
    outcome_by: str | None = None


READ = (
    "SELECT a.id, a.at, a.model, a.agent, a.agent_type, a.project, a.task_id, a.trace_id, a.score, a.threshold, "
    "a.decision, a.met, a.digest, a.content, a.detail, s.content, o.outcome, o.actor FROM decisions a "
    "JOIN specs s ON s.fingerprint = a.spec "
    f"LEFT JOIN outcomes o ON o.decision = a.key AND {LATEST}"
)


def as_record(row: tuple[Any, ...]) -> Record:
    """Return a record from the columns of the tables."""
    values: Any = [*row[:11], bool(row[11]), *row[12:14], orjson.loads(row[14]), orjson.loads(row[15]), *row[16:]]
    return Record(*values)


_WANTED = {
    "id": "a.id = :id",
    "model": "a.model = :model",
    "agent": "a.agent = :agent",
    "agent_type": "a.agent_type = :agent_type",
    "project": "a.project = :project",
    "task_id": "a.task_id = :task_id",
    "trace_id": "a.trace_id = :trace_id",
    "decision": "a.decision = :decision",
    "since": "a.at >= :since",
    "until": "a.at <= :until",
    "before": "a.at < :before",
}
_INDEXED = {
    "task_id": ("", "a.task_id <> ''"),
    "trace_id": ("", "a.trace_id <> ''"),
    "model": ("response", "a.model <> 'response'"),
}
"""What the indexes of tasks, traces and models leave out: where something else is looked for, that is said again."""
_JUDGED = "EXISTS (SELECT 1 FROM outcomes x WHERE x.decision = a.key)"


def conditions(wanted: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the condition for what is wanted, and its parameters."""
    found, parameters = [], {}
    for name, value in wanted.items():
        if value is None:
            continue
        if name == "judged":
            found.append(_JUDGED if value else f"NOT {_JUDGED}")
        elif name in _WANTED:
            found.append(_WANTED[name])
            left_out, condition = _INDEXED.get(name, (value, ""))
            found += [condition] if value != left_out else []
            parameters[name] = check_name(value, name) if isinstance(value, str) else decode_as(Moment, value, name)
        else:
            raise InputError(f"there is no {name!r} to look for", hint=nearest(name, [*_WANTED, "judged"]))
    return ("WHERE " + " AND ".join(found) if found else ""), parameters
