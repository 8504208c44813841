"""Annotations that say more than a type: ranges, descriptions, and how a value looks in JSON."""

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, fields, make_dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

__all__ = [
    "DAY",
    "HOUR",
    "LAST_MOMENT",
    "Alias",
    "Amount",
    "Count",
    "Doc",
    "Inline",
    "Local",
    "Lossy",
    "Moment",
    "Now",
    "Record",
    "Unchecked",
    "Unit",
    "Wire",
    "Within",
    "cached_json_property",
    "json_property",
    "record",
]


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


class Unchecked(NamedTuple):
    """A value that is described as this type, but decoded by the operation: one wrong item must not stop the others."""

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
    from dataclasses import dataclass as record

    json_property = property
    cached_json_property = cached_property
else:

    def record(*, frozen: bool, eq: bool, repr: bool) -> Callable[[type], type]:  # noqa: A002, ARG001
        """Do what `dataclass(frozen=True, eq=False, repr=False)` does, but compile `__init__` only if it is used.

        For subclasses of `Record`. A gate builds most of its objects without `__init__`: with a fit, this saves a tenth
        of its start.
        """

        def decorate(owner: type) -> type:
            owner.__setattr__, owner.__delattr__ = _refuse_to_set, _refuse_to_delete
            made = dataclass(init=False, eq=False, repr=False)(owner)
            made.__dataclass_params__.frozen = made.__dataclass_params__.init = True
            made.__init__ = _LateInit(made)
            return made

        return decorate

    class _LateInit:
        """Stands for the `__init__` of a class until it is used twice, or looked at."""

        def __init__(self, owner: type) -> None:
            self._owner = owner
            self._used = False

        def __get__(self, instance: object, kind: type | None = None) -> Any:
            if instance is not None and not self._used:
                self._used = True
                return partial(self._fill, instance)
            return self._compile().__get__(instance, kind)

        def _fill(self, instance: Any, /, *given: Any, **named: Any) -> None:
            """Do what `__init__` does for one object; compiling it takes as long as filling 400."""
            own = fields(self._owner)
            values = {field.name: field.default for field in own if field.default is not MISSING}
            values |= {field.name: field.default_factory() for field in own if field.default_factory is not MISSING}
            values |= named
            if given or values.keys() != {field.name for field in own if field.init}:
                self._compile()(instance, *given, **named)  # also if something is missing or unknown, which it reports
                return
            instance.__dict__.update((field.name, values[field.name]) for field in own)
            if hasattr(instance, "__post_init__"):
                instance.__post_init__()

        def _compile(self) -> Any:
            owner = self._owner
            names = {"__doc__": owner.__doc__}  # `dataclass` would write one, and load `inspect` for it
            if hasattr(owner, "__post_init__"):
                names["__post_init__"] = None  # `__init__` then calls it
            parts = [(field.name, field.type, field) for field in fields(owner)]
            init = make_dataclass(owner.__name__, parts, namespace=names, frozen=True, eq=False, repr=False).__init__
            init.__module__, init.__qualname__ = owner.__module__, f"{owner.__qualname__}.__init__"
            owner.__init__ = init
            return init

    def _refuse_to_set(self: Any, name: str, value: Any) -> None:
        _refuse(self, name, "assign to")
        object.__setattr__(self, name, value)

    def _refuse_to_delete(self: Any, name: str) -> None:
        _refuse(self, name, "delete")
        object.__delattr__(self, name)

    def _refuse(frozen: Any, name: str, what: str) -> None:
        """Raise an error for an attribute of a frozen class; a subclass that is none may have others."""
        if "__dataclass_fields__" in vars(type(frozen)) or name in frozen.__dataclass_fields__:
            raise FrozenInstanceError(f"cannot {what} field {name!r}")

    class json_property(property):  # noqa: N801 - used as a decorator
        """A property that `encode` writes after the fields of its class."""

    class cached_json_property(cached_property):  # noqa: N801 - used as a decorator
        """Like `json_property`, computed once."""


Unit = Annotated[float, Within(0.0, 1.0)]
"""A score, share or strength: a number from 0 to 1."""

HOUR, DAY = 3600.0, 86400.0
"""In seconds."""
LAST_MOMENT = 1e12
"""The latest point in time that can be stored."""
Moment = Annotated[float, Within(-LAST_MOMENT, LAST_MOMENT)]
"""A point in time, in seconds since 1970."""

Now = Annotated[float | None, Local()]
"""The moment of a write, for Python callers; by default the time of the clock."""

Count = Annotated[int, Within(0, 2**53)]
"""How many: a whole number from 0."""

Amount = Annotated[float, Within(0.0, 1e12)]
"""How much: a number from 0."""


class Record:
    """Comparison, hash and text of classes made by `record`, and of frozen dataclasses with `eq=False, repr=False`.

    `dataclass` compiles these methods anew for each class. For the six large classes that `howsure gate` loads, that is
    5 % of its start.
    """

    @classmethod
    def of_valid(cls, *values: Any) -> Self:
        """Return an object with these values, one for each field, which are known to be valid: they are not checked.

        Setting the fields of a frozen dataclass one by one takes five times as long.
        """
        made = object.__new__(cls)
        made.__dict__.update(zip(cls.__match_args__, values, strict=True))  # type: ignore[attr-defined]
        return made

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
