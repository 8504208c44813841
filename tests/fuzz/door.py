"""What all doors of the fuzzer have in common."""

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from howsure.serve.desk import OWNER, Desk
from howsure.serve.limits import RateLimits
from howsure.sure import open as open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class House:
    """A folder with an open store, behind all doors."""

    def __init__(self, folder: Path) -> None:
        """Open a store in a folder."""
        self.folder = folder
        self.store = str(folder / "fuzz.db")
        self.sure = open_store(self.store, actor="fuzz")
        self.desk = Desk(self.sure, requires_tokens=False, limits=RateLimits(None))
        self.caller = OWNER
        self.seeded: dict[str, Any] = {}
        self.seed()

    def seed(self) -> None:
        """Add what inputs refer to."""
        blue = self.sure.claims.add("The sky is blue", source="user:ann").id
        grey = self.sure.claims.add("The sky is grey", source="user:bob").id
        self.sure.claims.relate(blue, "contradicts", grey)
        decision = self.sure.responses.check("It is so.", agent="fuzz", trace_id="t").id
        self.seeded = {"claim": str(blue), "target": str(grey), "by": str(grey), "id": decision, "trace_id": "t"}

    def close(self) -> None:
        """Close the store."""
        self.sure.close()


class Door:
    """A way in: `throw` sends one random input through it, and raises what is wrong with the answer."""

    name: str
    share: int
    """Of a thousand inputs."""

    def __init__(self, house: House, dice: random.Random) -> None:
        """Stand before a house."""
        self.house = house
        self.dice = dice

    def throw(self) -> None:
        """Send one input."""
        raise NotImplementedError

    def close(self) -> None:
        """Free what the door holds."""


def one_of(dice: random.Random, ways: "Mapping[Callable[[], Any], int]") -> Any:
    """Call one of some functions, by their weights."""
    return dice.choices(list(ways), list(ways.values()))[0]()
