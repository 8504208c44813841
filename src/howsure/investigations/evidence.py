"""Evidence under a trace: tool calls as they are kept, and the investigation that they make up."""

from collections.abc import Mapping
from copy import copy
from dataclasses import asdict
from typing import Any, TypedDict

from howsure.agents.evidence import load_tool_calls
from howsure.formulas.investigation import Investigation
from howsure.formulas.tool_calls import ToolCall
from howsure.investigations.api import Inquiry
from howsure.ledger.api import Ledger
from howsure.ledger.metrics import Metrics
from howsure.ledger.redact import redacted
from howsure.shapes import decode

_KINDS = {"verification.build": "build", "verification.test": "test"}


class Advice(TypedDict):
    """Evidence that could be got next."""

    what: str
    """What to do."""
    score: float
    """How sure it would be then."""
    gain: float


class Standing(TypedDict):
    """How sure an investigation is."""

    id: str | None
    """By this the ledger knows it, if it was written there."""
    trace_id: str
    question: str
    calls: int
    """How many calls count as evidence."""
    score: float
    band: str
    decision: str
    """proceed, recover or stop."""
    reason: str
    categories: dict[str, float]
    recover: bool
    stop: bool
    converging_target: str | None
    """What several kinds of evidence agree on."""
    recovery_change: float
    recoveries: int
    through: list[int]
    warnings: list[str]
    advice: list[Advice]
    """What would help most next."""


_STANDING = tuple(Standing.__annotations__)


def standing_of(inquiry: Inquiry) -> dict[str, Any]:
    """Return how sure an investigation is, as JSON-ready data."""
    found = inquiry.as_dict() | {"id": inquiry.id, "trace_id": inquiry.about.trace_id}
    return {name: found[name] for name in _STANDING}


def opened(ledger: Ledger, model: Investigation, trace: str, question: str = "", **about: Any) -> Inquiry:
    """Return the investigation that the evidence under a trace makes up, hooks' evidence included."""
    inquiry = Inquiry(question, ledger.about(**about, trace_id=trace), ledger, model)
    for noted in load_tool_calls(ledger.session, trace):
        call = _call(noted, model.tools)
        if call is not None:
            inquiry.add(call)
    return inquiry


def looked_at(ledger: Ledger, model: Investigation, trace: str, question: str = "") -> Inquiry:
    """Return an investigation to look at. Its recoveries are counted when it ends, and not whenever somebody looks."""
    quiet = copy(ledger)
    quiet.metrics = Metrics("off")
    return opened(quiet, model, trace, question)


def _call(noted: dict[str, Any], tools: Mapping[str, str]) -> ToolCall | None:
    """Return a call from what is kept of it; nothing for one that the model has no place for, like an edit."""
    if "call" in noted:
        found = decode(ToolCall, noted["call"])
        return found if found.tool in tools else None
    failed = None if noted.get("ok") else "failed"
    if noted.get("category") == "verification":
        return ToolCall(noted["tool"], passed=bool(noted.get("ok"))) if noted["tool"] in tools else None
    category = str(noted.get("category", ""))
    kind = {"search": str(noted.get("kind", "")), "ci": "gh"}.get(category, category)
    if kind not in tools:
        return None
    target = noted.get("path") or noted.get("target", "")
    return ToolCall(kind, target=target, results=noted.get("results", 0), error=failed)


def kept(call: ToolCall, tools: Mapping[str, str]) -> dict[str, Any]:
    """Return what to keep of a call: by the names that hooks use, and whole."""
    where = tools.get(call.tool, "")
    category = where.partition(".")[0]
    kind = _KINDS.get(where) or (call.tool if category == "search" else category)
    passed = call.error is None if call.passed is None else call.passed
    plain = {"tool": call.tool, "category": category, "kind": kind, "target": call.target, "ok": passed}
    return plain | {"results": call.results, "call": asdict(call)}


def cleaned(given: Any, own: tuple[str, ...]) -> Any:
    """Return what a tool was called with, without secrets, and without what no store can hold."""
    if isinstance(given, dict):
        return {name: cleaned(value, own) for name, value in given.items()}
    if isinstance(given, list):
        return [cleaned(value, own) for value in given]
    return redacted(given, own) if isinstance(given, str) else given
