"""The API browser: every operation with its parameters and an example, to read and to try out. Works offline."""

import json
import re
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from starlette.responses import Response

from howsure.operation import Scope
from howsure.serve.openapi import EXAMPLES, TAGS, operation_id, tag_of
from howsure.serve.operations import OPERATIONS, Operation
from howsure.serve.pages.page import Page
from howsure.serve.pages.request import PageRequest
from howsure.serve.requests import JSON, without_null

PATH = "/docs"
MAX_EXAMPLE = 4000
"""Characters of an example result."""


class ApiField(NamedTuple):
    """A parameter of an operation."""

    name: str
    place: str
    """path, query or body."""
    type: str
    required: bool
    about: str
    example: str
    """As it is written in an address; empty if there is none."""


class ApiOperation(NamedTuple):
    """An operation, as the page shows it."""

    id: str
    method: str
    path: str
    scope: Scope
    summary: str
    about: str
    fields: tuple[ApiField, ...]
    body: str
    """An example of the body as JSON; empty for GET."""
    curl: str
    result: str
    """An example of the result."""


async def api_browser(request: PageRequest) -> Response:
    """Show all operations."""
    http = request.http
    address = f"{http.url.scheme}://{http.url.netloc}{request.service.root_path}"
    return request.render("api_browser.html", groups=_groups(), about=TAGS, address=address)


@cache
def _groups() -> dict[str, list[ApiOperation]]:
    """Return the operations by their tag."""
    groups: dict[str, list[ApiOperation]] = {}
    for operation in OPERATIONS:
        groups.setdefault(tag_of(operation), []).append(_describe_operation(operation))
    return groups


def _describe_operation(operation: Operation) -> ApiOperation:
    in_path = re.findall(r"{(\w+)}", operation.path)
    is_post = operation.method == "POST"
    schema = operation.input_schema
    fields = []
    for name, field in schema["properties"].items():
        place = "path" if name in in_path else "body" if is_post else "query"
        example = operation.example.get(name)
        required = name in schema.get("required", ())
        shown = "" if example is None else example if isinstance(example, str) else json.dumps(example)
        fields.append(ApiField(name, place, type_name(field), required, field.get("description", ""), shown))
    given = {name: value for name, value in operation.example.items() if name not in in_path}
    body = json.dumps(given, indent=2, ensure_ascii=False) if is_post else ""
    result = json.dumps(EXAMPLES.get(operation.name, {}), indent=2, ensure_ascii=False)
    return ApiOperation(
        id=operation_id(operation),
        method=operation.method,
        path=operation.path,
        scope=operation.scope,
        summary=operation.summary,
        about=operation.about.partition("\n\n")[2],
        fields=tuple(fields),
        body=body,
        curl=_curl(operation, given),
        result=result if len(result) <= MAX_EXAMPLE else f"{result[:MAX_EXAMPLE]}\n...",
    )


def _curl(operation: Operation, given: dict[str, Any]) -> str:
    """Return the part of a curl command after the address of the server."""
    path = re.sub(r"{(\w+)}", lambda name: quote(str(operation.example[name[1]]), safe=""), operation.path)
    if operation.method != "POST":
        query = urlencode(given, doseq=True)
        return f"{path}?{query}" if query else path
    body = json.dumps(given, ensure_ascii=False).replace("'", r"'\''")
    return f"{path}' --header 'Content-Type: {JSON}' --data '{body}"


def type_name(field: dict[str, Any]) -> str:
    """Return the type of a parameter in words.

    >>> type_name({"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "null"}]})
    'number from 0 to 1'
    >>> type_name({"type": "array", "items": {"type": "string", "enum": ["a", "b"]}})
    'list of: a, b'
    """
    plain = without_null(field)
    if "anyOf" in plain:
        return " or ".join(dict.fromkeys(type_name(option) for option in plain["anyOf"]))
    if "enum" in plain:
        return ", ".join(plain["enum"])
    kind = str(plain.get("type", "anything"))
    if kind == "array":
        inner = plain.get("items", {})
        return f"list of: {', '.join(inner['enum'])}" if "enum" in inner else f"list of {type_name(inner)}s"
    if plain.get("maximum", 1e9) < 1e9:  # noqa: PLR2004 - larger bounds only say how numbers are stored
        return f"{kind} from {plain['minimum']:g} to {plain['maximum']:g}"
    return kind


PAGES = (Page(PATH, api_browser),)
