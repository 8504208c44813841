"""The seam: what every engine for bulk scoring offers, in four methods."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

from howsure.bulk.inputs import Input
from howsure.bulk.outputs import Output
from howsure.formulas.claim import ClaimFormula
from howsure.progress import Progress, silent

Unknown = Literal["report", "ignore", "refuse"]
"""What to do about rows that name a claim which is not there: count and tell, say nothing, or stop."""


@dataclass(frozen=True)
class Reading:
    """How claims are read: by which formula, at which moment, with how much trust in whoever holds them."""

    formula: ClaimFormula
    now: float
    trust: float = 1.0


class Part(NamedTuple):
    """One of several parts of the output, which together are the whole."""

    number: int = 0
    of: int = 1


WHOLE = Part()
"""All of it at once."""


@dataclass(frozen=True)
class Taken:
    """The three tables that are to be scored, and how."""

    claims: Input
    evidence: Input | None = None
    relations: Input | None = None
    as_of: float | None = None
    """Only what was recorded by then counts; everything, if not given."""
    unknown: Unknown = "report"
    progress: Progress = field(default=silent, compare=False)

    def inputs(self) -> dict[str, Input]:
        """Return those that there are, by name."""
        return {
            name: given for name in ("claims", "evidence", "relations") if (given := getattr(self, name)) is not None
        }


@dataclass
class Counts:
    """How much there was, and how much of it spoke of claims that are not there."""

    claims: int = 0
    evidence: int = 0
    relations: int = 0
    unknown_evidence: int | None = None
    """Rows of evidence for unknown claims; nothing where they were not counted."""
    unknown_relations: int | None = None
    """Relations of which an end is unknown; nothing where they were not counted."""


class Engine(Protocol):
    """Where a table is scored. It is opened by making one, and closed when done."""

    name: ClassVar[str]

    def load(self, taken: Taken) -> Counts:
        """Take the tables in, and check them. Nothing is scored from tables with faults."""
        ...

    def score(self, reading: Reading, columns: list[str]) -> Any:
        """Return the chosen columns of every claim as an Arrow table, in memory. May be called again and again."""
        ...

    def write(self, reading: Reading, columns: list[str], output: Output, part: Part, progress: Progress) -> int:
        """Write the chosen columns of a part of the claims, whole or not at all; return how many rows."""
        ...

    def close(self) -> None:
        """Let go of everything, files on the way included."""
        ...
