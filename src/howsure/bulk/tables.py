"""The schemas of the tables that are scored in bulk."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from howsure.formulas.claim import RelationKind, Status
from howsure.formulas.decay import Tier
from howsure.shapes import Moment, Unit, Within

ColumnKind = Literal["id", "text", "choice", "unit", "number", "moment"]
"""What a column holds: an id (whole numbers or text), text, one of a few words, a number from 0 to 1, a number, or
a time."""


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    name: str
    kind: ColumnKind
    meaning: str
    required: bool = False
    """Whether the table must have it."""
    nullable: bool = False
    """Whether a cell may be empty."""
    default: str | float | None = None
    """The value of every row if the table has no such column."""
    options: tuple[str, ...] = ()
    """The words to choose from."""
    within: Within | None = None
    """The range of a number, if it is not that of its kind."""

    @property
    def limits(self) -> Within:
        """The range of a number.

        >>> Column("strength", "unit", "strength of the relation").limits
        Within(low=0.0, high=1.0)
        """
        if self.within is not None:
            return self.within
        shape: Any = Unit if self.kind == "unit" else Moment
        return next(part for part in get_args(shape) if isinstance(part, Within))


@dataclass(frozen=True)
class TableSchema:
    """The name and columns of one table."""

    name: str
    columns: tuple[Column, ...]


CLAIMS = TableSchema(
    "claims",
    (
        Column("id", "id", "unique id of the claim, a whole number or text", required=True),
        Column("tier", "choice", "lifetime of the claim; sets its half-life", default="task", options=get_args(Tier)),
        Column("stale_at", "moment", "when it starts to lose confidence; empty: never", nullable=True),
        Column("status", "choice", "status of the claim", default="active", options=get_args(Status)),
        Column("valid_from", "moment", "when it becomes valid; empty: always was", nullable=True),
        Column("valid_until", "moment", "when it stops being valid; empty: never", nullable=True),
        Column("created_at", "moment", "when it was recorded, for `as_of`; empty: always there", nullable=True),
    ),
)
SOURCES = TableSchema(
    "sources",
    (
        Column("claim", "id", "id of the claim that the source supports", required=True),
        Column("source_type", "text", "type of the source", required=True),
        Column("source_id", "text", "id of the source; rows of one type and id are the same source", required=True),
        Column("contribution", "unit", "how much it adds; empty or 0: nothing", required=True, nullable=True),
        Column("recorded_at", "moment", "when it was recorded, for `as_of`; empty: always there", nullable=True),
        Column(
            "weight",
            "number",
            "log-odds that the source adds, for the formula reliability; empty: it is unknown",
            nullable=True,
            within=Within(-50.0, 50.0),
        ),
        Column(
            "variance", "number", "variance of the weight; empty: it is unknown", nullable=True, within=Within(0.0, 1e3)
        ),
        Column("copy_group", "text", "sources with the same name here copy from each other", nullable=True, default=""),
    ),
)
RELATIONS = TableSchema(
    "relations",
    (
        Column("kind", "choice", "kind of the relation", required=True, options=get_args(RelationKind)),
        Column("source", "id", "id of the claim that supports, contradicts, was derived, ...", required=True),
        Column("target", "id", "id of the claim that it supports, contradicts, was derived from, ...", required=True),
        Column("strength", "unit", "strength of the relation", default=1.0),
        Column("recorded_at", "moment", "when it was recorded, for `as_of`; empty: always there", nullable=True),
        Column("removed_at", "moment", "when it was removed, for `as_of`; empty: never", nullable=True),
    ),
)
SCHEMAS = {schema.name: schema for schema in (CLAIMS, SOURCES, RELATIONS)}
"""Every schema by the name of the table."""

TIMED = {"sources": "recorded_at", "relations": "recorded_at"}
"""The column that each table must have if only rows recorded by some moment count."""
REFERENCES = {"sources": ("claim",), "relations": ("source", "target")}
"""The columns of each table that refer to claims."""
