"""Describe the HTTP API as OpenAPI 3.1, built from the operations."""

import re
from functools import cache
from pathlib import Path
from typing import Any, get_args

import orjson

from howsure.documents.document import Action, DocumentKind
from howsure.documents.recorded_scans import LifecycleState
from howsure.formulas.claim import RelationKind, Status
from howsure.formulas.decay import Tier
from howsure.formulas.document import Milestone
from howsure.serve.errors import CODES
from howsure.serve.operations import OPERATIONS, Operation
from howsure.serve.requests import JSON, JSON_LINES, without_null
from howsure.settings import GroundingReader, Policy
from howsure.shapes.schema import REFERENCE, Components
from howsure.store.claim_tables.selection import Order
from howsure.store.ledger_tables.decisions import Outcome, OutcomeSource
from howsure.store.ledger_tables.fits import FitKind
from howsure.syntheses.stages import ConflictReader
from howsure.text.grounding.result import Finding
from howsure.version import __version__

EXAMPLES: dict[str, Any] = orjson.loads(Path(__file__).with_name("examples.json").read_bytes())
"""An example result of each operation."""
DESCRIPTION = """How sure? The confidence engine for AI agents, over HTTP.

All errors have the same shape. Times are seconds since 1970. Lists are paged: pass the `cursor` of one page to get the
next. A write with an `Idempotency-Key` runs once, however often it is sent. Without a token, only the machine itself
can connect.
"""
TAGS = {
    "claims": "Statements with sources, relations and confidence intervals.",
    "responses": "Decide whether a response may be sent.",
    "investigations": "How sure an agent is, given the tool calls so far.",
    "syntheses": "Merge results of different quality.",
    "documents": "Scans of documents, and events in their lifecycle.",
    "ledger": "Decisions, their outcomes, and statistics about them.",
    "models": "The models that compute scores.",
    "fits": "What was learned from outcomes: weights, calibration and promises.",
    "sources": "Whom to believe: how reliable sources are, and what they got wrong.",
    "server": "Health, readiness and metrics of the server.",
}
CHOICES = {
    get_args(options): name
    for name, options in {
        "ClaimTier": Tier,
        "ClaimStatus": Status,
        "ClaimOrder": Order,
        "RelationKind": RelationKind,
        "Outcome": Outcome,
        "OutcomeSource": OutcomeSource,
        "GatePolicy": Policy,
        "FitKind": FitKind,
        "DocumentKind": DocumentKind,
        "SentenceFinding": Finding,
        "DocumentAction": Action,
        "DocumentMilestone": Milestone,
        "DocumentState": LifecycleState,
        "TextReader": GroundingReader,
        "ConflictReader": ConflictReader,
    }.items()
}
"""Names of the choices that several schemas share, by their options. Generated clients make one enum of each."""
_TAG_OF = {"clean": "claims"}
"""Tags of operations whose name has no facade."""
_ERRORS = {
    400: "The input does not have the described shape, or is not JSON",
    401: "A token is required, or the token is not valid",
    403: "The token's scope is too small, or the request comes from another site",
    404: "The id does not exist",
    408: "The body did not arrive in time",
    409: "A request with this Idempotency-Key is still running",
    413: "The body is too large",
    415: "The content type is not supported",
    422: "The input cannot be processed, or the Idempotency-Key was used for another request",
    429: "Too many requests",
    500: "A bug in howsure",
    501: "An optional part is not installed",
    502: "The language model failed",
    503: "The store failed, or the server is busy",
    504: "It took too long",
}
ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {"$ref": f"{REFERENCE}ErrorDetail"}},
}
ERROR_DETAIL = {
    "type": "object",
    "required": ["code", "message", "field", "hint"],
    "properties": {
        "code": {"$ref": f"{REFERENCE}ErrorCode"},
        "message": {"type": "string", "description": "What is wrong."},
        "field": {"type": "string", "description": "The field or header; empty if there is none."},
        "hint": {"type": "string", "description": "What to do; empty if unknown."},
        "line": {"type": "integer", "description": "The line of the body, if it is JSON Lines."},
    },
}
ERROR_CODE = {
    "type": "string",
    "enum": list(CODES),
    "description": "; ".join(f"{code} is {meaning}" for code, meaning in CODES.items()),
}
HEALTH = {
    "type": "object",
    "required": ["status"],
    "properties": {"status": {"type": "string", "const": "ok"}, "version": {"type": "string"}},
}
_ERROR_EXAMPLE = {
    "error": {"code": "invalid_input", "message": "2 is not between 0 and 1", "field": "min_lower", "hint": ""}
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "A unique id of this request, like a UUID: if it is sent again, its result is repeated.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
}


@cache
def describe_api() -> dict[str, Any]:
    """Return the OpenAPI document."""
    components = Components(CHOICES)
    components.schemas |= {"Error": ERROR, "ErrorDetail": ERROR_DETAIL, "ErrorCode": ERROR_CODE, "Health": HEALTH}
    for operation in OPERATIONS:  # results first: they keep the name of a class that is an input too
        operation.result_schema(components)
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _describe(operation, components)
    error = {"schema": {"$ref": f"{REFERENCE}Error"}, "example": _ERROR_EXAMPLE}
    responses = {f"E{status}": {"description": about, "content": {JSON: error}} for status, about in _ERRORS.items()}
    token = {"type": "http", "scheme": "bearer", "description": "`howsure token create NAME --scope read`"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "howsure", "version": __version__, "description": DESCRIPTION},
        "tags": [{"name": name, "description": about} for name, about in TAGS.items()],
        "paths": paths | _describe_server(),
        "components": {
            "schemas": components.schemas,
            "responses": responses,
            "securitySchemes": {"token": token},
        },
    }


def operation_id(operation: Operation) -> str:
    """Return the operationId, from which generated clients build the names of functions.

    >>> from howsure.serve.operations import operation
    >>> operation_id(operation("claims.add"))
    'claims_add'
    """
    return f"{tag_of(operation)}_{operation.name.rpartition('.')[2]}"


def tag_of(operation: Operation) -> str:
    """Return the tag of an operation."""
    return operation.facade or _TAG_OF[operation.name]


def _class_name(operation: Operation, suffix: str) -> str:
    """Return a component name such as ClaimsAddRequest."""
    return "".join(word.capitalize() for word in operation_id(operation).split("_")) + suffix


def _errors(*statuses: int) -> dict[str, Any]:
    return {str(status): {"$ref": f"#/components/responses/E{status}"} for status in statuses}


def _describe(operation: Operation, components: Components) -> dict[str, Any]:
    in_path = re.findall(r"{(\w+)}", operation.path)
    schema = operation.parameter_schema(components)
    parameters = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": schema["properties"][name]["description"],
            "schema": {"type": "string", "minLength": 1},
            "example": operation.example[name],
        }
        for name in in_path
    ]
    content = {"schema": _result(operation, components), "example": EXAMPLES.get(operation.name, {})}
    content_type = JSON_LINES[0] if operation.streams else JSON
    described: dict[str, Any] = {
        "operationId": operation_id(operation),
        "tags": [tag_of(operation)],
        "summary": operation.summary,
        "description": f"{operation.about}\n\nNeeds a token of scope `{operation.scope}`.",
        "security": [{"token": []}, {}],
        "responses": {"200": {"description": "The result", "content": {content_type: content}}}
        | _errors(400, 401, 403, 404, 422, 429, 500, 501, 502, 503, 504),
    }
    if operation.method == "POST":
        described["requestBody"] = _body(operation, schema, in_path, components)
        described["responses"] |= _errors(408, 413, 415)
    else:
        parameters += _query_parameters(operation, schema, in_path)
    if operation.changes and not operation.streams:
        parameters.append(_IDEMPOTENCY_KEY)
        described["responses"] |= _errors(409)
    return described | ({"parameters": parameters} if parameters else {})


def _result(operation: Operation, components: Components) -> dict[str, Any]:
    """Return a reference to the component of the result, which is added if necessary."""
    schema = operation.result_schema(components)
    if "$ref" in schema:
        return schema
    return components.add(_class_name(operation, "Result"), schema)


def _query_parameters(operation: Operation, schema: dict[str, Any], in_path: list[str]) -> list[dict[str, Any]]:
    parameters = []
    for name, field in schema["properties"].items():
        if name not in in_path:
            plain = without_null(field)
            parameter = {"name": name, "in": "query", "description": plain.pop("description", ""), "schema": plain}
            parameter |= {"required": True} if name in schema.get("required", ()) else {}
            parameter |= {"example": operation.example[name]} if name in operation.example else {}
            parameters.append(parameter)
    return parameters


def _body(operation: Operation, schema: dict[str, Any], in_path: list[str], components: Components) -> dict[str, Any]:
    schema = dict(schema)
    schema["properties"] = {name: part for name, part in schema["properties"].items() if name not in in_path}
    required = [name for name in schema.pop("required", ()) if name not in in_path]
    schema |= {"required": required} if required else {}
    example = {name: value for name, value in operation.example.items() if name not in in_path}
    reference = components.add(_class_name(operation, "Request"), schema)
    return {"required": True, "content": {JSON: {"schema": reference, "example": example}}}


def _describe_server() -> dict[str, Any]:
    text = {"200": {"description": "The metrics", "content": {"text/plain": {"schema": {"type": "string"}}}}}
    health = {"$ref": f"{REFERENCE}Health"}
    healthy = {"200": {"description": "Yes", "content": {JSON: {"schema": health}}}}
    public: dict[str, Any] = {"tags": ["server"], "security": [{}]}
    ready = {"operationId": "server_ready", "summary": "Can the server reach its store?"}
    return {
        "/healthz": {
            "get": public | {"operationId": "server_health", "summary": "Is the server running?", "responses": healthy}
        },
        "/readyz": {"get": public | ready | {"responses": healthy | _errors(503, 504)}},
        "/metrics": {
            "get": {
                "tags": ["server"],
                "security": [{"token": []}, {}],
                "operationId": "server_metrics",
                "summary": "Metrics for Prometheus",
                "responses": text | _errors(401, 403, 501),
            }
        },
    }
