"""Intervals for any SQL client: the query for all claims, one view for each formula, and rows to export."""

from collections.abc import Iterator, Sequence

from howsure.formulas.claim import ClaimFormula
from howsure.graph.sql import ReadOptions, interval_query
from howsure.sql.dialect import Dialect
from howsure.store.backends.database import Row, Transaction, inline
from howsure.store.claim_tables.claims import DISPLAYED
from howsure.store.claim_tables.selection import query_for
from howsure.store.session import Session

PREFIX = "intervals_"
"""What the name of a view starts with; the name of its formula follows."""
COLUMNS = (*DISPLAYED, "lower", "upper")
"""The columns of a view."""
_SHOWN = "c.status <> 'forgotten'"


def statement(formula: ClaimFormula, dialect: Dialect) -> str:
    """Write the query for the intervals of all claims but forgotten ones, at the moment at which it runs."""
    query = interval_query(formula, dialect, derived=True, past=False)
    text = (
        f"SELECT {query.displayed(DISPLAYED, 'c')}, s.lower, s.upper "
        f"FROM ({query.all_intervals()}) AS s JOIN claims c ON c.key = s.claim_key WHERE {_SHOWN}"
    )
    return inline(text, {"now": dialect.now, "trust": dialect.number(1.0)})


def create(session: Session, formulas: Sequence[ClaimFormula]) -> list[str]:
    """Create or replace a view for each formula, with its parameters; return their names."""
    names = []
    with session.write() as transaction:
        for formula in formulas:
            name = PREFIX + formula.name
            quoted = transaction.dialect.quoted(name)
            transaction.run(f"DROP VIEW IF EXISTS {quoted}")
            transaction.run(f"CREATE VIEW {quoted} AS {statement(formula, transaction.dialect)}")
            names.append(name)
    return names


def drop(session: Session) -> list[str]:
    """Drop the views; return their names."""
    with session.write() as transaction:
        names = _existing(transaction)
        for name in names:
            transaction.run(f"DROP VIEW {transaction.dialect.quoted(name)}")
    return names


def _existing(transaction: Transaction) -> list[str]:
    if transaction.dialect.name == "sqlite":
        names = "SELECT name FROM sqlite_master WHERE type = 'view'"
    else:
        names = "SELECT viewname FROM pg_views WHERE schemaname = current_schema()"
    return sorted(name for (name,) in transaction.rows(names) if name.startswith(PREFIX))


def interval_rows(transaction: Transaction, options: ReadOptions) -> Iterator[Row]:
    """Yield `COLUMNS` of every claim that is not forgotten, oldest first."""
    query = query_for(transaction, options)
    shown = f"{query.status('c')} <> 'forgotten'" + (" AND c.created_at <= :as_of" if query.past else "")
    return transaction.stream(
        f"SELECT {query.displayed(DISPLAYED, 'c')}, s.lower, s.upper "
        f"FROM ({query.all_intervals()}) AS s JOIN claims c ON c.key = s.claim_key WHERE {shown} ORDER BY c.key",
        options.parameters(),
    )
