"""Requests: what was handed in, from the path, the query and the body, as one object."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request

from howsure.serve.errors import WebError
from howsure.serve.operations.table import AnyOperation as Operation

LINES = ("application/x-ndjson", "application/jsonl")
"""Bodies of one JSON value per line."""
_NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?", re.ASCII)


def bearer(request: Request) -> str | None:
    """Return the token of a request, if it brings one."""
    given = request.headers.getlist("authorization")
    if not given:
        return None
    scheme, _, secret = given[0].partition(" ")
    if len(given) > 1 or scheme.lower() != "bearer" or not secret.strip():
        raise WebError(
            401,
            "unauthorized",
            "the Authorization header holds no token",
            hint="Authorization: Bearer TOKEN",
            WWW_Authenticate="Bearer",
        )
    return secret.strip()


async def handed_in(request: Request, operation: Operation, largest: int) -> dict[str, Any]:
    """Return everything that was handed in, by name."""
    found: dict[str, Any] = dict(request.path_params)
    if operation.method == "POST":
        more = await _body(request, operation, largest)
    else:
        more = in_query(request, operation)
    for name, value in more.items():
        if name in found:
            raise WebError(400, "invalid_input", "this stands in the path", field=name, hint="leave it out here")
        found[name] = value
    return found


async def _body(request: Request, operation: Operation, largest: int) -> dict[str, Any]:
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    kind = kind.strip().lower()
    as_lines = bool(operation.lines) and kind in LINES
    if (kind != "application/json" and not as_lines) or not _is_unicode(parameters):
        taken = "application/json" + (f", or {LINES[0]}" if operation.lines else "")
        raise WebError(415, "wrong_type", "the body is of another type", field="Content-Type", hint=taken)
    content = await content_of(request, largest)
    if as_lines:
        lines = [line for line in content.split(b"\n") if line.strip()]
        return in_query(request, operation) | {operation.lines: lines}
    if request.url.query:
        hint = "hand it in as JSON, in the body"
        raise WebError(400, "invalid_input", "nothing is read from the query", field="query", hint=hint)
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        problem = f"not JSON: {error.msg} at position {error.pos}"
        raise WebError(400, "invalid_json", problem, hint="an object in UTF-8") from None
    if not isinstance(found, dict):
        raise WebError(400, "invalid_input", "the body is not an object", hint='like {"name": "value"}')
    return found


def _is_unicode(parameters: str) -> bool:
    name, _, value = parameters.strip().partition("=")
    return not name or (name.strip().lower() == "charset" and value.strip(' "').lower() in ("utf-8", "utf8"))


async def content_of(request: Request, largest: int) -> bytes:
    """Return the body, and not more of it than the server takes."""
    too_large = WebError(
        413, "too_large", "the body is too large", hint=f"at most {largest:,} bytes", Connection="close"
    )
    told = request.headers.get("content-length", "0")
    if not told.isdecimal() or int(told) > largest:
        raise too_large
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > largest:
                raise too_large
            parts.append(part)
    except ClientDisconnect:
        raise WebError(400, "invalid_json", "the body was cut short") from None
    return b"".join(parts)


def in_query(request: Request, operation: Operation) -> dict[str, Any]:
    """Return what the query says."""
    return typed(request.query_params.multi_items(), operation)


def typed(given: Iterable[tuple[str, str]], operation: Operation) -> dict[str, Any]:
    """Return names with texts, each as the operation reads it: numbers as numbers, lists as lists."""
    properties = operation.input_schema["properties"]
    found: dict[str, Any] = {}
    for name, text in given:
        described = plain(properties.get(name, {}))
        if described.get("type") == "array":
            found.setdefault(name, []).append(_value(described["items"], text))
        elif name in found:
            raise WebError(400, "invalid_input", "this is given twice", field=name, hint="give it once")
        else:
            found[name] = _value(described, text)
    return found


def plain(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a field without null, which a query cannot say: leaving it out means the same."""
    kept = {name: value for name, value in described.items() if name not in ("anyOf", "default")}
    parts = [part for part in described.get("anyOf", ()) if part.get("type") != "null"]
    if described.get("default") is not None:
        kept["default"] = described["default"]
    return kept | (parts[0] if len(parts) == 1 else {"anyOf": parts} if parts else {})


def _value(described: Mapping[str, Any], text: str) -> Any:
    """Return a value from its text; one that is not what it should be stays a text, and is then told to be wrong."""
    kind = described.get("type")
    if kind in ("number", "integer") and _NUMBER.fullmatch(text):
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return text
