"""The graph rules as SQL, and the query for the intervals of stored claims.

`GraphSql` and the functions below it hold each rule once: which sources are independent, which claim acts on which, at
what strength, which claims count, and how derived claims are bounded. `IntervalQuery` applies them to a few chosen
claims of a store; `howsure.graph.table_queries` applies them to whole tables, for bulk scoring.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from howsure.formulas.beta import Beta
from howsure.formulas.claim import IN_USE, UNKNOWN_VARIANCE, UNKNOWN_WEIGHT, ClaimFormula, reads_weights
from howsure.formulas.decay import half_lives
from howsure.formulas.derived import DEEPEST, Derived
from howsure.formulas.derived import Row as DerivedRow
from howsure.formulas.folds import Fold
from howsure.formulas.noisy_or import NoisyOr
from howsure.formulas.reliability import Reliability
from howsure.formulas.subjective_logic import SubjectiveLogic
from howsure.sql.dialect import Dialect
from howsure.sql.expression import SYMBOLS, Expression
from howsure.sql.statement import fold, steps, write

CACHED: dict[str, Fold] = {
    "doubt": NoisyOr().folds().doubt,
    "strongest": NoisyOr().folds().strongest,
    "contributions": Beta().folds().contributions,
    "source_odds": SubjectiveLogic().folds().source_odds,
    "evidence": Reliability().folds().evidence,
    "evidence_variance": Reliability().folds().evidence_variance,
    "voices": Reliability().folds().voices,
}
"""Folds over sources that the store keeps in columns of each claim; formulas with the same fold read these."""

TINIEST = 1e-30
"""Smaller contributions count as this, and smaller strengths as 0, because PostgreSQL raises an error on underflow."""

ACTIONS = (
    ("supports", "target", "source"),
    ("contradicts", "target", "source"),
    ("contradicts", "source", "target"),
)
"""Which claim acts on which: the kind of relation, the end that is influenced, and the end that influences it."""


_CHOSEN = "(chosen)"
"""Stands for the query of the chosen keys."""


def kinds_by_ends(used: Collection[str] = ("supports", "contradicts")) -> dict[tuple[str, str], str]:
    """Return the kinds of `ACTIONS` as a list in SQL, by the end that is influenced and the other one.

    One SELECT for each pair of ends reads the relations once, and uses the index on that end and kind.
    """
    kinds: dict[tuple[str, str], list[str]] = {}
    for kind, end, other in ACTIONS:
        if kind in used:
            kinds.setdefault((end, other), []).append(f"'{kind}'")
    return {ends: ", ".join(listed) for ends, listed in kinds.items()}


@dataclass(frozen=True)
class ReadOptions:
    """How claims are read: by which formula, and at which moment."""

    formula: ClaimFormula
    """The formula that computes the intervals."""
    now: float
    """The moment to which claims are aged."""
    trust: float = 1.0
    """Trust in whoever holds the claims."""
    as_of: float | None = None
    """Use only what was recorded by this moment; None: everything."""

    def parameters(self) -> dict[str, float]:
        """Return the values of the query's parameters."""
        trust = self.trust if self.trust >= TINIEST else 0.0
        return {"now": self.now, "trust": trust} | ({} if self.as_of is None else {"as_of": self.as_of})


def counts(alias: str, now: str, status: str) -> str:
    """Write the condition that a claim influences others: active or challenged, and valid at a moment."""
    begun = f"({alias}.valid_from IS NULL OR {alias}.valid_from <= {now})"
    lasting = f"({alias}.valid_until IS NULL OR {alias}.valid_until > {now})"
    return f"{status} IN {IN_USE} AND {begun} AND {lasting}"


def independent_sources(
    table: str,
    conditions: Sequence[str] = ("s.contribution > 0",),
    contribution: str = "MAX(s.contribution)",
    learned: str = "",
) -> str:
    """Write the independent sources of a table `s`: one row per claim, type and id, at the highest contribution.

    `learned` is further columns, with a comma before each; see `learned_columns`.
    """
    return (
        f"SELECT s.claim AS claim, s.source_type AS source_type, {contribution} AS c{learned} FROM {table} "
        f"WHERE {' AND '.join(conditions)} GROUP BY s.claim, s.source_type, s.source_id"
    )


def learned_columns(alias: str, dialect: Dialect) -> str:
    """Write the learned numbers of an independent source: its weight, the variance, and the size of its copy group.

    `alias` is the table that holds them. The group is counted among the independent sources of the same claim.
    """
    group = f"NULLIF(MAX({alias}.copy_group), '')"
    together = f"CAST(COUNT(*) OVER (PARTITION BY s.claim, MAX({alias}.copy_group)) AS {dialect.double})"
    return (
        f", COALESCE(MAX({alias}.weight), {dialect.number(UNKNOWN_WEIGHT)}) AS weight"
        f", COALESCE(MAX({alias}.variance), {dialect.number(UNKNOWN_VARIANCE)}) AS variance"
        f", CASE WHEN {group} IS NULL THEN {dialect.number(1.0)} ELSE {together} END AS copies"
    )


def pairs(acts: str, strength: str = "MAX(strength)") -> str:
    """Write each pair of claims that act on each other once, at its highest strength."""
    return f"SELECT claim, kind, neighbour, {strength} AS strength FROM {acts} GROUP BY claim, kind, neighbour"


def lent(lends: str, neighbours: str) -> str:
    """Write what each neighbour lends, as a number in the column `supports` or `contradictions`.

    `lends` is what pair `p` is worth, and `neighbours` the pairs joined with those neighbours that count.
    """
    return (
        f"SELECT p.claim AS claim, CASE WHEN p.kind = 'supports' THEN {lends} END AS supports, "
        f"CASE WHEN p.kind = 'contradicts' THEN {lends} END AS contradictions FROM {neighbours}"
    )


def foundations(counts: str, none: str) -> str:
    """Write the columns that the derived model needs of constituents with bounds `b`: [0, 0] unless they count."""
    upper, lower = (f"CASE WHEN {counts} THEN b.{bound} ELSE {none} END" for bound in ("upper", "lower"))
    return f"MAX({upper}) AS highest_upper, MIN({lower}) AS lowest_lower, MAX({upper} - {lower}) AS widest"


class GraphSql:
    """Writes what a formula reads of a claim and its neighbours, in one dialect."""

    def __init__(self, formula: ClaimFormula, dialect: Dialect) -> None:
        """Take the formula and the dialect."""
        self.formula = formula
        self.dialect = dialect
        self.number: Callable[[float], str] = dialect.number
        self.quoted: Callable[[str], str] = dialect.quoted
        self.row: Any = formula.folds()
        self.folds: dict[str, Any] = self.row._asdict()
        self.reads_weights: bool = reads_weights(self.row)

    def source_folds(self) -> dict[str, Fold]:
        """Return the folds over sources, by field of the row."""
        return {name: by for name, by in self.folds.items() if isinstance(by, Fold) and by.over == "sources"}

    def neighbour_folds(self) -> dict[str, Fold]:
        """Return the folds over supporting and contradicting claims, by field of the row."""
        return {name: by for name, by in self.folds.items() if isinstance(by, Fold) and by.over != "sources"}

    def fold_columns(self, folds: dict[str, Fold], numbers: dict[str, str]) -> list[str]:
        """Write folds as named columns; `numbers` says what to fold: contributions, supports, contradictions."""
        return [f"{fold(by, numbers[by.over], self.dialect)} AS {self.quoted(name)}" for name, by in folds.items()]

    def half_lives(self, alias: str, now: str) -> str:
        """Write the age of a claim in half-lives: 0 until it is stale."""
        lives = self.formula.half_life
        by_tier = " ".join(
            f"WHEN '{tier}' THEN {self.number(lives.of(tier))}"
            for tier in ("ephemeral", "task", "project", "persistent")
        )
        age: Any = half_lives(
            Expression("sql", now),
            Expression("sql", f"{alias}.stale_at"),
            Expression("sql", f"CASE {alias}.tier {by_tier} END"),
            self.formula.oldest,
            SYMBOLS,
        )
        return f"COALESCE({write(age, self.dialect)}, {self.number(0.0)})"

    def influence(self, row: Any) -> str:
        """Write what a claim lends to others, from its row without neighbours."""
        return write(self.formula.formula(row, SYMBOLS).influence, self.dialect)


@lru_cache(maxsize=128)
def interval_query(formula: ClaimFormula, dialect: Dialect, *, derived: bool, past: bool) -> "IntervalQuery":
    """Return the (cached) writer of a formula's query."""
    return IntervalQuery(formula, dialect, derived=derived, past=past)


class IntervalQuery(GraphSql):
    """Writes the query for the intervals of chosen claims of a store.

    The moment, the trust and `as_of` are parameters of the query: see `ReadOptions.parameters`.
    """

    def __init__(self, formula: ClaimFormula, dialect: Dialect, *, derived: bool, past: bool) -> None:
        """Take the formula and dialect, whether there are derived claims, and whether to read `as_of` a moment."""
        super().__init__(formula, dialect)
        self.derived = derived
        self.past = past
        self._columns = {fold(by, "c", dialect): column for column, by in CACHED.items()}

    def intervals(self, chosen: str) -> str:
        """Return a query for claim_key, lower and upper of the claims whose keys the query `chosen` returns."""
        ctes, bounds = self._intervals
        return f"{ctes} SELECT claim_key, lower, upper FROM {bounds}".replace(_CHOSEN, chosen)

    def interval_and_neighbours(self, chosen: str) -> str:
        """Return a query for the interval of a claim, and for the claims that support or contradict it.

        Its rows are an empty text, the key of the claim, lower and upper; then kind, key, strength and influence of
        each neighbour. Both are read by one query, because what 10,000 neighbours lend takes SQLite 13 ms.
        """
        ctes, bounds = self._intervals
        return (
            f"{ctes} SELECT '' AS kind, claim_key, lower, upper FROM {bounds} "
            f"UNION ALL SELECT kind, neighbour, strength, influence FROM acting WHERE claim IN ({_CHOSEN})"
        ).replace(_CHOSEN, chosen)

    @cached_property
    def _intervals(self) -> tuple[str, str]:
        """The query as common table expressions and what to read from them, with `_CHOSEN` in both.

        Writing it takes 0.4 ms, a tenth of the time of a search.
        """
        if not self.derived:
            return f"WITH {self._own(_CHOSEN)}", "own"
        ctes = [f"chosen_first (key) AS ({_CHOSEN})", self._needed(), *self._bounded("SELECT key FROM needed")]
        # IN instead of a join, for which SQLite scans all bounds for each claim: 26 s instead of 0.5 s for 20,000.
        return f"WITH RECURSIVE {', '.join(ctes)}", f"base_{DEEPEST} WHERE claim_key IN (SELECT key FROM chosen_first)"

    def all_intervals(self) -> str:
        """Return a query for claim_key, lower and upper of all claims."""
        if not self.derived:
            return self.intervals("SELECT key FROM claims")
        ctes = ", ".join(self._bounded("SELECT key FROM claims"))
        return f"WITH {ctes} SELECT claim_key, lower, upper FROM base_{DEEPEST}"

    def _bounded(self, chosen: str) -> list[str]:
        """Write the intervals of claims and of all that they rest on, depth by depth; the last part has them all."""
        ctes = [self._own(chosen)]
        ctes.append("base_0 AS (SELECT claim_key, lower, upper FROM own WHERE claim_depth = 0)")
        for depth in range(1, DEEPEST + 1):
            inferred = steps(Derived(), DerivedRow, f"foundations_{depth}", self.dialect, keep=["claim_key"])
            ctes.append(f"foundations_{depth} AS ({self._foundations(depth)})")
            ctes.append(f"derived_{depth} AS ({inferred})")
            inferred = f"SELECT claim_key, lower, upper FROM derived_{depth}"
            ctes.append(f"base_{depth} AS (SELECT * FROM base_{depth - 1} UNION ALL {inferred})")
        return ctes

    def rows(self, chosen: str) -> str:
        """Return a query for claim_key, claim_depth and the formula's row of chosen claims."""
        return f"WITH {self._rows_ctes(chosen)} {self._rows()}"

    def constituents(self, chosen: str) -> str:
        """Return a query for the keys of the claims that chosen claims were derived from."""
        return (
            f"SELECT r.target FROM relations r WHERE r.source IN ({chosen}) AND r.kind = 'derived_from' "
            f"AND {self._recorded('r')}"
        )

    def _own(self, chosen: str) -> str:
        own = steps(
            self.formula, type(self.row), f"({self._rows()}) AS base", self.dialect, keep=["claim_key", "claim_depth"]
        )
        return f"{self._rows_ctes(chosen)}, own AS ({own})"

    def _rows_ctes(self, chosen: str) -> str:
        """Write the chosen keys, what their neighbours lend, and the folds of that."""
        acts = " UNION ALL ".join(
            f"SELECT r.{end} AS claim, r.kind AS kind, r.{other} AS neighbour, r.strength AS strength "
            f"FROM relations r WHERE r.{end} IN (SELECT key FROM chosen) "
            f"AND r.kind IN ({kinds}) AND {self._recorded('r')}"
            for (end, other), kinds in kinds_by_ends().items()
        )
        strength = f"CASE WHEN MAX(strength) < {self.number(TINIEST)} THEN {self.number(0.0)} ELSE MAX(strength) END"
        acting = (
            f"SELECT p.claim AS claim, p.kind AS kind, p.neighbour AS neighbour, p.strength AS strength, "
            f"({self._influence('n')}) AS influence "
            f"FROM pairs p JOIN claims n ON n.key = p.neighbour WHERE {self.counts('n')}"
        )
        lends = lent("p.strength * p.influence", "acting p")
        numbers = {"supports": "supports", "contradictions": "contradictions"}
        folded = "".join(f", {column}" for column in self.fold_columns(self.neighbour_folds(), numbers))
        # All chosen claims are in the rows, with or without neighbours: with an outer join instead, SQLite would scan
        # all folded rows for each claim.
        nothing = f"CAST(NULL AS {self.dialect.double})"
        rows = (
            f"SELECT key AS claim, {nothing} AS supports, {nothing} AS contradictions FROM chosen "
            "UNION ALL SELECT claim, supports, contradictions FROM lent"
        )
        folded = f"SELECT claim{folded} FROM ({rows}) AS x GROUP BY claim"
        return (
            f"chosen (key) AS ({chosen}), pairs AS ({pairs(f'({acts}) AS a', strength)}), "
            f"acting AS ({acting}), lent AS ({lends}), folded AS ({folded})"
        )

    def _rows(self) -> str:
        columns = ", ".join(
            f"{write(value, self.dialect)} AS {self.quoted(name)}"
            for name, value in self._row("c", neighbours=True)._asdict().items()
        )
        depth = f"CASE WHEN {self._is_derived('c')} THEN c.depth ELSE 0 END" if self.derived else "0"
        return (
            f"SELECT c.key AS claim_key, {depth} AS claim_depth, {columns} "
            f"FROM folded JOIN claims c ON c.key = folded.claim"
        )

    def _row(self, alias: str, *, neighbours: bool) -> Any:
        """Return the formula's row for one claim, as pieces of SQL."""
        return self.row._make(self._field(name, by, alias, neighbours=neighbours) for name, by in self.folds.items())

    def _field(self, name: str, by: Any, alias: str, *, neighbours: bool) -> Any:
        if isinstance(by, Fold) and by.over != "sources":
            return Expression("sql", f"folded.{self.quoted(name)}") if neighbours else by([])
        if isinstance(by, Fold):
            column = self._columns.get(fold(by, "c", self.dialect))
            return self._of_sources(alias, column, fold(by, "i.c", self.dialect), inferred=neighbours)
        if by.name == "source_types":
            counted = f"CAST(COUNT(DISTINCT i.source_type) AS {self.dialect.double})"
            return self._of_sources(alias, "source_types", counted, inferred=neighbours)
        if by.name == "trust":
            return Expression("sql", f"CAST(:trust AS {self.dialect.double})")
        return Expression("sql", self.half_lives(alias, f"CAST(:now AS {self.dialect.double})"))

    def _of_sources(self, alias: str, column: str | None, aggregate: str, *, inferred: bool) -> Expression:
        """Return a number folded over sources: the cached column if there is one for the present, else a sub-query."""
        all_of_them = f"{alias}.{column}"
        if column is None or self.past:
            all_of_them = f"(SELECT {aggregate} FROM ({self._independent(alias, inferred=False)}) AS i)"
        if not inferred or not self.derived:
            return Expression("sql", all_of_them)
        by_inference = f"(SELECT {aggregate} FROM ({self._independent(alias, inferred=True)}) AS i)"
        return Expression("sql", f"CASE WHEN {self._is_derived(alias)} THEN {by_inference} ELSE {all_of_them} END")

    def _independent(self, alias: str, *, inferred: bool) -> str:
        return independent(
            f"s.claim = {alias}.key",
            self.dialect,
            past=self.past,
            inferred=inferred,
            learned="weights" if self.reads_weights else "",
        )

    def _influence(self, alias: str) -> str:
        return self.influence(self._row(alias, neighbours=False))

    def ceiling(self, alias: str) -> str | None:
        """Write a bound that the lower bound of a claim never exceeds and often equals, from its own columns alone.

        None if there is none: for other formulas than `noisy_or`, in the past, and if there are derived claims.
        """
        return self._bound(alias, 0.0)

    def bottom(self, alias: str, against: str) -> str | None:
        """Write a bound that the lower bound of a claim never falls below, but for rounding; None as for the ceiling.

        `against` is the sum of the strengths of its contradictions: each claim that contradicts it is at most certain.
        """
        return self._bound(alias, Expression("sql", against))

    def _bound(self, alias: str, contradiction: Any) -> str | None:
        if self.derived or self.past or not isinstance(self.formula, NoisyOr):
            return None
        # Without doubt, the upper bound limits nothing; contradicting claims multiply by 1 at most, rounding included.
        row = self._row(alias, neighbours=False)._replace(doubt=0.0, contradiction=contradiction)
        return write(self.formula.formula(row, SYMBOLS).lower, self.dialect)

    def counts(self, alias: str) -> str:
        """Write the condition that a claim influences others."""
        return counts(alias, ":now", self.status(alias))

    def status(self, alias: str) -> str:
        """Write the status of a claim; with `as_of`, its status at that moment."""
        if not self.past:
            return f"{alias}.status"
        return (
            f"(SELECT e.status FROM events e WHERE e.claim = {alias}.key AND e.status IS NOT NULL "
            f"AND e.at <= :as_of ORDER BY e.key DESC LIMIT 1)"
        )

    def sources(self, alias: str) -> str:
        """Write the number of independent sources; with `as_of`, at that moment."""
        if not self.past:
            return f"{alias}.sources"
        return f"(SELECT COUNT(*) FROM ({self._independent(alias, inferred=False)}) AS i)"

    def displayed(self, columns: Iterable[str], alias: str) -> str:
        """Write the columns of a claim; with `as_of`, as they were at that moment."""
        moving = {"sources": self.sources, "status": self.status}
        return ", ".join(
            moving[column](alias) + f" AS {column}" if column in moving else f"{alias}.{column}" for column in columns
        )

    def _recorded(self, alias: str) -> str:
        """Write the condition that a relation exists; with `as_of`, at that moment."""
        if not self.past:
            return f"{alias}.removed_at IS NULL"
        return f"({alias}.recorded_at <= :as_of AND ({alias}.removed_at IS NULL OR {alias}.removed_at > :as_of))"

    def _is_derived(self, alias: str) -> str:
        to_others = f"r.source = {alias}.key AND r.kind = 'derived_from' AND {self._recorded('r')}"
        return f"({alias}.depth > 0 AND EXISTS (SELECT 1 FROM relations r WHERE {to_others}))"

    def _needed(self) -> str:
        """Write the chosen claims and all claims that they were directly or indirectly derived from."""
        return (
            "needed (key) AS (SELECT key FROM chosen_first UNION SELECT r.target FROM needed d "
            f"JOIN relations r ON r.source = d.key AND r.kind = 'derived_from' WHERE {self._recorded('r')})"
        )

    def _foundations(self, depth: int) -> str:
        """Write the rows of the derived model for the claims at one depth."""
        return (
            f"SELECT o.claim_key, o.upper AS assessed_upper, {foundations(self.counts('k'), self.number(0.0))} "
            "FROM own o "
            f"JOIN relations r ON r.source = o.claim_key AND r.kind = 'derived_from' AND {self._recorded('r')} "
            f"JOIN claims k ON k.key = r.target JOIN base_{depth - 1} b ON b.claim_key = k.key "
            f"WHERE o.claim_depth = {depth} GROUP BY o.claim_key, o.upper"
        )


def invalid_now(*, past: bool) -> str:
    """Write the condition that an invalidation `v` holds now; with `past`, that it held at `as_of`."""
    if not past:
        return "v.until IS NULL"
    return "v.since <= :as_of AND (v.until IS NULL OR v.until > :as_of)"


def independent(
    which: str,
    dialect: Dialect,
    *,
    past: bool = False,
    inferred: bool = False,
    all_valid: bool = False,
    learned: Literal["", "weights", "unknown"] = "",
) -> str:
    """Write the independent sources of stored claims: valid ones that contribute, once each.

    `which` is a condition on the sources `s`. With `inferred`, a claim that has sources of type `inference` has only
    these. With `all_valid`, the caller knows that none of the sources was invalidated. With `learned`, each row
    also has the learned numbers of its source: what was learned last, which also holds for the past, or for `unknown`
    those of unknown sources, if the caller knows that nothing was learned.
    """
    conditions = [which, "s.contribution > 0", *(["s.recorded_at <= :as_of"] if past else [])]
    if not all_valid:
        same = f"v.source_type = s.source_type AND v.source_id = s.source_id AND {invalid_now(past=past)}"
        conditions.append(f"NOT EXISTS (SELECT 1 FROM invalidations v WHERE {same})")
    if inferred:
        others = "t.claim = s.claim AND t.source_type = 'inference'"
        others += " AND t.recorded_at <= :as_of" if past else ""
        conditions.append(f"(s.source_type = 'inference' OR NOT EXISTS (SELECT 1 FROM sources t WHERE {others}))")
    contribution = f"{dialect.greatest}(MAX(s.contribution), {dialect.number(TINIEST)})"
    if learned != "weights":
        numbers = {"weight": UNKNOWN_WEIGHT, "variance": UNKNOWN_VARIANCE, "copies": 1.0} if learned else {}
        columns = "".join(f", {dialect.number(value)} AS {name}" for name, value in numbers.items())
        return independent_sources("sources s", conditions, contribution, columns)
    table = "sources s LEFT JOIN source_weights w ON w.source_type = s.source_type AND w.source_id = s.source_id"
    return independent_sources(table, conditions, contribution, learned_columns("w", dialect))
