"""The interface of bulk scoring engines: load, score, write, close."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

from howsure.bulk.inputs import Input
from howsure.bulk.outputs import Output
from howsure.graph.sql import ReadOptions
from howsure.progress import Progress, silent

Unknown = Literal["report", "ignore", "refuse"]
"""What to do about rows that refer to unknown claims: count them, leave them uncounted, or raise an error."""


class Part(NamedTuple):
    """One of several parts of the output."""

    number: int = 0
    of: int = 1


WHOLE = Part()
"""The whole output."""


@dataclass(frozen=True)
class Tables:
    """The tables to score."""

    claims: Input
    sources: Input | None = None
    relations: Input | None = None
    unknown: Unknown = "report"
    mapping: Mapping[str, str] = field(default_factory=dict)
    """Columns that are used as a field of another name."""
    keep: tuple[str, ...] = ()
    """Columns of the claims to copy to the result."""
    hidden: tuple[str, ...] = ()
    """Claims of these statuses are scored, because others rest on them, but are not in the result."""
    progress: Progress = field(default=silent, compare=False)

    def inputs(self) -> dict[str, Input]:
        """Return the tables that were given, by name."""
        tables = {"claims": self.claims, "sources": self.sources, "relations": self.relations}
        return {name: table for name, table in tables.items() if table is not None}


@dataclass
class Counts:
    """How many rows the tables have, and how many of them refer to unknown claims."""

    claims: int = 0
    sources: int = 0
    relations: int = 0
    unknown_sources: int | None = None
    """Sources of unknown claims; None if not counted."""
    unknown_relations: int | None = None
    """Relations with an unknown claim at an end; None if not counted."""
    without_sources: bool = False
    """Whether no claim has a source that contributes; then no score says anything."""
    unused: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Columns that were not used, by table."""


class Engine(Protocol):
    """Scores tables. Creating an engine opens it."""

    name: ClassVar[str]

    def load(self, tables: Tables, as_of: float | None = None) -> Counts:
        """Read and check the tables; with `as_of`, only rows that were recorded by then.

        Raises:
            InputError: if a table has a row that cannot be scored. It names the row.
        """
        ...

    def score(self, options: ReadOptions, columns: list[str]) -> Any:
        """Return the wanted columns of every claim as an Arrow table. May be called repeatedly.

        `options.as_of` was applied when the tables were loaded.
        """
        ...

    def write(self, options: ReadOptions, columns: list[str], output: Output, part: Part, progress: Progress) -> int:
        """Write the wanted columns of a part of the claims atomically; return the number of rows."""
        ...

    def close(self) -> None:
        """Release all resources and delete temporary files."""
        ...
