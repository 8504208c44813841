"""Export what a page shows as CSV or JSON: `?export=claims.csv` in its address."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from starlette.responses import Response

from howsure.datafiles import csv_text
from howsure.errors import InputError, nearest
from howsure.serve.pages.templates import HEADERS

FIELD = "export"
"""The parameter of the address."""
FORMATS = ("csv", "json")
MAX_EXPORTED = 1000
"""Rows of an export, however many match."""


class Export(NamedTuple):
    """What to export, and how."""

    name: str
    format: str

    def respond(self, rows: Sequence[Mapping[str, Any]]) -> Response:
        """Return rows as a file to download."""
        is_csv = self.format == "csv"
        content = write_csv(rows) if is_csv else json.dumps(list(rows), ensure_ascii=False, indent=1) + "\n"
        headers = HEADERS | {"Content-Disposition": f'attachment; filename="{self.name}.{self.format}"'}
        return Response(content, headers=headers, media_type="text/csv" if is_csv else "application/json")


def parse_export(text: str, names: Sequence[str]) -> Export | None:
    """Return the export that an address asks for, or None if it asks for none.

    >>> parse_export("claims.csv", ["claims"])
    Export(name='claims', format='csv')

    Raises:
        InputError: if the page has no such export.
    """
    if not text:
        return None
    choices = [f"{name}.{form}" for name in names for form in FORMATS]
    if text not in choices:
        raise InputError(f"unknown export {text!r}", field=FIELD, hint=nearest(text, choices))
    return Export(*text.split("."))


def write_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    r"""Return rows as CSV with a header; lists and objects are left out, since a cell cannot hold them.

    A text that a spreadsheet would run as a formula gets an apostrophe before it.

    >>> write_csv([{"a": "=1+1", "b": -1.5, "c": None, "d": [1]}])
    "a,b,c\r\n'=1+1,-1.5,\r\n"
    """
    columns = [name for name in (rows[0] if rows else ()) if not any(_is_nested(row.get(name)) for row in rows)]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return out.getvalue()


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict | list | tuple)


def _cell(value: Any) -> Any:
    return csv_text(value) if isinstance(value, str) else value
