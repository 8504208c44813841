"""One decision: what was decided and why, what became of it, and who says so."""

from starlette.responses import Response

from howsure.ledger.redact import Kept, is_whole
from howsure.serve.pages.action import Action
from howsure.serve.pages.agents import address_of
from howsure.serve.pages.page import Page
from howsure.serve.pages.visit import Visit

PATH = "/decisions/{id}"
PLACES = {"investigation": "/investigations", "overall": "/syntheses"}
"""Where other pages tell more of what a model has judged."""


async def decision(visit: Visit) -> Response:
    """Show a decision."""
    found = await visit.do("ledger.explain", {"id": visit.request.path_params["id"]})
    record = found["record"]
    answer = record["detail"].get("answer", {})
    return visit.shown(
        "decision.html",
        found=found,
        record=record,
        whole=is_whole(Kept(record["digest"], record["content"])),
        reason=str(answer.get("reason", "")),
        numbers=[(name, value) for name, value in record["detail"].get("row", {}).items()],
        elsewhere=PLACES.get(record["model"], ""),
        agent=address_of(record["agent"]),
    )


def _marked(answer: dict[str, str]) -> str:
    return f"marked-{answer['outcome']}"


ACTIONS = (Action(f"{PATH}/outcome", "ledger.outcome", PATH, decision, _marked),)
"""What can be said about a decision."""

PAGES = (Page(PATH, decision), *(action.page() for action in ACTIONS))
