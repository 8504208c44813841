"""Looking for records: what is looked for is found by an index, however many others there are."""

from pathlib import Path

import pytest

from howsure.ledger.decision import READ, conditions
from howsure.sure import Sure
from howsure.sure import open as open_store


@pytest.mark.parametrize("wanted", [{"model": "document"}, {"task_id": "t"}, {"trace_id": "t"}, {"agent": "a"}])
def test_records_are_looked_for_by_an_index(tmp_path: Path, wanted: dict[str, str]) -> None:
    condition, parameters = conditions(wanted)
    with open_store(str(tmp_path / "s.db")) as sure, sure.session.database.read() as transaction:
        plan = transaction.rows(f"EXPLAIN QUERY PLAN {READ} {condition} ORDER BY a.at DESC LIMIT 5", parameters)
    assert any(f"USING INDEX decisions_by_{next(iter(wanted)).partition('_')[0]}" in str(step) for step in plan), plan


@pytest.mark.parametrize("model", ["response", "investigation"])
def test_records_of_every_model_are_found(sure: Sure, model: str) -> None:
    sure.responses.check("It works.", agent="ann", knowledge=0.9)
    begun = sure.investigations.start("Where?", agent="ann")
    begun.record("grep", "x", 2)
    begun.close()
    assert [record.model for record in sure.ledger.find(model=model)] == [model]
