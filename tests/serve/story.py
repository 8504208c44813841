"""A story that uses every operation once, through whatever door it is told by.

`python -m tests.serve.story` tells it to the library, and writes down what was answered, as examples for OpenAPI.
"""

import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from howsure.judge import ScriptedJudge
from howsure.judge.question import Question
from howsure.serve.operations import OPERATIONS, operation
from howsure.sure import open as open_store

Do = Callable[..., Any]
"""Does an operation, by its name, with what is handed in; returns what comes back, a stream as a list."""


def judge() -> ScriptedJudge:
    """Return a judge that answers what the story asks."""

    def answer(question: Question) -> Any:
        if question.task == "extraction":
            parts = {"subject": "cache", "predicate": "holds", "object": "entries", "confidence": 0.7}
            return {"statements": [{"statement": "The cache holds entries"} | parts]}
        return {"claims": [{"id": 1, "lower": 0.4, "upper": 0.6, "reason": "seen"}], "narrative": "It is so."}

    return ScriptedJudge(answer)


def tell(do: Do) -> dict[str, Any]:
    """Tell the story, and return what was answered to each operation."""
    told: dict[str, Any] = {}

    def step(name: str, **given: Any) -> Any:
        told[name] = do(name, given)
        return told[name]

    _claims(step)
    _decisions(step)
    _rest(step)
    assert set(told) == {operation.name for operation in OPERATIONS}
    return told


def _claims(step: Do) -> None:
    safe = step("claims.add", statement="The cache is safe", source="user_input:ann", contribution=0.8)
    assert (safe["outcome"], safe["status"]) == ("created", "active")
    id_ = safe["id"]
    many = [{"statement": "The cache is bounded", "source": "doc:a"}, {"statement": "", "source": "doc:a"}]
    first, second = step("claims.add_many", claims=many)["result"]
    assert (first["outcome"], second["outcome"]) == ("created", "failed")
    assert "statement" in second["reason"]
    lesson = [
        {"statement": "Locks are held", "source": "doc:b", "subject": "lock", "predicate": "is", "object": "held"}
    ]
    assert step("claims.learn", records=lesson, trust=0.5)["created"] == 1
    found = step("claims.extract", text="The cache holds entries.", source="doc:c")["result"]
    assert found[0]["outcome"] == "created"
    derived = step("claims.derive", statement="The cache can be shared", constituents=[id_], confidence=0.9)
    assert derived["upper"] <= safe["upper"]
    related = step("claims.relate", claim=first["id"], kind="supports", target=id_, strength=0.5)
    assert related == {"source": first["id"], "kind": "supports", "target": id_, "strength": 0.5}
    page = step("claims.find", text="cache", min_lower=0.1, tiers=["task"], limit=2)
    assert len(page["claims"]) == 2
    assert page["cursor"]
    told = step("claims.inputs", where={"text": "cache", "tiers": ["task"]}, limit=5)
    assert [one["statement"] for one in told["claims"] if one["derived_from"]] == ["The cache can be shared"]
    assert set(told["claims"][0]["inputs"]) == {"doubt", "strongest", "source_types", "support", "contradiction"}
    everywhere = step("claims.find_federated", where={"text": "cache", "min_lower": 0.1, "tiers": ["task"]}, limit=2)
    assert [one["id"] for one in everywhere["claims"]] == [one["id"] for one in page["claims"]]
    assert everywhere["coverage"]["asked"] == 0
    step("claims.deliberate", claims=[id_], question="Is it?")
    assert step("claims.get", claim=id_, formula="beta")["statement"] == "The cache is safe"
    fought = step("claims.challenge", claim=id_, statement="The cache loses writes", source="agent:7", contribution=0.6)
    assert fought["claim"]["status"] == "challenged"
    assert step("claims.compare", claim=id_) == {"conflicts": [], "similar": []}
    why = step("claims.explain", claim=id_)
    assert "challenged" in why["words"]
    assert {one["kind"] for one in why["neighbours"]} == {"supports", "contradicts"}
    assert step("claims.reflect", topic="cache")["contradicted"][0]["id"] == id_
    assert step("claims.count")["challenged"] == 1
    assert step("claims.resolve", claim=id_, uphold=True, note="measured")["status"] == "active"
    assert step("claims.verify", claim=id_, source="user_input:bob", contribution=0.5)["sources"] == 2
    assert step("claims.promote", claim=id_)["outcome"] in ("promoted", "deferred", "rejected")
    assert step("claims.demote", claim=first["id"], reason="small")["tier"] == "ephemeral"
    assert step("claims.invalidate_source", source_type="doc", source_id="a", reason="old")["claims"] == 1
    assert step("claims.restore_source", source_type="doc", source_id="a")["claims"] == 1
    _sources(step, found[0]["id"])
    assert step("claims.supersede", claim=fought["challenger"]["id"], by=id_)["status"] == "deprecated"
    assert step("claims.forget", claim=first["id"], reason="done") == {"result": True}
    actions = [event["action"] for event in step("claims.history", claim=id_)["result"]]
    assert actions[:2] == ["created", "related"]
    assert {"challenged", "upheld"} <= set(actions)
    assert step("claims.unrelate", claim=first["id"], kind="supports", target=id_, note="not so") == related
    assert step("claims.purge", claim=first["id"]) == {"id": first["id"], "erased": True}


def _sources(step: Do, claim: str) -> None:
    assert step("sources.fit")["sources"] == 5
    assert step("claims.refute", claim=claim, source="user_input:ann", note="measured")["status"] == "deprecated"
    trusted = step("sources.list", sources=["doc:c", "user_input:ann"])["result"]
    assert [(one["source_id"], one["claims"]) for one in trusted] == [("ann", 1), ("c", 1)]
    history = step("sources.get", source="doc:c")
    assert [(one["statement"], one["outcome"]) for one in history["wrong"]] == [("The cache holds entries", "wrong")]


def _decisions(step: Do) -> None:
    evidence = step("investigations.record", trace_id="s1", tool="grep", arguments={"pattern": "Cache"}, results=3)
    assert (evidence["calls"], evidence["decision"]) == (1, "proceed")
    assert step("investigations.get", trace_id="s1", question="Where?")["score"] == evidence["score"]
    ended = step("investigations.close", trace_id="s1", question="Where?", agent="searcher")
    assert ended["id"]
    assert step("investigations.traces", closed=True)["traces"][0]["id"] == ended["id"]
    went = step("investigations.steps", trace_id="s1")
    assert [(one["tool"], one["category"], one["results"]) for one in went["steps"]] == [("grep", "search", 3)]
    calls = [{"tool": "grep", "arguments": "Cache", "results": 3}, {"tool": "read", "arguments": "Cache", "results": 1}]
    whole = step("investigations.assess", question="Where?", calls=calls)
    assert whole["score"] > evidence["score"]
    assert whole["id"] is None
    checked = step(
        "responses.check",
        text="It is in one file.",
        agent="ann",
        trace_id="s1",
        from_trace=True,
        signals={"rerank": 0.7},
    )
    assert [(one["name"], one["score"] is None) for one in checked["factors"]] == [
        ("knowledge_base", False), ("code_validation", True), ("certainty", True), ("history", True), ("rerank", False),
    ]  # fmt: skip
    assert (checked["policy"], checked["calibrated"], checked["shadow"]) == ("evidence", False, False)
    assert checked["recorded"]
    assert step("responses.history", agent="ann")["total"] == 1
    grounding = step("responses.ground", response="The port is 9443.", context=["The port is 8443."])
    assert grounding["sentences"][0]["finding"] == "contradicted"
    assert step("responses.threshold", agent="ann", agent_type="planner")["threshold"] == 0.75
    reported = step("ledger.outcome", decision_id=checked["id"], outcome="right", by="bob")
    assert (reported["outcome"], reported["by"]) == ("right", "bob")
    assert step("ledger.thumbs", decision_id=checked["id"], thumb="up", by="bob")["source"] == "thumbs"
    assert step("ledger.ci_result", status="passed", trace_id="s1")["decisions"] == [ended["id"], checked["id"]]
    assert step("ledger.outcomes", outcomes=[{"id": checked["id"], "outcome": "wrong"}, {"id": "x"}])["recorded"] == 1
    assert step("ledger.get", decision_id=checked["id"])["outcome"] == "wrong"
    why = step("ledger.explain", decision_id=checked["id"])
    assert [one["outcome"] for one in why["outcomes"]] == ["right", "right", "right", "wrong"]
    assert [one["source"] for one in why["outcomes"]] == ["person", "thumbs", "ci", "person"]
    assert [one["score"] for one in why["factors"]] == [one["score"] for one in checked["factors"]]
    page = step("ledger.find", limit=1)
    assert len(page["decisions"]) == 1
    assert page["cursor"]
    assert [decision["model"] for decision in step("ledger.stream")] == ["investigation", "response"]
    assert step("ledger.stats", by="agent")["groups"][0]["name"] == "ann"
    fit = step("fits.learn", kind="response")
    assert (fit["status"], fit["outcomes"], fit["better"]) == ("candidate", 1, False)
    assert step("fits.apply", fit=fit["id"], force=True)["status"] == "active"
    assert step("fits.list")["result"][0]["id"] == fit["id"]
    assert step("fits.get", fit=fit["id"])["summary"]["outcomes"] == 1
    assert step("fits.rollback") == {"result": None}


def _rest(step: Do) -> None:
    results = [{"id": "a", "content": "The cache is safe."}, {"id": "b", "content": "The cache is not safe."}]
    merged = step("syntheses.combine", query="Is it?", results=results, keep="found", agent="merger")
    assert merged["conflicts"][0]["kind"] == "contradiction"
    assert merged["kept"]["created"] == 2
    said = [one["content"] for one in results]
    assert step("syntheses.conflicts", statements=said)["conflicts"][0]["second"] == 1
    event = step("documents.record_event", project="p", document="docs/a.md", symbol="confirm")
    assert step("documents.project_events", project="p")["events"] == [event]
    files = [{"path": "docs/a.md", "score": 0.7, "action": "review"}, {"path": "docs/b.md", "score": 0.9}]
    scan = step("documents.record_scan", project="p", files=files)
    assert [one["due"] for one in step("documents.list_scans", project="p")["scans"]] == [1]
    assert [one["path"] for one in step("documents.scan_report", scan=scan["id"])["files"]] == [
        "docs/a.md",
        "docs/b.md",
    ]
    assert {"noisy_or", "response"} <= {model["name"] for model in step("models.list")["models"]}
    assert step("models.get", model="response")["parameters"]
    evidence = {"provenance": [{"source_type": "user", "source_id": "ann", "contribution": 0.8}]}
    scored = step("models.score", model="claims", data=evidence, formulas=["noisy_or", "beta"])
    assert scored["noisy_or"][1] == 0.8
    case = {"results": [{"confidence": 0.9, "content": "yes"}]}
    assert step("models.record", model="overall", data=case, agent="merger")["score"]["level"] == "HIGH"
    assert step("clean", dry_run=True) == {"result": []}
    head, *others = step("claims.export")
    assert head["claims"] == sum("claim" in record for record in others)
    assert step("claims.import", records=[head, *others])["skipped"] == head["claims"]
    assert step("ledger.purge", agent="merger")["purged"] == 2


def examples() -> dict[str, Any]:
    """Return what the story is answered, as JSON, of streams the first record; long parts are cut.

    Ids are drawn from a fixed seed, so that only what has changed differs from the examples before.
    """
    dice = random.Random(1)
    with tempfile.TemporaryDirectory() as folder, patch("os.urandom", dice.randbytes):
        clock = iter(range(1_800_000_000, 1_900_000_000))
        with open_store(f"{folder}/story.db", actor="ann", clock=lambda: float(next(clock)), judge=judge()) as sure:

            def do(name: str, given: dict[str, Any]) -> Any:
                found = operation(name).call(sure, operation(name).decode(given))
                return json.loads(json.dumps(list(found) if operation(name).streams else found))

            told = tell(do)
    return {name: _short(found[0] if isinstance(found, list) else found) for name, found in sorted(told.items())}


def _short(value: Any) -> Any:
    """Return an example without what nobody wants to read: parameters, and more than two of anything."""
    if isinstance(value, list):
        return [_short(item) for item in value[:2]]
    if isinstance(value, dict):
        parameters: dict[str, Any] = {"parameters": {}} if "parameters" in value else {}
        return {name: _short(item) for name, item in value.items()} | parameters
    return value


if __name__ == "__main__":
    place = Path(__file__).parents[2] / "src" / "howsure" / "serve" / "examples.json"
    place.write_text(json.dumps(examples(), indent=1, sort_keys=True) + "\n")
