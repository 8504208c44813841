"""Which threshold applies to a response."""

from typing import Any

from howsure.settings import Settings
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Clock


def settings(**values: Any) -> Settings:
    """Return settings as a file would give them."""
    return Settings({}, (("howsure.toml", {name.replace("__", "."): value for name, value in values.items()}),))


def opened(address: str, clock: Clock, **values: Any) -> Sure:
    return open_store(address, clock=clock, settings=settings(**values))


def test_the_most_specific_threshold_applies(address: str, clock: Clock) -> None:
    with opened(
        address,
        clock,
        thresholds__default=0.11,
        thresholds__projects={"web": 0.22},
        thresholds__types={"DGTS Enforcer": 0.33},
        thresholds__agents={"ann": 0.44},
        project="web",
    ) as sure:

        def needed(**about: Any) -> tuple[float, str]:
            found = sure.responses.check(**about)
            return found.threshold, found.threshold_from

        assert needed(agent="ann", agent_type="dgts_enforcer") == (0.44, "set for the agent")
        assert needed(agent="bob", agent_type="dgts-enforcer") == (0.33, "set for the agent type")
        assert needed(agent="bob", agent_type="planner") == (0.22, "set for the project")
        assert needed(agent="bob", agent_type="planner", project="other") == (0.11, "set for all responses")
        assert needed(agent="ann", threshold=0.5) == (0.5, "given")
    with opened(address, clock) as sure:
        assert sure.responses.check(agent_type="validator").threshold == 0.85
        assert sure.responses.check(agent_type="anything").threshold == 0.80
