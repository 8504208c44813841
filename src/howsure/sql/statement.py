"""Write formulas as SQL queries with one named column per step."""

from collections.abc import Mapping, Sequence
from typing import Any

from howsure.formulas.folds import CONTRIBUTION, Fold
from howsure.formulas.model import Model
from howsure.sql.dialect import Dialect
from howsure.sql.expression import SYMBOLS, Expression

_FUNCTIONS = {"min": "least", "max": "greatest"}


def write(expression: Any, dialect: Dialect, names: Mapping[int, str] | None = None) -> str:
    """Write an expression as SQL. `names` maps the ids of expressions that are already computed to their columns.

    >>> from howsure.sql.dialect import SQLITE
    >>> write(SYMBOLS.minimum(1 - (1 - Expression.column("a")), 0.5), SQLITE)
    'MIN((1.0 - (1.0 - "a")), 0.5)'
    """
    if not isinstance(expression, Expression):
        return dialect.number(expression)
    if names and id(expression) in names:
        return dialect.quoted(names[id(expression)])
    parts = expression.arguments
    if expression.operator == "column":
        return dialect.quoted(parts[0])
    if expression.operator == "sql":
        return str(parts[0])
    written = [write(part, dialect, names) for part in parts]
    if expression.operator == "where":
        return f"CASE WHEN {written[0]} THEN {written[1]} ELSE {written[2]} END"
    if expression.operator == "power":
        return f"POWER({written[0]}, {written[1]})"
    if expression.operator == "log":
        return f"LN({written[0]})"
    if expression.operator in _FUNCTIONS:
        return f"{getattr(dialect, _FUNCTIONS[expression.operator])}({written[0]}, {written[1]})"
    return f"({written[0]} {expression.operator} {written[1]})"


def steps(model: Model[Any], row_type: Any, rows: str, dialect: Dialect, keep: Sequence[str] = ()) -> str:
    """Return a query for every step of a model's formula over a table (or sub-query) of its rows.

    Its columns are `keep`, then the steps in order. Steps read earlier steps by name, so that nothing is computed
    twice.
    """
    row = row_type(*(Expression.column(name) for name in row_type._fields))
    expressions = model.formula(row, SYMBOLS)._asdict()
    own = {id(step): name for name, step in expressions.items() if isinstance(step, Expression)}
    uses: dict[int, frozenset[str]] = {}
    parts, done = [f"step_0 AS (SELECT * FROM {rows})"], set[str]()
    while len(done) < len(expressions):
        names = {place: name for place, name in own.items() if name in done}
        ready = [name for name, step in expressions.items() if name not in done and _inner(step, own, uses) <= done]
        columns = ", ".join(f"{write(expressions[name], dialect, names)} AS {dialect.quoted(name)}" for name in ready)
        last = f"step_{len(parts) - 1}"
        parts.append(f"step_{len(parts)} AS (SELECT {last}.*, {columns} FROM {last})")
        done.update(ready)
    # Named sub-queries one after the other instead of nested ones: SQLite's parser limits the depth of nesting.
    columns = ", ".join(map(dialect.quoted, (*keep, *expressions)))
    return f"WITH {', '.join(parts)} SELECT {columns} FROM step_{len(parts) - 1}"


def _inner(step: Any, own: Mapping[int, str], known: dict[int, frozenset[str]]) -> frozenset[str]:
    """Return the names of the steps that a step is computed from."""
    if not isinstance(step, Expression):
        return frozenset()
    if id(step) not in known:
        parts = [part for part in step.arguments if isinstance(part, Expression)]
        direct = frozenset(own[id(part)] for part in parts if id(part) in own)
        known[id(step)] = direct.union(*(_inner(part, own, known) for part in parts))
    return known[id(step)]


def _strict(expression: Any) -> bool:
    """Return whether a NULL makes the whole expression NULL: not so for LEAST, GREATEST, CASE and constants."""
    if not isinstance(expression, Expression):
        return False
    if expression.operator in ("column", "sql"):
        return True
    return expression.operator in ("+", "-", "*", "/", "power", "log") and any(map(_strict, expression.arguments))


def fold(fold: Fold, number: str, dialect: Dialect) -> str:
    """Write the aggregate of a fold over numbers, given as a piece of SQL. It is not NULL without rows.

    A fold that reads learned numbers of sources finds them beside the contribution, in columns of their names.
    """
    numbers = [number] if fold.of == CONTRIBUTION else [number.removesuffix("c") + name for name in fold.of]
    expression = fold.term(*(Expression("sql", one) for one in numbers), SYMBOLS)
    term = write(expression, dialect)
    if not _strict(expression):
        term = f"CASE WHEN {number} IS NOT NULL THEN {term} END"
    if fold.how == "sum":
        return f"COALESCE(SUM({term}), {dialect.number(0.0)})"
    if fold.how == "largest":
        return f"COALESCE(MAX({term}), {dialect.number(0.0)})"
    if _is_complement(expression):
        # The maximum instead of a condition on each row: the database has it already if the formula reads it, too.
        return dialect.multiplied(term, f"MAX({number}) >= {dialect.number(1.0)}")
    return dialect.multiplied(term)


def _is_complement(expression: Any) -> bool:
    """Return whether an expression is 1 - x, for a single number x."""
    if not isinstance(expression, Expression) or expression.operator != "-":
        return False
    one, x = expression.arguments
    return one == 1.0 and isinstance(x, Expression) and x.operator == "sql"
