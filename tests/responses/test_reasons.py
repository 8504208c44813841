"""A stored response is explained as it was when it was judged, with every outcome that was reported."""

from typing import TYPE_CHECKING, Any

import pytest

from howsure.errors import NotFoundError
from howsure.responses.reasons import stored_factors
from howsure.settings import POLICIES, Policy
from howsure.sure import Sure
from tests.conftest import Clock

if TYPE_CHECKING:
    from howsure.store.ledger_tables.decisions import Outcome

CASES: dict[str, dict[str, Any]] = {
    "everything": {
        "text": "I think it is tested.",
        "knowledge": [0.9, 0.2],
        "code": {"exists": True, "tests_pass": False},
    },
    "a number each": {"text": "It is so.", "knowledge": 0.4, "code": 0.5, "certainty": 0.7, "history": 0.9},
    "nothing": {},
    "words alone": {"text": "Certainly.", "history": 1.0, "certainty": 1.0},
    "enough": {"text": "It is tested.", "knowledge": 1.0, "code": 1.0},
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", CASES)
def test_a_stored_response_has_the_factors_and_lifts_of_its_decision(sure: Sure, name: str, policy: Policy) -> None:
    judged = sure.responses.check(agent="ann", agent_type="planner", **CASES[name], policy=policy)
    found = sure.ledger.explain(str(judged.id))
    assert [(one.name, one.score) for one in found.factors] == [(one.name, one.score) for one in judged.factors]
    assert [one.weight for one in found.factors] == pytest.approx([one.weight for one in judged.factors])
    if any(one.score is not None for one in found.factors):
        assert sum((one.score or 0.0) * one.weight for one in found.factors) == pytest.approx(judged.composite)
    else:
        assert (policy, judged.composite) == ("evidence", 0.5), "nothing is known"
    assert found.lifts == judged.lifts
    assert found.decision.id == judged.id
    assert all(one.why for one in found.factors)


@pytest.mark.parametrize("policy", POLICIES)
def test_code_checks_and_markers_are_explained_as_at_the_gate(sure: Sure, policy: Policy) -> None:
    judged = sure.responses.check(agent="ann", **CASES["everything"], policy=policy)
    told = {one.name: one.why for one in sure.ledger.explain(str(judged.id)).factors}
    own = {one.name: one.why for one in judged.factors}
    assert {name: told[name] for name in ("code_validation", "certainty")} == {
        name: own[name] for name in ("code_validation", "certainty")
    }
    assert told["code_validation"].startswith("exists: yes, syntax valid: not checked")


def test_all_reported_outcomes_are_listed_in_order(sure: Sure, clock: Clock) -> None:
    id_ = str(sure.responses.check("It works.", agent="ann", knowledge=0.9).id)
    other = str(sure.responses.check("It works, too.", agent="ann", knowledge=0.9).id)
    reports: list[tuple[Outcome, str]] = [("right", "ann"), ("wrong", "bob"), ("corrected", "ann")]
    for outcome, by in reports:
        sure.ledger.outcome(id_, outcome, by=by, note=f"by {by}")
        clock.now += 60.0
    sure.ledger.outcome(other, "right")
    found = sure.ledger.explain(id_)
    assert [(one.outcome, one.by, one.note) for one in found.outcomes] == [
        ("right", "ann", "by ann"), ("wrong", "bob", "by bob"), ("corrected", "ann", "by ann"),
    ]  # fmt: skip
    assert [one.at for one in found.outcomes] == sorted(one.at for one in found.outcomes)
    assert found.decision.outcome == "corrected"
    with pytest.raises(NotFoundError, match="there is no decision"):
        sure.ledger.explain("a0")


def test_decisions_of_other_models_have_no_factors(sure: Sure) -> None:
    id_, _ = sure.models.record("overall", {"results": [{"confidence": 0.9, "content": "yes"}]})
    found = sure.ledger.explain(id_)
    assert (found.factors, found.lifts, found.outcomes) == ((), (), ())


def test_a_record_of_another_version_is_explained_as_far_as_it_goes(sure: Sure) -> None:
    judged = sure.responses.check("Perhaps.", agent="ann", knowledge=0.1, policy="nlnh")
    decision = sure.ledger.get(judged.id)
    spec = decision.spec | {"parameters": {"weight_history": 1.0, "unheard_of": 3}}
    weights = {one.name: one.weight for one in stored_factors("response", decision.answer, spec)}
    assert weights == {"knowledge_base": 0.0, "code_validation": 0.0, "certainty": 0.0, "history": 1.0}
    assert {one.score for one in stored_factors("response", {}, spec)} == {None}
