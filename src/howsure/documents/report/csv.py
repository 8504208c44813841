"""A table: one row for each document, for spreadsheets."""

import re
from csv import writer
from io import StringIO

from howsure.documents.document import Document, Report
from howsure.documents.labels import advice

COLUMNS = (
    "path",
    "kind",
    "score",
    "below_limit",
    "milestone",
    "state",
    "action",
    "due",
    "months",
    "age_from",
    "reason",
    "would_raise_it",
    "gain",
    "problems",
    "header",
    "sources",
    "confirmed",
    "categories",
    "matches",
    "authors",
)
"""What stands in each column. New ones are added at the end."""

_FORMULA = re.compile(r"^(?=[\t\r])|(?:^|(?<=[;\t\r\n]))(?=[ \xa0]*[=+\-@＝＋－＠])")  # noqa: RUF001 - wide signs count too
"""Where a formula could begin: at the start of a cell, or where a spreadsheet may break it in two."""
_BROKEN = re.compile("[\ud800-\udfff]")


def csv(report: Report) -> str:
    """Return a scan as CSV (RFC 4180), its documents in the report's order; what is unknown is left empty.

    No cell is a formula: a text that would begin one gets a `'` before it. Numbers stay numbers, negative ones too.
    """
    text = StringIO()
    rows = writer(text)
    rows.writerow(COLUMNS)
    below = {id(one) for one in report.below}
    for one in report.documents:
        rows.writerow(_cell(value) for value in _values(one, id(one) in below))
    return text.getvalue()


def _values(document: Document, below: bool) -> tuple[object, ...]:
    return (
        document.path,
        document.kind,
        document.score,
        "yes" if below else "no",
        document.milestone,
        document.state,
        document.action,
        document.due,
        document.months,
        document.age_from,
        document.reason,
        advice(document, 1),
        document.gains[0].gain if document.gains else None,
        "; ".join(document.problems),
        document.header,
        document.sources,
        document.confirmed,
        "; ".join(document.categories),
        "; ".join(document.matches),
        "; ".join(document.authors),
    )


def _cell(value: object) -> object:
    r"""Return a value as it may stand in a cell.

    >>> _cell("=1+1"), _cell("a;=1+1"), _cell(-0.25), _cell(None)
    ("'=1+1", "a;'=1+1", -0.25, '')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, int):
        return value
    text = _BROKEN.sub(lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", str(value))
    return _FORMULA.sub("'", text)
