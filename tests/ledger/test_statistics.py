"""Statistics know thresholds, and their sums are checked."""

import pytest

from howsure.settings import Settings
from howsure.store import check as upkeep
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Clock


def test_statistics_know_the_thresholds_that_apply(address: str, clock: Clock) -> None:
    settings = Settings({}, (("howsure.toml", {"thresholds.projects": {"web": 0.5}}),))
    with open_store(address, clock=clock, settings=settings) as sure:
        for kind, project in (("planner", ""), ("validator", ""), ("odd", "web")):
            sure.responses.check(agent="ann", agent_type=kind, project=project, knowledge=1.0)
        sure.responses.check(agent="cy", agent_type="odd", project="web", knowledge=1.0)
        assert sure.ledger.stats(agent="ann", agent_type="planner").all.threshold == 0.75
        assert {g.name: g.threshold for g in sure.ledger.stats(by="agent").groups} == {"ann": None, "cy": 0.5}
        assert {g.name: g.threshold for g in sure.ledger.stats(by="agent_type").groups} == {
            "planner": 0.75,
            "validator": 0.85,
            "odd": 0.5,
        }
        assert sure.ledger.stats(agent="nobody").all.threshold == 0.8


@pytest.mark.parametrize("column", ["blocked", "reviewed", "scores", "outcomes"])
def test_every_sum_is_checked(sure: Sure, column: str) -> None:
    sure.responses.check(agent="a", knowledge=0.9)
    with sure.session.write() as transaction:
        transaction.run(f"UPDATE hours SET {column} = 99")
    assert len(upkeep.check(sure.session)) == 1


def test_deferrals_are_counted_apart(sure: Sure) -> None:
    sure.responses.check("Which database do you use?", agent="a")
    sure.responses.check("I don't know.", agent="a", knowledge=0.2)
    sure.responses.check("It is so.", agent="a", knowledge=0.95)
    sure.responses.check("It is so.", agent="a")
    sure.responses.check("Which database do you use?", agent="b", knowledge=0.99)
    found = sure.ledger.stats()
    assert (found.all.total, found.deferrals) == (5, 2), "one that is sure as well passes by its threshold"
    assert sure.ledger.stats(agent="b").deferrals == 0
