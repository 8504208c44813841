"""A column of texts: the same numbers as one text at a time."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from howsure.bulk import api as bulk
from howsure.errors import InputError
from howsure.formulas.document import Document
from howsure.formulas.patterns import Patterns
from howsure.formulas.scoring import build
from howsure.settings import current
from howsure.sure import open as open_store
from howsure.text.grounding.ground import ground

TEXTS = [
    "It is definitely tested.",
    "I think it might be",
    "",
    "# Head\n- item\n```code```",
    "sources: evidence: verified",
]
ROWS = [{"id": n, "text": text} for n, text in enumerate(TEXTS * 3)]


@pytest.mark.parametrize(
    ("model", "field"),
    [("evidence", "response"), ("response", "response"), ("subresult", "content"), ("patterns", "text")],
)
def test_texts_score_as_they_do_one_by_one(model: str, field: str) -> None:
    found = bulk.texts(ROWS, model).table.to_pylist()
    for row, scored in zip(ROWS, found, strict=True):
        steps = build(model).score({field: row["text"]}).steps._asdict()
        assert {name: pytest.approx(value, abs=1e-12) for name, value in steps.items()} | {"id": row["id"]} == scored


def test_documents_are_scanned_for_patterns() -> None:
    rows = [row | {"milestone": "M2"} for row in ROWS]
    for row, scored in zip(
        rows, bulk.texts(rows, "document", columns=["score", "boost"]).table.to_pylist(), strict=True
    ):
        steps = Patterns().score({"text": row["text"]}).steps
        case = {"milestone": "M2", "pattern_boost": steps.boost, "pattern_bonus": steps.bonus}
        assert scored["score"] == pytest.approx(Document().score(case).steps.score, abs=1e-12)
        assert scored["boost"] == pytest.approx(steps.boost)


def test_other_columns_are_used_by_their_names() -> None:
    rows = [
        {"id": 1, "answer": "It is tested.", "agent_type": "planner", "knowledge_base": 0.9, "similarities": None},
        {"id": 2, "answer": None, "agent_type": "clerk", "knowledge_base": None, "similarities": [0.8, 0.9]},
    ]
    found = bulk.texts(
        rows, "response", column="answer", columns=["needed", "knowledge_base", "certainty_counts"]
    ).table
    assert found.to_pylist() == [
        {"id": 1, "needed": 0.75, "knowledge_base": 0.9, "certainty_counts": 1.0},
        {"id": 2, "needed": 0.7, "knowledge_base": 1.0, "certainty_counts": 0.0},
    ]


def test_cells_of_csv_are_read_as_what_the_model_needs(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text('id,text,agent_type,knowledge_base,similarities\n007,1,planner,0.9,\n8,,clerk,,"[0.8, 0.9]"\n')
    found = bulk.texts(file, "response", columns=["needed", "knowledge_base"]).table
    assert found.to_pylist() == [
        {"id": "007", "needed": 0.75, "knowledge_base": 0.9},
        {"id": "8", "needed": 0.7, "knowledge_base": 1.0},
    ]


def test_many_texts_are_read_by_several_processes_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.bulk.texts._FEW", 100)
    monkeypatch.setattr("howsure.bulk.texts._BATCH", 2048)
    rows = [{"id": n, "text": TEXTS[n % 5]} for n in range(10_000)]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "texts.parquet")
    out = tmp_path / "scores.parquet"
    found = bulk.texts(tmp_path / "texts.parquet", "subresult", out=out, processes=2, columns=["score"])
    assert found.rows == 10_000
    expected = {n: build("subresult").score({"content": TEXTS[n]})["score"] for n in range(5)}
    scores = parquet.read_table(out)
    assert scores["id"].to_pylist() == list(range(10_000))
    assert scores["score"].to_pylist() == pytest.approx([expected[n % 5] for n in range(10_000)])


def test_unreadable_input_is_named(tmp_path: Path) -> None:
    cases: list[tuple[Any, str, dict[str, Any], str]] = [
        (ROWS, "psychic", {}, "there is no text model 'psychic'"),
        (ROWS, "response", {"column": "answer"}, "the texts frame has no column answer"),
        (ROWS, "response", {"column": "id"}, "the column id does not hold text"),
        (ROWS, "response", {"columns": ["composit"]}, "unknown column 'composit' .did you mean composite"),
        ([*ROWS, {"id": 9, "text": None}], "subresult", {}, "row 16: content: null is not a text"),
        ([ROWS[0] | {"knowledge_base": 7.0}], "response", {}, "row 1: knowledge_base: 7.0 is not between 0 and 1"),
        (
            [ROWS[0] | {"score": 1}],
            "subresult",
            {"keep": ["score"]},
            "score is both a column to keep and one to",
        ),
        (ROWS, "response", {"parameters": {"language": "xx"}}, "there is no marker language 'xx'"),
    ]
    for table, model, options, message in cases:
        with pytest.raises(InputError, match=message):
            bulk.texts(table, model, **options)
    with pytest.raises(InputError, match="the folder .* does not exist"):
        bulk.texts(ROWS, "response", out=tmp_path / "none" / "x.csv")


def test_a_column_of_contexts_adds_the_findings_of_each_sentence(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "text": "The port is 9443. TLS is required.", "source": "The port is 8443. TLS is required."},
        {"id": 2, "text": "Der Port ist nicht die 8443.", "source": "The port is 8443."},
        {"id": 3, "text": "The port is 9443.", "source": None},
    ]
    scored = bulk.texts(rows, "response", columns=[], context="source").table.to_pylist()
    findings = [row["sentences"] and [one["finding"] for one in json.loads(row["sentences"])] for row in scored]
    assert findings == [["contradicted", "supported"], ["cannot judge"], None]
    expected = ground(rows[0]["text"], rows[0]["source"]).support  # type: ignore[arg-type]
    assert [row["grounding"] for row in scored] == [pytest.approx(expected), None, None]
    bulk.texts(rows, "response", columns=[], context="source", out=tmp_path / "scores.csv")
    assert '""finding"":""contradicted""' in (tmp_path / "scores.csv").read_text()
    with pytest.raises(InputError, match="no column nowhere"):
        bulk.texts(rows, "response", context="nowhere")
    with pytest.raises(InputError, match="grounding is a column that `context` adds"):
        bulk.texts(rows, "response", context="source", keep=["id", "grounding"])


@pytest.mark.parametrize("centre", ["0.7", "0.9"])
def test_evidence_scores_responses_as_the_gate_does(tmp_path: Path, centre: str) -> None:
    passage = "The port is 8443. TLS is required. Backups run at 2 am."
    cases: list[tuple[str | None, str | None]] = [
        ("The port is 8443. TLS is required.", passage),
        ("The port is 9443. TLS is required.", passage),
        ("I think the port might be 8443.", passage),
        ("Lyon was founded in 43 BC.", passage),
        ("Der Port ist nicht die 8443.", passage),
        ("TLS is required. Der Port ist nicht die 8443.", passage),
        ("8443", passage),
        ("```python\nport = 8443\n```", passage),
        ("I don't know which port it is.", passage),
        ("The port is 8443.", " "),
        ("The port is 8443.", None),
        ("", passage),
        (None, passage),
    ]
    rows: list[dict[str, Any]] = [
        {"id": n, "text": text, "source": source, "grounding": 0.123, "agent_type": "clerk", "similarities": similar}
        for n, ((text, source), similar) in enumerate((case, near) for case in cases for near in (None, [0.8]))
    ]
    settings = current(str(tmp_path), {"HOWSURE_GATE_RELEVANT_CENTRE": centre, "HOME": str(tmp_path)})
    found = bulk.Bulk(settings=settings).texts(rows, "evidence", context="source").table.to_pylist()
    with open_store(str(tmp_path / "s.db"), settings=settings) as sure:
        for row, scored in zip(rows, found, strict=True):
            text, source, similar = row["text"], row["source"], row["similarities"]
            decision = sure.responses.check(text, context=source, agent_type="clerk", knowledge=similar)
            factor = next((one.score for one in decision.factors if one.name == "grounding"), None)
            assert scored["composite"] == pytest.approx(decision.composite, abs=1e-12), row
            assert scored["passed"] == (decision.decision == "pass"), row
            assert scored["grounding"] == (None if factor is None else pytest.approx(factor)), row
    assert len({round(scored["composite"], 3) for scored in found}) > 8
    assert [one["finding"] for one in json.loads(found[8]["sentences"])] == ["cannot judge"]
