"""The columns of an input table: check them, and convert them to the types that formulas read."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from howsure.bulk.tables import TIMED, Column, TableSchema
from howsure.errors import InputError, nearest
from howsure.formulas.claim import ClaimFormula
from howsure.graph.table_queries import formula_columns
from howsure.sql.dialect import Dialect

Family = Literal["whole", "large", "number", "text", "moment", "other"]
"""Kind of a database type; large: whole numbers that may need more than 64 bits."""

_WANTED = {"id": "whole numbers or text", "unit": "numbers", "number": "numbers", "moment": "times"}
"""What a column of each kind must hold; others hold text."""
OWN = ("id", "sources", "depth")
"""Result columns that no formula computes: the claim's id, its number of independent sources, and its depth."""


class Casts(NamedTuple):
    """How a database converts values; `{0}` stands for the value."""

    text: str
    """Any value to text."""
    whole: str
    """A whole number to 64 bits."""
    number: str
    """A number to a 64-bit float."""
    read_number: str
    """Text to a number, NULL if it is not one; empty if the database cannot do that."""
    moment: str
    """A date or time to seconds since 1970."""
    read_moment: str
    """Text to seconds since 1970, NULL if it is not a time."""
    smallest: float = 0.0
    """Raise positive units to at least this, for databases that raise an error on underflow."""


class RowRule(NamedTuple):
    """A condition that no row may meet."""

    column: str
    problem: str
    condition: str


class TableColumns:
    """The columns that one input table has."""

    def __init__(
        self,
        schema: TableSchema,
        families: dict[str, Family],
        dialect: Dialect,
        casts: Casts,
        name: str,
        fields: Mapping[str, str] | None = None,
    ) -> None:
        """Take the schema, the columns that the table has, how the database writes SQL, and the table's name.

        `fields` says which column holds a field, if it has another name.
        """
        self.schema = schema
        self.own: dict[str, Family] = families
        """The columns that the table itself has."""
        self.fields: Mapping[str, str] = fields or {}
        self.families: dict[str, Family] = families | {name: families[column] for name, column in self.fields.items()}
        self.dialect = dialect
        self.casts = casts
        self.name = name

    def quoted(self, field: str) -> str:
        """Write the name of the column that holds a field."""
        return self.dialect.quoted(self.fields.get(field, field))

    def check(self, as_of: float | None = None) -> None:
        """Raise InputError if a required column is missing, or a column has the wrong type."""
        timed = TIMED.get(self.schema.name) if as_of is not None else None
        for column in self.schema.columns:
            family = self.families.get(column.name)
            if family is None and (column.required or column.name == timed):
                similar = nearest(column.name, self.families)
                columns = f"it has: {', '.join(self.families) or 'none'}"
                why = ", which as_of needs" if column.name == timed else ""
                raise InputError(
                    f"{self.name} has no column {column.name}{why}",
                    field=f"{self.schema.name}.{column.name}",
                    hint=similar if similar.startswith("did") else columns,
                )
            if family is not None and family not in self._accepted(column):
                wanted = _WANTED.get(column.kind, "text")
                problem = f"{self.name}: the column {column.name} does not hold {wanted}"
                raise InputError(problem, field=f"{self.schema.name}.{column.name}", hint=self._advice(column))

    def _accepted(self, column: Column) -> tuple[Family, ...]:
        if column.kind == "id":
            return ("whole", "large", "text")
        if column.kind in ("text", "choice"):
            return ("text", "whole", "large") if column.kind == "text" else ("text",)
        numbers: tuple[Family, ...] = ("whole", "large", "number")
        moments: tuple[Family, ...] = ("moment",) if column.kind == "moment" else ()
        return (*numbers, *moments, "text") if self.casts.read_number else (*numbers, *moments)

    def _advice(self, column: Column) -> str:
        if column.kind == "id" and self.families[column.name] == "number":
            return "a data frame turns whole numbers with missing values into decimals"
        return column.meaning

    def whole_ids(self) -> bool:
        """Return whether every id in the table is a whole number."""
        return all(self.families[column.name] == "whole" for column in self.schema.columns if column.kind == "id")

    def value(self, column: Column, *, whole_ids: bool) -> str:
        """Write a column, converted to the type that formulas read."""
        if column.name not in self.families:
            return self._default(column)
        name, family = self.quoted(column.name), self.families[column.name]
        if column.kind == "id":
            return (self.casts.whole if whole_ids else self.casts.text).format(name)
        if column.kind in ("text", "choice"):
            return self.casts.text.format(name)
        if family == "moment":
            return self.casts.moment.format(name)
        if family != "text":
            return self._raised(self.casts.number.format(name), column)
        read = self.casts.read_number.format(name)
        return read if column.kind in ("unit", "number") else f"COALESCE({read}, {self.casts.read_moment.format(name)})"

    def _raised(self, number: str, column: Column) -> str:
        if not self.casts.smallest or column.kind != "unit":
            return number
        smallest = self.dialect.number(self.casts.smallest)
        return f"CASE WHEN {number} > 0 AND {number} < {smallest} THEN {smallest} ELSE {number} END"

    def _default(self, column: Column) -> str:
        if column.kind == "unit":
            return self.dialect.number(float(column.default or 0.0))
        if column.kind in ("moment", "number"):
            return f"CAST(NULL AS {self.dialect.double})"
        return f"'{column.default}'"

    def select(self, raw: str, *, whole_ids: bool, as_of: float | None) -> str:
        """Write the table with all columns of its schema; with `as_of`, only the rows recorded by then."""
        values = {column.name: self.value(column, whole_ids=whole_ids) for column in self.schema.columns}
        columns = ", ".join(f"{value} AS {self.dialect.quoted(name)}" for name, value in values.items())
        return f"SELECT {columns} FROM {raw}{self._recorded(values, as_of)}"

    def _recorded(self, values: dict[str, str], as_of: float | None) -> str:
        conditions = []
        if as_of is not None:
            conditions += [
                f"({values[name]} IS NULL OR {values[name]} <= {self.dialect.number(as_of)})"
                for name in ("created_at", "recorded_at")
                if name in self.families
            ]
        if self.schema.name == "relations" and "removed_at" in self.families:
            later = f" OR {values['removed_at']} > {self.dialect.number(as_of)}" if as_of is not None else ""
            conditions.append(f"({values['removed_at']} IS NULL{later})")
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def rules(self) -> list[RowRule]:
        """Return the conditions that no row of the table may meet."""
        present = [column for column in self.schema.columns if column.name in self.families]
        rules = [rule for column in present for rule in self._rules(column)]
        if self.schema.name == "relations":
            same_family = self.families["source"] == self.families["target"]
            ends = [self.quoted(name) for name in ("source", "target")]
            same = " = ".join(ends if same_family else map(self.casts.text.format, ends))
            rules.append(RowRule(self.fields.get("target", "target"), "a claim cannot relate to itself", same))
        return rules

    def _rules(self, column: Column) -> list[RowRule]:
        name, own = self.quoted(column.name), self.fields.get(column.name, column.name)
        rules = []
        if not column.nullable:
            rules.append(RowRule(own, "must not be empty", f"{name} IS NULL"))
        if column.kind == "choice":
            options = ", ".join(f"'{option}'" for option in column.options)
            problem = f"not one of {', '.join(column.options)}"
            rules.append(RowRule(own, problem, f"{name} NOT IN ({options})"))
        if column.kind in ("unit", "number", "moment"):
            value: Any = self.value(column, whole_ids=False)
            if self.families[column.name] == "text":
                problem = "not a time" if column.kind == "moment" else "not a number"
                rules.append(RowRule(own, problem, f"{name} IS NOT NULL AND {value} IS NULL"))
            low, high = (self.dialect.number(limit) for limit in column.limits)
            problem = f"not between {column.limits.low:g} and {column.limits.high:g}"
            rules.append(RowRule(own, problem, f"NOT ({value} >= {low} AND {value} <= {high})"))
        return rules


def result_columns(formula: ClaimFormula, wanted: list[str] | None, keep: Sequence[str] = ()) -> list[str]:
    """Return the columns of the result: the wanted ones, or id, sources and every step; then those to keep.

    Raises:
        InputError: if a wanted column does not exist, or the formula has a number with the name of a result column.

    >>> from howsure.formulas.noisy_or import NoisyOr
    >>> result_columns(NoisyOr(), None)[:4]
    ['id', 'sources', 'diversity', 'staleness']
    """
    row, steps = formula_columns(formula)
    if clash := sorted(set(OWN) & {*row, *steps}):
        problem = f"{formula.name} has a number called {clash[0]}, which is a column of every result"
        raise InputError(problem, field="formula", hint="rename it")
    if wanted is None:
        wanted = ["id", "sources", *steps]
    if clash := [name for name in keep if name in wanted]:
        problem = f"{clash[0]} is both copied from the claims and computed"
        raise InputError(problem, field="keep", hint="leave one out, or rename the column")
    known = [*OWN, *row, *steps]
    if not wanted:
        raise InputError("no columns given", field="columns", hint=f"columns: {', '.join(known)}")
    for name in wanted:
        if name not in known:
            raise InputError(f"unknown column {name!r}", field="columns", hint=f"columns: {', '.join(known)}")
    return [*dict.fromkeys(wanted), *keep]
