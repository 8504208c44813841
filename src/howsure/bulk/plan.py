"""A plan: a formula over whole tables as a chain of queries, each reading those before it by name.

It starts from three views in one form, `bulk_claims`, `bulk_evidence` and `bulk_relations`. What each engine does with
the queries (keep their results, or only their names) is its own affair.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from howsure.bulk.engines.base import Reading
from howsure.errors import InputError
from howsure.formulas.decay import half_lives
from howsure.formulas.folds import Fold
from howsure.formulas.ops import FLOATS
from howsure.sql.dialect import Dialect
from howsure.sql.expression import SYMBOLS, Expression
from howsure.sql.statement import fold, steps, write

OWN = ("id", "sources", "depth")
"""Columns of the result that no formula computes: the claim, its independent sources, and the inferences below it."""

SOURCES, AGEING, NEIGHBOURS, INFERENCES = (
    "folding sources",
    "ageing claims",
    "folding neighbours",
    "following inferences",
)
"""What goes on, in the order in which it does."""


class Stage(NamedTuple):
    """One query of the chain."""

    name: str
    query: str
    kept: bool = True
    """Whether its result is worth keeping for the queries that follow."""
    shared: bool = False
    """Whether more than one of them reads it."""
    told: str = ""
    """What people are told while it runs."""


def layout(reading: Reading) -> tuple[list[str], list[str]]:
    """Return the names of a formula's row and of its steps."""
    row = reading.formula.folds()
    neutral = row._make([by([]) if isinstance(by, Fold) else 0.0 for by in row])
    return list(row._fields), list(reading.formula.formula(neutral, FLOATS)._fields)


def chosen(reading: Reading, columns: list[str] | None) -> list[str]:
    """Return the columns of the result: the claim, its sources and every step, or those that are asked for.

    >>> from howsure.formulas.derived import Derived
    >>> from howsure.formulas.noisy_or import NoisyOr
    >>> chosen(Reading(NoisyOr(), 0.0), None)[:4]
    ['id', 'sources', 'diversity', 'staleness']
    """
    row, found = layout(reading)
    if clash := sorted(set(OWN) & {*row, *found}):
        problem = f"{reading.formula.name} has a number called {clash[0]}, as the result does"
        raise InputError(problem, field="formula", hint="rename it")
    if columns is None:
        return ["id", "sources", *found]
    known = [*OWN, *row, *found]
    if not columns:
        raise InputError("there has to be a column", field="columns", hint=f"there are: {', '.join(known)}")
    for name in columns:
        if name not in known:
            raise InputError(f"there is no column {name!r}", field="columns", hint=f"there are: {', '.join(known)}")
    return list(dict.fromkeys(columns))


def about(reading: Reading) -> dict[str, Any]:
    """Return what a result carries, so that it can be computed again."""
    return {"spec": reading.formula.spec._asdict(), "now": reading.now, "trust": reading.trust}


class Plan:
    """Writes the queries for one reading in one dialect."""

    def __init__(self, reading: Reading, dialect: Dialect) -> None:
        """Take the reading and the dialect."""
        self.reading = reading
        self.formula = reading.formula
        self.dialect = dialect
        self.folds: dict[str, Any] = self.formula.folds()._asdict()
        self.row_type: Any = type(self.formula.folds())
        self.row, self.steps = layout(reading)

    def of_sources(self) -> dict[str, Fold]:
        """Return the folds over sources."""
        return {name: by for name, by in self.folds.items() if isinstance(by, Fold) and by.over == "sources"}

    def of_neighbours(self) -> dict[str, Fold]:
        """Return the folds over supporting and contradicting claims."""
        return {name: by for name, by in self.folds.items() if isinstance(by, Fold) and by.over != "sources"}

    def folding(self) -> Iterator[Stage]:
        """Give the queries that fold the sources of each claim into `bulk_folded`."""
        yield Stage("bulk_independent", self.independent("bulk_evidence"), kept=False)
        yield Stage("bulk_folded", self.folded("bulk_independent"), told=SOURCES)

    @staticmethod
    def independent(evidence: str) -> str:
        """Write the sources that count: one row for each type and id, at its highest contribution."""
        return (
            f"SELECT claim, source_type, source_id, MAX(contribution) AS c FROM {evidence} "
            "WHERE contribution > 0 GROUP BY claim, source_type, source_id"
        )

    def folded(self, independent: str) -> str:
        """Write the folds over independent sources, by claim."""
        folded = [f"{fold(by, 'c', self.dialect)} AS {self.quoted(name)}" for name, by in self.of_sources().items()]
        types = ", COUNT(DISTINCT source_type) AS bulk_types" if self.counts_types() else ""
        return f"SELECT claim, COUNT(c) AS bulk_sources{types}{_listed(folded)} FROM {independent} GROUP BY claim"

    def counts_types(self) -> bool:
        """Say whether the formula needs to know how many types of source there are."""
        return any(getattr(by, "name", "") == "source_types" for by in self.folds.values())

    def base(self) -> str:
        """Write each claim with the folds of its sources, its age, and what it lends to others, if anything."""
        columns = []
        for name, by in self.folds.items():
            value = self.sourced(name, by, "f")
            if value is None and getattr(by, "name", "") == "half_lives":
                value = self._half_lives("c")
            if value is not None:
                columns.append(f"{value} AS {self.quoted(name)}")
        inner = (
            f"SELECT c.id AS bulk_id, COALESCE(f.bulk_sources, 0) AS bulk_sources, {self._counts('c')} AS bulk_counts"
            f"{_listed(columns)} FROM bulk_claims c LEFT JOIN bulk_folded f ON f.claim = c.id"
        )
        found = self.formula.formula(self._alone(), SYMBOLS)
        lends = f"CASE WHEN b.bulk_counts THEN {write(found.influence, self.dialect)} END"
        return f"SELECT b.*, {lends} AS bulk_lends FROM ({inner}) AS b"

    def sourced(self, name: str, by: Any, folded: str) -> str | None:
        """Write a number of the row that comes from sources; nothing, for one that does not."""
        if isinstance(by, Fold):
            if by.over != "sources":
                return None
            return f"COALESCE({folded}.{self.quoted(name)}, {self.number(by([]))})"
        if by.name == "source_types":
            return f"COALESCE(CAST({folded}.bulk_types AS {self.dialect.double}), {self.number(0.0)})"
        return None

    def _alone(self) -> Any:
        """Return the row of a claim without neighbours, as pieces of SQL."""
        values: list[Any] = []
        for name, by in self.folds.items():
            if isinstance(by, Fold) and by.over != "sources":
                values.append(by([]))
            elif getattr(by, "name", "") == "trust":
                values.append(1.0)
            else:
                values.append(Expression("sql", f"b.{self.quoted(name)}"))
        return self.row_type(*values)

    def _half_lives(self, alias: str) -> str:
        by_tier = " ".join(
            f"WHEN '{tier}' THEN {self.number(getattr(self.formula.half_life, tier))}"
            for tier in self.formula.half_life.__dataclass_fields__
        )
        age: Any = half_lives(
            Expression("sql", self.number(self.reading.now)),
            Expression("sql", f"{alias}.stale_at"),
            Expression("sql", f"CASE {alias}.tier {by_tier} END"),
            self.formula.oldest,
            SYMBOLS,
        )
        return f"COALESCE({write(age, self.dialect)}, {self.number(0.0)})"

    def _counts(self, alias: str) -> str:
        now = self.number(self.reading.now)
        begun = f"({alias}.valid_from IS NULL OR {alias}.valid_from <= {now})"
        lasting = f"({alias}.valid_until IS NULL OR {alias}.valid_until > {now})"
        return f"({alias}.status IN ('active', 'challenged') AND {begun} AND {lasting})"

    def lending(self) -> Iterator[Stage]:
        """Give the queries that fold what neighbours lend into `bulk_lent`."""
        yield Stage("bulk_acts", self.acts(), kept=False)
        yield Stage("bulk_pairs", self.pairs("bulk_acts"), kept=False)
        yield Stage("bulk_lent", self.lent("bulk_pairs"), told=NEIGHBOURS)

    def acts(self) -> str:
        """Write which claim acts on which: a support on its target, a contradiction on both ends."""
        over = {by.over for by in self.of_neighbours().values()}
        kinds = [kind for kind, folds in (("supports", "supports"), ("contradicts", "contradictions")) if folds in over]
        listed = ", ".join(f"'{kind}'" for kind in kinds)
        acts = (
            f"SELECT target AS claim, kind, source AS neighbour, strength FROM bulk_relations WHERE kind IN ({listed})"
        )
        if "contradicts" in kinds:
            acts += (
                " UNION ALL SELECT source AS claim, kind, target AS neighbour, strength "
                "FROM bulk_relations WHERE kind = 'contradicts'"
            )
        return acts

    @staticmethod
    def pairs(acts: str) -> str:
        """Write each pair once, at its highest strength."""
        return f"SELECT claim, kind, neighbour, MAX(strength) AS strength FROM {acts} GROUP BY claim, kind, neighbour"

    def lent(self, pairs: str) -> str:
        """Write the folds over what neighbours lend, by claim."""
        lent = (
            "SELECT p.claim AS claim, "
            "CASE WHEN p.kind = 'supports' THEN p.strength * n.bulk_lends END AS supports, "
            "CASE WHEN p.kind = 'contradicts' THEN p.strength * n.bulk_lends END AS contradictions "
            f"FROM {pairs} p JOIN bulk_base n ON n.bulk_id = p.neighbour WHERE n.bulk_lends IS NOT NULL"
        )
        folded = [
            f"{fold(by, by.over, self.dialect)} AS {self.quoted(name)}" for name, by in self.of_neighbours().items()
        ]
        return f"SELECT claim{_listed(folded)} FROM ({lent}) AS l GROUP BY claim"

    def rows(self, replaced: str = "") -> str:
        """Write the formula's row of every claim. `replaced` names folds that take the place of those over sources."""
        columns = [f"{self._field(name, by, replaced)} AS {self.quoted(name)}" for name, by in self.folds.items()]
        lent = " LEFT JOIN bulk_lent l ON l.claim = b.bulk_id" if self.of_neighbours() else ""
        other = f" LEFT JOIN {replaced} f ON f.claim = b.bulk_id" if replaced else ""
        return f"SELECT b.bulk_id, b.bulk_sources{_listed(columns)} FROM bulk_base b{lent}{other}"

    def _field(self, name: str, by: Any, replaced: str) -> str:
        if isinstance(by, Fold) and by.over != "sources":
            return f"COALESCE(l.{self.quoted(name)}, {self.number(by([]))})"
        if getattr(by, "name", "") == "trust":
            return self.number(self.reading.trust)
        own = f"b.{self.quoted(name)}"
        other = self.sourced(name, by, "f") if replaced else None
        return own if other is None else f"CASE WHEN f.claim IS NULL THEN {own} ELSE {other} END"

    def scored(self, replaced: str = "") -> str:
        """Write every step of every claim, beside its row."""
        keep = ["bulk_id", "bulk_sources", *self.row]
        return steps(self.formula, self.row_type, f"({self.rows(replaced)}) AS r", self.dialect, keep=keep)

    def renamed(self, scored: str, columns: list[str]) -> str:
        """Write the chosen columns of scored claims, as the result calls them."""
        listed = ", ".join(f"{self.column(name)} AS {self.quoted(name)}" for name in columns)
        return f"SELECT {listed} FROM ({scored}) AS s"

    def column(self, name: str) -> str:
        """Write a column of the result, as it is called on the way."""
        return {"id": "bulk_id", "sources": "bulk_sources", "depth": "0"}.get(name) or self.quoted(name)

    def quoted(self, name: str) -> str:
        """Write the name of a column."""
        return self.dialect.quoted(name)

    def number(self, value: float) -> str:
        """Write a constant."""
        return self.dialect.number(value)


def _listed(columns: list[str]) -> str:
    return "".join(f", {column}" for column in columns)
