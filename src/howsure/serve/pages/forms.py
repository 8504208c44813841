"""Read submitted forms as arguments of operations, and build addresses of pages."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request

from howsure.serve.errors import HTTPError
from howsure.serve.operations import Operation
from howsure.serve.requests import parse_arguments, read_body, without_null

CONTENT_TYPE = "application/x-www-form-urlencoded"
MAX_SIZE = 1_000_000
"""Bytes of a form."""
MAX_FIELDS = 200
PAGE_FIELDS = ("csrf", "key", "sure", "next", "done", "export", "find", "shown")
"""Fields of the pages themselves, which are not arguments of operations."""

FormFields = list[tuple[str, str]]
"""Names and texts, in order."""


async def read_form(request: Request) -> FormFields:
    """Return the fields of a submitted form.

    Raises:
        HTTPError: if the body is not a form, or too large.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != CONTENT_TYPE:
        raise HTTPError(415, "wrong_type", "the body is not a form", field="Content-Type", hint=CONTENT_TYPE)
    try:
        text = (await read_body(request, MAX_SIZE)).decode("ascii")
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError:
        raise HTTPError(400, "invalid_input", "the form cannot be read", hint="load the page again") from None


def first(fields: FormFields, name: str) -> str:
    """Return the first text of a field; empty if there is none."""
    return next((text for other, text in fields if other == name), "")


def form_arguments(fields: Iterable[tuple[str, str]], operation: Operation) -> dict[str, Any]:
    """Return form fields as arguments of an operation; empty fields are left out."""
    pairs = [(name, text) for name, text in fields if text.strip() and name not in PAGE_FIELDS]
    return parse_arguments(pairs, operation)


def page_url(path: str, arguments: dict[str, Any], operation: Operation) -> str:
    """Return the address of a page with arguments in the query, by the API's names; defaults are left out.

    >>> from howsure.serve.operations import operation
    >>> page_url("/claims", {"text": "a b", "limit": 50, "tiers": ["task"]}, operation("claims.find"))
    '/claims?text=a+b&tiers=task'
    """
    properties = operation.input_schema["properties"]
    query: FormFields = []
    for name, value in arguments.items():
        if value == properties.get(name, {}).get("default"):
            continue
        values = value if isinstance(value, list) else [value]
        query += [(name, str(one).lower() if isinstance(one, bool) else str(one)) for one in values]
    return f"{path}?{urlencode(query)}" if query else path


def choices(operation: Operation, name: str) -> list[str]:
    """Return the allowed values of a parameter that has a fixed set of them.

    >>> from howsure.serve.operations import operation
    >>> choices(operation("claims.find"), "tiers")
    ['ephemeral', 'task', 'project', 'persistent']
    """
    schema = without_null(operation.input_schema["properties"][name])
    return list(schema.get("items", schema)["enum"])


def error_message(error: Any, fields: Iterable[str]) -> tuple[str, str]:
    """Return the field of the form that an error belongs to (empty if it has none there) and the message to show."""
    name = error.field.partition("[")[0]
    in_form = name in fields
    prefix = f"{error.field}: " if error.field and not in_form else ""
    text = f"{prefix}{error.problem}" + (f" ({error.hint})" if error.hint else "")
    return (name if in_form else ""), text
