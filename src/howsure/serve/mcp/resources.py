"""MCP resources: claims and statistics that a client can show to its model without a tool."""

from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from mcp_types import Resource, ResourceTemplate

from howsure.errors import NotFoundError, shown
from howsure.serve.operations import Operation, operation

JSON = "application/json"
RESOURCES = [
    Resource(
        uri="howsure://claims",
        name="claims",
        title="The surest claims",
        description="The fifty claims with the highest lower bound, each with its interval.",
        mime_type=JSON,
    ),
    Resource(
        uri="howsure://statistics",
        name="statistics",
        title="Statistics of all agents",
        description="Decisions of the last seven days by agent, and how well calibrated their confidence is.",
        mime_type=JSON,
    ),
]
TEMPLATES = [
    ResourceTemplate(
        uri_template="howsure://claims/{id}",
        name="claim",
        title="One claim",
        description="A claim with its interval, and why it has it.",
        mime_type=JSON,
    ),
    ResourceTemplate(
        uri_template="howsure://statistics/{agent}",
        name="statistics of an agent",
        title="Statistics of one agent",
        description="Decisions of the last seven days of one agent, and how well calibrated its confidence is.",
        mime_type=JSON,
    ),
]


class ResourceRequest(NamedTuple):
    """The operation that reads a resource, and its arguments."""

    operation: Operation
    arguments: dict[str, Any]


def resolve(uri: str) -> ResourceRequest:
    """Return how to read a resource.

    Raises:
        NotFoundError: if there is no such resource.

    >>> resolve("howsure://claims/c1").arguments
    {'claim': 'c1'}
    """
    try:
        parts = urlsplit(uri)
        path = unquote(parts.path.removeprefix("/"), errors="strict")
    except ValueError:
        parts, path = urlsplit(""), ""
    if parts.scheme == "howsure" and not parse_qsl(parts.query) and not parts.fragment:
        if parts.netloc == "claims":
            explain = operation("claims.explain")
            return ResourceRequest(explain, {"claim": path}) if path else ResourceRequest(operation("claims.find"), {})
        if parts.netloc == "statistics":
            return ResourceRequest(operation("ledger.stats"), {"by": "agent"} | ({"agent": path} if path else {}))
    hint = "there are: howsure://claims, howsure://claims/ID, howsure://statistics, howsure://statistics/AGENT"
    raise NotFoundError(f"unknown resource {shown(uri)}", hint=hint)
