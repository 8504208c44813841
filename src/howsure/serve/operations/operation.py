"""An operation: one use case, as every door offers it."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

from howsure.operation import Scope, Tool
from howsure.serve.operations.shapes import read, schema

if TYPE_CHECKING:
    from howsure.sure import Sure


@dataclass(frozen=True)
class Operation:
    """One use case: what it reads, what it answers, who may ask for it, and where."""

    name: str
    """The noun and the verb that Python has for it, like `claims.add`."""
    about: str
    """What it does; the first sentence is a summary."""
    reads: Any
    """The shape of what is handed in."""
    answer: Any
    """The shape of what comes back; of each record, where they come one by one."""
    scope: Scope
    method: Literal["GET", "POST", "DELETE"]
    path: str
    """Where it is on the web; names in braces are fields of what is handed in."""
    call: Callable[["Sure", Any], Any]
    """Does it. Returns data that is ready for JSON, or gives record after record."""
    tool: Tool | str
    """How agents reach it, or why they do not."""
    example: Mapping[str, Any] = field(default_factory=dict)
    """Something that can be handed in."""
    lines: str = ""
    """The field that may also come as JSON Lines, one record per line."""
    streams: bool = False
    """Whether the answer comes record by record."""
    slow: bool = False
    """Whether it may take minutes, and counts for more than one request."""

    @property
    def summary(self) -> str:
        """What it does, in one sentence."""
        return re.split(r"(?<=\w)\.(?: |$)", self.about.partition("\n")[0])[0]

    @property
    def changes(self) -> bool:
        """Whether it changes anything."""
        return self.scope != "read"

    @property
    def input_schema(self) -> dict[str, Any]:
        """What is handed in, as JSON Schema."""
        return schema(self.reads, closed=True)

    @property
    def answer_schema(self) -> dict[str, Any]:
        """What comes back, as JSON Schema."""
        return schema(self.answer)

    def read(self, data: Any) -> Any:
        """Read what was handed in, or raise an error that says what is wrong with it."""
        return read(self.reads, data)


def operation(
    name: str,
    route: str,
    *,
    scope: Scope,
    answer: Any,
    tool: Tool | str,
    example: Mapping[str, Any] | None = None,
    lines: str = "",
    streams: bool = False,
    slow: bool = False,
) -> Callable[[Callable[["Sure", Any], Any]], Operation]:
    """Make an operation of a function: its docstring says what it does, its second argument what it reads."""
    method, _, path = route.partition(" ")

    def make(call: Callable[["Sure", Any], Any]) -> Operation:
        reads = list(get_type_hints(call, localns={"Sure": Any}).values())[1]
        about = inspect.getdoc(call) or ""
        given: Any = {"example": example or {}, "lines": lines, "streams": streams, "slow": slow}
        return Operation(name, about, reads, answer, scope, method, path, call, tool, **given)  # type: ignore[arg-type]

    return make


FEW = "agents choose badly among many tools, and this one is for people and programs"
"""Why most operations are no tools."""
