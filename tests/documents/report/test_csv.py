"""CSV: a row for each document, safe to open in a spreadsheet."""

import csv as reader
from datetime import date
from io import StringIO

import pytest

from howsure.documents.document import Improvement
from howsure.documents.report.csv import COLUMNS, _cell, to_csv
from tests.documents.factory import HOSTILE, document, hostile, report


def rows(text: str) -> list[dict[str, str]]:
    return list(reader.DictReader(StringIO(text, newline=""), strict=True))


def test_each_document_has_a_row() -> None:
    one = document(
        score=0.1234567,
        months=-0.5,
        action="review",
        due=date(2026, 11, 1),
        gains=(Improvement("validate it", 0.05), Improvement("test it", 0.01)),
        categories=("a", "b"),
        authors=("Ada, of London", 'Bob "B"'),
    )
    other = document("b.md", score=None, months=None, due=None, gains=(), reason="")
    first, second = rows(to_csv(report(one, other, fail_under=0.5)))
    assert first == dict.fromkeys(COLUMNS, "") | {
        "path": "docs/guide.md",
        "kind": "content",
        "score": "0.123457",
        "below_limit": "yes",
        "milestone": "M2",
        "state": "VALIDATE",
        "action": "review",
        "due": "2026-11-01",
        "months": "-0.5",
        "age_from": "git",
        "reason": "M2, 1 of 2 sources confirmed, 7.0 months old",
        "would_raise_it": "validate it (+0.05)",
        "gain": "0.05",
        "sources": "2",
        "confirmed": "1",
        "categories": "a; b",
        "authors": 'Ada, of London; Bob "B"',
        "freshness": "1.0",
        "new": "no",
    }
    assert (second["score"], second["months"], second["due"], second["gain"]) == ("", "", "", "")


def test_columns_stay_where_they_are() -> None:
    assert to_csv(report()) == (
        "path,kind,score,below_limit,milestone,state,action,due,months,age_from,reason,would_raise_it,gain,problems,"
        "header,sources,confirmed,categories,matches,authors,freshness,new,changed_since,gaps,hints\r\n"
    )


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", " =", "\t=", "＝", "＠"])  # noqa: RUF001
def test_a_text_that_would_begin_a_formula_is_marked(start: str) -> None:
    (row,) = rows(to_csv(report(document(f"{start}1+1", reason=f"{start}1"))))
    assert row["path"][0] == row["reason"][0] == "'"
    assert row["path"].replace("'", "") == f"{start}1+1"


@pytest.mark.parametrize("between", [";", "; ", "\n", "\r\n", "\t"])
def test_a_formula_is_marked_where_a_spreadsheet_may_break_the_text(between: str) -> None:
    (row,) = rows(to_csv(report(document(f"a{between}=1"))))
    assert row["path"] == f"a{between.rstrip(' ')}'{' ' * between.count(' ')}=1"


@pytest.mark.parametrize("value", [-0.25, -3, 0.5, "a-b=c@d+e", "2026-11-01", "a,=b"])
def test_numbers_and_other_texts_stay_as_they_are(value: object) -> None:
    assert _cell(value) == value


def test_hostile_texts_stay_in_their_cells() -> None:
    text = to_csv(hostile())
    text.encode()
    found = rows(text)
    assert len(found) == len(HOSTILE)
    assert all(None not in row and None not in row.values() for row in found)
    assert not [value for row in found for value in row.values() if value[:1] in set("=+-@\t\r")]
