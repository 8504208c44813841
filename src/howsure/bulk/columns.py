"""Columns as an engine finds them: what family they are of, how they become what a formula reads, and what is wrong."""

from typing import Any, Literal, NamedTuple

from howsure.bulk.tables import TIMED, Column, Table
from howsure.errors import InputError, nearest
from howsure.sql.dialect import Dialect

Family = Literal["whole", "large", "number", "text", "moment", "other"]
"""What a column of a database holds, whatever it calls it; large: whole numbers that may need more than 64 bits."""


class Casts(NamedTuple):
    """How one database turns what it finds into numbers, text and moments."""

    text: str
    """Anything as text."""
    whole: str
    """A whole number of 64 bits."""
    number: str
    """A 64-bit float from any number."""
    read_number: str
    """A number from text, NULL where there is none; empty where the database cannot."""
    moment: str
    """Seconds since 1970 from a date or time."""
    read_moment: str
    """The same from text."""
    smallest: float = 0.0
    """Shares above 0 are at least this, where the database refuses products that become too small."""


CASTS = {
    "duckdb": Casts(
        text="CAST({0} AS VARCHAR)",
        whole="CAST({0} AS BIGINT)",
        number="CAST({0} AS DOUBLE)",
        read_number="TRY_CAST({0} AS DOUBLE)",
        moment="EPOCH({0})",
        read_moment="EPOCH(TRY_CAST({0} AS TIMESTAMPTZ))",
    ),
    "postgres": Casts(
        text="CAST({0} AS TEXT)",
        whole="CAST({0} AS BIGINT)",
        number="CAST({0} AS DOUBLE PRECISION)",
        read_number="",
        moment="CAST(EXTRACT(EPOCH FROM {0}) AS DOUBLE PRECISION)",
        read_moment="",
        smallest=1e-30,
    ),
    "spark": Casts(
        text="CAST({0} AS STRING)",
        whole="CAST({0} AS BIGINT)",
        number="CAST({0} AS DOUBLE)",
        read_number="TRY_CAST({0} AS DOUBLE)",
        moment="UNIX_MICROS(CAST({0} AS TIMESTAMP)) / 1000000.0D",
        read_moment="UNIX_MICROS(TRY_CAST({0} AS TIMESTAMP)) / 1000000.0D",
    ),
}


class Rule(NamedTuple):
    """Something that must not be: in which column, how it is told, and how it is found."""

    column: str
    problem: str
    condition: str


class Columns:
    """The columns of one table as they were found."""

    def __init__(self, table: Table, found: dict[str, Family], dialect: Dialect, name: str) -> None:
        """Take what the table should look like, what was found, and what errors call it."""
        self.table = table
        self.found = found
        self.dialect = dialect
        self.name = name
        self.casts = CASTS[dialect.name]

    def check(self, as_of: float | None = None) -> None:
        """Refuse a table that lacks a column, or has one of the wrong kind."""
        timed = TIMED.get(self.table.name) if as_of is not None else None
        for column in self.table.columns:
            family = self.found.get(column.name)
            if family is None and (column.required or column.name == timed):
                hint = f"found: {', '.join(self.found) or 'nothing'}"
                close = nearest(column.name, self.found)
                why = ", which as_of needs" if column.name == timed else ""
                raise InputError(
                    f"{self.name} has no column {column.name}{why}",
                    field=f"{self.table.name}.{column.name}",
                    hint=close if close.startswith("did") else hint,
                )
            if family is not None and family not in self._fitting(column):
                wanted = {"id": "whole numbers or text", "unit": "numbers", "moment": "times"}.get(column.kind, "text")
                problem = f"{self.name}: the column {column.name} does not hold {wanted}"
                raise InputError(problem, field=f"{self.table.name}.{column.name}", hint=self._advice(column))

    def _fitting(self, column: Column) -> tuple[Family, ...]:
        if column.kind == "id":
            return ("whole", "large", "text")
        if column.kind in ("text", "choice"):
            return ("text", "whole", "large") if column.kind == "text" else ("text",)
        numbers: tuple[Family, ...] = ("whole", "large", "number")
        moments: tuple[Family, ...] = ("moment",) if column.kind == "moment" else ()
        return (*numbers, *moments, "text") if self.casts.read_number else (*numbers, *moments)

    def _advice(self, column: Column) -> str:
        if column.kind == "id" and self.found[column.name] == "number":
            return "a frame with gaps makes decimals of them"
        return column.meaning

    def whole_ids(self) -> bool:
        """Say whether every id in the table is a whole number."""
        return all(self.found[column.name] == "whole" for column in self.table.columns if column.kind == "id")

    def value(self, column: Column, *, whole_ids: bool) -> str:
        """Write a column as the formulas read it."""
        if column.name not in self.found:
            return self._default(column)
        name, family = self.dialect.quoted(column.name), self.found[column.name]
        if column.kind == "id":
            return (self.casts.whole if whole_ids else self.casts.text).format(name)
        if column.kind in ("text", "choice"):
            return self.casts.text.format(name)
        if family == "moment":
            return self.casts.moment.format(name)
        if family != "text":
            return self._held(self.casts.number.format(name), column)
        read = self.casts.read_number.format(name)
        return read if column.kind == "unit" else f"COALESCE({read}, {self.casts.read_moment.format(name)})"

    def _held(self, number: str, column: Column) -> str:
        if not self.casts.smallest or column.kind != "unit":
            return number
        smallest = self.dialect.number(self.casts.smallest)
        return f"CASE WHEN {number} > 0 AND {number} < {smallest} THEN {smallest} ELSE {number} END"

    def _default(self, column: Column) -> str:
        if column.kind == "unit":
            return self.dialect.number(float(column.default or 0.0))
        if column.kind == "moment":
            return f"CAST(NULL AS {self.dialect.double})"
        return f"'{column.default}'"

    def select(self, raw: str, *, whole_ids: bool, as_of: float | None) -> str:
        """Write the table as the formulas read it: all columns, in one form, with what counts as of a moment."""
        values = {column.name: self.value(column, whole_ids=whole_ids) for column in self.table.columns}
        columns = ", ".join(f"{value} AS {self.dialect.quoted(name)}" for name, value in values.items())
        return f"SELECT {columns} FROM {raw}{self._past(values, as_of)}"

    def _past(self, values: dict[str, str], as_of: float | None) -> str:
        conditions = []
        if as_of is not None:
            conditions += [
                f"({values[name]} IS NULL OR {values[name]} <= {self.dialect.number(as_of)})"
                for name in ("created_at", "recorded_at")
                if name in self.found
            ]
        if self.table.name == "relations" and "removed_at" in self.found:
            later = f" OR {values['removed_at']} > {self.dialect.number(as_of)}" if as_of is not None else ""
            conditions.append(f"({values['removed_at']} IS NULL{later})")
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def rules(self) -> list[Rule]:
        """Return all that must not be in any row."""
        found = [rule for column in self.table.columns if column.name in self.found for rule in self._rules(column)]
        if self.table.name == "relations":
            alike = self.found["source"] == self.found["target"]
            ends = [self.dialect.quoted(name) for name in ("source", "target")]
            same = " = ".join(ends if alike else map(self.casts.text.format, ends))
            found.append(Rule("target", "a claim cannot relate to itself", same))
        return found

    def _rules(self, column: Column) -> list[Rule]:
        name = self.dialect.quoted(column.name)
        found = []
        if not column.nullable:
            found.append(Rule(column.name, "there must not be empty cells", f"{name} IS NULL"))
        if column.kind == "choice":
            options = ", ".join(f"'{option}'" for option in column.options)
            told = f"not one of {', '.join(column.options)}"
            found.append(Rule(column.name, told, f"{name} NOT IN ({options})"))
        if column.kind in ("unit", "moment"):
            value: Any = self.value(column, whole_ids=False)
            if self.found[column.name] == "text":
                kind = "number" if column.kind == "unit" else "time"
                found.append(Rule(column.name, f"no {kind}", f"{name} IS NOT NULL AND {value} IS NULL"))
            low, high = (self.dialect.number(limit) for limit in column.limits)
            told = f"not between {column.limits.low:g} and {column.limits.high:g}"
            found.append(Rule(column.name, told, f"NOT ({value} >= {low} AND {value} <= {high})"))
        return found
