"""What goes into a synthesis and what comes out of it."""

import json
from typing import Any

import pytest

from howsure.errors import InputError
from howsure.formulas.ops import FLOATS
from howsure.formulas.overall import Overall, Row
from howsure.shapes.encode import encode
from howsure.sure import Sure
from howsure.syntheses.api import Syntheses
from tests.judge.conftest import judge, judge_server, make_judge  # noqa: F401 - fixtures

NIL = {
    "id": "a",
    "content": "The function returns nil on error. It was introduced in version 1.2.",
    "sources": ["f.go"],
}


NEVER: dict[str, Any] = {"id": "b", "content": "The function never returns nil."}


BROKEN: dict[str, Any] = {"id": "c", "content": "The function is fine.", "error": "timed out"}


HEDGED: dict[str, Any] = {"id": "d", "content": "I think it might possibly log a warning."}


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ([NIL, NIL], "'a' is the id of two sub-results"),
        ([{"content": "x"}], r"results\[0\].id: this field is missing"),
        ([NIL, {"id": " "}], r"results\[1\].id: a sub-result needs an id"),
        ([NIL | {"confidence": 2}], r"results\[0\].confidence: 2 is not between"),
        ([5], r"results\[0\]: 5 is not an object"),
    ],
)
def test_invalid_sub_results_are_reported(results: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        Syntheses().combine("q", results)


def test_a_synthesis_renders_to_markdown_and_json() -> None:
    found = Syntheses().combine("What | now?\nreally", [NIL | {"subtask": "look | here"}, NEVER])
    page = found.as_markdown()
    assert page.startswith("# What | now? really\n")
    assert "| a | look \\| here | " in page
    assert json.loads(json.dumps(encode(found)))["conflicts"][0]["first"]["source"] == "a"


def test_a_synthesis_carries_what_it_takes_to_make_it_again(sure: Sure) -> None:
    rules = {"minimum": 0.2, "conflict_threshold": 0.4, "max_claims": 7, "provenance": True, "warn_below": 0.9}
    results = [NIL, NEVER | {"confidence": 0.7}, BROKEN, HEDGED]
    found = sure.syntheses.combine("q", results, context="c", rules=rules)
    data = json.loads(json.dumps(encode(found)))
    assert data["rules"] == rules
    assert data["stages"] == {
        "scored by": "heuristic, given",
        "extracted by": "offline",
        "detected by": "offline",
        "combined by": "offline",
    }
    assert set(data["models"]) == {"subresult", "overall"}
    assert data["models"]["subresult"]["parameters"]["hedge_cost"] == 0.1
    fields = ("id", "content", "subtask", "error", "sources")
    given = [{name: one[name] for name in fields} | {"confidence": one["given"]} for one in data["results"]]
    again = Syntheses().combine(data["query"], given, context=data["context"], rules=data["rules"])
    assert encode(again) | {"id": data["id"]} == encode(found)
    assert (
        Overall(**data["models"]["overall"]["parameters"]).formula(Row(**data["row"]), FLOATS).overall == found.overall
    )
    written = sure.ledger.get(found.id or "").detail["answer"]
    assert {name: written[name] for name in ("rules", "stages", "models")} == {
        name: data[name] for name in ("rules", "stages", "models")
    }
