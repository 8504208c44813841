"""Resources: claims and statistics that a client can put before its model without a tool."""

from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from mcp_types import Resource, ResourceTemplate

from howsure.errors import NotFoundError, shown
from howsure.serve.operations.table import AnyOperation as Operation
from howsure.serve.operations.table import operation

JSON = "application/json"
RESOURCES = [
    Resource(
        uri="howsure://claims",
        name="claims",
        title="The surest claims",
        description="The fifty claims that are surest now, each with its interval.",
        mime_type=JSON,
    ),
    Resource(
        uri="howsure://statistics",
        name="statistics",
        title="How agents have done",
        description="Decisions of the last seven days by agent, and how far their confidence can be believed.",
        mime_type=JSON,
    ),
]
TEMPLATES = [
    ResourceTemplate(
        uri_template="howsure://claims/{id}",
        name="claim",
        title="One claim",
        description="A claim as it stands now, and why.",
        mime_type=JSON,
    ),
    ResourceTemplate(
        uri_template="howsure://statistics/{agent}",
        name="statistics of an agent",
        title="How one agent has done",
        description="Decisions of the last seven days of one agent, and how far its confidence can be believed.",
        mime_type=JSON,
    ),
]


class Asked(NamedTuple):
    """The operation that shows a resource, and what it is handed."""

    operation: Operation
    given: dict[str, Any]


def asked(uri: str) -> Asked:
    """Return what shows a resource.

    >>> asked("howsure://claims/c1").given
    {'id': 'c1'}
    """
    try:
        parts = urlsplit(uri)
        path = unquote(parts.path.removeprefix("/"), errors="strict")
    except ValueError:
        parts, path = urlsplit(""), ""
    if parts.scheme == "howsure" and not parse_qsl(parts.query) and not parts.fragment:
        if parts.netloc == "claims":
            return Asked(operation("claims.explain"), {"id": path}) if path else Asked(operation("claims.find"), {})
        if parts.netloc == "statistics":
            return Asked(operation("stats"), {"by": "agent"} | ({"agent": path} if path else {}))
    hint = "there are: howsure://claims, howsure://claims/ID, howsure://statistics, howsure://statistics/AGENT"
    raise NotFoundError(f"there is no resource {shown(uri)}", hint=hint)
