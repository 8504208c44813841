"""A made-up world of sources that are right as often as they should be, and a ring that copies."""

import random
from typing import Any


def records(seed: int = 1, items: int = 60, ring: int = 0) -> list[dict[str, Any]]:
    """Return claims about items by twelve good sources, three bad ones, and a ring that repeats the worst of all."""
    dice = random.Random(seed)
    reliable = {f"good{number}": 0.95 for number in range(12)} | {f"bad{number}": 0.4 for number in range(3)}
    found = []

    def say(item: int, name: str, value: str) -> None:
        found.append(
            {
                "statement": f"Item {item} is {value}",
                "subject": f"item {item}",
                "predicate": "is",
                "object": value,
                "source": f"agent:{name}",
            }
        )

    for item in range(items):
        for name, chance in reliable.items():
            if dice.random() < 0.7:
                say(item, name, "right" if dice.random() < chance else f"wrong {dice.randrange(20)}")
        rumour = "right" if dice.random() < 0.4 else f"wrong {dice.randrange(20)}"
        for number in range(ring):
            own = f"wrong {dice.randrange(20)}"
            say(item, f"ring{number}", rumour if dice.random() < 0.95 else own)
    return found
