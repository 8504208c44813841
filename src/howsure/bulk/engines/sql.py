"""What the SQL engines share: the checks of the tables, and running the chain of queries."""

from abc import abstractmethod
from typing import Any, ClassVar, NoReturn

from howsure.bulk.columns import Casts, Family, TableColumns
from howsure.bulk.engines.base import Counts, Tables
from howsure.bulk.inputs import Input
from howsure.bulk.one_table import fields_of, has_sources, source_rows
from howsure.bulk.tables import CLAIMS, REFERENCES, SCHEMAS
from howsure.errors import InputError, nearest, shown
from howsure.formulas.derived import DEEPEST
from howsure.graph.sql import ReadOptions
from howsure.graph.table_queries import DERIVATIONS, INFERENCES, TableQueries, derivation_level
from howsure.progress import Progress, silent
from howsure.sql.dialect import Dialect

STORED = {"key", "statement_key", "triple_key", "decay_key"}
"""Columns by which the table of claims of a howsure store is recognised. Its sources refer to keys, not to ids."""


class SqlEngine:
    """An engine that runs generated SQL. Subclasses provide the database, in four short methods."""

    name: ClassVar[str]
    dialect: ClassVar[Dialect]
    casts: ClassVar[Casts]

    def __init__(self) -> None:
        """Start without tables."""
        self.tables: Tables
        self.as_of: float | None = None
        self.columns: dict[str, TableColumns] = {}
        self.counts: Counts = Counts()
        self.depth: int = 0
        """Length of the longest chain of derived claims."""
        self.whole_ids: bool = True
        """Whether the ids in all tables are whole numbers; otherwise ids are compared as text."""
        self.current: tuple[str, Progress] = ("", silent)
        """The stage that is running, and where its progress is reported."""

    @abstractmethod
    def register(self, table: Input) -> dict[str, Family]:
        """Make an input readable as `raw_<role>`; return its columns."""

    @abstractmethod
    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query and return all rows."""

    @abstractmethod
    def create_view(self, name: str, query: str) -> None:
        """Create or replace a temporary view."""

    @abstractmethod
    def create_table(self, name: str, query: str, *, shared: bool = False) -> None:
        """Materialize the result of a query under a name; `shared` if more than one later query reads it."""

    def queries(self, options: ReadOptions) -> TableQueries:
        """Return the writer of the chain of queries."""
        return TableQueries(options, self.dialect)

    def load(self, tables: Tables, as_of: float | None = None) -> Counts:
        """Read and check the tables; with `as_of`, only rows that were recorded by then."""
        self.tables, self.as_of = tables, as_of
        mapped: set[str] = set()
        for role, table in tables.inputs().items():
            tables.progress(f"reading {table.name}", 0, 0)
            families = self.register(table)
            if families.keys() >= STORED:
                problem = f"{table.name} is a table of a howsure store"
                raise InputError(problem, field=role, hint="pass the store itself, without ::TABLE")
            possible = fields_of(role, one_table=tables.sources is None)
            fields = {f: c for c, f in tables.mapping.items() if c in families and f in possible}
            mapped |= fields.keys()
            self.columns[role] = TableColumns(
                SCHEMAS[role], families, self.dialect, self.casts, table.name, fields=fields
            )
            self.columns[role].check(as_of)
        self._check_names(mapped)
        self._read_one_table(as_of)
        self.whole_ids = all(columns.whole_ids() for columns in self.columns.values())
        for role in SCHEMAS:
            self.create_view(f"bulk_{role}", self._converted(role))
        if self.joins_claims:
            self.create_view("bulk_kept", self._kept())
        for role, columns in self.columns.items():
            tables.progress(f"checking {columns.name}", 0, 0)
            setattr(self.counts, role, self.check_rows(role, columns))
        self.check_ids()
        self.check_unknown()
        self.check_derivations()
        self.counts.without_sources = not self._any_source()
        return self.counts

    def _check_names(self, mapped: set[str]) -> None:
        """Raise InputError if a column that is to be mapped or kept does not exist; note the columns without a use."""
        for column, field in self.tables.mapping.items():
            if field not in mapped:
                has = ", ".join(f"{columns.name} has {', '.join(columns.own)}" for columns in self.columns.values())
                raise InputError(f"no table has a column {column} for {field}", field="mapping", hint=has)
        claims = self.columns[CLAIMS.name]
        for name in self.tables.keep:
            if name not in claims.own:
                problem = f"{claims.name} has no column {name}"
                raise InputError(problem, field="keep", hint=nearest(name, claims.own))
        for role, columns in self.columns.items():
            if not self.tables.inputs()[role].of_store:
                used = {*self.tables.keep} if role == CLAIMS.name else set()
                fields = fields_of(role, one_table=self.tables.sources is None and has_sources(columns.families))
                used |= {columns.fields.get(field, field) for field in fields}
                if unused := tuple(name for name in columns.own if name not in used):
                    self.counts.unused[role] = unused

    def _read_one_table(self, as_of: float | None) -> None:
        """Read the sources from the table of claims, if it has them and there is no table of sources."""
        claims = self.columns[CLAIMS.name]
        if self.tables.sources is None and has_sources(claims.families):
            query, families = source_rows(claims.families, claims.fields, self.dialect, self.casts)
            self.create_view("raw_sources", query)
            sources = TableColumns(SCHEMAS["sources"], families, self.dialect, self.casts, claims.name)
            sources.check(as_of)
            self.columns = {CLAIMS.name: claims, "sources": sources, **self.columns}

    def _any_source(self) -> bool:
        """Return whether any claim has a source that contributes."""
        known = self.counts.sources - (self.counts.unknown_sources or 0)
        if "sources" not in self.columns or known <= 0:
            return False
        return bool(self.fetch("SELECT 1 FROM bulk_sources WHERE contribution > 0 LIMIT 1"))

    @property
    def joins_claims(self) -> bool:
        """Whether the result needs more of the claims than their scores."""
        return bool(self.tables.keep or self.tables.hidden)

    def _kept(self) -> str:
        """Write the columns of the claims that are copied to the result, for the claims that are in it."""
        claims = self.columns[CLAIMS.name]
        values = {column.name: claims.value(column, whole_ids=self.whole_ids) for column in CLAIMS.columns}
        copied = (f"{self.kept_value(n, claims.own[n])} AS {self.dialect.quoted(n)}" for n in self.tables.keep)
        listed = [f"{values['id']} AS bulk_key", *copied]
        hidden = ", ".join(f"'{status}'" for status in self.tables.hidden)
        shown = f" WHERE {values['status']} NOT IN ({hidden})" if hidden else ""
        return f"SELECT {', '.join(listed)} FROM raw_claims{shown}"

    def kept_value(self, name: str, family: Family) -> str:  # noqa: ARG002 - for other engines
        """Write a column that is copied to the result."""
        return self.dialect.quoted(name)

    def computed(self, columns: list[str]) -> list[str]:
        """Return those columns of the result that are not copied from the claims, and what the result needs to join."""
        names = [name for name in columns if name not in self.tables.keep]
        return names if "id" in names or not self.joins_claims else ["id", *names]

    def result(self, columns: list[str], scored: str = "bulk_scored") -> str:
        """Write the columns of the result: those of scored claims `s`, and those that are copied from the claims."""
        listed = ", ".join(
            f"{'k' if name in self.tables.keep else 's'}.{self.dialect.quoted(name)}" for name in columns
        )
        joined = " JOIN bulk_kept k ON k.bulk_key = s.id" if self.joins_claims else ""
        return f"SELECT {listed} FROM {scored} s{joined}"

    def _converted(self, role: str) -> str:
        """Write a table with all columns of its schema; one without rows if it was not given."""
        if role in self.columns:
            return self.columns[role].select(f"raw_{role}", whole_ids=self.whole_ids, as_of=self.as_of)
        casts = self.casts
        kinds = dict.fromkeys(("unit", "number", "moment"), casts.number)
        kinds["id"] = casts.whole if self.whole_ids else casts.text
        values = [
            f"{kinds.get(column.kind, casts.text).format('NULL')} AS {self.dialect.quoted(column.name)}"
            for column in SCHEMAS[role].columns
        ]
        return f"SELECT {', '.join(values)} WHERE 1 = 0"

    def check_rows(self, role: str, columns: TableColumns) -> int:
        """Return the number of rows of a table; raise InputError, naming the first, if a row breaks a rule."""
        rules = columns.rules()
        broken = " OR ".join(f"({rule.condition})" for rule in rules) or "1 = 0"
        # One pass for all rules; only a table that breaks one is read again, rule by rule.
        ((count, wrong),) = self.fetch(f"SELECT COUNT(*), SUM(CASE WHEN {broken} THEN 1 ELSE 0 END) FROM raw_{role}")
        for rule in rules if wrong else ():
            ((some,),) = self.fetch(f"SELECT COUNT(*) FROM raw_{role} WHERE {rule.condition}")
            if some:
                row, value = self.locate(role, columns, rule.column, rule.condition)
                others = f", and {some - 1:,} more" if some > 1 else ""
                cell = "" if value is None else f"{shown(value)}: "
                problem = f"{columns.name}: {row}{others}: {cell}{rule.problem}"
                raise InputError(problem, field=f"{role}.{rule.column}")
        return int(count)

    def locate(self, role: str, columns: TableColumns, column: str, condition: str) -> tuple[str, Any]:
        """Return a description of the first row that meets a condition, and its value of a column."""
        keys = [key.name for key in columns.schema.columns if key.required and key.name in columns.families]
        names = [self.dialect.quoted(column), *(columns.quoted(key) for key in keys)]
        (row,) = self.fetch(f"SELECT {', '.join(names)} FROM raw_{role} WHERE {condition} LIMIT 1")
        described = ", ".join(f"{key} {shown(value)}" for key, value in zip(keys, row[1:], strict=True))
        return f"the row with {described}", row[0]

    def check_ids(self) -> None:
        """Raise InputError if two claims have the same id."""
        self.tables.progress("checking that ids are unique", 0, 0)
        twice = "SELECT id, COUNT(*) FROM bulk_claims GROUP BY id HAVING COUNT(*) > 1"
        count, first = self.fetch(f"SELECT COUNT(*), MIN(id) FROM ({twice}) AS t")[0]
        if count:
            problem = f"{self.columns[CLAIMS.name].name}: {shown(first)} is the id of more than one claim"
            others = f" (and {count - 1:,} more)" if count > 1 else ""
            raise InputError(problem + others, field="claims.id", hint="ids must be unique")

    def check_unknown(self) -> None:
        """Count the rows that refer to unknown claims; with `unknown="refuse"`, raise InputError if there are any."""
        if self.tables.unknown == "ignore":
            return
        for role, ends in REFERENCES.items():
            if role not in self.columns:
                continue
            self.tables.progress(f"looking for unknown claims in {self.columns[role].name}", 0, 0)
            conditions, joins = [], []
            for end in ends:
                joins.append(f"LEFT JOIN bulk_claims {end}_claim ON {end}_claim.id = r.{end}")
                conditions.append(f"{end}_claim.id IS NULL")
            unknown = f"FROM bulk_{role} r {' '.join(joins)} WHERE {' OR '.join(conditions)}"
            count = int(self.fetch(f"SELECT COUNT(*) {unknown}")[0][0])
            setattr(self.counts, f"unknown_{role}", count)
            if count and self.tables.unknown == "refuse":
                names = ", ".join(f"r.{end}, {end}_claim.id" for end in ends)
                row = self.fetch(f"SELECT {names} {unknown} LIMIT 1")[0]
                name = next(row[n] for n in range(0, len(row), 2) if row[n + 1] is None)
                rows = "1 row refers" if count == 1 else f"{count:,} rows refer"
                problem = f"{self.columns[role].name}: {rows} to unknown claims, such as {shown(name)}"
                raise InputError(problem, field=role, hint="add the claims, or report or ignore such rows")

    def check_derivations(self) -> None:
        """Find derived claims; raise InputError if a chain of them is too long or closed."""
        if "relations" not in self.columns:
            return
        if not self.fetch("SELECT 1 FROM bulk_relations WHERE kind = 'derived_from' LIMIT 1"):
            return
        self.tables.progress(INFERENCES, 0, 0)
        self.create_table("bulk_derivations", DERIVATIONS, shared=True)
        while deeper := self._next_level():
            self.depth += 1
            if self.depth > DEEPEST:
                self.too_deep(deeper[0][0])

    def _next_level(self) -> list[tuple[Any, ...]]:
        """Materialize the claims that are one level deeper than the deepest so far; return one, if there are any."""
        level = f"bulk_level_{self.depth + 1}"
        self.create_table(level, derivation_level(self.depth + 1), shared=True)
        return self.fetch(f"SELECT claim FROM {level} ORDER BY claim LIMIT 1")

    def too_deep(self, claim: Any) -> NoReturn:
        """Raise the error that a claim is derived through too many others, or from itself."""
        problem = f"{self.columns['relations'].name}: {shown(claim)} rests on more than {DEEPEST} inferences in a row"
        raise InputError(f"{problem}, or on itself", field="relations", hint=f"at most {DEEPEST}")

    def prepare(self, options: ReadOptions, columns: list[str], progress: Progress) -> None:
        """Run the chain of queries, so that `bulk_scored` can be read."""
        for stage in self.queries(options).stages(columns, self.depth):
            if stage.materialize:
                self.current = (stage.progress, progress)
                progress(stage.progress, 0, 0)
                self.create_table(stage.name, stage.query, shared=stage.shared)
            else:
                self.create_view(stage.name, stage.query)


def describe_run(options: ReadOptions) -> dict[str, Any]:
    """Return what is stored with a result, so that it can be computed again."""
    return {"spec": options.formula.spec._asdict(), "now": options.now, "trust": options.trust}
