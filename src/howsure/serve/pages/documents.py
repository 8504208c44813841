"""Documents: how far those of a project can be trusted, what is due, and the life of each."""

from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from howsure.documents.lifecycle import timeline
from howsure.formulas.automaton import SYMBOLS
from howsure.serve.pages.action import Action
from howsure.serve.pages.forms import first
from howsure.serve.pages.page import Page
from howsure.serve.pages.query import Asking
from howsure.serve.pages.visit import Visit

PATH, ONE, SCAN = "/documents", "/documents/one", "/documents/{id}"
FEW, MANY = 10, 200
"""Scans that are listed, and documents."""
COMMANDS = ("cd my-project && howsure scan --record",)


async def documents(visit: Visit) -> Response:
    """Show how the documents of a project stand, or stood."""
    asking = Asking(visit, "documents.scans", ("project",))
    if asking.untidy:
        return visit.away(asking.here(PATH))
    chosen = await _chosen(visit, asking)
    project = chosen["project"] if chosen else asking.text("project")
    wanted = {"limit": FEW, "project": project} | asking.only("cursor")
    page = await asking.do("documents.scans", wanted, {"scans": [], "cursor": None})
    known = await visit.do("stats", {"by": "project", "model": "document", "task_id": "scan", "since": 0.0})
    due = [one for one in chosen["files"] if one["action"] not in ("none", "unknown")] if chosen else []
    return visit.shown(
        "documents.html",
        asking.status,
        asking=asking,
        projects=[group["name"] for group in known["groups"]],
        project=project,
        scan=chosen,
        scans=page["scans"],
        first="cursor" not in asking.data,
        more=asking.here(PATH, project=project, cursor=page["cursor"]) if page["cursor"] else "",
        chart=await visit.look(lambda sure: _drawn(sure, chosen["id"])) if chosen else None,
        due=due[:MANY],
        left=len(due[MANY:]),
        commands=COMMANDS,
        address=address_of,
    )


async def _chosen(visit: Visit, asking: Asking) -> Any:
    """Return the scan that is named, or else the latest; nothing, where there is none."""
    id_ = visit.request.path_params.get("id")
    if id_ is None:
        page = await asking.do("documents.scans", asking.only("project") | {"limit": 1}, {"scans": []})
        id_ = page["scans"][0]["id"] if page["scans"] else None
    return None if id_ is None else await visit.do("documents.scanned", {"id": id_})


def _drawn(sure: Any, id_: str) -> Any:
    """Return the map of a scan that was recorded."""
    return sure.charts.documents(report=sure.documents.scanned(id_).report)


async def document(visit: Visit) -> Response:
    """Show the life of one document."""
    asked = visit.request.query_params.multi_items() or visit.filled
    project, path = first(asked, "project"), first(asked, "document")
    if not path.strip() or not project.strip():
        return visit.away(PATH)
    events = await visit.do("documents.events", {"project": project, "document": path})
    scans = await visit.do("documents.scans", {"project": project, "limit": 1})
    latest = await visit.do("documents.scanned", {"id": scans["scans"][0]["id"]}) if scans["scans"] else None
    lived = timeline(events["events"])
    return visit.shown(
        "document.html",
        project=project,
        path=path,
        file=next((one for one in latest["files"] if one["path"] == path), None) if latest else None,
        scan=latest,
        stages=lived[::-1],
        most=MANY,
        state=lived[-1].state if lived else "INIT",
        milestone=lived[-1].milestone if lived else "M1",
        symbols=SYMBOLS,
        here=address_of(project, path),
    )


def address_of(project: str, path: str) -> str:
    """Return where the page of a document is. Its path holds slashes, so it stands in the query."""
    return f"{ONE}?{urlencode({'project': project, 'document': path})}"


ACTIONS = (Action(f"{ONE}/event", "documents.event", PATH, document, "happened"),)
"""What can be said about a document."""

PAGES = (
    Page(PATH, documents, nav="Documents"),
    Page(ONE, document),
    *(action.page() for action in ACTIONS),
    Page(SCAN, documents),
)
