"""The description of the API, as OpenAPI: made of the table of operations, with examples."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from howsure import __version__
from howsure.serve.errors import CODES
from howsure.serve.operations.table import OPERATIONS
from howsure.serve.operations.table import AnyOperation as Operation
from howsure.serve.requests import JSON_LINES, without_null

EXAMPLES: dict[str, Any] = orjson.loads(Path(__file__).with_name("examples.json").read_bytes())
"""What each operation answers, for example."""
ABOUT = """How sure? The confidence engine for AI agents, over HTTP.

Every error has the same shape. Times are seconds since 1970. Lists have a cursor: hand it in to read on. A write that
carries an `Idempotency-Key` is done once, however often it is sent. Without a token only the machine itself is
answered.
"""
TAGS = {
    "claims": "What is believed, on what grounds, and how sure that is.",
    "responses": "May this answer go out?",
    "investigations": "How sure are we, given what was found so far?",
    "syntheses": "What may be said when results of different quality are merged?",
    "documents": "What has happened to documents.",
    "ledger": "What was decided, what became of it, and how agents have done.",
    "models": "What there is to score by.",
    "server": "Is it there, is it ready, what has it done?",
}
_NOUNS = {"stats": "ledger", "assess": "models", "clean": "claims"}
_ERRORS = {
    400: "Not as described, or not JSON",
    401: "A token is needed, or the one given allows nothing",
    403: "The token's scope is too small, or the request comes from another page",
    404: "There is nothing of that id",
    408: "The body did not arrive in time",
    409: "A request with this Idempotency-Key has not ended",
    413: "The body is too large",
    415: "The body is of another type",
    422: "As described, but it cannot be; or the Idempotency-Key was used for another request",
    429: "Too many requests",
    500: "A fault in howsure",
    501: "An optional part is not installed",
    502: "The language model failed",
    503: "The store failed, or too much is going on",
    504: "It took too long",
}
ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "field", "hint"],
            "properties": {
                "code": {"enum": list(CODES), "description": "; ".join(f"{n} is {m}" for n, m in CODES.items())},
                "message": {"type": "string", "description": "What is wrong."},
                "field": {"type": "string", "description": "Which field or header; empty, if none."},
                "hint": {"type": "string", "description": "What to do; empty, if that is not known."},
                "line": {"type": "integer", "description": "Which line of the body, where it has lines."},
            },
        }
    },
}
_EXAMPLE = {"error": {"code": "invalid_input", "message": "2 is not between 0 and 1", "field": "min_lower", "hint": ""}}
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "A name of your own for this request, like a UUID: sent again, it is answered, not done.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
}


@cache
def describe_api() -> dict[str, Any]:
    """Return the whole description."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation)
    responses = {
        f"E{status}": {
            "description": about,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}, "example": _EXAMPLE}},
        }
        for status, about in _ERRORS.items()
    }
    token = {"type": "http", "scheme": "bearer", "description": "`howsure token create NAME --scope read`"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "howsure", "version": __version__, "description": ABOUT},
        "tags": [{"name": name, "description": about} for name, about in TAGS.items()],
        "paths": paths | _server(),
        "components": {
            "schemas": {"Error": ERROR},
            "responses": responses,
            "securitySchemes": {"token": token},
        },
    }


def _errors(*statuses: int) -> dict[str, Any]:
    return {str(status): {"$ref": f"#/components/responses/E{status}"} for status in statuses}


def _described(operation: Operation) -> dict[str, Any]:
    inside = re.findall(r"{(\w+)}", operation.path)
    properties = operation.input_schema["properties"]
    parameters = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": properties[name]["description"],
            "schema": {"type": "string", "minLength": 1},
            "example": operation.example[name],
        }
        for name in inside
    ]
    content = {"schema": operation.answer_schema, "example": EXAMPLES.get(operation.name, {})}
    kind = JSON_LINES[0] if operation.streams else "application/json"
    found: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [_NOUNS.get(operation.name) or operation.name.partition(".")[0]],
        "summary": operation.summary,
        "description": f"{operation.about}\n\nNeeds a token of scope `{operation.scope}`.",
        "security": [{"token": []}, {}],
        "responses": {"200": {"description": "What came of it", "content": {kind: content}}}
        | _errors(400, 401, 403, 404, 422, 429, 500, 501, 502, 503, 504),
    }
    if operation.method == "POST":
        found["requestBody"] = _body(operation, inside)
        found["responses"] |= _errors(408, 413, 415)
    else:
        parameters += _queries(operation, inside)
    if operation.changes and not operation.streams:
        parameters.append(_KEY)
        found["responses"] |= _errors(409)
    return found | ({"parameters": parameters} if parameters else {})


def _queries(operation: Operation, inside: list[str]) -> list[dict[str, Any]]:
    schema = operation.input_schema
    found = []
    for name, described in schema["properties"].items():
        if name not in inside:
            kept = without_null(described)
            parameter = {"name": name, "in": "query", "description": kept.pop("description", ""), "schema": kept}
            parameter |= {"required": True} if name in schema.get("required", ()) else {}
            parameter |= {"example": operation.example[name]} if name in operation.example else {}
            found.append(parameter)
    return found


def _body(operation: Operation, inside: list[str]) -> dict[str, Any]:
    schema = dict(operation.input_schema)
    schema["properties"] = {name: part for name, part in schema["properties"].items() if name not in inside}
    required = [name for name in schema.pop("required", ()) if name not in inside]
    schema |= {"required": required} if required else {}
    example = {name: value for name, value in operation.example.items() if name not in inside}
    return {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}


def _server() -> dict[str, Any]:
    text = {"200": {"description": "Measured so far", "content": {"text/plain": {"schema": {"type": "string"}}}}}
    well = {
        "type": "object",
        "required": ["status"],
        "properties": {"status": {"enum": ["ok"]}, "version": {"type": "string"}},
    }
    good = {"200": {"description": "It is", "content": {"application/json": {"schema": well}}}}
    own: dict[str, Any] = {"tags": ["server"], "security": [{}]}
    return {
        "/healthz": {"get": own | {"operationId": "healthz", "summary": "Is it there?", "responses": good}},
        "/readyz": {
            "get": own
            | {"operationId": "readyz", "summary": "Can it reach its store?", "responses": good | _errors(503)}
        },
        "/metrics": {
            "get": {
                "tags": ["server"],
                "security": [{"token": []}, {}],
                "operationId": "metrics",
                "summary": "What was measured, for Prometheus",
                "responses": text | _errors(401, 403, 501),
            }
        },
    }
