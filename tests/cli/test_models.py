"""howsure models and howsure explain."""

import json

import pytest

from howsure.formulas import catalog
from tests.conftest import Run

CASE = json.dumps(
    {
        "now": 0,
        "provenance": [{"source_type": "user", "source_id": "ann", "contribution": 0.8}],
        "contradicted_by": [{"influence": 0.5}],
    }
).encode()


def test_models_lists_every_model(howsure: Run) -> None:
    listed = howsure("models").stdout.decode()
    assert all(name in listed for name in (*catalog.formulas(), *catalog.names()[1:]))
    data = [json.loads(line) for line in howsure("models", "--json").stdout.splitlines()]
    assert {about["name"] for about in data} == {*catalog.formulas(), *catalog.names()[1:]}


@pytest.mark.parametrize("name", ["noisy_or", "response", "patterns", "investigation"])
def test_a_model_is_shown_with_every_parameter_input_and_step(howsure: Run, name: str) -> None:
    shown = howsure("models", name, COLUMNS="200").stdout.decode()
    about = json.loads(howsure("models", name, "--json").stdout)
    for part in (about["parameters"], about["input"]["properties"], about["steps"]):
        assert all(field in shown for field in part)
    assert about["input"]["type"] == "object"


def test_the_schema_accepts_what_the_model_does() -> None:
    import jsonschema

    for path in ("claims", "response", "document", "patterns", "investigation"):
        from tests.test_golden import _cases

        schema = catalog.describe(path)["input"]
        for case, _ in _cases(path)[:20]:
            jsonschema.validate(case, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"nonsense": 1}, schema)


@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_explain_shows_every_step_at_any_width(howsure: Run, width: str) -> None:
    done = howsure("explain", "claims", "--formula", "all", stdin=CASE, COLUMNS=width)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode()
    for name in catalog.formulas():
        assert all(step in shown for step in catalog.describe(name)["steps"])
    assert all(len(line) <= int(width) for line in shown.splitlines())
    assert "contradicted by 1 claim" in " ".join(shown.split())


def test_explain_as_json_says_what_each_number_means(howsure: Run) -> None:
    found = json.loads(howsure("explain", "noisy_or", "--json", stdin=CASE).stdout)
    assert found["model"]["name"] == "noisy_or"
    assert {key: value for key, value in found["lines"][11].items() if key != "meaning"} == {
        "part": "step",
        "name": "penalty",
        "value": 0.9,
    }
    assert all(line["meaning"] for line in found["lines"])


def test_explain_shows_warnings(howsure: Run) -> None:
    case = json.dumps({"steps": [{"tool": "ctest", "passed": False}]}).encode()
    assert "warning: the latest tests failed: ctest" in howsure("explain", "investigation", stdin=case).stdout.decode()


@pytest.mark.parametrize(("text", "message"), [(b"", "nothing to explain"), (b"{", "not JSON")])
def test_explain_needs_one_case(howsure: Run, text: bytes, message: str) -> None:
    done = howsure("explain", "claims", stdin=text)
    assert (done.returncode, message in done.stderr.decode()) == (2, True)
