"""A store in which everything happens that changes an interval."""

import random

from howsure.sure import Sure
from tests.conftest import Clock

DAY = 86_400.0
TYPES = ("user_input", "extraction", "agent")


def fill(sure: Sure, clock: Clock, seed: int, claims: int = 30) -> None:
    """Add claims, and relate, derive, challenge, supersede, forget and invalidate some of them, over three months."""
    dice = random.Random(seed)
    clock.now -= 90 * DAY
    ids: list[str] = []
    for number in range(claims):
        clock.now += 2 * DAY
        sources = [
            {
                "source_type": dice.choice(TYPES),
                "source_id": dice.choice("abc"),
                "contribution": dice.choice((None, 0.0, 1.0, round(dice.random(), 3), round(dice.random(), 3))),
            }
            for _ in range(dice.randint(0, 4))
        ]
        windows = {"valid_until": clock.now + dice.uniform(0, 120 * DAY)} if dice.random() < 0.2 else {}
        tier = dice.choice(("ephemeral", "task", "project"))
        made = sure.claims.add(f"Claim {number}", sources=sources, tier=tier, ttl=1e9, **windows)  # type: ignore[arg-type]
        ids.append(made.id)
        if number > 2:
            one, other = dice.sample(ids, 2)
            strength = round(dice.random(), 3)
            sure.claims.relate(one, "supports" if number % 2 else "contradicts", other, strength=strength)
        if dice.random() < 0.2:
            some = dice.sample(ids, min(len(ids), 2))
            ids.append(sure.claims.derive(f"Inference {number}", some, confidence=0.9, ttl=1e9).id)
    sure.claims.challenge(ids[0], statement="It is not so", source="agent:z", contribution=0.9)
    sure.claims.supersede(ids[1], ids[2])
    clock.now += DAY
    sure.claims.forget(ids[3])
    sure.claims.invalidate_source("user_input", "a", reason="wrong")
    clock.now += DAY


def intervals(sure: Sure, **options: object) -> dict[str, tuple[float, float]]:
    """Return the bounds of every claim that is not forgotten, as `claim find` gives them."""
    statuses = ("active", "challenged", "deprecated")
    page = sure.claims.find(statuses=statuses, outside_validity=True, limit=1000, **options)  # type: ignore[arg-type]
    return {claim.id: (claim.interval.lower, claim.interval.upper) for claim in page.claims}
