"""Errors that say what is wrong, where, and what to do about it."""

from collections.abc import Iterable
from typing import Any, Literal, Self

_LONGEST_SHOWN = 60


def shown(value: object) -> str:
    """Return a value as a short piece of text, whatever its size.

    >>> shown("x" * 1000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'... (1000 characters)"
    """
    if isinstance(value, str | bytes) and len(value) > _LONGEST_SHOWN:
        unit = "characters" if isinstance(value, str) else "bytes"
        return f"{value[:_LONGEST_SHOWN]!r}... ({len(value)} {unit})"
    if isinstance(value, dict | list | tuple | set):
        kind = {dict: "an object", set: "a set"}.get(type(value), "a list")
        return f"{kind} of {len(value)}" if value else f"an empty {kind.split()[-1]}"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write out whole numbers of thousands of digits
        return f"a number of about {value.bit_length() * 0.30103:.0f} digits" if isinstance(value, int) else "?"
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."


MOST_LISTED = 60
"""Names that a hint lists."""


def nearest(name: str, options: Iterable[str], *, alike: float = 0.6) -> str:
    """Return a "did you mean" hint for a name that is at least so much alike, or the list of what there is.

    >>> nearest("noisyor", ["beta", "noisy_or"])
    'did you mean noisy_or?'
    >>> nearest("zzz", ["beta", "noisy_or"])
    'there are: beta, noisy_or'
    >>> nearest("zzz", map(str, range(100)))[-13:]
    ', 61, 62, ...'
    """
    import difflib

    names = sorted(options)
    close = difflib.get_close_matches(name[:100].lower(), names, n=1, cutoff=alike)
    if close:
        return f"did you mean {close[0]}?"
    more = ", ..." if len(names) > MOST_LISTED else ""
    return f"there are: {', '.join(names[:MOST_LISTED]) or 'none'}{more}"


class HowsureError(Exception):
    """Base class of every error of howsure: what is wrong, in which file, line and field, and what to do about it."""

    def __init__(self, problem: str, *, field: str = "", hint: str = "", line: int | None = None) -> None:
        """Keep the parts apart, so that the command line, HTTP and MCP can each show them in their own way."""
        super().__init__(problem)
        self.problem: str = problem
        self.field: str = field
        self.hint: str = hint
        self.line: int | None = line
        self.file: str = ""

    def __str__(self) -> str:
        """Return one readable line: where, what, and what to do."""
        where = "".join(
            part
            for part in (
                f"{self.file}: " if self.file else "",
                f"line {self.line}: " if self.line is not None else "",
                f"{self.field}: " if self.field else "",
            )
        )
        return f"{where}{self.problem}" + (f" ({self.hint})" if self.hint else "")


class InputError(HowsureError):
    """An input is wrong: a field is missing, unknown, of the wrong type or out of range."""

    field: str

    def under(self, place: str) -> Self:
        """Prefix the field with the place that holds it, and return the error."""
        joint = "" if not self.field or self.field.startswith("[") else "."
        self.field = f"{place}{joint}{self.field}"
        return self


class ShapeError(InputError):
    """Data does not have the described shape: a field is missing, unknown, of the wrong type or out of range."""


class UnknownNameError(InputError):
    """A model, formula or setting of that name does not exist."""

    def __init__(self, kind: str, name: str, options: Iterable[str]) -> None:
        """Name what was asked for and what is nearest to it."""
        super().__init__(f"there is no {kind} {shown(name)}", hint=nearest(name, options))


def install_hint(extra: str) -> str:
    """Return how to install an extra. The package index is not named: the project is not published there yet.

    >>> install_hint("web")
    "in a checkout of howsure: pip install '.[web]'"
    """
    return f"in a checkout of howsure: pip install '.[{extra}]'"


class MissingExtraError(HowsureError):
    """An optional part of howsure is not installed."""

    def __init__(self, extra: str, why: str) -> None:
        """Say which extra to install, and what for."""
        super().__init__(f"{why} needs the extra '{extra}'", hint=install_hint(extra))
        self.extra = extra


class StoreError(HowsureError):
    """The store could not be read or written. What was acknowledged before is safe."""

    done: Literal["nothing", "some", "unknown"] = "nothing"
    """What was done nevertheless. Some: a part was committed before. Unknown: the connection broke at the commit."""


class NotFoundError(InputError):
    """There is nothing of that id."""


class BlockedError(HowsureError):
    """A response did not pass the gate, and the caller asked for an error in that case."""

    def __init__(self, problem: str, *, decision: Any) -> None:
        """Hold the decision, which says why and what to say instead."""
        super().__init__(problem)
        self.decision = decision
