"""What databases write differently gives the same numbers in each of them."""

import pytest

from howsure.errors import UnknownNameError
from howsure.formulas.folds import SMALLEST_PRODUCT
from howsure.sql.dialect import DIALECTS, SPARK, dialect
from tests.engines import Engine


@pytest.mark.parametrize(
    ("factors", "product"),
    [([], 1.0), ([0.5, 0.25], 0.125), ([0.5, 0.0, 0.25], 0.0), ([1e-40, 1e-40], SMALLEST_PRODUCT)],
)
def test_a_product_has_a_floor_unless_a_factor_is_0(engine: Engine, factors: list[float], product: float) -> None:
    engine.table("factors", {"x": "number"}, [[factor] for factor in factors])
    ((value,),) = engine.query(f"SELECT {engine.dialect.multiplied('x')} FROM factors")
    assert value == pytest.approx(product, rel=1e-9)


def test_the_name_of_a_column_may_be_a_keyword_or_hold_quotes(engine: Engine) -> None:
    engine.table("odd", {"select": "number", 'a "b" c': "number"}, [[1.0, 2.0]])
    columns = ", ".join(map(engine.dialect.quoted, ("select", 'a "b" c')))
    assert engine.query(f"SELECT {columns} FROM odd") == [(1.0, 2.0)]


@pytest.mark.parametrize("number", [-0.5, 0.1, 1e-300, 12345678.9])
def test_a_constant_is_a_float_of_full_precision(engine: Engine, number: float) -> None:
    ((value,),) = engine.query(f"SELECT 1 - {engine.dialect.number(number)} - 1")
    assert value == -number or value == pytest.approx(-number)
    ((value,),) = engine.query(f"SELECT {engine.dialect.number(number)}")
    assert (type(value), value) == (float, number)


def test_dialects_are_found_by_name() -> None:
    assert [dialect(name) for name in DIALECTS] == list(DIALECTS.values())
    assert SPARK.quoted("a`b") == "`a``b`"
    with pytest.raises(UnknownNameError, match="sqlite"):
        dialect("sqlit")
