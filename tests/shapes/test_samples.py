"""Random values fit the type that they are made for."""

import random
from dataclasses import dataclass
from typing import Any, Literal

from howsure.shapes import Count, Unit
from howsure.shapes.decode import decoder
from howsure.shapes.samples import sample


@dataclass(frozen=True)
class Part:
    share: Unit
    note: str = ""


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...] = ()
    pair: tuple[str, Count] = ("", 0)
    named: dict[str, Unit] | None = None
    kind: Literal["a", "b"] = "a"
    more: Any = None
    flag: bool = False


def test_samples_can_be_read_back() -> None:
    dice = random.Random(1)
    values = [sample(Whole, dice) for _ in range(200)]
    assert all(decoder(Whole)(value) == value for value in values)
    assert {len(value.parts) for value in values} >= {0, 1, 2}
    assert {value.kind for value in values} == {"a", "b"}
