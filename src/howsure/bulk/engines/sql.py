"""What engines that speak SQL have in common: the checks, the three views, and the chain of queries."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, NoReturn

from howsure.bulk.columns import CASTS, Columns, Family
from howsure.bulk.engines.base import Counts, Reading, Taken
from howsure.bulk.inferences import DERIVATIONS, inference_stages, level
from howsure.bulk.inputs import Input
from howsure.bulk.plan import AGEING, Plan, Stage
from howsure.bulk.tables import CLAIMS, TABLES
from howsure.errors import InputError, shown
from howsure.graph.python import DEEPEST
from howsure.progress import Progress, silent
from howsure.sql.dialect import Dialect


class Relational:
    """An engine that speaks SQL. Subclasses bring the database: four short methods."""

    name: ClassVar[str]
    dialect: ClassVar[Dialect]

    def __init__(self) -> None:
        """Start without tables."""
        self.taken: Taken
        self.columns: dict[str, Columns] = {}
        self.counts = Counts()
        self.depth = 0
        """How many inferences rest on each other, at most."""
        self.whole_ids = True
        self.doing: tuple[str, Progress] = ("", silent)
        """What is going on, and whom to tell how far it has come."""

    @abstractmethod
    def take(self, given: Input) -> dict[str, Family]:
        """Make an input readable under the name `raw_` and its role, and return its columns."""

    @abstractmethod
    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query and return all that it gives."""

    @abstractmethod
    def view(self, name: str, query: str) -> None:
        """Give a query a name."""

    @abstractmethod
    def keep(self, name: str, query: str, *, shared: bool = False) -> None:
        """Give a query a name, and keep what it gives; `shared` if it is read more than once."""

    def plan(self, reading: Reading) -> Plan:
        """Return the writer of queries for a reading."""
        return Plan(reading, self.dialect)

    def load(self, taken: Taken) -> Counts:
        """Take the tables in, and check them."""
        self.taken = taken
        for role, given in taken.inputs().items():
            taken.progress(f"reading {given.name}", 0, 0)
            self.columns[role] = Columns(TABLES[role], self.take(given), self.dialect, given.name)
            self.columns[role].check(taken.as_of)
        self.whole_ids = all(columns.whole_ids() for columns in self.columns.values())
        for role in TABLES:
            self.view(f"bulk_{role}", self._normal(role))
        for role, columns in self.columns.items():
            taken.progress(f"checking {columns.name}", 0, 0)
            setattr(self.counts, role, self.check(role, columns))
        self.check_ids()
        self.check_unknown()
        self.check_inferences()
        return self.counts

    def _normal(self, role: str) -> str:
        """Write a table in the one form that plans read; one that is not there is empty."""
        if role in self.columns:
            return self.columns[role].select(f"raw_{role}", whole_ids=self.whole_ids, as_of=self.taken.as_of)
        casts = CASTS[self.dialect.name]
        kinds = {"id": casts.whole if self.whole_ids else casts.text, "unit": casts.number, "moment": casts.number}
        values = [
            f"{kinds.get(column.kind, casts.text).format('NULL')} AS {self.dialect.quoted(column.name)}"
            for column in TABLES[role].columns
        ]
        return f"SELECT {', '.join(values)} WHERE 1 = 0"

    def check(self, role: str, columns: Columns) -> int:
        """Refuse a table with rows that no formula can read, naming the first; return how many rows there are."""
        rules = columns.rules()
        broken = " OR ".join(f"({rule.condition})" for rule in rules) or "1 = 0"
        ((count, wrong),) = self.rows(f"SELECT COUNT(*), SUM(CASE WHEN {broken} THEN 1 ELSE 0 END) FROM raw_{role}")
        for rule in rules if wrong else ():
            ((some,),) = self.rows(f"SELECT COUNT(*) FROM raw_{role} WHERE {rule.condition}")
            if some:
                self._refuse(role, columns, rule.column, rule.problem, rule.condition, int(some))
        return int(count)

    def _refuse(self, role: str, columns: Columns, column: str, problem: str, condition: str, wrong: int) -> None:
        where, value = self.where(role, columns, column, condition)
        others = "" if wrong == 1 else f", and {wrong - 1:,} more" if wrong > 1 else ""
        said = "" if value is None else f"{shown(value)}: "
        raise InputError(f"{columns.name}: {where}{others}: {said}{problem}", field=f"{role}.{column}")

    def where(self, role: str, columns: Columns, column: str, condition: str) -> tuple[str, Any]:
        """Return the place of the first row that meets a condition, in words, and what a column holds there."""
        keys = [c.name for c in columns.table.columns if c.required and c.name in columns.found]
        names = [self.dialect.quoted(name) for name in (column, *keys)]
        (found,) = self.rows(f"SELECT {', '.join(names)} FROM raw_{role} WHERE {condition} LIMIT 1")
        told = ", ".join(f"{key} {shown(value)}" for key, value in zip(keys, found[1:], strict=True))
        return f"the row with {told}", found[0]

    def check_ids(self) -> None:
        """Refuse claims of the same id."""
        columns = self.columns[CLAIMS.name]
        twice = "SELECT id, COUNT(*) FROM bulk_claims GROUP BY id HAVING COUNT(*) > 1"
        self.taken.progress("looking for ids that are there twice", 0, 0)
        found = self.rows(f"SELECT COUNT(*), MIN(id) FROM ({twice}) AS t")[0]
        if found[0]:
            where = self._first(f"bulk_claims WHERE id = {self._literal(found[1])}")
            problem = f"{columns.name}: {where}{shown(found[1])} is the id of more than one claim"
            others = f", and so are {found[0] - 1:,} more" if found[0] > 1 else ""
            raise InputError(problem + others, field="claims.id", hint="each claim has an id of its own")

    def _first(self, _place: str) -> str:
        return ""

    def _literal(self, value: Any) -> str:
        return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"

    def check_unknown(self) -> None:
        """Count evidence and relations that speak of claims which are not there; refuse them if that is wanted."""
        if self.taken.unknown == "ignore":
            return
        for role, ends in (("evidence", ("claim",)), ("relations", ("source", "target"))):
            if role not in self.columns:
                continue
            self.taken.progress(f"looking for unknown claims in {self.columns[role].name}", 0, 0)
            conditions, joins = [], []
            for end in ends:
                joins.append(f"LEFT JOIN bulk_claims {end}_claim ON {end}_claim.id = r.{end}")
                conditions.append(f"{end}_claim.id IS NULL")
            lost = f"FROM bulk_{role} r {' '.join(joins)} WHERE {' OR '.join(conditions)}"
            count = self.rows(f"SELECT COUNT(*) {lost}")[0][0]
            setattr(self.counts, f"unknown_{role}", int(count))
            if count and self.taken.unknown == "refuse":
                names = ", ".join(f"r.{end}, {end}_claim.id" for end in ends)
                found = self.rows(f"SELECT {names} {lost} LIMIT 1")[0]
                name = next(found[n] for n in range(0, len(found), 2) if found[n + 1] is None)
                what = "rows speak" if count > 1 else "row speaks"
                problem = (
                    f"{self.columns[role].name}: {count:,} {what} of claims that are not there, like {shown(name)}"
                )
                raise InputError(problem, field=role, hint="report or ignore them, or add the claims")

    def check_inferences(self) -> None:
        """See whether any claim was derived from others, and refuse chains that are too long or closed."""
        if "relations" not in self.columns:
            return
        if not self.rows("SELECT 1 FROM bulk_relations WHERE kind = 'derived_from' LIMIT 1"):
            return
        self.taken.progress("following inferences", 0, 0)
        self.keep("bulk_derivations", DERIVATIONS, shared=True)
        while deep := self._deeper():
            self.depth += 1
            if self.depth > DEEPEST:
                self.too_deep(deep[0][0])

    def _deeper(self) -> list[tuple[Any, ...]]:
        """Keep the claims that rest on one inference more than the deepest so far; return one, if there is any."""
        self.keep(f"bulk_level_{self.depth + 1}", level(self.depth + 1), shared=True)
        return self.rows(f"SELECT claim FROM bulk_level_{self.depth + 1} ORDER BY claim LIMIT 1")

    def too_deep(self, claim: Any) -> NoReturn:
        """Refuse a claim that rests on too many inferences, or on itself."""
        problem = f"{self.columns['relations'].name}: {shown(claim)} rests on more than {DEEPEST} inferences in a row"
        raise InputError(f"{problem}, or on itself", field="relations", hint=f"at most {DEEPEST}")

    def stages(self, reading: Reading, columns: list[str]) -> Iterator[Stage]:
        """Give every query on the way to `bulk_scored`, which has the chosen columns."""
        plan = self.plan(reading)
        yield from plan.folding()
        yield Stage("bulk_base", plan.base(), shared=True, told=AGEING)
        if plan.of_neighbours():
            yield from plan.lending()
        if self.depth:
            yield from inference_stages(plan, columns, self.depth)
        else:
            yield Stage("bulk_scored", plan.renamed(plan.scored(), columns), kept=False)

    def prepare(self, reading: Reading, columns: list[str], progress: Progress) -> None:
        """Run the chain, so that `bulk_scored` can be read."""
        for stage in self.stages(reading, columns):
            if stage.kept:
                self.doing = (stage.told, progress)
                progress(stage.told, 0, 0)
                self.keep(stage.name, stage.query, shared=stage.shared)
            else:
                self.view(stage.name, stage.query)
