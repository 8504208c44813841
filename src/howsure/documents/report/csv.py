"""Write a scan as CSV, one row for each document."""

import re
from csv import writer
from io import StringIO

from howsure.datafiles import csv_text
from howsure.documents.document import Document, Report
from howsure.documents.labels import format_gains

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
    "freshness",
    "new",
    "changed_since",
    "gaps",
    "hints",
)
"""The columns. New ones are added at the end."""

_SURROGATES = re.compile("[\ud800-\udfff]")


def to_csv(report: Report) -> str:
    """Return a scan as CSV (RFC 4180), documents in the report's order; unknown values are empty.

    No cell is a formula: text that would begin one gets a `'` before it. Numbers stay numbers, also negative ones.
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
        format_gains(document, 1),
        document.gains[0].gain if document.gains else None,
        "; ".join(document.problems),
        document.header,
        document.sources,
        document.confirmed,
        "; ".join(document.categories),
        "; ".join(document.matches),
        "; ".join(document.authors),
        document.freshness,
        "yes" if document.new else "no",
        "; ".join(document.changed_since),
        "; ".join(document.gaps),
        "; ".join(document.hints),
    )


def _cell(value: object) -> object:
    r"""Return a value as the content of a cell.

    >>> _cell("=1+1"), _cell("a;=1+1"), _cell(-0.25), _cell(None)
    ("'=1+1", "a;'=1+1", -0.25, '')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, int):
        return value
    text = _SURROGATES.sub(lambda match: f"\\x{ord(match[0]) & 0xFF:02x}", str(value))
    return csv_text(text)
