"""Decisions are found by an index, however many others there are."""

import re
from pathlib import Path
from typing import Any

import pytest

from howsure.store.ledger_tables.decisions import DecisionFilter
from howsure.sure import Sure
from howsure.sure import open as open_store


@pytest.mark.parametrize("wanted", [{"model": "document"}, {"task_id": "t"}, {"trace_id": "t"}, {"agent": "a"}])
def test_decisions_are_found_by_an_index(tmp_path: Path, wanted: dict[str, Any]) -> None:
    where, parameters = DecisionFilter(**wanted).where()
    query = f"EXPLAIN QUERY PLAN SELECT d.key, d.at FROM decisions d {where} ORDER BY d.at DESC, d.key DESC LIMIT 5"
    with open_store(str(tmp_path / "s.db")) as sure, sure.session.database.read() as transaction:
        plan = transaction.rows(query, parameters)
    name = f"decisions_by_{next(iter(wanted)).partition('_')[0]}"
    assert any(re.search(rf"USING (COVERING )?INDEX {name}\b", str(step)) for step in plan), plan


@pytest.mark.parametrize("model", ["response", "investigation"])
def test_decisions_of_every_model_are_found(sure: Sure, model: str) -> None:
    sure.responses.check("It works.", agent="ann", knowledge=0.9)
    begun = sure.investigations.start("Where?", agent="ann")
    begun.record("grep", "x", 2)
    begun.close()
    assert [decision.model for decision in sure.ledger.find(model=model).decisions] == [model]
