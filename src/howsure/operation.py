"""Mark public methods as operations: HTTP, OpenAPI, MCP and simple commands are built from them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

Scope = Literal["read", "write", "admin"]
"""What a token allows, from least to most."""
Method = TypeVar("Method", bound=Callable[..., Any])


class Tool(NamedTuple):
    """How an operation is offered to agents as an MCP tool."""

    name: str
    title: str
    description: str
    """What it is good for and when to use it, written for an agent."""
    parameters: tuple[str, ...] = ()
    """The parameters that are offered; all if empty."""
    fixed: Mapping[str, Any] = MappingProxyType({})
    """Arguments that are set and not offered, since the agent must not choose them."""
    omit: tuple[str, ...] = ()
    """Fields of the result that would only fill an agent's context."""
    idempotent: bool = False
    """Whether calling it again changes nothing more."""
    types: Mapping[str, Any] = MappingProxyType({})
    """Narrower types of parameters that take several or any; an agent gets one, and may have a `Doc` of its own."""


class Route(NamedTuple):  # a dataclass takes 0.6 ms longer to define, at every start of a gate
    """Where and for whom an operation is offered."""

    method: str
    path: str
    """Names in braces are parameters."""
    scope: Scope
    tool: Tool | None = None
    example: Mapping[str, Any] = MappingProxyType({})
    """Arguments that show a typical call."""
    lines: str = ""
    """The parameter that a request may also send as JSON Lines, one item per line."""
    streams: bool = False
    """Whether the result is an iterator that is sent item by item."""
    slow: bool = False
    """Whether it may take minutes; counts for more than one request."""
    decodes: bool = False
    """Whether the method decodes its arguments itself, into a record, so that they are not decoded before the call."""


def operation(
    route: str,
    *,
    scope: Scope,
    tool: Tool | None = None,
    example: Mapping[str, Any] | None = None,
    lines: str = "",
    streams: bool = False,
    slow: bool = False,
    decodes: bool = False,
) -> Callable[[Method], Method]:
    """Mark a method as an operation at a route such as `POST /v1/claims/{claim}/challenge`.

    The method is returned as it is, so type checkers and callers see the plain method.

    >>> @operation("GET /v1/greetings/{name}", scope="read")
    ... def greet(name: str) -> str:
    ...     return f"Hello, {name}"
    >>> greet("Ann"), greet.__operation__.method, greet.__operation__.path
    ('Hello, Ann', 'GET', '/v1/greetings/{name}')
    """
    method, _, path = route.partition(" ")

    def mark(function: Method) -> Method:
        function.__operation__ = Route(method, path, scope, tool, example or {}, lines, streams, slow, decodes)  # type: ignore[attr-defined]
        return function

    return mark
