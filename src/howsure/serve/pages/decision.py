"""The page of one decision: why it was made, and its outcome."""

from collections import Counter

from starlette.responses import Response

from howsure.ledger.kept_text import KeptText, is_complete
from howsure.serve.pages.action import Action
from howsure.serve.pages.agents import agent_url
from howsure.serve.pages.page import Page
from howsure.serve.pages.request import PageRequest
from howsure.wording import pluralize

PATH = "/decisions/{decision_id}"
PATHS = {"investigation": "/investigations", "overall": "/syntheses"}
"""Pages with more detail about the decisions of some models."""


async def decision(request: PageRequest) -> Response:
    """Show a decision."""
    explanation = await request.run("ledger.explain", dict(request.http.path_params))
    record = explanation["decision"]
    answer = record["detail"].get("answer", {})
    return request.render(
        "decision.html",
        explanation=explanation,
        record=record,
        whole=is_complete(KeptText(record["digest"], record["content"])),
        reason=str(answer.get("reason", "")),
        numbers=[(name, value) for name, value in record["detail"].get("row", {}).items()],
        findings=_count_findings([one["finding"] for one in explanation["sentences"]]),
        details_path=PATHS.get(record["model"], ""),
        agent_url=agent_url(record["agent"]),
    )


def _count_findings(findings: list[str]) -> str:
    """Return how many sentences were found to be what, in words."""
    counts = [f"{count} {finding}" for finding, count in Counter(findings).most_common()]
    return f"{pluralize(len(findings), 'sentence')}: {', '.join(counts)}."


def _outcome_message(result: dict[str, str]) -> str:
    return f"marked-{result['outcome']}"


ACTIONS = (
    Action(f"{PATH}/outcome", "ledger.outcome", PATH, decision, _outcome_message),
    Action(f"{PATH}/thumbs", "ledger.thumbs", PATH, decision, _outcome_message),
)
"""The forms of the page."""

PAGES = (Page(PATH, decision), *(action.page() for action in ACTIONS))
