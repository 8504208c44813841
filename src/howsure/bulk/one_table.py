"""A single table in which each row is a claim with its one source."""

from collections.abc import Mapping

from howsure.bulk.columns import Casts, Family
from howsure.bulk.tables import CLAIMS, SCHEMAS
from howsure.errors import InputError, nearest
from howsure.sql.dialect import Dialect

SOURCE_FIELDS = ("source", "source_type", "source_id", "contribution")
"""Fields of the claims that are its source, if there is no table of sources; `source` is written as TYPE:ID."""
UNTYPED, UNNAMED = "source", "row"
"""Type of a source that is written without one, and of the source of a row that names none."""


def fields_of(role: str, *, one_table: bool) -> tuple[str, ...]:
    """Return the fields that a table may have."""
    own = tuple(column.name for column in SCHEMAS[role].columns)
    return (*own, *SOURCE_FIELDS) if role == CLAIMS.name and one_table else own


def check_mapping(mapping: Mapping[str, str]) -> None:
    """Raise InputError if a column is mapped to a field that no table has, or two columns to one field."""
    known = [name for role in SCHEMAS for name in fields_of(role, one_table=True)]
    for field in mapping.values():
        if field not in known:
            hint = nearest(field, known)
            raise InputError(f"unknown field {field!r}", field="mapping", hint=hint)
        if list(mapping.values()).count(field) > 1:
            raise InputError(f"more than one column is mapped to {field}", field="mapping")


def has_sources(families: Mapping[str, Family]) -> bool:
    """Return whether the claims bring their own sources."""
    return "contribution" in families


def source_rows(
    families: Mapping[str, Family], fields: Mapping[str, str], dialect: Dialect, casts: Casts
) -> tuple[str, dict[str, Family]]:
    """Write the sources of the claims in `raw_claims`, a row for each; return the query and its columns.

    A row without a contribution has no source, and needs to name none. The functions are those that DuckDB, PostgreSQL
    and Spark share.
    """

    def column(field: str) -> str:
        return dialect.quoted(fields.get(field, field))

    number = column("contribution")
    if "source_type" in families and "source_id" in families:
        kind, name = (casts.text.format(column(field)) for field in ("source_type", "source_id"))
    elif "source" in families:
        text = casts.text.format(column("source"))
        before = f"LENGTH(SPLIT_PART({text}, ':', 1))"
        typed = f"{before} < LENGTH({text})"
        kind = f"CASE WHEN {typed} THEN SUBSTR({text}, 1, {before}) WHEN {text} IS NOT NULL THEN '{UNTYPED}' END"
        name = f"CASE WHEN {typed} THEN SUBSTR({text}, {before} + 2) ELSE {text} END"
    else:
        kind, name = f"'{UNNAMED}'", casts.text.format(column("id"))
    none = f"CASE WHEN {number} IS NULL THEN '' END"
    columns = {
        "claim": (column("id"), families["id"]),
        "source_type": (f"COALESCE({kind}, {none})", "text"),
        "source_id": (f"COALESCE({name}, {none})", "text"),
        "contribution": (number, families["contribution"]),
    }
    if "created_at" in families:
        columns["recorded_at"] = (column("created_at"), families["created_at"])
    listed = ", ".join(f"{value} AS {dialect.quoted(name)}" for name, (value, _) in columns.items())
    return f"SELECT {listed} FROM raw_claims", {name: family for name, (_, family) in columns.items()}
