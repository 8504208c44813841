"""Data is read into shapes, and what does not fit is named."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, Literal

import pytest

from howsure.errors import InputError
from howsure.shapes import Count, Moment, Unit, Within, decode, decode_as, decoder, field_decoders
from howsure.shapes.decode import object_decoder
from howsure.shapes.node import parameters


@dataclass(frozen=True)
class Inner:
    share: Unit
    note: str = ""


@dataclass(frozen=True)
class Outer:
    inner: Inner
    kind: Literal["left", "right"] = "left"
    many: tuple[Inner, ...] = ()
    pair: tuple[str, Unit] = ("", 0.0)
    named: dict[str, Count] = field(default_factory=dict)
    flag: bool = False
    either: Inner | Unit | None = None
    text_or_list: tuple[Unit, ...] | str = ""
    size: Annotated[int, Within(1, 9)] = 1


GOOD: dict[str, Any] = {"inner": {"share": 0.5}}


def test_good_data_is_read() -> None:
    data = GOOD | {
        "many": [{"share": 1}, Inner(0.25)],
        "pair": ["a", 0],
        "named": {"x": 3},
        "either": 0.5,
        "text_or_list": [0.1],
        "size": 3.0,
    }
    found = decode(Outer, data)
    assert found.many == (Inner(1.0), Inner(0.25))
    assert (found.pair, found.named, found.either, found.text_or_list) == (("a", 0.0), {"x": 3}, 0.5, (0.1,))
    assert isinstance(found.size, int)
    assert decode(Outer, GOOD | {"either": {"share": 0.1}}).either == Inner(0.1)
    assert decode(Outer, GOOD | {"text_or_list": "x", "either": None}).text_or_list == "x"
    assert decode(Outer, found) == found


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "an empty list is not an object (an object with inner, kind, many, pair, named, flag"),
        ({}, "inner: this field is missing (given: nothing)"),
        ({"inner": None}, "inner: null is not an object (an object with share, note)"),
        ({"inner": {"share": 0.5}, "flags": 1}, "flags: unknown field 'flags' (did you mean flag?)"),
        ({"inner": {"share": 1.5}}, "inner.share: 1.5 is not between 0 and 1"),
        ({"inner": {"share": True}}, "inner.share: true is not a number"),
        ({"inner": {"share": "0.5"}}, "inner.share: '0.5' is not a number"),
        ({"inner": {"share": math.nan}}, "inner.share: nan is not a finite number"),
        ({"inner": {"share": -math.inf}}, "inner.share: -inf is not a finite number"),
        ({"inner": {"share": 10**400}}, "inner.share: 1000000"),
        (GOOD | {"size": 2.5}, "size: 2.5 is not a whole number"),
        (GOOD | {"size": "two"}, "size: 'two' is not a whole number"),
        (GOOD | {"size": 10}, "size: 10 is not between 1 and 9"),
        (GOOD | {"many": {}}, "many: an empty object is not a list"),
        (GOOD | {"many": [{"share": 0.5}, {"share": 2}]}, "many[1].share: 2 is not between 0 and 1"),
        (GOOD | {"pair": ["a"]}, "pair: a list of 2 is needed, not of 1"),
        (GOOD | {"pair": ["a", "b"]}, "pair[1]: 'b' is not a number"),
        (GOOD | {"named": {"x": -1}}, "named.x: -1 is not between 0 and"),
        (GOOD | {"named": [1, 2]}, "named: a list of 2 is not an object"),
        (GOOD | {"kind": "lift"}, "kind: 'lift' is not one of left, right (did you mean left?)"),
        (GOOD | {"kind": 3}, "kind: 3 is not one of left, right"),
        (GOOD | {"flag": 1}, "flag: 1 is neither true nor false"),
        (GOOD | {"inner": {"share": 0.5, "note": 7}}, "inner.note: 7 is not a text"),
        (GOOD | {"either": "x"}, "either: 'x' is not an object"),
        (GOOD | {"text_or_list": 5}, "text_or_list: 5 is not a list"),
        (GOOD | {"kind": "x" * 10_000_000}, "'... (10000000 characters) is not one of left, right"),
        (GOOD | {"x" * 1000: 1}, "... (1000 characters) (there are: either,"),
    ],
)
def test_bad_data_is_named(data: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        decode(Outer, data)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


def test_choices_are_listed_once() -> None:
    with pytest.raises(InputError, match="^kind: 'zzz' is not one of left, right$"):
        decode(Outer, GOOD | {"kind": "zzz"})


def test_numbers_of_other_libraries_are_numbers() -> None:
    import numpy as np

    assert decode(Inner, {"share": np.float32(0.5)}) == Inner(0.5)
    assert decode(Outer, GOOD | {"size": np.int64(3)}).size == 3
    assert decode(int, np.int64(2**62 + 1)) == 2**62 + 1
    assert decode(float, Fraction(1, 4)) == 0.25
    with pytest.raises(InputError, match="is too large"):
        decode(float, Fraction(10**400))


def test_a_single_value_is_named_by_its_field() -> None:
    assert decode_as(Unit, 1, "trust") == 1.0
    with pytest.raises(InputError, match="^trust: 2 is not between 0 and 1$"):
        decode_as(Unit, 2, "trust")


def test_an_unknown_kind_of_shape_raises() -> None:
    with pytest.raises(TypeError, match="has no JSON form"):
        decoder(complex)


def test_every_kind_of_value_is_read_by_its_type() -> None:
    assert decode_as(None, None, "nothing") is None
    with pytest.raises(InputError, match="nothing: 5 is not null"):
        decode_as(None, 5, "nothing")
    assert decode_as(bool | str, True, "either") is True
    assert decode_as(dict[str, Count] | Unit, {"a": 1}, "either") == {"a": 1}
    assert decode_as(Unit | Any, "anything", "either") == "anything"
    with pytest.raises(TypeError, match="has no fields"):
        field_decoders(str)


def test_names_can_be_checked_without_reading_values() -> None:
    def add(statement: str, tier: int = 1) -> None: ...

    read = object_decoder(parameters(add), names_only=True)
    assert read({"statement": 5})["statement"] == 5
    with pytest.raises(InputError, match="tir"):
        read({"statement": "x", "tir": 2})
    with pytest.raises(InputError, match="statement"):
        read({})
    with pytest.raises(InputError, match="statement: 5 is not a text"):
        object_decoder(parameters(add))({"statement": 5})


def test_a_whole_number_that_no_float_can_hold_is_refused() -> None:
    with pytest.raises(InputError, match=r"amount: 1000000.* is too large"):
        decode_as(float, 10**400, "amount")


def test_an_error_about_a_time_says_what_a_time_is() -> None:
    assert decode_as(Moment | Literal["never"] | None, "never", "stale_at") == "never"
    assert decode_as(Moment | Literal["never"] | None, 5, "stale_at") == 5.0
    with pytest.raises(InputError) as wrong:
        decode_as(Moment | Literal["never"] | None, "2027-01-01", "stale_at")
    assert str(wrong.value) == "stale_at: '2027-01-01' is neither a number nor 'never' (seconds since 1970)"
    with pytest.raises(InputError, match="is not a number .seconds since 1970"):
        decode_as(Moment, "2027-01-01", "now")
