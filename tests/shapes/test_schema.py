"""Descriptions of fields come from the source, and are missing without it."""

import sys
from types import ModuleType
from typing import Annotated, Any, NamedTuple

from howsure.formulas.claim import ClaimCase
from howsure.formulas.noisy_or import NoisyOr
from howsure.shapes import Unchecked, decode_as
from howsure.shapes.schema import field_docs, schema


class Point(NamedTuple):
    """A place."""

    x: int


def test_what_is_unchecked_is_described_and_left_as_it_is() -> None:
    points = list[Annotated[Any, Unchecked(Point)]]
    assert schema(points)["items"]["properties"]["x"]["type"] == "integer"
    assert decode_as(points, [{"x": "wrong"}], "points") == [{"x": "wrong"}]


def test_parents_are_read_too() -> None:
    assert field_docs(NoisyOr)["oldest"] == "Half-lives after which age makes no further difference."
    assert field_docs(ClaimCase)["now"] == "The moment at which the claim is read."


def test_without_source_nothing_is_known() -> None:
    module = ModuleType("made_up")
    sys.modules["made_up"] = module
    try:
        shape = type("Shape", (), {"__annotations__": {"x": int}, "__module__": "made_up"})
        assert field_docs(shape) == {}
    finally:
        del sys.modules["made_up"]
