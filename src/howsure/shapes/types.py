"""Annotations that say more than a type: ranges, descriptions, and how a value looks in JSON."""

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple


class Within(NamedTuple):
    """The range of a number, both ends included."""

    low: float
    high: float


class Doc(NamedTuple):
    """What a value means, for help texts, JSON Schema and docs; with an example of it."""

    text: str
    example: Any = None


class Wire(NamedTuple):
    """The type of a value in JSON, if a Python caller may pass more than that (an open file, a model, an iterator)."""

    type: Any


class Inline(NamedTuple):
    """In JSON the fields of this value stand beside those of its owner, each with this prefix."""

    prefix: str = ""


class Lossy(NamedTuple):
    """A text that need not be Unicode, such as a file name, or several. In JSON, what is not becomes `?`."""


class Alias(NamedTuple):
    """Another name under which a field is read from JSON. It is always written under its own name."""

    name: str


class Local(NamedTuple):
    """A parameter for Python callers only: neither HTTP, MCP nor the command line offers it."""


if TYPE_CHECKING:
    json_property = property
    cached_json_property = cached_property
else:

    class json_property(property):  # noqa: N801 - used as a decorator
        """A property that `encode` writes after the fields of its class."""

    class cached_json_property(cached_property):  # noqa: N801 - used as a decorator
        """Like `json_property`, computed once."""


Unit = Annotated[float, Within(0.0, 1.0)]
"""A score, share or strength: a number from 0 to 1."""

Moment = Annotated[float, Within(-1e12, 1e12)]
"""A point in time, in seconds since 1970."""

Count = Annotated[int, Within(0, 2**53)]
"""How many: a whole number from 0."""

Amount = Annotated[float, Within(0.0, 1e12)]
"""How much: a number from 0."""


class Record:
    """Comparison, hash and text of frozen dataclasses that pass `eq=False, repr=False`.

    `dataclass` compiles these methods anew for each class. For the six large classes that `howsure gate` loads, that is
    5 % of its start.
    """

    def __eq__(self, other: object) -> bool:
        """Compare the fields, if both are of the same class."""
        return self._compared() == other._compared() if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        """Return the hash of the fields."""
        return hash(self._compared())

    def __repr__(self) -> str:
        """Return the call that makes it."""
        shown = [f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr]  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def _compared(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self) if field.compare)  # type: ignore[arg-type]
