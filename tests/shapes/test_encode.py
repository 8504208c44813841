"""Results are written as JSON-ready data, and described as JSON Schema."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import jsonschema
import pytest

from howsure.errors import ShapeError
from howsure.formulas.interval import Interval
from howsure.shapes import Alias, Doc, Inline, Local, Unit, Wire, decode
from howsure.shapes.decode import object_decoder
from howsure.shapes.encode import encode
from howsure.shapes.node import parameters
from howsure.shapes.schema import Components, object_schema, parameter_docs, schema
from howsure.shapes.types import Lossy, cached_json_property, json_property


class Point(NamedTuple):
    x: float
    y: float = 0.0


@dataclass(frozen=True)
class Item:
    """One item."""

    name: str
    """How it is called."""
    interval: Annotated[Interval, Inline()]
    base: Annotated[Interval, Inline("base_")]
    points: tuple[Point, ...] = ()
    more: dict[str, Any] | None = None

    @json_property
    def size(self) -> int:
        """How many points it has."""
        return len(self.points)

    @cached_json_property
    def twice(self) -> float:
        """Twice the lower bound."""
        return 2 * self.interval.lower


ITEM = Item("a", Interval(0.25, 0.75), Interval(0.0, 1.0), (Point(1.0),), {"k": [Point(2.0, 3.0)]})


def test_objects_are_written_with_inlined_fields_and_properties() -> None:
    data = encode(ITEM)
    assert data["lower"] == 0.25
    assert data["midpoint"] == data["base_midpoint"] == 0.5
    assert data["points"] == [{"x": 1.0, "y": 0.0}]
    assert data["more"] == {"k": [{"x": 2.0, "y": 3.0}]}
    assert (data["size"], data["twice"]) == (1, 0.5)
    assert "interval" not in data


def test_encoded_values_fit_their_schema() -> None:
    jsonschema.validate(encode(ITEM), schema(Item))
    described = schema(Item)
    assert described["properties"]["name"]["description"] == "How it is called."
    assert described["properties"]["size"]["description"] == "How many points it has."
    assert set(described["required"]) == set(encode(ITEM))


def test_a_class_is_one_component() -> None:
    components = Components()
    assert schema(list[Item], components=components) == {
        "type": "array",
        "items": {"$ref": "#/components/schemas/Item"},
    }
    assert set(components.schemas) == {"Item", "Interval", "Point"}
    interval, own = components.schemas["Item"]["allOf"]
    assert interval == {"$ref": "#/components/schemas/Interval"}
    assert own["properties"]["points"]["items"] == {"$ref": "#/components/schemas/Point"}
    jsonschema.validate(encode(ITEM), components.schemas["Item"] | {"components": {"schemas": components.schemas}})


def test_a_class_that_is_a_result_and_an_input_is_two_components() -> None:
    components = Components()
    schema(Point, components=components)
    as_input = schema(Point, closed=True, components=components)
    assert as_input == {"$ref": "#/components/schemas/PointInput"}
    assert schema(Point, components=components) == {"$ref": "#/components/schemas/Point"}
    assert components.schemas["PointInput"]["additionalProperties"] is False


def test_a_choice_with_a_name_is_one_component() -> None:
    components = Components({("a", "b"): "Letter"})
    assert schema(Literal["a", "b"], components=components) == {"$ref": "#/components/schemas/Letter"}
    assert components.schemas == {"Letter": {"type": "string", "enum": ["a", "b"]}}
    assert schema(Literal["c", "d"], components=components) == {"type": "string", "enum": ["c", "d"]}
    assert schema(Literal["never"], components=components) == {"type": "string", "const": "never"}


def test_two_schemas_of_one_name_are_refused() -> None:
    components = Components()
    components.add("One", {"type": "string"})
    assert components.add("One", {"type": "string"}) == {"$ref": "#/components/schemas/One"}
    with pytest.raises(ValueError, match="two different schemas are named One"):
        components.add("One", {"type": "number"})


def test_values_without_json_form_are_refused() -> None:
    with pytest.raises(TypeError, match="complex has no JSON form"):
        encode({"a": 1j})


def add(
    self: object,
    statement: str,
    *,
    strength: Annotated[Unit, Doc("How strong it is.", example=0.5)] = 1.0,
    kind: Literal["a", "b"] | None = None,
    records: Annotated[list[Any] | tuple[int, ...], Wire(list[Any])] = (),
    now: Annotated[float | None, Local()] = None,
) -> None:
    """Add something.

    Args:
        statement: What is
            claimed.
        kind: Which kind.
    """


def test_the_parameters_of_a_method_are_an_object() -> None:
    described = object_schema(parameters(add), docs=parameter_docs(add))
    assert list(described["properties"]) == ["statement", "strength", "kind", "records"]
    assert described["required"] == ["statement"]
    properties = described["properties"]
    assert properties["statement"] == {"type": "string", "description": "What is claimed."}
    assert properties["strength"]["description"] == "How strong it is."
    assert (properties["strength"]["default"], properties["strength"]["examples"]) == (1.0, [0.5])
    assert properties["records"] == {"type": "array", "items": {}, "default": []}
    assert object_decoder(parameters(add))({"statement": "s", "strength": 1}) == {"statement": "s", "strength": 1.0}


@dataclass(frozen=True)
class Renamed:
    sources: Annotated[tuple[str, ...], Alias("provenance")] = ()


def test_a_field_is_read_under_its_other_name() -> None:
    assert decode(Renamed, {"provenance": ["a"]}) == decode(Renamed, {"sources": ["a"]}) == Renamed(("a",))
    with pytest.raises(ShapeError, match="sources: given twice"):
        decode(Renamed, {"provenance": ["a"], "sources": ["b"]})


class Name(str):
    __slots__ = ()


def test_paths_and_subclasses_of_plain_types_are_written() -> None:
    assert encode([Path("a") / "b", Name("c")]) == ["a/b", "c"]


def test_a_class_that_is_used_twice_is_described_once() -> None:
    components = Components()
    pair = schema(tuple[Point, Point], components=components)
    assert [part["$ref"] for part in pair["prefixItems"]] == ["#/components/schemas/Point"] * 2
    assert list(components.schemas) == ["Point"]


def odd() -> None:
    """Do something.

    Args:
        no colon here
        name: What it means.
    """


def test_a_line_that_names_no_parameter_is_passed_over() -> None:
    assert parameter_docs(odd) == {"name": "What it means."}


class _File(NamedTuple):
    path: Annotated[str, Lossy()]
    notes: Annotated[tuple[str, ...], Lossy()] = ()


def test_texts_that_are_not_unicode_are_made_so() -> None:
    assert encode(_File("caf\udce9", ("a", "\udcff"))) == {"path": "caf?", "notes": ["a", "?"]}


def test_dates_and_any_sequence_have_a_json_form_but_bytes_have_none() -> None:
    assert encode({"day": date(2027, 1, 15), "counts": range(3)}) == {"day": "2027-01-15", "counts": [0, 1, 2]}
    with pytest.raises(TypeError, match="bytes has no JSON form"):
        encode(b"abc")
