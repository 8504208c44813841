"""Answers at the gate: a list of what was decided, with the reasons, to be marked right or wrong."""

from typing import Any

from howsure.ledger.redact import Kept, is_whole
from howsure.responses.reasons import factors_of
from howsure.serve.pages.query import MOST, Asking
from howsure.serve.pages.visit import Visit

FEW = 10
"""Answers that are shown at once."""
DECISIONS = (("block", "Blocked"), ("review", "To review"), ("pass", "Passed"), ("", "All"))
"""What one can choose, the first by itself."""


async def answers(visit: Visit, asking: Asking, path: str, **wanted: Any) -> dict[str, Any]:
    """Return what a page needs to show a list of answers: those that are wanted, and where there are more."""
    chosen = asking.text("decision") if "decision" in visit.request.query_params else DECISIONS[0][0]
    data = asking.only("agent_type", "project", "cursor") | asking.since() | wanted
    data |= {"model": "response", "limit": asking.limit(FEW, MOST)} | ({"decision": chosen} if chosen else {})
    page = await asking.do("ledger.find", data, {"records": [], "cursor": None})
    return {
        "answers": [_shown(one) for one in page["records"]],
        "more": asking.here(path, cursor=page["cursor"]) if page["cursor"] else "",
        "first": "cursor" not in data,
        "here": asking.here(path),
        "decision": chosen,
        "decisions": DECISIONS,
    }


def _shown(record: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with its factors, and whether all of its text was kept."""
    factors = [factor._asdict() for factor in factors_of(record)]
    return record | {"factors": factors, "whole": is_whole(Kept(record["digest"], record["content"]))}
