"""Score whole tables in SQL: the graph rules as a chain of queries, each reading earlier ones by name.

The chain starts from three views with the columns of `howsure.bulk.tables`: `bulk_claims`, `bulk_sources` and
`bulk_relations`. The engine that runs it decides which results to materialize.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from howsure.formulas.claim import UNKNOWN_VARIANCE, UNKNOWN_WEIGHT, ClaimFormula
from howsure.formulas.derived import DEEPEST, Derived
from howsure.formulas.derived import Row as DerivedRow
from howsure.formulas.folds import Fold
from howsure.formulas.ops import FLOATS
from howsure.graph.sql import (
    GraphSql,
    ReadOptions,
    counts,
    foundations,
    independent_sources,
    kinds_by_ends,
    learned_columns,
    lent,
    pairs,
)
from howsure.sql.dialect import DUCKDB, Dialect
from howsure.sql.expression import Expression
from howsure.sql.statement import steps

SOURCES, AGEING, NEIGHBOURS, INFERENCES = (
    "folding sources",
    "ageing claims",
    "folding neighbours",
    "following inferences",
)
"""What is shown as progress, in this order."""

DERIVATIONS = (
    "SELECT DISTINCT r.source AS claim, r.target AS base FROM bulk_relations r "
    "JOIN bulk_claims a ON a.id = r.source JOIN bulk_claims b ON b.id = r.target WHERE r.kind = 'derived_from'"
)
"""Which claim was derived from which, where both exist."""


class Stage(NamedTuple):
    """One query of the chain."""

    name: str
    query: str
    materialize: bool = True
    """Whether to store the result; otherwise the query becomes a view."""
    shared: bool = False
    """Whether more than one later query reads it."""
    progress: str = ""
    """What is shown while it runs."""


def formula_columns(formula: ClaimFormula) -> tuple[list[str], list[str]]:
    """Return the names of a formula's row fields and of its steps."""
    row = formula.folds()
    neutral = row._make([by([]) if isinstance(by, Fold) else 0.0 for by in row])
    return list(row._fields), list(formula.formula(neutral, FLOATS)._fields)


def derivation_level(depth: int) -> str:
    """Write the claims with a chain of at least `depth` derivations below them; reads the level before."""
    below = f" JOIN bulk_level_{depth - 1} l ON l.claim = d.base" if depth > 1 else ""
    return f"SELECT DISTINCT d.claim AS claim FROM bulk_derivations d{below}"


class TableQueries(GraphSql):
    """Writes the chain of queries for one formula and moment, in one dialect."""

    def __init__(self, options: ReadOptions, dialect: Dialect) -> None:
        """Take how claims are read, and the dialect."""
        super().__init__(options.formula, dialect)
        self.options = options
        self.now: str = self.number(options.now)

    def stages(self, columns: list[str], depth: int) -> Iterator[Stage]:
        """Yield the queries up to `bulk_scored`, which has the wanted columns.

        If there are derived claims (`depth` > 0), `bulk_derivations` and `bulk_level_1` to `bulk_level_<depth>` must
        already exist.
        """
        yield from self.fold_sources()
        yield Stage("bulk_base", self.base(), shared=True, progress=AGEING)
        if self.neighbour_folds():
            yield from self.fold_neighbours()
        if depth:
            yield from self.bound_derived(columns, depth)
        else:
            yield Stage("bulk_scored", self.renamed(self.scored(), columns), materialize=False)

    def fold_sources(self) -> Iterator[Stage]:
        """Yield the queries that fold the sources of each claim into `bulk_folded`."""
        yield Stage("bulk_independent", self.independent("bulk_sources"), materialize=False)
        yield Stage("bulk_folded", self.folded("bulk_independent"), progress=SOURCES)

    def independent(self, table: str) -> str:
        """Write the independent sources of a table, with their learned numbers if the formula reads them."""
        learned = learned_columns("s", self.dialect) if self.reads_weights else ""
        return independent_sources(f"{table} s", learned=learned)

    def folded(self, independent: str) -> str:
        """Write the folds over independent sources, by claim."""
        columns = self.fold_columns(self.source_folds(), {"sources": "c"})
        types = ["COUNT(DISTINCT source_type) AS bulk_types"] if self.counts_types() else []
        counted = _join("claim", "COUNT(c) AS bulk_source_count", *types, *columns)
        return f"SELECT {counted} FROM {independent} GROUP BY claim"

    def counts_types(self) -> bool:
        """Return whether the formula uses the number of source types."""
        return any(getattr(by, "name", "") == "source_types" for by in self.folds.values())

    def base(self) -> str:
        """Write each claim with the folds of its sources, its age, and its influence (NULL if it does not count)."""
        columns = []
        for name, by in self.folds.items():
            value = self._from_sources(name, by)
            if value is None and getattr(by, "name", "") == "half_lives":
                value = self.half_lives("c", self.now)
            if value is not None:
                columns.append(f"{value} AS {self.quoted(name)}")
        known = _join(
            "c.id AS bulk_id",
            "COALESCE(f.bulk_source_count, 0) AS bulk_source_count",
            f"({counts('c', self.now, 'c.status')}) AS bulk_counts",
            *columns,
        )
        inner = f"SELECT {known} FROM bulk_claims c LEFT JOIN bulk_folded f ON f.claim = c.id"
        lends = f"CASE WHEN b.bulk_counts THEN {self.influence(self._alone())} END"
        return f"SELECT b.*, {lends} AS bulk_lends FROM ({inner}) AS b"

    def _from_sources(self, name: str, by: Any) -> str | None:
        """Write a field of the row that comes from folded sources `f`; None for other fields."""
        if isinstance(by, Fold):
            if by.over != "sources":
                return None
            return f"COALESCE(f.{self.quoted(name)}, {self.number(by([]))})"
        if by.name == "source_types":
            return f"COALESCE(CAST(f.bulk_types AS {self.dialect.double}), {self.number(0.0)})"
        return None

    def _alone(self) -> Any:
        """Return the row of a claim `b` without neighbours, as pieces of SQL."""
        values: list[Any] = []
        for name, by in self.folds.items():
            if isinstance(by, Fold) and by.over != "sources":
                values.append(by([]))
            elif getattr(by, "name", "") == "trust":
                values.append(1.0)
            else:
                values.append(Expression("sql", f"b.{self.quoted(name)}"))
        return self.row._make(values)

    def fold_neighbours(self) -> Iterator[Stage]:
        """Yield the queries that fold what neighbours lend into `bulk_lent`."""
        yield Stage("bulk_acts", self.acts(), materialize=False)
        yield Stage("bulk_pairs", pairs("bulk_acts"), materialize=False)
        yield Stage("bulk_lent", self.lent("bulk_pairs"), progress=NEIGHBOURS)

    def acts(self) -> str:
        """Write which claim acts on which, for the kinds of relation that the formula uses."""
        over = {by.over for by in self.neighbour_folds().values()}
        used = {kind for kind, fold in (("supports", "supports"), ("contradicts", "contradictions")) if fold in over}
        return " UNION ALL ".join(
            f"SELECT {end} AS claim, kind, {other} AS neighbour, strength FROM bulk_relations WHERE kind IN ({kinds})"
            for (end, other), kinds in kinds_by_ends(used).items()
        )

    def lent(self, pairs: str) -> str:
        """Write the folds over what neighbours lend, by claim."""
        neighbours = f"{pairs} p JOIN bulk_base n ON n.bulk_id = p.neighbour WHERE n.bulk_lends IS NOT NULL"
        lends = lent("p.strength * n.bulk_lends", neighbours)
        numbers = {"supports": "supports", "contradictions": "contradictions"}
        columns = _join("claim", *self.fold_columns(self.neighbour_folds(), numbers))
        return f"SELECT {columns} FROM ({lends}) AS l GROUP BY claim"

    def rows(self, replaced: str = "") -> str:
        """Write the formula's row of every claim. `replaced` names folds that replace those over all sources."""
        columns = [f"{self._field(name, by, replaced)} AS {self.quoted(name)}" for name, by in self.folds.items()]
        neighbours = " LEFT JOIN bulk_lent l ON l.claim = b.bulk_id" if self.neighbour_folds() else ""
        other = f" LEFT JOIN {replaced} f ON f.claim = b.bulk_id" if replaced else ""
        return f"SELECT {_join('b.bulk_id', 'b.bulk_source_count', *columns)} FROM bulk_base b{neighbours}{other}"

    def _field(self, name: str, by: Any, replaced: str) -> str:
        if isinstance(by, Fold) and by.over != "sources":
            return f"COALESCE(l.{self.quoted(name)}, {self.number(by([]))})"
        if getattr(by, "name", "") == "trust":
            return self.number(self.options.trust)
        own = f"b.{self.quoted(name)}"
        other = self._from_sources(name, by) if replaced else None
        return own if other is None else f"CASE WHEN f.claim IS NULL THEN {own} ELSE {other} END"

    def scored(self, replaced: str = "") -> str:
        """Write every step of every claim, beside its row."""
        keep = ["bulk_id", "bulk_source_count", *self.folds]
        return steps(self.formula, type(self.row), f"({self.rows(replaced)}) AS r", self.dialect, keep=keep)

    def renamed(self, scored: str, columns: list[str]) -> str:
        """Write the wanted columns of scored claims, under the names of the result."""
        listed = ", ".join(f"{self._column(name)} AS {self.quoted(name)}" for name in columns)
        return f"SELECT {listed} FROM ({scored}) AS s"

    def _column(self, name: str) -> str:
        return {"id": "bulk_id", "sources": "bulk_source_count", "depth": "0"}.get(name) or self.quoted(name)

    def bound_derived(self, columns: list[str], deepest: int) -> Iterator[Stage]:
        """Yield the queries that assess derived claims, and bound them depth by depth by their constituents."""
        depths = range(1, deepest + 1)
        levels = " UNION ALL ".join(f"SELECT claim, {n} AS depth FROM bulk_level_{n}" for n in depths)
        deepest_level = f"SELECT claim, MAX(depth) AS depth FROM ({levels}) AS l GROUP BY claim"
        yield Stage("bulk_depths", deepest_level, shared=True, progress=INFERENCES)
        # A derived claim that has sources of type `inference` is assessed by these alone, even if they contribute 0.
        learned = self._learned_inference()
        inferred = (
            "SELECT s.claim AS claim, s.source_type AS source_type, s.source_id AS source_id, "
            f"MAX(CASE WHEN s.contribution > 0 THEN s.contribution END) AS c{learned} FROM bulk_sources s "
            "JOIN bulk_depths d ON d.claim = s.claim WHERE s.source_type = 'inference' "
            "GROUP BY s.claim, s.source_type, s.source_id"
        )
        yield Stage("bulk_inference", inferred, materialize=False)
        names = ("c", "weight", "variance", "copies") if self.reads_weights else ("c",)
        counted = f"SELECT claim, CASE WHEN c IS NOT NULL THEN source_type END AS source_type, {_join(*names)} "
        counted += "FROM bulk_inference"
        yield Stage("bulk_inferred", self.folded(f"({counted}) AS i"), progress=INFERENCES)
        yield Stage("bulk_assessed", self.scored(replaced="bulk_inferred"), shared=True, progress=INFERENCES)
        yield Stage("bulk_bounds_0", _underived(), shared=True, progress=INFERENCES)
        for depth in depths:
            yield Stage(f"bulk_foundations_{depth}", self._foundations(depth), materialize=False)
            derived = steps(Derived(), DerivedRow, f"bulk_foundations_{depth}", self.dialect, keep=["claim"])
            bounded = f"SELECT claim, lower, upper FROM ({derived}) AS d"
            yield Stage(f"bulk_derived_{depth}", bounded, shared=True, progress=INFERENCES)
            below = f"SELECT * FROM bulk_bounds_{depth - 1}"
            union = f"{below} UNION ALL SELECT claim, lower, upper FROM bulk_derived_{depth}"
            yield Stage(f"bulk_bounds_{depth}", union, materialize=False)
        yield Stage("bulk_scored", self._with_bounds(columns, depths), materialize=False)

    def _learned_inference(self) -> str:
        """Write the learned numbers of sources of type `inference`; NULL for one that contributes 0."""
        if not self.reads_weights:
            return ""
        counts = "MAX(CASE WHEN s.contribution > 0 THEN 1 END) IS NOT NULL"
        group = "NULLIF(MAX(s.copy_group), '')"
        within = "PARTITION BY s.claim, MAX(s.copy_group), MAX(CASE WHEN s.contribution > 0 THEN 1 END)"
        columns = {
            "weight": f"COALESCE(MAX(s.weight), {self.number(UNKNOWN_WEIGHT)})",
            "variance": f"COALESCE(MAX(s.variance), {self.number(UNKNOWN_VARIANCE)})",
            "copies": f"CASE WHEN {group} IS NULL THEN {self.number(1.0)} "
            f"ELSE CAST(COUNT(*) OVER ({within}) AS {self.dialect.double}) END",
        }
        return "".join(f", CASE WHEN {counts} THEN {value} END AS {name}" for name, value in columns.items())

    def _foundations(self, depth: int) -> str:
        """Write the rows of the derived model for the claims at one depth."""
        return (
            f"SELECT d.claim AS claim, MAX(a.upper) AS assessed_upper, "
            f"{foundations('n.bulk_counts', self.number(0.0))} FROM bulk_depths p "
            "JOIN bulk_derivations d ON d.claim = p.claim JOIN bulk_assessed a ON a.bulk_id = d.claim "
            f"JOIN bulk_bounds_{depth - 1} b ON b.claim = d.base JOIN bulk_base n ON n.bulk_id = d.base "
            f"WHERE p.depth = {depth} GROUP BY d.claim"
        )

    def _with_bounds(self, columns: list[str], depths: range) -> str:
        """Write the wanted columns, with the bounds of derived claims in place of their assessments."""
        derived = " UNION ALL ".join(f"SELECT claim, lower, upper, {n} AS depth FROM bulk_derived_{n}" for n in depths)
        listed = []
        for name in columns:
            value = f"a.{self._column(name)}"
            if name in ("lower", "upper"):
                value = f"COALESCE(d.{name}, a.{name})"
            elif name == "depth":
                value = "COALESCE(d.depth, 0)"
            listed.append(f"{value} AS {self.quoted(name)}")
        return f"SELECT {', '.join(listed)} FROM bulk_assessed a LEFT JOIN ({derived}) AS d ON d.claim = a.bulk_id"


def statement(formula: ClaimFormula, dialect: Dialect) -> str:
    """Write one query for id, sources, lower and upper of all claims in the tables claims, sources and relations.

    The tables have the columns of `howsure.bulk.tables`, with times in seconds. Claims are aged to the moment at which
    the query runs.
    """
    queries = TableQueries(ReadOptions(formula, now=0.0), dialect)
    queries.now = dialect.now
    parts = {f"bulk_{name}": f"SELECT * FROM {name}" for name in ("claims", "sources", "relations")}
    parts["bulk_derivations"] = DERIVATIONS
    parts |= {f"bulk_level_{depth}": derivation_level(depth) for depth in range(1, DEEPEST + 1)}
    parts |= {stage.name: stage.query for stage in queries.stages(["id", "sources", "lower", "upper"], DEEPEST)}
    listed = ", ".join(f"{name} AS ({query})" for name, query in parts.items() if name != "bulk_scored")
    return f"WITH {listed} {parts['bulk_scored']}"


def _underived() -> str:
    """Write the bounds of constituents that are not derived themselves."""
    return (
        "SELECT a.bulk_id AS claim, a.lower AS lower, a.upper AS upper FROM bulk_assessed a "
        "WHERE a.bulk_id IN (SELECT base FROM bulk_derivations) AND a.bulk_id NOT IN (SELECT claim FROM bulk_depths)"
    )


def _join(*columns: str) -> str:
    return ", ".join(columns)


MOST_TYPES = 63
"""Types of source that fit as bits into one number, beside a bit for the hash."""


class DuckDbTableQueries(TableQueries):
    """The chain for DuckDB, where deduplicating rows would cost more than everything else.

    Nearly always, no two rows of a claim are the same. So each row sets one of 64 bits, chosen by a hash of what
    identifies it: a claim with as many bits as rows has no duplicates. Only the other claims are deduplicated exactly.
    Sources set a bit in a second word, too: of ten million claims with three sources each, 1 % instead of 7 % are left
    for that, and folding them takes 0.4 of 3.7 seconds less. Relations are too few for it to pay.
    """

    def __init__(self, options: ReadOptions, *, types: list[str], many_sources: bool, many_relations: bool) -> None:
        """Take the types of source, and whether claims have so many sources or relations that bits would collide."""
        super().__init__(options, DUCKDB)
        self.types = types
        self.many_sources: bool = many_sources or len(types) > MOST_TYPES
        self.many_relations = many_relations

    def fold_sources(self) -> Iterator[Stage]:
        """Yield the queries that fold the sources of each claim into `bulk_folded`."""
        if self.many_sources:
            yield from super().fold_sources()
            return
        if self.reads_weights:  # copy groups need a window over the rows of each claim anyway
            yield Stage("bulk_independent", self.independent("bulk_sources"), materialize=False)
            yield Stage("bulk_first", self.folded("bulk_independent"), progress=SOURCES)
            yield Stage("bulk_folded", "SELECT * FROM bulk_first", materialize=False)
            return
        types = " ".join(
            f"WHEN '{name.replace(chr(39), chr(39) * 2)}' THEN {1 << bit}::UBIGINT"
            for bit, name in enumerate(self.types)
        )
        kind = f"CASE source_type {types} END | " if types else ""
        # The types share a word with bits of the hash, because each aggregate more makes the table of groups larger.
        width = len(self.types)
        hashed = "SELECT *, HASH(source_type, source_id) AS bulk_hash FROM bulk_sources WHERE contribution > 0"
        spread = (
            f"SELECT claim, contribution AS c, {kind}(1::UBIGINT << ({width} + bulk_hash % {64 - width})) AS bulk_bit, "
            f"1::UBIGINT << ((bulk_hash >> 32) & 63) AS bulk_other_bit FROM ({hashed})"
        )
        yield Stage("bulk_spread", spread, materialize=False)
        folds = self.source_folds()
        counted = []
        if self.counts_types():
            counted = [f"BIT_COUNT(BIT_OR(bulk_bit) & {(1 << width) - 1}::UBIGINT) AS bulk_types"]
        duplicates = f"{_fewer_bits(f'BIT_OR(bulk_bit) >> {width}')} AND {_fewer_bits('BIT_OR(bulk_other_bit)')}"
        columns = [*counted, *self.fold_columns(folds, {"sources": "c"}), f"{duplicates} AS bulk_duplicates"]
        first = f"SELECT {_join('claim', 'COUNT(*) AS bulk_source_count', *columns)} FROM bulk_spread GROUP BY claim"
        yield Stage("bulk_first", first, progress=SOURCES)
        again = "SELECT * FROM bulk_sources WHERE claim IN (SELECT claim FROM bulk_first WHERE bulk_duplicates)"
        yield Stage("bulk_again", self.folded(f"({self.independent(f'({again})')}) AS i"), progress=SOURCES)
        names = ["bulk_source_count", *(["bulk_types"] if self.counts_types() else []), *folds]
        yield Stage("bulk_folded", self._union("bulk_first", "bulk_again", names), materialize=False)

    def fold_neighbours(self) -> Iterator[Stage]:
        """Yield the queries that fold what neighbours lend into `bulk_lent`."""
        if self.many_relations:
            yield from super().fold_neighbours()
            return
        yield Stage("bulk_acts", self.acts(), materialize=False)
        near = (
            "SELECT p.claim AS claim, p.strength * n.bulk_lends AS lent, p.supports AS supports, "
            # A claim that both supports and contradicts another one is rare enough to count as a possible duplicate.
            "1::UBIGINT << (HASH(p.neighbour) & 63) AS bulk_bit FROM "
            # A truth value instead of the name of the kind, since the join copies it.
            "(SELECT claim, neighbour, strength, kind = 'supports' AS supports FROM bulk_acts) p "
            "JOIN bulk_base n ON n.bulk_id = p.neighbour WHERE n.bulk_lends IS NOT NULL"
        )
        yield Stage("bulk_near", near, materialize=False)
        folds = self.neighbour_folds()
        numbers = {
            "supports": "CASE WHEN supports THEN lent END",
            "contradictions": "CASE WHEN NOT supports THEN lent END",
        }
        columns = _join(
            "claim", *self.fold_columns(folds, numbers), f"{_fewer_bits('BIT_OR(bulk_bit)')} AS bulk_duplicates"
        )
        yield Stage("bulk_lent_first", f"SELECT {columns} FROM bulk_near GROUP BY claim", progress=NEIGHBOURS)
        again = "SELECT * FROM bulk_acts WHERE claim IN (SELECT claim FROM bulk_lent_first WHERE bulk_duplicates)"
        yield Stage("bulk_lent_again", self.lent(f"({pairs(f'({again})')})"), progress=NEIGHBOURS)
        yield Stage("bulk_lent", self._union("bulk_lent_first", "bulk_lent_again", list(folds)), materialize=False)

    def _union(self, first: str, again: str, names: list[str]) -> str:
        columns = _join("claim", *map(self.quoted, names))
        return f"SELECT {columns} FROM {first} WHERE NOT bulk_duplicates UNION ALL SELECT {columns} FROM {again}"


def _fewer_bits(bits: str) -> str:
    """Write the condition that fewer bits are set than there are rows."""
    return f"BIT_COUNT({bits}) < COUNT(*)"
