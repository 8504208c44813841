"""Effective intervals inside the database: a formula as SQL over stored claims, neighbours and inferences included."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from howsure.formulas.beta import Beta
from howsure.formulas.claim import ClaimFormula
from howsure.formulas.decay import half_lives
from howsure.formulas.derived import Derived
from howsure.formulas.derived import Row as DerivedRow
from howsure.formulas.folds import Fold
from howsure.formulas.noisy_or import NoisyOr
from howsure.formulas.subjective_logic import SubjectiveLogic
from howsure.graph.python import DEEPEST
from howsure.sql.dialect import Dialect
from howsure.sql.expression import SYMBOLS, Expression
from howsure.sql.statement import fold, steps, write

CACHED: dict[str, Fold] = {
    "doubt": NoisyOr().folds().doubt,
    "strongest": NoisyOr().folds().strongest,
    "contributions": Beta().folds().contributions,
    "source_odds": SubjectiveLogic().folds().source_odds,
}
"""Folds over sources that are kept beside each claim; a formula whose fold writes the same SQL reads the column."""

TINIEST = 1e-30
"""Numbers below count as this, or as nothing, so that PostgreSQL does not refuse their product."""


@dataclass(frozen=True)
class ReadOptions:
    """How claims are read: by which formula, at which moment, and by what was recorded when."""

    formula: ClaimFormula
    """The formula."""
    now: float
    """The moment at which age counts."""
    trust: float = 1.0
    """Trust in this store."""
    as_of: float | None = None
    """Only what was recorded by then counts; everything, if not given."""

    def parameters(self) -> dict[str, float]:
        """Return what the query's parameters stand for."""
        trust = self.trust if self.trust >= TINIEST else 0.0
        return {"now": self.now, "trust": trust} | ({} if self.as_of is None else {"as_of": self.as_of})


@lru_cache(maxsize=128)
def interval_query(formula: ClaimFormula, dialect: Dialect, *, derived: bool, past: bool) -> "IntervalQuery":
    """Return the writer of a formula's query, made once."""
    return IntervalQuery(formula, dialect, derived=derived, past=past)


class IntervalQuery:
    """Writes the query for the intervals of chosen claims. Moments and trust are its parameters."""

    def __init__(self, formula: ClaimFormula, dialect: Dialect, *, derived: bool, past: bool) -> None:
        """Take the formula, the dialect, whether the store holds derived claims, and whether the past is asked for."""
        self.formula = formula
        self.dialect = dialect
        self.derived = derived
        self.past = past
        self.number = dialect.number
        self.folds = self.formula.folds()
        self._columns = {fold(kept, "c", dialect): column for column, kept in CACHED.items()}

    def intervals(self, chosen: str) -> str:
        """Return a query for claim_key, lower and upper of the claims that a query of keys chooses."""
        if not self.derived:
            return f"WITH {self._own(chosen)} SELECT claim_key, lower, upper FROM own"
        ctes = [f"chosen_first (key) AS ({chosen})", self._needed(), self._own("SELECT key FROM needed")]
        ctes.append("base_0 AS (SELECT claim_key, lower, upper FROM own WHERE claim_depth = 0)")
        for depth in range(1, DEEPEST + 1):
            inferred = steps(Derived(), DerivedRow, f"foundations_{depth}", self.dialect, keep=["claim_key"])
            ctes.append(f"foundations_{depth} AS ({self._foundations(depth)})")
            ctes.append(f"derived_{depth} AS ({inferred})")
            inferred = f"SELECT claim_key, lower, upper FROM derived_{depth}"
            ctes.append(f"base_{depth} AS (SELECT * FROM base_{depth - 1} UNION ALL {inferred})")
        return (
            f"WITH RECURSIVE {', '.join(ctes)} SELECT b.claim_key, b.lower, b.upper "
            f"FROM chosen_first f JOIN base_{DEEPEST} b ON b.claim_key = f.key"
        )

    def rows(self, chosen: str) -> str:
        """Return a query for claim_key, claim_depth and the formula's row of chosen claims."""
        return f"WITH {self._rows_ctes(chosen)} {self._rows()}"

    def neighbours(self, chosen: str) -> str:
        """Return a query for kind, id, statement, strength and influence of all that acts on chosen claims."""
        return (
            f"WITH {self._rows_ctes(chosen)} SELECT p.kind, n.id, n.statement, p.strength, {self._influence('n')} "
            f"FROM pairs p JOIN claims n ON n.key = p.neighbour WHERE {self.counts('n')} ORDER BY p.kind, n.key"
        )

    def constituents(self, chosen: str) -> str:
        """Return a query for the keys of what chosen claims were derived from."""
        return (
            f"SELECT r.target FROM relations r WHERE r.source IN ({chosen}) AND r.kind = 'derived_from' "
            f"AND {self._recorded('r')}"
        )

    def _own(self, chosen: str) -> str:
        own = steps(
            self.formula, type(self.folds), f"({self._rows()}) AS base", self.dialect, keep=["claim_key", "claim_depth"]
        )
        return f"{self._rows_ctes(chosen)}, own AS ({own})"

    def _rows_ctes(self, chosen: str) -> str:
        """Write the chosen keys, what their neighbours lend, and the folds of that."""
        current = self._recorded("r")
        acts = " UNION ALL ".join(
            f"SELECT r.{end} AS claim, '{kind}' AS kind, r.{other} AS neighbour, r.strength AS strength "
            f"FROM relations r WHERE r.{end} IN (SELECT key FROM chosen) AND r.kind = '{kind}' AND {current}"
            for kind, end, other in (
                ("supports", "target", "source"),
                ("contradicts", "target", "source"),
                ("contradicts", "source", "target"),
            )
        )
        strength = f"CASE WHEN MAX(strength) < {self.number(TINIEST)} THEN {self.number(0.0)} ELSE MAX(strength) END"
        pairs = (
            f"SELECT claim, kind, neighbour, {strength} AS strength FROM ({acts}) AS a GROUP BY claim, kind, neighbour"
        )
        lends = f"p.strength * ({self._influence('n')})"
        lent = (
            f"SELECT p.claim AS claim, CASE WHEN p.kind = 'supports' THEN {lends} END AS supports, "
            f"CASE WHEN p.kind = 'contradicts' THEN {lends} END AS contradictions "
            f"FROM pairs p JOIN claims n ON n.key = p.neighbour WHERE {self.counts('n')}"
        )
        folded = ", ".join(
            f"{fold(by, by.over, self.dialect)} AS {self.dialect.quoted(name)}"
            for name, by in self.folds._asdict().items()
            if isinstance(by, Fold) and by.over != "sources"
        )
        # Every chosen claim is in, neighbours or not: an outer join would make SQLite look through all for each.
        nothing = f"CAST(NULL AS {self.dialect.double})"
        rows = (
            f"SELECT key AS claim, {nothing} AS supports, {nothing} AS contradictions FROM chosen "
            "UNION ALL SELECT claim, supports, contradictions FROM lent"
        )
        folded = f"SELECT claim{', ' if folded else ''}{folded} FROM ({rows}) AS x GROUP BY claim"
        return f"chosen (key) AS ({chosen}), pairs AS ({pairs}), lent AS ({lent}), folded AS ({folded})"

    def _rows(self) -> str:
        columns = ", ".join(
            f"{write(value, self.dialect)} AS {self.dialect.quoted(name)}"
            for name, value in self._row("c", neighbours=True)._asdict().items()
        )
        depth = f"CASE WHEN {self._is_derived('c')} THEN c.depth ELSE 0 END" if self.derived else "0"
        return (
            f"SELECT c.key AS claim_key, {depth} AS claim_depth, {columns} "
            f"FROM folded JOIN claims c ON c.key = folded.claim"
        )

    def _row(self, alias: str, *, neighbours: bool) -> Any:
        """Return the formula's row for one claim, as pieces of SQL."""
        return self.folds._make(
            self._field(name, by, alias, neighbours=neighbours) for name, by in self.folds._asdict().items()
        )

    def _field(self, name: str, by: Any, alias: str, *, neighbours: bool) -> Any:
        if isinstance(by, Fold) and by.over != "sources":
            neutral = by([])
            if not neighbours:
                return neutral
            return Expression("sql", f"folded.{self.dialect.quoted(name)}")
        if isinstance(by, Fold):
            column = self._columns.get(fold(by, "c", self.dialect))
            return self._of_sources(alias, column, fold(by, "i.c", self.dialect), inferred=neighbours)
        if by.name == "source_types":
            counted = f"CAST(COUNT(DISTINCT i.source_type) AS {self.dialect.double})"
            return self._of_sources(alias, "source_types", counted, inferred=neighbours)
        if by.name == "trust":
            return Expression("sql", f"CAST(:trust AS {self.dialect.double})")
        return self._half_lives(alias)

    def _of_sources(self, alias: str, column: str | None, aggregate: str, *, inferred: bool) -> Expression:
        """Return a number folded over sources: the kept column where there is one and it holds, else a sub-query."""
        all_of_them = f"{alias}.{column}"
        if column is None or self.past:
            all_of_them = f"(SELECT {aggregate} FROM ({self._independent(alias, inferred=False)}) AS i)"
        if not inferred or not self.derived:
            return Expression("sql", all_of_them)
        by_inference = f"(SELECT {aggregate} FROM ({self._independent(alias, inferred=True)}) AS i)"
        return Expression("sql", f"CASE WHEN {self._is_derived(alias)} THEN {by_inference} ELSE {all_of_them} END")

    def _independent(self, alias: str, *, inferred: bool) -> str:
        return independent(f"s.claim = {alias}.key", self.dialect, past=self.past, inferred=inferred)

    def _half_lives(self, alias: str) -> Expression:
        lives = self.formula.half_life
        by_tier = " ".join(
            f"WHEN '{tier}' THEN {self.number(lives.of(tier))}"
            for tier in ("ephemeral", "task", "project", "persistent")
        )
        age: Any = half_lives(
            Expression("sql", f"CAST(:now AS {self.dialect.double})"),
            Expression("sql", f"{alias}.stale_at"),
            Expression("sql", f"CASE {alias}.tier {by_tier} END"),
            self.formula.oldest,
            SYMBOLS,
        )
        return Expression("sql", f"COALESCE({write(age, self.dialect)}, {self.number(0.0)})")

    def _influence(self, alias: str) -> str:
        found = self.formula.formula(self._row(alias, neighbours=False), SYMBOLS)
        return write(found.influence, self.dialect)

    def counts(self, alias: str) -> str:
        """Write the condition under which a claim lends anything to others."""
        begun = f"({alias}.valid_from IS NULL OR {alias}.valid_from <= :now)"
        lasting = f"({alias}.valid_until IS NULL OR {alias}.valid_until > :now)"
        return f"{self.status(alias)} IN ('active', 'challenged') AND {begun} AND {lasting}"

    def status(self, alias: str) -> str:
        """Write the status of a claim at the moment as of which it is read."""
        if not self.past:
            return f"{alias}.status"
        return (
            f"(SELECT e.status FROM events e WHERE e.claim = {alias}.key AND e.status IS NOT NULL "
            f"AND e.at <= :as_of ORDER BY e.key DESC LIMIT 1)"
        )

    def sources(self, alias: str) -> str:
        """Write the number of independent sources at the moment as of which is read."""
        if not self.past:
            return f"{alias}.sources"
        return f"(SELECT COUNT(*) FROM ({self._independent(alias, inferred=False)}) AS i)"

    def displayed(self, columns: Iterable[str], alias: str) -> str:
        """Write the columns of a claim as they were at the moment as of which is read."""
        moving = {"sources": self.sources, "status": self.status}
        return ", ".join(
            moving[column](alias) + f" AS {column}" if column in moving else f"{alias}.{column}" for column in columns
        )

    def _recorded(self, alias: str) -> str:
        """Write the condition under which a relation holds."""
        if not self.past:
            return f"{alias}.removed_at IS NULL"
        return f"({alias}.recorded_at <= :as_of AND ({alias}.removed_at IS NULL OR {alias}.removed_at > :as_of))"

    def _is_derived(self, alias: str) -> str:
        to_others = f"r.source = {alias}.key AND r.kind = 'derived_from' AND {self._recorded('r')}"
        return f"({alias}.depth > 0 AND EXISTS (SELECT 1 FROM relations r WHERE {to_others}))"

    def _needed(self) -> str:
        """Write the chosen claims and all that they were derived from, however indirectly."""
        return (
            "needed (key) AS (SELECT key FROM chosen_first UNION SELECT r.target FROM needed d "
            f"JOIN relations r ON r.source = d.key AND r.kind = 'derived_from' WHERE {self._recorded('r')})"
        )

    def _foundations(self, depth: int) -> str:
        """Write what the derived model needs of the constituents of claims at one depth."""
        holds, none = self.counts("k"), self.number(0.0)
        upper, lower = (f"CASE WHEN {holds} THEN b.{bound} ELSE {none} END" for bound in ("upper", "lower"))
        return (
            f"SELECT o.claim_key, o.upper AS assessed_upper, MAX({upper}) AS highest_upper, "
            f"MIN({lower}) AS lowest_lower, MAX({upper} - {lower}) AS widest FROM own o "
            f"JOIN relations r ON r.source = o.claim_key AND r.kind = 'derived_from' AND {self._recorded('r')} "
            f"JOIN claims k ON k.key = r.target JOIN base_{depth - 1} b ON b.claim_key = k.key "
            f"WHERE o.claim_depth = {depth} GROUP BY o.claim_key, o.upper"
        )


def invalid_now(*, past: bool) -> str:
    """Write the condition under which an invalidation holds: still, or at the moment as of which is read."""
    if not past:
        return "v.until IS NULL"
    return "v.since <= :as_of AND (v.until IS NULL OR v.until > :as_of)"


def independent(
    which: str, dialect: Dialect, *, past: bool = False, inferred: bool = False, all_valid: bool = False
) -> str:
    """Write the sources that count: one row per type and id, at its highest contribution.

    An entry counts unless its source was invalidated; `all_valid` says that none is. `inferred` keeps to `inference`
    entries where there are any.
    """
    recorded = " AND s.recorded_at <= :as_of" if past else ""
    same = f"v.source_type = s.source_type AND v.source_id = s.source_id AND {invalid_now(past=past)}"
    kind = ""
    if inferred:
        others = f"t.claim = s.claim AND t.source_type = 'inference'{recorded.replace(' s.', ' t.')}"
        kind = f"AND (s.source_type = 'inference' OR NOT EXISTS (SELECT 1 FROM sources t WHERE {others}))"
    return (
        f"SELECT s.claim AS claim, s.source_type AS source_type, "
        f"{dialect.greatest}(MAX(s.contribution), {dialect.number(TINIEST)}) AS c FROM sources s "
        f"WHERE {which} AND s.contribution > 0{recorded} "
        + ("" if all_valid else f"AND NOT EXISTS (SELECT 1 FROM invalidations v WHERE {same}) ")
        + f"{kind} "
        f"GROUP BY s.claim, s.source_type, s.source_id"
    )
