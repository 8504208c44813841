"""Details of decisions that have another shape: refused by an import, found by a check, and shown as broken."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.shapes.encode import encode
from howsure.store import check as upkeep
from howsure.store.ledger_tables.decision_detail import BROKEN, find_problem, read_detail
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Run

ODD: list[Any] = [
    5,
    [],
    None,
    {"answer": 5},
    {"answer": []},
    {"answer": None},
    {"row": "x"},
    {"answer": {"files": 5}},
    {"answer": {"files": [5]}},
    {"answer": {"files": [{}]}},
    {"answer": {"files": None}},
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["answer", "row", "files", "score", "documents", "path", "gains"]), inner)
    ),
)


@pytest.fixture
def scan(sure: Sure, tmp_path: Path) -> str:
    """Record a scan and return its id."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A page\n")
    return sure.documents.record(sure.documents.scan(tmp_path / "docs", cache=False))


def _damage(sure: Sure, id_: str, detail: str) -> None:
    with sure.session.write() as transaction:
        transaction.run("UPDATE decisions SET detail = ? WHERE id = ?", [detail, id_])


def test_a_good_detail_is_read_as_it_is(sure: Sure, scan: str) -> None:
    sure.responses.check("It is so.", agent="a", knowledge=0.5)
    assert upkeep.check(sure.session) == []
    assert all(BROKEN not in decision.detail for decision in sure.ledger.find().decisions)
    assert [one.id for one in sure.documents.list_scans().scans] == [scan]


def test_a_broken_record_breaks_no_list(sure: Sure, scan: str) -> None:
    other = sure.responses.check("It is so.", agent="a", knowledge=0.5).id
    good = sure.responses.check("It is so.", agent="b", knowledge=0.5).id
    for odd in ODD:
        for id_ in (scan, other):
            _damage(sure, id_, json.dumps(odd))
        found = {one.id: one for one in sure.ledger.find().decisions}
        assert set(found) == {scan, other, good}
        assert encode(found[scan])["detail"][BROKEN]
        assert sure.documents.list_scans().scans == []
        assert sure.ledger.stats().all.total == 2
        sure.ledger.explain(other)
        problems = upkeep.check(sure.session)
        assert any(problem.startswith(f"decision {scan} is broken: ") for problem in problems)
        assert not any(good in problem for problem in problems)


def test_a_detail_that_is_not_json_breaks_no_list(sure: Sure, scan: str) -> None:
    _damage(sure, scan, "{broken")
    assert sure.ledger.get(scan).detail == {BROKEN: "its detail is not JSON"}
    with sure.session.write() as transaction:
        transaction.run("UPDATE specs SET content = '['")
    assert sure.ledger.get(scan).spec == {}
    assert len(upkeep.check(sure.session)) == 1


def test_a_broken_record_is_not_imported(sure: Sure, scan: str, tmp_path: Path) -> None:
    records = list(sure.claims.export())
    (decision,) = [record["decision"] for record in records if "decision" in record]
    assert decision["id"] == scan
    with open_store(str(tmp_path / "other.db")) as other:
        for odd in ODD:
            decision["detail"] = json.dumps(odd)
            with pytest.raises(InputError, match="detail"):
                other.claims.import_(records)
        assert other.ledger.find().decisions == []


@given(VALUES)
def test_any_detail_is_read(value: Any) -> None:
    for model in ("document", "response", "overall", "investigation"):
        detail = read_detail(model, json.dumps(value, allow_nan=True))
        assert isinstance(detail, dict)
        assert find_problem(model, detail) == ""


def test_the_command_shows_what_is_broken(howsure: Run, tmp_path: Path) -> None:
    address = str(tmp_path / "s.db")
    with open_store(address) as sure:
        id_ = sure.responses.check("It is so.", agent="a", knowledge=0.5).id
        _damage(sure, id_, "5")
    done = howsure("store", "check", "--store", address)
    assert (done.returncode, b"is broken: its detail is not an object" in done.stdout) == (1, True)
    assert b"broken" in howsure("ledger", "list", "--store", address).stdout
    assert howsure("ledger", "show", id_, "--store", address).returncode == 0
