"""The search page: claims, responses, agents and documents that contain some words."""

from typing import Any

from starlette.responses import Response

from howsure.errors import InputError
from howsure.serve.pages.agents import agent_url
from howsure.serve.pages.documents import document_url
from howsure.serve.pages.forms import first
from howsure.serve.pages.page import Page
from howsure.serve.pages.request import PageRequest
from howsure.serve.pools import gather_all

PATH = "/search"
MAX_ROWS = 10
"""Results of each kind."""
MAX_DECISIONS = 500
"""The latest decisions whose texts are searched; the ledger has no index of texts."""


async def search(request: PageRequest) -> Response:
    """Show everything that contains the words; go there at once if they are an id."""
    text = first(request.http.query_params.multi_items(), "text").strip()
    if not text:
        return request.render("search.html", text="", results=None)
    for name, argument, path in (("claims.get", "claim", "/claims"), ("ledger.get", "decision_id", "/decisions")):
        if " " not in text and (found := await _run_or_none(request, name, {argument: text})):
            return request.redirect(f"{path}/{found['id']}")
    words = text.casefold().split()
    claims, decisions, agents, scans = await gather_all(
        _run_or_none(request, "claims.find", {"text": text, "limit": MAX_ROWS}),
        request.run("ledger.find", {"limit": MAX_DECISIONS}),
        request.run("ledger.stats", {"by": "agent", "since": 0.0, "model": None}),
        request.run("documents.list_scans"),
    )
    results = {
        "claims": claims["claims"] if claims else [],
        "decisions": [
            one
            for one in decisions["decisions"]
            if _contains(words, one["content"], one["agent"], one["project"], one["trace_id"])
        ],
        "agents": [one for one in agents["groups"] if one["name"] and _contains(words, one["name"])],
        "documents": await _find_documents(request, scans["scans"], words),
    }
    return request.render(
        "search.html",
        text=text,
        results=results,
        max_rows=MAX_ROWS,
        max_decisions=MAX_DECISIONS,
        agent_url=agent_url,
        document_url=document_url,
    )


async def _run_or_none(request: PageRequest, name: str, arguments: dict[str, Any]) -> Any:
    """Run an operation; return None if it finds nothing by this name, or cannot read it."""
    try:
        return await request.run(name, arguments)
    except InputError:
        return None


async def _find_documents(request: PageRequest, scans: list[dict[str, Any]], words: list[str]) -> list[dict[str, Any]]:
    """Return documents of the latest scan of each project whose path contains all words."""
    latest = {scan["project"]: scan["id"] for scan in reversed(scans)}
    found = []
    for project, id_ in latest.items():
        report = await request.run("documents.scan_report", {"scan": id_})
        found += [one | {"project": project} for one in report["files"] if _contains(words, one["path"])]
    return found


def _contains(words: list[str], *texts: str | None) -> bool:
    """Return whether each word is in one of the texts."""
    everything = "\n".join(text for text in texts if text).casefold()
    return all(word in everything for word in words)


PAGES = (Page(PATH, search),)
