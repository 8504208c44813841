"""Every parameter of every model is a setting: by file, variable and option, checked, shown, and recorded."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure
from howsure.errors import InputError
from howsure.formulas import MODELS
from howsure.formulas.evidence import Evidence
from howsure.formulas.investigation import Investigation
from howsure.formulas.noisy_or import NoisyOr
from howsure.formulas.response import Response
from howsure.parameters import all_parameter_settings, check_parameters, configured, parameter_settings
from howsure.settings import Settings, current
from howsure.shapes.encode import encode
from tests.conftest import trust_folder


def of(tmp_path: Path, content: str = "", **environment: str) -> Settings:
    if content:
        (tmp_path / "howsure.toml").write_text(content, encoding="utf-8")
        trust_folder(tmp_path, tmp_path / "none")
    return current(str(tmp_path), {"XDG_CONFIG_HOME": str(tmp_path / "none"), "USER": "ann", **environment})


def test_every_parameter_of_every_model_is_a_setting() -> None:
    names = {setting.name for setting in all_parameter_settings()}
    for name in MODELS:
        assert {f"models.{name}.{field.name}" for field in fields(MODELS.find(name))} <= names  # type: ignore[arg-type]
    assert all(setting.help for setting in all_parameter_settings())


@pytest.mark.parametrize("name", MODELS.builtin)
def test_the_defaults_can_be_written_down_as_settings(name: str, tmp_path: Path) -> None:
    model = MODELS.find(name)
    variables = {
        setting.variable: value if isinstance(value, str) else json.dumps(value)
        for setting in parameter_settings(model)
        if (value := encode(setting.default({}))) not in ("", None)
    }
    assert configured(model, of(tmp_path, **variables)) == model()


def test_without_settings_a_model_has_its_defaults(tmp_path: Path) -> None:
    assert configured(NoisyOr, None) == configured(NoisyOr, of(tmp_path)) == NoisyOr()
    assert not of(tmp_path).sets_parameters
    assert configured(Evidence, of(tmp_path), relevant_centre=0.6).relevant_centre == 0.6


def test_a_file_and_a_variable_set_parameters_and_the_variable_wins(tmp_path: Path) -> None:
    content = "[models.noisy_or]\nboost_factor = 0.2\n[models.noisy_or.half_life]\ntask = 60\n"
    found = configured(NoisyOr, of(tmp_path, content))
    assert (found.boost_factor, found.half_life.task) == (0.2, 60.0)
    assert found.half_life.project == NoisyOr().half_life.project
    assert found.penalty_factor == NoisyOr().penalty_factor
    assert configured(NoisyOr, of(tmp_path, HOWSURE_MODELS_NOISY_OR_BOOST_FACTOR="0.3")).boost_factor == 0.3


def test_a_table_changes_only_the_parts_that_it_names(tmp_path: Path) -> None:
    found = configured(Response, of(tmp_path, "[models.response.thresholds]\nplanner = 0.5\n"))
    assert found.thresholds == Response().thresholds | {"planner": 0.5}


@given(boost=st.floats(0, 10), penalty=st.floats(0, 10))
@settings(max_examples=25)
def test_any_valid_value_arrives(boost: float, penalty: float) -> None:
    chosen = {
        "HOWSURE_MODELS_NOISY_OR_BOOST_FACTOR": repr(boost),
        "HOWSURE_MODELS_NOISY_OR_PENALTY_FACTOR": repr(penalty),
    }
    assert configured(NoisyOr, Settings(chosen, ())) == NoisyOr(boost_factor=boost, penalty_factor=penalty)


@pytest.mark.parametrize(
    ("content", "variables", "problem"),
    [
        ("[models.nosy_or]\nx = 1", {}, r"no model 'nosy_or', in .*howsure.toml \(did you mean noisy_or\?\)"),
        ("[models.noisy_or]\nbost_factor = 1", {}, r"unknown parameter 'bost_factor' of .*did you mean boost_factor\?"),
        ("[models.noisy_or]\nboost_factor = -1", {}, r"models.noisy_or.boost_factor: -1 is not between .*howsure.toml"),
        ("[models.noisy_or]\nboost_factor = 'x'", {}, r"models.noisy_or.boost_factor: .*'x'.*howsure.toml"),
        ("[models.noisy_or.half_life]\ntusk = 1", {}, r"models.noisy_or.half_life.*tusk"),
        ("[models.document]\nc_min = 0.9", {}, r"models.document.c_min: 0.9 is above c_max"),
        ("[models.derived]\nx = 1", {}, "derived has no parameters"),
        ("models = 1", {}, "'models' is not a table"),
        ("[models]\nnoisy_or = 1", {}, "'models.noisy_or' is not a table"),
        ("", {"HOWSURE_MODELS_NOISY_OR_BOST": "1"}, "unknown parameter 'bost' of the model noisy_or"),
        ("", {"HOWSURE_MODELS_NOBODY_X": "1"}, "no model 'nobody_x'"),
        (
            "",
            {"HOWSURE_MODELS_NOISY_OR_BOOST_FACTOR": "much"},
            "BOOST_FACTOR: 'much' is not JSON",
        ),
    ],
)
def test_mistakes_are_named(tmp_path: Path, content: str, variables: dict[str, str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        check_parameters(of(tmp_path, content, **variables))


SET: dict[str, str] = {
    "HOWSURE_MODELS_NOISY_OR_BOOST_FACTOR": "0.2",
    "HOWSURE_MODELS_INVESTIGATION_WEIGHT_SEARCH": "0.5",
    "HOWSURE_MODELS_RESPONSE_RELEVANT_FROM": "0.8",
    "HOWSURE_MODELS_EVIDENCE_DEFAULT_THRESHOLD": "0.3",
    "HOWSURE_MODELS_SUBRESULT_HEDGE_COST": "0.3",
    "HOWSURE_MODELS_OVERALL_LEVEL_STARTS": "[0.99, 0.98, 0.97]",
    "HOWSURE_MODELS_DOCUMENT_C_MIN": "0.6",
    "HOWSURE_MODELS_PATTERNS_M2_BONUS": "0.07",
}


@pytest.fixture
def sure(tmp_path: Path) -> Any:
    with howsure.open(str(tmp_path / "x.db"), settings=of(tmp_path, **SET)) as opened:
        yield opened


def test_claims_are_read_with_the_parameters(sure: Any) -> None:
    assert sure.session.formula == NoisyOr(boost_factor=0.2)
    assert sure.session.chosen("noisy_or") == NoisyOr(boost_factor=0.2)
    claim = sure.claims.add("The sky is blue", source="user:ann", contribution=0.8).id
    assert sure.claims.explain(claim).score.spec.parameters["boost_factor"] == 0.2


def test_responses_are_judged_and_recorded_with_the_parameters(sure: Any) -> None:
    decision = sure.responses.check("It works.", agent="a", knowledge=0.5)
    assert decision.threshold == 0.3
    assert sure.ledger.get(decision.id).spec["parameters"]["default_threshold"] == 0.3
    strict = sure.responses.check("It works.", agent="a", knowledge=[0.75], policy="nlnh")
    assert {factor.name: factor.score for factor in strict.factors}["knowledge_base"] == 0.0
    assert sure.ledger.get(strict.id).spec["parameters"]["relevant_from"] == 0.8
    assert sure.responses.threshold().threshold == 0.3


def test_thresholds_of_the_settings_win_over_those_of_a_model(tmp_path: Path) -> None:
    chosen = of(tmp_path, "[thresholds]\ndefault = 0.4\n[models.evidence]\ndefault_threshold = 0.3\n")
    with howsure.open(str(tmp_path / "x.db"), settings=chosen) as opened:
        assert opened.responses.threshold().threshold == 0.4


def test_the_parameter_of_the_model_wins_over_the_shorter_setting(tmp_path: Path) -> None:
    chosen = of(tmp_path, "[gate]\nrelevant_centre = 0.5\n[models.evidence]\nrelevant_centre = 0.6\n")
    with howsure.open(str(tmp_path / "x.db"), settings=chosen) as opened:
        assert opened.responses.model.spec.parameters["relevant_centre"] == 0.6


def test_other_facades_take_the_parameters(sure: Any) -> None:
    assert sure.investigations.model.tools["grep"] == "search"
    result = sure.syntheses.combine("q", [{"id": "a", "content": "It might be so."}])
    assert result.models["subresult"]["parameters"]["hedge_cost"] == 0.3
    score = sure.models.score("response", {"similarities": [0.75], "response": "x"})
    assert score["spec"]["parameters"]["relevant_from"] == 0.8
    assert (
        sure.models.score("response", {"response": "x"}, parameters={"relevant_from": 0.1})["spec"]["parameters"][
            "relevant_from"
        ]
        == 0.1
    )
    assert sure.bulk.score([{"id": "1"}], formula="noisy_or").spec.parameters["boost_factor"] == 0.2


def test_documents_take_the_parameters(sure: Any, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nsources: x\n", encoding="utf-8")
    scan = sure.documents.scan(tmp_path / "docs", cache=False)
    assert scan.options.model.c_min == 0.6
    assert dict(scan.options.pack.thresholds)["m2_bonus"] == 0.07
    assert sure.ledger.get(sure.documents.record(scan)).spec["parameters"]["c_min"] == 0.6


def test_investigations_keep_known_tools_and_take_weights(tmp_path: Path) -> None:
    content = "[models.investigation]\nweight_search = 0.11\n[models.investigation.tools]\nlookup = 'search'\n"
    with howsure.open(str(tmp_path / "x.db"), settings=of(tmp_path, content)) as opened:
        model = opened.investigations.model
    assert (model.weight_search, model.tools["lookup"]) == (0.11, "search")
    assert set(Investigation().tools) < set(model.tools)
