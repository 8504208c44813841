"""Settings that loosen the gate are said in each decision."""

from pathlib import Path
from typing import Any

import pytest

from howsure.responses.loosening import list_loosened, list_loosened_by_settings
from howsure.settings import Settings
from howsure.sure import open as open_store


def _of(environment: dict[str, str] | None = None, **values: Any) -> Settings:
    return Settings(environment or {}, (("f", {name.replace("__", "."): value for name, value in values.items()}),))


def test_defaults_and_stricter_settings_loosen_nothing() -> None:
    assert list_loosened_by_settings(Settings({}, ())) == []
    assert list_loosened_by_settings(_of(thresholds__default=0.9, gate__relevant_centre=0.8)) == []


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (_of(gate__shadow=True), "every response is let through: gate.shadow = True (f)"),
        (_of({"HOWSURE_GATE_POLICY": "nlnh"}), "gate.policy = nlnh (HOWSURE_GATE_POLICY)"),
        (_of(gate__promise=0.5), "gate.promise = 0.5 (f)"),
        (_of(responses__outcomes=False), "responses.outcomes = False (f)"),
        (_of(thresholds__default=0.1), "below the default 0.8: thresholds.default = 0.1 (f)"),
        (_of(thresholds__agents={"a": 0.1, "b": 0.9}), "thresholds.agents = {'a': 0.1} (f)"),
        (_of(thresholds__types={"validator": 0.8}), "thresholds.types = {'validator': 0.8} (f)"),
        (_of(gate__relevant_centre=-1.0), "less similar documents count as knowledge: gate.relevant_centre = -1.0 (f)"),
        (_of(models__evidence__x=1), "parameters of the gate's models are changed: evidence.x"),
        (_of({"HOWSURE_MODELS_RESPONSE_RELEVANT_FROM": "0"}), "are changed: response.relevant_from"),
    ],
)
def test_each_way_to_loosen_is_said(settings: Settings, told: str) -> None:
    (said,) = list_loosened_by_settings(settings)
    assert said.endswith(told)


def test_parameters_of_other_models_do_not_loosen_the_gate() -> None:
    assert list_loosened(_of(models__noisy_or__boost_factor=0.2)) == []


def test_a_decision_says_so(tmp_path: Path) -> None:
    settings = _of(thresholds__agents={"ann": 0.2, "bob": 0.95}, gate__relevant_centre=0.1)
    with open_store(str(tmp_path / "s.db"), settings=settings) as sure:
        both = sure.responses.check("It is so.", agent="ann", knowledge=0.9).warnings
        one = sure.responses.check("It is so.", agent="bob", knowledge=0.9).warnings
    assert both[1].startswith("the gate is loosened: the threshold 0.2, set for the agent, is below the default ")
    told = "the gate is loosened: less similar documents count as knowledge: gate.relevant_centre = 0.1 (f)"
    assert one == both[:1] == (told,)
