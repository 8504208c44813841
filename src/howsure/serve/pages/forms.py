"""Forms: what was filled in, and reading it as an operation does."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request

from howsure.serve.errors import HTTPError
from howsure.serve.operations.table import AnyOperation as Operation
from howsure.serve.requests import parse_arguments, read_body, without_null

KIND = "application/x-www-form-urlencoded"
LARGEST = 1_000_000
"""Bytes of a form."""
MOST = 200
"""Fields of a form."""
OWN = ("csrf", "key", "sure", "next", "done")
"""Fields that are the pages' own, and no operation's."""

Filled = list[tuple[str, str]]
"""Names and texts, in order."""


async def filled_in(request: Request) -> Filled:
    """Return what was filled into a form."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != KIND:
        raise HTTPError(415, "wrong_type", "this is no form of ours", field="Content-Type", hint=KIND)
    try:
        text = (await read_body(request, LARGEST)).decode("ascii")
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST)
    except ValueError:
        raise HTTPError(400, "invalid_input", "the form cannot be read", hint="load the page again") from None


def first(filled: Filled, name: str) -> str:
    """Return the first text of a field; empty, where there is none."""
    return next((text for other, text in filled if other == name), "")


def given(filled: Iterable[tuple[str, str]], operation: Operation) -> dict[str, Any]:
    """Return what was filled in, as the operation reads it. What was left empty was not given."""
    return parse_arguments([(name, text) for name, text in filled if text.strip() and name not in OWN], operation)


def address(path: str, data: dict[str, Any], operation: Operation) -> str:
    """Return where a page is, with what it shows by the API's own names; what goes without saying is left out.

    >>> from howsure.serve.operations.table import operation
    >>> address("/claims", {"text": "a b", "limit": 50, "tiers": ["task"]}, operation("claims.find"))
    '/claims?text=a+b&tiers=task'
    """
    properties = operation.input_schema["properties"]
    told: Filled = []
    for name, value in data.items():
        if value == properties.get(name, {}).get("default"):
            continue
        values = value if isinstance(value, list) else [value]
        told += [(name, str(one).lower() if isinstance(one, bool) else str(one)) for one in values]
    return f"{path}?{urlencode(told)}" if told else path


def choices(operation: Operation, name: str) -> list[str]:
    """Return what a field may be, where that is a closed set.

    >>> from howsure.serve.operations.table import operation
    >>> choices(operation("claims.find"), "tiers")
    ['ephemeral', 'task', 'project', 'persistent']
    """
    described = without_null(operation.input_schema["properties"][name])
    return list(described.get("items", described)["enum"])
