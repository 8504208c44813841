"""Answers are checked against JSON Schema."""

from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.judge.schema import MAX_PROBLEMS, TYPES, check, is_strict, problems, without_lengths

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 5},
        "age": {"type": ["integer", "null"], "minimum": 0, "maximum": 150},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1, "maxItems": 2},
    },
    "required": ["name"],
    "additionalProperties": False,
}

WRONG = {
    "[]": ([], "the answer: an empty list is not of type object"),
    "missing": ({}, "name: this field is missing"),
    "short": ({"name": ""}, "name: a text of 0 characters is less than 1"),
    "long": ({"name": "abcdef"}, "name: a text of 6 characters is more than 5"),
    "type": ({"name": 5}, "name: 5 is not of type string"),
    "true is no number": ({"name": "a", "age": True}, "age: true is not of type integer or null"),
    "fraction": ({"name": "a", "age": 1.5}, "age: 1.5 is not of type integer or null"),
    "below": ({"name": "a", "age": -1}, "age: -1 is less than 0"),
    "above": ({"name": "a", "age": 151}, "age: 151 is more than 150"),
    "few": ({"name": "a", "tags": []}, "tags: a list of 0 is less than 1"),
    "many": ({"name": "a", "tags": ["a", "b", "a"]}, "tags: a list of 3 is more than 2"),
    "item": ({"name": "a", "tags": ["a", "c"]}, "tags[1]: 'c' is not one of 'a', 'b'"),
    "other": ({"name": "a", "nick": 1}, "the answer: there is no field 'nick'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_problems_are_described_in_words(case: str) -> None:
    value, said = WRONG[case]
    assert problems(PERSON, value) == [said]


def test_choices_are_compared_as_json() -> None:
    choices = {"enum": [1, [True], {"a": [0]}]}
    for fits in (1, 1.0, [True], {"a": [0.0]}):
        assert problems(choices, fits) == []
    for other in (True, [1], {"a": [False]}, {"a": [0], "b": 1}, "1", None):
        assert problems(choices, other)


def test_valid_values_have_no_problems() -> None:
    assert problems(PERSON, {"name": "ann", "age": None, "tags": ["a"]}) == []
    assert problems(PERSON, {"name": "ann", "age": 7.0}) == []
    assert problems({}, {"anything": [1]}) == []
    assert problems({"additionalProperties": {"type": "number"}}, {"a": "x"}) == ["a: 'x' is not of type number"]
    assert problems({"type": "number"}, float("inf")) == ["the answer: inf is not of type number"]
    assert len(problems({"items": {"type": "string"}}, [1] * 100)) == MAX_PROBLEMS


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 0.5, -2.5]) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
SMALL = st.integers(0, 3)
SCHEMAS: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(list(TYPES)) | st.lists(st.sampled_from(list(TYPES)), min_size=1, unique=True),
            "enum": st.lists(VALUES, min_size=1, max_size=4),
            "minimum": st.integers(-3, 3),
            "maximum": st.sampled_from([-1.5, 0, 2]),
            "minLength": SMALL,
            "maxLength": SMALL,
            "minItems": SMALL,
            "maxItems": SMALL,
            "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            "description": st.just("something"),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            "items": inner,
            "additionalProperties": st.booleans() | inner,
            "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
        },
    ),
    max_leaves=6,
)


@given(SCHEMAS, VALUES)
def test_validation_agrees_with_jsonschema(schema: dict[str, Any], value: Any) -> None:
    check(schema)
    assert (not problems(schema, value)) == jsonschema.Draft202012Validator(schema).is_valid(value)


REFUSED = [
    ([], "schema: invalid schema an empty list"),
    ({"anyOf": []}, "schema: unsupported keyword 'anyOf'"),
    ({"type": "text"}, "schema.type: invalid value 'text'"),
    ({"type": []}, "schema.type"),
    ({"properties": {"a": {"items": {"pattern": "x"}}}}, "schema.properties.a.items: unsupported keyword 'pattern'"),
    ({"properties": []}, "schema.properties"),
    ({"required": "name"}, "schema.required"),
    ({"minLength": -1}, "schema.minLength"),
    ({"maxItems": 1.5}, "schema.maxItems"),
    ({"minimum": "0"}, "schema.minimum"),
    ({"maximum": float("nan")}, "schema.maximum"),
    ({"items": True}, "schema.items"),
    ({"additionalProperties": {"type": 5}}, "schema.additionalProperties.type"),
]


@pytest.mark.parametrize(("schema", "said"), REFUSED)
def test_a_schema_that_would_not_be_checked_is_refused(schema: Any, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("[", r"\[")):
        check(schema)


def test_only_closed_schemas_are_strict() -> None:
    inner = {"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False}
    assert is_strict(inner)
    assert is_strict({"type": "array", "items": inner})
    assert not is_strict(PERSON)
    assert not is_strict({"type": "array", "items": {"type": "object"}})


def test_lengths_are_left_out_for_endpoints_and_fields_of_that_name_are_not() -> None:
    schema = {
        "properties": {"minLength": {"type": "string", "minLength": 1}},
        "items": {"maxLength": 5, "title": "x"},
        "additionalProperties": {"maxLength": 1},
    }
    assert without_lengths(schema) == {
        "properties": {"minLength": {"type": "string"}},
        "items": {"title": "x"},
        "additionalProperties": {},
    }
