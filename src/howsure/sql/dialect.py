"""SQL dialects: the few things that databases write differently."""

from typing import NamedTuple

from howsure.errors import UnknownNameError


class Dialect(NamedTuple):
    """How one database writes numbers and aggregates."""

    name: str
    least: str
    """Function for the smaller of two numbers."""
    greatest: str
    """Function for the larger of two numbers."""
    double: str
    """Type of a 64-bit float."""
    literal: str = "{0!r}"
    """Format of a constant. If a plain decimal would be an exact numeric, it is cast to a float."""
    product: str = ""
    """Aggregate that multiplies; empty if there is none."""
    any: str = "BOOL_OR"
    """Aggregate that is true if a condition holds for any row, and NULL without rows."""
    quote: str = '"'
    """Quotes around names, since a step may have the name of a SQL keyword."""
    now: str = ""
    """The present moment, in seconds since 1970."""

    def quoted(self, identifier: str) -> str:
        """Write the name of a column or table."""
        return f"{self.quote}{identifier.replace(self.quote, self.quote * 2)}{self.quote}"

    def number(self, value: float) -> str:
        """Write a constant."""
        text = self.literal.format(float(value))
        return f"({text})" if text.startswith("-") else text

    def multiplied(self, term: str, zero: str = "") -> str:
        """Write the product of a term over rows: 1 without rows, 0 if a factor is 0, else at least SMALLEST_PRODUCT.

        `zero` is a condition on the rows that a factor is 0, NULL without rows, if there is a quicker one.
        """
        from howsure.formulas.folds import SMALLEST_LOG, SMALLEST_PRODUCT

        if self.product:
            floored = f"{self.greatest}({self.product}({term}), {self.number(SMALLEST_PRODUCT)})"
        else:
            logs = f"SUM(LN(CASE WHEN {term} > 0 THEN {term} END))"
            floored = f"EXP({self.greatest}({logs}, {self.number(SMALLEST_LOG)}))"
        one, none = self.number(1.0), self.number(0.0)
        zero = zero or f"{self.any}({term} <= 0)"
        return f"CASE WHEN {zero} THEN {none} WHEN {zero} IS NULL THEN {one} ELSE {floored} END"


SQLITE = Dialect("sqlite", "MIN", "MAX", "REAL", any="MAX", now="((JULIANDAY('now') - 2440587.5) * 86400.0)")
DUCKDB = Dialect(
    "duckdb", "LEAST", "GREATEST", "DOUBLE", literal="{0!r}::DOUBLE", product="PRODUCT", now="EPOCH(NOW())"
)
POSTGRES = Dialect(
    "postgres",
    "LEAST",
    "GREATEST",
    "DOUBLE PRECISION",
    literal="'{0!r}'::DOUBLE PRECISION",
    now="EXTRACT(EPOCH FROM NOW())::DOUBLE PRECISION",
)
SPARK = Dialect(
    "spark",
    "LEAST",
    "GREATEST",
    "DOUBLE",
    literal="{0!r}D",
    quote="`",
    now="(UNIX_MICROS(CURRENT_TIMESTAMP()) / 1000000.0D)",
)

DIALECTS = {dialect.name: dialect for dialect in (SQLITE, DUCKDB, POSTGRES, SPARK)}


def dialect(name: str) -> Dialect:
    """Return the dialect of that name.

    Raises:
        UnknownNameError: if there is no such dialect.
    """
    if name not in DIALECTS:
        raise UnknownNameError("SQL dialect", name, DIALECTS)
    return DIALECTS[name]
