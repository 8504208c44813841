"""Simulated decisions with outcomes from a known truth."""

import math
import random
from dataclasses import dataclass

from howsure.responses.gate import ResponseDecision
from howsure.sure import Sure

AGENTS = {"ann": 0.8, "bob": 0.0, "cy": -0.8}
"""What each agent adds to the log-odds of being right."""


@dataclass
class World:
    """Gates responses and reports their outcomes, which depend on knowledge, a signal and the agent."""

    sure: Sure
    seed: int = 1
    shift: float = 0.0
    """Added to the log-odds: below 0 after the world got worse."""

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)

    def chance(self, agent: str, knowledge: float, rerank: float) -> float:
        """Return the true probability that a response is right."""
        odds = 6.0 * (knowledge - 0.75) + 3.0 * (rerank - 0.5) + AGENTS[agent] + self.shift
        return 1.0 / (1.0 + math.exp(-odds))

    def decide(self, **options: object) -> tuple[ResponseDecision, bool]:
        """Gate one response; return the decision, and whether the response is right."""
        agent = self.dice.choice(list(AGENTS))
        knowledge, rerank = self.dice.uniform(0.4, 1.0), self.dice.random()
        right = self.dice.random() < self.chance(agent, knowledge, rerank)
        decision = self.sure.responses.check(
            "Paris is the capital of France.",
            agent=agent,
            agent_type="writer",
            knowledge=knowledge,
            signals={"rerank": rerank},
            **options,  # type: ignore[arg-type]
        )
        return decision, right

    def live(self, count: int, **options: object) -> list[tuple[ResponseDecision, bool]]:
        """Gate responses and report each outcome."""
        lived = [self.decide(**options) for _ in range(count)]
        reports = [{"id": one.id, "outcome": "right" if right else "wrong"} for one, right in lived]
        assert self.sure.ledger.outcomes(reports).recorded == count
        return lived
