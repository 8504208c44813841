"""The catalog describes every model."""

import pytest

from howsure.errors import InputError, UnknownNameError
from howsure.formulas import MODELS, catalog
from howsure.formulas.noisy_or import NoisyOr


def test_every_model_is_a_formula_or_has_a_name_of_its_own() -> None:
    assert {*catalog.formulas(), *catalog.names()} == {*MODELS, "claims"}
    assert not {*catalog.formulas()} & {*catalog.names()}
    assert catalog.find("claims") is NoisyOr


@pytest.mark.parametrize("name", list(MODELS))
def test_every_number_and_field_of_a_model_is_described(name: str) -> None:
    about = catalog.describe(name)
    meanings = [field["meaning"] for field in about["parameters"].values()]
    inputs = [field["description"] for field in about["input"]["properties"].values()]
    texts = [about["summary"], *about["row"].values(), *about["steps"].values(), *meanings, *inputs]
    assert all(texts), about
    assert about["reads"] == ("claims" if name in catalog.formulas() else name)


def test_an_unknown_model_is_named_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="noisy_or"):
        catalog.find("noisy_ro")
    with pytest.raises(InputError, match="3 is not the name of a model"):
        catalog.find(3)  # type: ignore[arg-type]
