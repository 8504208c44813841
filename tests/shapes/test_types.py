"""Shared methods of frozen dataclasses."""

import inspect
from dataclasses import FrozenInstanceError, asdict, dataclass, field, replace

import pytest

from howsure.shapes.types import Record, record


@dataclass(frozen=True, eq=False, repr=False)
class Place(Record):
    """A place."""

    name: str
    size: int = 1
    notes: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class Town(Place):
    """A town."""


def test_records_compare_by_class_and_fields() -> None:
    assert Place("a", 2) == Place("a", 2, notes="seen")
    assert Place("a", 2) != Place("a", 3)
    assert Place("a") != Town("a")
    assert Place("a") != "a"
    assert len({Place("a"), Place("a", notes="seen"), Town("a")}) == 2


def test_the_text_of_a_record_is_the_call_that_makes_it() -> None:
    assert repr(Place("a", 2, notes="seen")) == "Place(name='a', size=2)"
    assert eval(repr(Town("b"))) == Town("b")  # noqa: S307 - our own text


@record(frozen=True, eq=False, repr=False)
class Road(Record):
    """A road."""

    name: str
    length: float = 1.0
    towns: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Raise ValueError for a road of no length."""
        if not self.length:
            raise ValueError("no length")


class Street(Road):
    """A street, which may have attributes of its own."""


def test_a_record_is_a_frozen_dataclass_whose_init_is_compiled_when_it_is_needed() -> None:
    made = [Road(name="a"), Road(name="a"), Road("a", 1.0, []), Road("a", towns=[]), Road.of_valid("a", 1.0, [])]
    assert all(one == made[0] and vars(one) == vars(made[0]) for one in made)
    assert made[0].towns is not made[1].towns
    assert replace(made[0], length=2.0) == Road("a", 2.0)
    assert asdict(Road("b")) == {"name": "b", "length": 1.0, "towns": []}
    assert list(inspect.signature(Road).parameters) == ["name", "length", "towns"]
    assert Road.__init__.__qualname__ == "Road.__init__"
    with pytest.raises(FrozenInstanceError):
        made[0].name = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        made[0].lamps = 3  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        del made[0].name
    with pytest.raises(ValueError, match="no length"):
        Road("a", 0.0)


def test_a_record_refuses_wrong_arguments_from_the_first_on() -> None:
    for given in ({}, {"nme": "a"}, {"name": "a", "size": 2}, {"length": 2.0}):

        @record(frozen=True, eq=False, repr=False)
        class Bridge(Record):
            """A bridge."""

            name: str
            length: float = 1.0

        with pytest.raises(TypeError):
            Bridge(**given)
        assert Bridge("a").length == 1.0


def test_a_subclass_of_a_record_may_have_attributes_or_fields_of_its_own() -> None:
    street = Street("a")
    street.lamps = 3  # type: ignore[attr-defined]
    del street.lamps  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        street.name = "b"  # type: ignore[misc]

    @dataclass(frozen=True, eq=False, repr=False)
    class Highway(Road):
        """A highway."""

        lanes: int = 4

    assert Highway("a", lanes=6).lanes == 6

    @record(frozen=True, eq=False, repr=False)
    class Path(Record):
        """A path, which checks nothing."""

        name: str = "path"

    @record(frozen=True, eq=False, repr=False)
    class Track(Record):
        """A track."""

        name: str

    assert Path(name="a") == Path("a") != Path()
    assert Track("a").name == Track(name="a").name == "a"
