"""The tables that are scored in bulk: their columns, and what may stand in them."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from howsure.formulas.claim import RelationKind, Status
from howsure.formulas.decay import Tier
from howsure.shapes import Moment, Unit, Within

Kind = Literal["id", "text", "choice", "unit", "moment"]
"""What a column holds: an id (whole numbers or text), text, one of a few words, a number from 0 to 1, or a time."""

TIERS: tuple[str, ...] = get_args(Tier)


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    name: str
    kind: Kind
    meaning: str
    required: bool = False
    """Whether the table has to have it."""
    nullable: bool = False
    """Whether a cell may be empty."""
    default: str | float | None = None
    """What holds in every row of a table without this column."""
    options: tuple[str, ...] = ()
    """The words to choose from."""

    @property
    def limits(self) -> Within:
        """The range of a number."""
        shape: Any = Unit if self.kind == "unit" else Moment
        found: Within = get_args(shape)[1]
        return found


@dataclass(frozen=True)
class Table:
    """The columns of one table."""

    name: str
    columns: tuple[Column, ...]

    def names(self) -> list[str]:
        """Return the names of all columns."""
        return [column.name for column in self.columns]


CLAIMS = Table(
    "claims",
    (
        Column("id", "id", "name of the claim, a whole number or text; no two are the same", required=True),
        Column("tier", "choice", "how long it is meant to live; sets its half-life", default="task", options=TIERS),
        Column("stale_at", "moment", "when it starts to lose confidence; empty: never", nullable=True),
        Column("status", "choice", "how it stands", default="active", options=get_args(Status)),
        Column("valid_from", "moment", "when it starts to hold; empty: always did", nullable=True),
        Column("valid_until", "moment", "when it stops to hold; empty: never", nullable=True),
        Column("created_at", "moment", "when it was written down, for `as_of`; empty: always there", nullable=True),
    ),
)
EVIDENCE = Table(
    "evidence",
    (
        Column("claim", "id", "the claim that the source speaks for", required=True),
        Column("source_type", "text", "what kind of source it is", required=True),
        Column("source_id", "text", "which one; rows of one type and id are the same source", required=True),
        Column("contribution", "unit", "how much it adds; empty or 0: nothing", required=True, nullable=True),
        Column("recorded_at", "moment", "when it was written down, for `as_of`; empty: always there", nullable=True),
    ),
)
RELATIONS = Table(
    "relations",
    (
        Column("kind", "choice", "what the one says about the other", required=True, options=get_args(RelationKind)),
        Column("source", "id", "the claim that supports, contradicts, was derived, ...", required=True),
        Column("target", "id", "the claim that it supports, contradicts, was derived from, ...", required=True),
        Column("strength", "unit", "how strong the relation is", default=1.0),
        Column("recorded_at", "moment", "when it was written down, for `as_of`; empty: always there", nullable=True),
        Column("removed_at", "moment", "when it was withdrawn, for `as_of`; empty: it was not", nullable=True),
    ),
)
TABLES = {table.name: table for table in (CLAIMS, EVIDENCE, RELATIONS)}

TIMED = {"evidence": "recorded_at", "relations": "recorded_at"}
"""The column that a table has to have where only what was recorded by some moment counts."""


class Given(NamedTuple):
    """The three tables that are scored together, as they were handed in; evidence and relations may be missing."""

    claims: Any
    evidence: Any = None
    relations: Any = None
