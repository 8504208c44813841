"""The registry finds models, built in or from elsewhere."""

from pathlib import Path

import pytest

from howsure.errors import HowsureError, UnknownNameError
from howsure.formulas import MODELS
from howsure.formulas.beta import Beta
from howsure.formulas.registry import Registry

GROUP = "howsure.no-such-group"


def test_a_built_in_model_is_found_by_name() -> None:
    assert MODELS.find("beta") is Beta
    assert "beta" in list(MODELS)


def test_an_unknown_model_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="there is no model 'noisyor' \\(did you mean noisy_or\\?\\)"):
        MODELS.find("noisyor")


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("howsure.formulas.beta:Gamma", "could not be loaded"),
        ("no_such_module:Model", "could not be loaded"),
        ("howsure.formulas.beta:Row", "is not a subclass of howsure.Model"),
    ],
)
def test_a_broken_plug_in_is_named(where: str, message: str) -> None:
    with pytest.raises(HowsureError, match=message):
        Registry({"mine": where}, GROUP).find("mine")


def test_a_plug_in_that_fails_while_it_is_imported_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "failing_plug_in.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(HowsureError, match="mine could not be loaded from failing_plug_in:Model: ZeroDivisionError"):
        Registry({"mine": "failing_plug_in:Model"}, GROUP).find("mine")
