"""Estimate the reliability of sources for closed values in DuckDB or Spark, for votes that do not fit into memory.

The models and numbers are those of `howsure.fusion.closed_values.fit_closed`. What has a row for each answer or item
stays in the database: each round is an aggregation over sources, and one over items. The tables of sources, with a
number for each truth and value, are computed in memory by the same functions. Posteriors have a column for each value.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from howsure.arrays import np
from howsure.bulk.vote_tables import Database, FusedTables, bound_values
from howsure.bulk.vote_tables import write_number as _number
from howsure.formulas.claim import PRIOR_RIGHTS, PRIOR_WRONGS
from howsure.fusion import closed_values as models
from howsure.fusion import damping
from howsure.fusion.closed_values import CLEARNESS, SUBTYPES, ClosedModel
from howsure.fusion.damping import OTHERS, LeftOut
from howsure.fusion.intervals import bound_reliability
from howsure.fusion.source_fit import NEGLIGIBLE
from howsure.fusion.special import trigamma
from howsure.progress import Progress

if TYPE_CHECKING:
    from howsure.arrays import Floats

_CODED = """SELECT item, s, v, w FROM answers JOIN source_codes USING (source) JOIN value_codes USING (value)"""
# Ranks follow the order that leave_out has in memory: by item, source, value.
_LEFT_OUT = """SELECT a.place, b.rank - a.rank AS distance, a.n, a.cell, b.cell
    FROM (SELECT *, before + rank AS place FROM ranked WHERE n > 1 AND MOD(before + rank, {stride}) = 0) AS a
    JOIN ranked AS b ON b.item = a.item AND MOD(b.rank - a.rank + a.n, a.n) <= {others}
    ORDER BY a.place"""
_RANKED = """SELECT item, s * {size} + v AS cell, n, before,
        ROW_NUMBER() OVER (PARTITION BY item ORDER BY s, v) - 1 AS rank
    FROM coded JOIN (SELECT item, n, SUM(CASE WHEN n > 1 THEN n ELSE 0 END) OVER (ORDER BY item)
                            - CASE WHEN n > 1 THEN n ELSE 0 END AS before FROM votes) AS places USING (item)"""


def learn_closed(database: Database, progress: Progress) -> FusedTables:
    """Learn closed values from the table `answers`."""
    return _ClosedVoteTables(database, progress).learn()


class _ClosedVoteTables:
    """The tables of one run."""

    def __init__(self, database: Database, progress: Progress) -> None:
        self.database = database
        self.progress = progress
        self.sources = self._number("source", "s")
        self.values = self._number("value", "v")
        self.size = len(self.values)
        database.create("coded", _CODED)
        of_values = ", ".join(f"SUM(CASE WHEN v = {v} THEN w ELSE 0 END) AS n{v}" for v in range(self.size))
        database.create("votes", f"SELECT item, COUNT(*) AS n, SUM(w) AS total, {of_values} FROM coded GROUP BY item")
        shares = ", ".join(f"n{v} / total AS q{v}" for v in range(self.size))
        database.create("start", f"SELECT item, {shares} FROM votes")
        self.items = int(database.rows("SELECT COUNT(*) FROM votes")[0][0])
        self.share = 0.0
        totals = np.array(self._one(f"SELECT {_each('SUM(n{})', self.size)} FROM votes"))
        self.vote_share: Floats = totals / totals.sum()

    def _number(self, name: str, code: str) -> list[Any]:
        """Number the sources or values in their order, as in memory."""
        import pyarrow as pa

        column = self.database.table(f"SELECT DISTINCT {name} FROM answers").column(name)
        labels = sorted(column.to_pylist())
        numbers = pa.array(np.arange(len(labels)))
        self.database.put(f"{name}_codes", pa.table({name: pa.array(labels, column.type), code: numbers}))
        return labels

    def _one(self, query: str) -> list[float]:
        return [float(cell) for cell in self.database.rows(query)[0]]

    def learn(self) -> FusedTables:
        """Learn all models, and combine and damp them."""
        database, size = self.database, self.size
        names = models.model_names(len(self.sources), size)
        learned: list[ClosedModel] = []
        self.share = models.alike_share(self.items)
        if self.share:
            self._learn_model("alike")
        for place, name in enumerate(names):
            self.progress(f"learning whom to believe: {name}", place, len(names))
            if name == "sub":
                self._combine(names[:place], "combined")
            learned.append(self._learn_subtypes() if name == "sub" else self._learn_model(name))
        self._combine(names, "undamped")
        means = np.array(self._one(f"SELECT {_each('AVG(q{})', size)} FROM undamped"))
        log_prior = models.class_prior(means, self.vote_share)
        factor = damping.find_evidence_factor(self._leave_out(), learned, log_prior)
        self._put_by_source("information", told=damping.relative_information(learned, log_prior))
        database.create(
            "damped",
            f"""SELECT item, 1 / (1 + GREATEST(SUM(w * told) - 1, 0) / {_number(factor)}) AS damping
                FROM coded JOIN information USING (s) GROUP BY item""",
        )
        logs = _each("LN(GREATEST(q{0}, 1e-300)) * damping AS x{0}", size)
        inner = f"SELECT item, damping, {logs} FROM undamped JOIN damped USING (item)"
        database.create("posterior", _normalize(inner, size, "damping, "))
        self.progress("learning whom to believe", len(names), len(names))
        return self._describe(max(model.rounds for model in learned))

    def _learn_model(self, name: str) -> ClosedModel:
        """Learn the model coin, class, full or alike from the shares of votes."""
        size, before = self.size, "start"
        prior = models.first_prior(name, size)
        table, rounds = np.zeros((len(self.sources), size, size)), 0
        for _ in range(models.ROUNDS):
            rounds += 1
            table, prior = models.learn_chances(name, self._count(before, size), prior)
            means = np.array(self._one(f"SELECT {_each('AVG(q{})', size)} FROM {before}"))
            after = f"{name}_{rounds % 2}"
            self._add_up(table, models.truth_prior(name, means, self.vote_share), after)
            change = self._change(before, after, [f"q{v}" for v in range(size)])
            if before != "start":
                self.database.drop(before)
            before = after
            if change < models.CONVERGED:
                break
        self._keep(before, f"model_{name}")
        return ClosedModel(name, np.zeros((size, 0)), table, rounds)

    def _learn_subtypes(self) -> ClosedModel:
        """Learn the model sub from the median of the others."""
        size, states, prior = self.size, self.size * SUBTYPES, models.subtype_prior(self.size)
        columns = []
        for v in range(size):
            clear = [f"(EXP(-POWER((s{v} - {_number(one)}) / {_number(0.2)}, 2)) + 1e-3)" for one in CLEARNESS]
            columns += [f"q{v} * {one} / ({' + '.join(clear)}) AS q{v * SUBTYPES + k}" for k, one in enumerate(clear)]
        shares = f"SELECT item, {_each('q{0} AS s{0}', size)} FROM start"
        before = "sub_0"
        query = f"SELECT item, {', '.join(columns)} FROM combined JOIN ({shares}) AS shares USING (item)"
        self.database.create(before, query)
        wholes = [" + ".join(f"{{}}q{v * SUBTYPES + k}" for k in range(SUBTYPES)) for v in range(size)]
        table, rounds = np.zeros((len(self.sources), states, size)), 0
        for _ in range(models.ROUNDS):
            rounds += 1
            table = models.subtype_chances(self._count(before, states), prior)
            sums = np.array(self._one(f"SELECT {_each('SUM(q{})', states)} FROM {before}"))
            means = sums.reshape(size, SUBTYPES).sum(axis=1) / self.items
            after = f"sub_{rounds % 2}"
            self._add_up(table, models.subtype_logs(sums, models.class_prior(means, self.vote_share)), after)
            change = self._change(before, after, wholes)
            self.database.drop(before)
            before = after
            if change < models.CONVERGED:
                break
        whole = ", ".join(f"{one.replace('{}', '')} AS q{v}" for v, one in enumerate(wholes))
        self.database.create("model_sub", f"SELECT item, {whole} FROM {before}")
        self.database.drop(before)
        return ClosedModel("sub", np.zeros((size, 0)), table, rounds)

    def _count(self, posterior: str, states: int) -> "Floats":
        """Return the expected number of answers by source, truth and value."""
        sums = _each("SUM(w * q{0}) AS q{0}", states)
        query = f"SELECT s, v, {sums} FROM coded JOIN {posterior} USING (item) GROUP BY s, v"
        rows = np.array(self.database.rows(query), dtype=np.float64)
        counts = np.zeros((len(self.sources), states, self.size))
        counts[rows[:, 0].astype(np.int64), :, rows[:, 1].astype(np.int64)] = rows[:, 2:]
        return counts

    def _add_up(self, table: "Floats", logs: "Floats", name: str) -> None:
        """Create the posterior that log-chances by source, truth and value imply."""
        import pyarrow as pa

        states = len(logs)
        s, v = (part.ravel() for part in np.indices((len(self.sources), self.size)))
        cells = {f"l{state}": table[:, state, :].ravel() for state in range(states)}
        self.database.put("logs", pa.table({"s": s, "v": v} | cells))
        sums = ", ".join(f"SUM(w * l{state}) + {_number(logs[state])} AS x{state}" for state in range(states))
        inner = f"SELECT item, {sums} FROM coded JOIN logs USING (s, v) GROUP BY item"
        self.database.create(name, _normalize(inner, states))

    def _change(self, before: str, after: str, columns: Sequence[str]) -> float:
        """Return the mean change between two posteriors; columns may be sums, with {} before each name."""
        both = [(one.replace("{}", "a."), one.replace("{}", "b.")) for one in columns]
        both = [(a, b) if "." in a else (f"a.{a}", f"b.{b}") for a, b in both]
        terms = " + ".join(f"ABS(({a}) - ({b}))" for a, b in both)
        query = f"SELECT AVG(({terms}) / {self.size}) FROM {after} AS a JOIN {before} AS b ON a.item = b.item"
        return self._one(query)[0]

    def _keep(self, table: str, name: str) -> None:
        self.database.create(name, f"SELECT * FROM {table}")
        self.database.drop(table)

    def _combine(self, names: Sequence[str], out: str) -> None:
        """Create the median of posteriors, normalized; that with *alike* has a share in it."""
        if not self.share:
            self._create_median(names, out)
            return
        self._create_median(names, "plain_median")
        self._create_median([*names, "alike"], "alike_median")
        mixed = _each(f"{_number(1.0 - self.share)} * a.q{{0}} + {_number(self.share)} * b.q{{0}} AS q{{0}}", self.size)
        self.database.create(
            out, f"SELECT a.item, {mixed} FROM plain_median AS a JOIN alike_median AS b ON b.item = a.item"
        )
        self.database.drop("plain_median")
        self.database.drop("alike_median")

    def _create_median(self, names: Sequence[str], out: str) -> None:
        tables = [f"model_{name}" for name in names]
        joined = tables[0] + "".join(f" JOIN {table} ON {table}.item = {tables[0]}.item" for table in tables[1:])
        middles = ", ".join(f"{_median([f'{table}.q{v}' for table in tables])} AS x{v}" for v in range(self.size))
        total = " + ".join(f"x{v}" for v in range(self.size))
        shares = ", ".join(f"x{v} / GREATEST({total}, 1e-300) AS q{v}" for v in range(self.size))
        query = f"SELECT item, {shares} FROM (SELECT {tables[0]}.item AS item, {middles} FROM {joined}) AS middles"
        self.database.create(out, query)

    def _leave_out(self) -> LeftOut:
        """Choose the answers that `leave_out` chooses in memory, and fetch them with others of their items."""
        left = int(self._one("SELECT SUM(CASE WHEN n > 1 THEN n ELSE 0 END) FROM votes")[0])
        stride = max(1, left // damping.LEFT_OUT)
        self.database.create("ranked", _RANKED.format(size=self.size))
        rows = np.array(self.database.rows(_LEFT_OUT.format(stride=stride, others=OTHERS)), dtype=np.int64)
        self.database.drop("ranked")
        if not len(rows):
            empty = np.zeros(0, dtype=np.int64)
            return LeftOut(empty, np.zeros((OTHERS, 0), dtype=np.int64), np.zeros((OTHERS, 0)), np.zeros(0))
        _, first, column = np.unique(rows[:, 0], return_index=True, return_inverse=True)
        steps = rows[:, 1] % rows[:, 2]
        others = np.zeros((OTHERS + 1, len(first)), dtype=np.int64)
        shares = np.zeros((OTHERS + 1, len(first)))
        others[steps, column], shares[steps, column] = rows[:, 4], 1.0
        return LeftOut(rows[first, 3], others[1:], shares[1:], np.ones(len(first)))

    def _put_by_source(self, name: str, **columns: "Floats") -> None:
        import pyarrow as pa

        self.database.put(name, pa.table({"s": np.arange(len(self.sources))} | columns))

    def _describe(self, rounds: int) -> FusedTables:
        """Return values and sources with their intervals."""
        import pyarrow as pa

        size = self.size
        shown = "CASE v " + " ".join(f"WHEN {v} THEN q{v}" for v in range(size)) + " END"
        given = "CASE v " + " ".join(f"WHEN {v} THEN n{v}" for v in range(size)) + " END"
        query = f"""SELECT s, SUM(w * q), SUM(w), SUM(w * q * (1 - q))
            FROM (SELECT s, w, {shown} AS q FROM coded JOIN posterior USING (item)) AS answered GROUP BY s ORDER BY s"""
        _, correct, numbers, doubt = np.array(self.database.rows(query), dtype=np.float64).T
        right, wrong = correct + PRIOR_RIGHTS, np.maximum(numbers - correct, 0.0) + PRIOR_WRONGS
        self._put_by_source("spreads", variance=trigamma(right) + trigamma(wrong))
        self.database.create(
            "of_items",
            "SELECT item, SUM(variance * w * w) AS variance FROM coded JOIN spreads USING (s) GROUP BY item",
        )
        chances = f"""SELECT item, value, {shown} AS q, damping * damping * variance AS variance
            FROM posterior JOIN votes USING (item) JOIN of_items USING (item) CROSS JOIN value_codes
            WHERE {shown} > {_number(NEGLIGIBLE)} OR {given} > 0"""
        reliability = right / (right + wrong)
        lower, upper = bound_reliability(right, wrong, doubt)
        columns = {
            "source": self.sources,
            "reliability": reliability,
            "lower": np.minimum(lower, reliability),
            "upper": np.maximum(upper, reliability),
        }
        return FusedTables(self.database.table(bound_values(chances)), pa.table(columns), rounds)


def _each(pattern: str, size: int) -> str:
    """Return a list of expressions, one for each number."""
    return ", ".join(pattern.format(number) for number in range(size))


def _normalize(logs: str, states: int, also: str = "") -> str:
    """Return the query of probabilities q0, q1, ... of logarithms x0, x1, ..."""
    top = f"GREATEST({_each('x{}', states)}, x0)"
    powers = _each("EXP(x{0} - top) AS e{0}", states)
    total = " + ".join(f"e{state}" for state in range(states))
    return f"""SELECT item, {also}{_each("e{0} / total AS q{0}", states)}
        FROM (SELECT *, {total} AS total
              FROM (SELECT item, {also}{powers} FROM (SELECT *, {top} AS top FROM ({logs}) AS logs) AS tops) AS powers
             ) AS totals"""


def _median(columns: Iterable[str]) -> str:
    """Return SQL of the median of one to five numbers."""
    listed = list(columns)
    if len(listed) == 5:  # noqa: PLR2004 - neither the two lowest nor the two highest of four
        a, b, c, d, e = listed
        lower = f"GREATEST(LEAST({a}, {b}), LEAST({c}, {d}))"
        upper = f"LEAST(GREATEST({a}, {b}), GREATEST({c}, {d}))"
        return f"GREATEST(LEAST({lower}, {upper}), LEAST(GREATEST({lower}, {upper}), {e}))"
    total = " + ".join(listed)
    if len(listed) < 3:  # noqa: PLR2004
        return f"({total}) / {len(listed)}"
    rest = f"{total} - GREATEST({', '.join(listed)}) - LEAST({', '.join(listed)})"
    return f"({rest})" if len(listed) == 3 else f"({rest}) / 2"  # noqa: PLR2004
