"""Scores of every model can be recorded."""

from howsure.sure import Sure


def test_every_model_can_be_recorded(sure: Sure) -> None:
    calls = [{"tool": tool, "target": "Parser", "results": 1} for tool in ("find", "grep", "read")]
    one, score = sure.models.record("investigation", {"steps": calls}, agent="a", trace_id="t")
    record = sure.ledger.get(one)
    assert (record.model, record.score, record.decision, record.met) == (
        "investigation",
        score["score"],
        "proceed",
        True,
    )
    other, _ = sure.models.record("overall", {"results": [{"confidence": 0.9, "content": "yes"}]})
    assert {record.id for record in sure.ledger.find().decisions} == {one, other}
    assert sure.ledger.stats(model="investigation").all.total == 1
    assert sure.ledger.stats().all.total == 0
