"""Read HTTP requests as arguments of operations, and write JSON responses."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from howsure.errors import HowsureError
from howsure.serve.errors import HTTPError, describe_error, log_hidden
from howsure.serve.operations import Operation

JSON = "application/json"
JSON_LINES = ("application/x-ndjson", "application/jsonl")
"""Content types of bodies with one JSON value per line."""
MAX_RECORDS = 200_000
"""Lines of a body, or items of a list in it."""
_NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?", re.ASCII)
"""A JSON number of bounded length: Python takes quadratic time to read very long ones."""


def json_response(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return data as a JSON response."""
    return Response(orjson.dumps(data), status, headers, JSON)


def error_response(error: HowsureError, scope: Mapping[str, Any] | None = None) -> Response:
    """Return an error as a JSON response; all errors have the same shape.

    With the ASGI scope of the request, what the response does not tell is logged.
    """
    if scope is not None:
        log_hidden(error, scope)
    status, described, headers = describe_error(error)
    return json_response({"error": described}, status, headers)


def bearer_token(request: Request) -> str | None:
    """Return the token of the Authorization header, or None if there is no such header.

    Raises:
        HTTPError: if the header holds anything else.
    """
    values = request.headers.getlist("authorization")
    if not values:
        return None
    scheme, _, secret = values[0].partition(" ")
    if len(values) > 1 or scheme.lower() != "bearer" or not secret.strip():
        raise HTTPError(
            401,
            "unauthorized",
            "the Authorization header has no token",
            hint="Authorization: Bearer TOKEN",
            WWW_Authenticate="Bearer",
        )
    return secret.strip()


async def read_arguments(
    request: Request, operation: Operation, max_body: int, max_records: int = MAX_RECORDS
) -> dict[str, Any]:
    """Return the arguments of an operation from the path and the body or query.

    Raises:
        HTTPError: if the body cannot be read, or an argument is given twice.
    """
    arguments: dict[str, Any] = dict(request.path_params)
    if operation.method == "POST":
        others = await _read_body_arguments(request, operation, max_body, max_records)
    else:
        others = read_query(request, operation)
    for name, value in others.items():
        if name in arguments:
            raise HTTPError(400, "invalid_input", "already given in the path", field=name, hint="leave it out here")
        arguments[name] = value
    return arguments


async def _read_body_arguments(
    request: Request, operation: Operation, max_body: int, max_records: int
) -> dict[str, Any]:
    content_type, _, parameters = request.headers.get("content-type", "").partition(";")
    content_type = content_type.strip().lower()
    is_lines = bool(operation.lines) and content_type in JSON_LINES
    if (content_type != JSON and not is_lines) or not _is_utf8(parameters):
        hint = JSON + (f", or {JSON_LINES[0]}" if operation.lines else "")
        raise HTTPError(415, "wrong_type", "unsupported content type", field="Content-Type", hint=hint)
    body = await read_body(request, max_body)
    if is_lines:
        # Counted before splitting: 10 MB of empty lines are 10 million objects.
        _check_records(body.count(b"\n"), operation.lines, max_records)
        lines = [line for line in body.split(b"\n") if line.strip()]
        return read_query(request, operation) | {operation.lines: lines}
    if request.url.query:
        hint = "send arguments as JSON in the body"
        raise HTTPError(400, "invalid_input", "this request takes no query", field="query", hint=hint)
    try:
        arguments = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        problem = f"invalid JSON: {error.msg} at position {error.pos}"
        raise HTTPError(400, "invalid_json", problem, hint="an object in UTF-8") from None
    if not isinstance(arguments, dict):
        raise HTTPError(400, "invalid_input", "the body is not an object", hint='like {"name": "value"}')
    for name, value in arguments.items():
        if isinstance(value, list):
            _check_records(len(value), name, max_records)
    return arguments


def _check_records(count: int, field: str, max_records: int) -> None:
    """Raise HTTPError if a request has too many lines or items."""
    if count > max_records:
        hint = f"at most {max_records:,} in one request"
        raise HTTPError(413, "too_large", f"{count:,} are too many", field=field, hint=hint)


def _is_utf8(parameters: str) -> bool:
    """Return whether the parameters of a content type are empty or say UTF-8."""
    name, _, value = parameters.strip().partition("=")
    return not name or (name.strip().lower() == "charset" and value.strip(' "').lower() in ("utf-8", "utf8"))


def check_encoding(request: Request) -> None:
    """Raise HTTPError if the body is compressed."""
    if request.headers.get("content-encoding", "").lower() not in ("", "identity"):
        raise HTTPError(415, "wrong_type", "unsupported encoding", field="Content-Encoding", hint="send it as it is")


async def read_body(request: Request, max_body: int) -> bytes:
    """Return the body.

    Raises:
        HTTPError: if it has more than `max_body` bytes or ends too early.
    """
    too_large = HTTPError(
        413, "too_large", "the body is too large", hint=f"at most {max_body:,} bytes", Connection="close"
    )
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > max_body:
        raise too_large
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > max_body:
                raise too_large
            parts.append(part)
    except ClientDisconnect:
        raise HTTPError(400, "invalid_json", "the body is incomplete") from None
    return b"".join(parts)


def read_query(request: Request, operation: Operation) -> dict[str, Any]:
    """Return the arguments in the query of a request."""
    return parse_arguments(request.query_params.multi_items(), operation)


def parse_arguments(pairs: Iterable[tuple[str, str]], operation: Operation) -> dict[str, Any]:
    """Return arguments from names and texts: numbers as numbers, repeated names as lists.

    Raises:
        HTTPError: if a name is repeated whose parameter is not a list.
    """
    properties = operation.input_schema["properties"]
    arguments: dict[str, Any] = {}
    for name, text in pairs:
        schema = without_null(properties.get(name, {}))
        if schema.get("type") == "array":
            arguments.setdefault(name, []).append(parse_text(schema["items"], text))
        elif name in arguments:
            raise HTTPError(400, "invalid_input", "given more than once", field=name, hint="give it once")
        else:
            arguments[name] = parse_text(schema, text)
    return arguments


def without_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a field without null, which a query cannot express: leave the field out instead."""
    rest = {name: value for name, value in schema.items() if name not in ("anyOf", "default")}
    options = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if schema.get("default") is not None:
        rest["default"] = schema["default"]
    return rest | (options[0] if len(options) == 1 else {"anyOf": options} if options else {})


def parse_text(schema: Mapping[str, Any], text: str) -> Any:
    """Return the value that a text stands for; the text itself if it has another type, which decoding then reports."""
    kind = schema.get("type")
    if kind in ("number", "integer") and _NUMBER.fullmatch(text):
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    return text
