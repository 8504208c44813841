"""The pages about documents: scans of a project, what is due, and the events of each document."""

from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from howsure.documents.lifecycle import timeline
from howsure.formulas.automaton import SYMBOLS
from howsure.serve.pages.action import Action
from howsure.serve.pages.forms import first
from howsure.serve.pages.page import Page
from howsure.serve.pages.query import PageQuery
from howsure.serve.pages.request import PageRequest

PATH, ONE, SCAN = "/documents", "/documents/one", "/documents/{id}"
MAX_SCANS, MAX_ROWS = 10, 200
"""Scans in the list, and rows of other tables."""
COMMANDS = ("cd my-project && howsure scan --record",)


async def documents(request: PageRequest) -> Response:
    """Show a scan of a project: the one in the path, or the latest."""
    query = PageQuery(request, "documents.list_scans", ("project",))
    if query.has_empty_fields:
        return request.redirect(query.url(PATH))
    scan = await _find_scan(request, query)
    export = request.export("documents")
    if export and scan:
        return export.respond(scan["files"])
    project = scan["project"] if scan else query.text("project")
    arguments = {"limit": MAX_SCANS, "project": project} | query.only("cursor")
    page = await query.run_or("documents.list_scans", arguments, {"scans": [], "cursor": None})
    projects = await request.run(
        "ledger.stats", {"by": "project", "model": "document", "task_id": "scan", "since": 0.0}
    )
    due = [one for one in scan["files"] if one["action"] not in ("none", "unknown")] if scan else []
    return request.render(
        "documents.html",
        query.status,
        query=query,
        projects=[group["name"] for group in projects["groups"]],
        project=project,
        scan=scan,
        scans=page["scans"],
        first="cursor" not in query.arguments,
        more=query.url(PATH, project=project, cursor=page["cursor"]) if page["cursor"] else "",
        chart=await request.read(lambda sure: _draw_map(sure, scan["id"])) if scan else None,
        opened=scan["files"][: scan["found"]][:MAX_ROWS] if scan else [],
        due=due[:MAX_ROWS],
        hidden=len(due[MAX_ROWS:]),
        commands=COMMANDS,
        document_url=document_url,
    )


async def _find_scan(request: PageRequest, query: PageQuery) -> Any:
    """Return the scan in the path, or else the latest, or None."""
    id_ = request.http.path_params.get("id")
    if id_ is None:
        page = await query.run_or("documents.list_scans", query.only("project") | {"limit": 1}, {"scans": []})
        id_ = page["scans"][0]["id"] if page["scans"] else None
    return None if id_ is None else await request.run("documents.scan_report", {"scan": id_})


def _draw_map(sure: Any, id_: str) -> Any:
    """Return the map of a recorded scan."""
    return sure.charts.documents(report=sure.documents.recorded_scan(id_).report)


async def document(request: PageRequest) -> Response:
    """Show the lifecycle of one document."""
    fields = request.http.query_params.multi_items() or request.form
    project, path = first(fields, "project"), first(fields, "document")
    if not path.strip() or not project.strip():
        return request.redirect(PATH)
    events = await request.run("documents.project_events", {"project": project, "document": path})
    scans = await request.run("documents.list_scans", {"project": project, "limit": 1})
    latest = await request.run("documents.scan_report", {"scan": scans["scans"][0]["id"]}) if scans["scans"] else None
    lifecycle = timeline(events["events"])
    return request.render(
        "document.html",
        project=project,
        path=path,
        file=next((one for one in latest["files"] if one["path"] == path), None) if latest else None,
        scan=latest,
        stages=lifecycle[::-1],
        max_rows=MAX_ROWS,
        state=lifecycle[-1].state if lifecycle else "INIT",
        milestone=lifecycle[-1].milestone if lifecycle else "M1",
        symbols=SYMBOLS,
        url=document_url(project, path),
    )


def document_url(project: str, path: str) -> str:
    """Return the address of a document's page. Its path may hold slashes, so it is in the query."""
    return f"{ONE}?{urlencode({'project': project, 'document': path})}"


ACTIONS = (Action(f"{ONE}/event", "documents.record_event", PATH, document, "event-recorded"),)
"""The forms of the page."""

PAGES = (
    Page(PATH, documents, nav="Documents"),
    Page(ONE, document),
    *(action.page() for action in ACTIONS),
    Page(SCAN, documents),
)
