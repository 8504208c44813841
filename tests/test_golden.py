"""The library and the command line give the numbers of every golden case."""

import json
from pathlib import Path
from typing import Any

import pytest

from howsure.formulas.scoring import Scorer
from tests.conftest import Run, close

FILES = sorted((Path(__file__).parent / "golden").glob("*.json"))
MODELS = [path.stem for path in FILES]


def _cases(model: str) -> list[tuple[dict[str, Any], Any]]:
    path = Path(__file__).parent / "golden" / f"{model}.json"
    return [(case, case.pop("expect")) for case in json.loads(path.read_text())]


def _formulas(model: str) -> list[str]:
    return ["all"] if model == "claims" else []


def test_there_are_golden_cases_for_every_kind_of_input() -> None:
    assert MODELS == [
        "automaton",
        "chance",
        "claims",
        "derived",
        "document",
        "evidence",
        "investigation",
        "learned",
        "overall",
        "patterns",
        "reliability",
        "response",
        "subresult",
    ]


@pytest.mark.parametrize("model", MODELS)
def test_the_library_gives_the_golden_numbers(model: str) -> None:
    scorer = Scorer(model, formulas=_formulas(model))
    for case, expected in _cases(model):
        found = scorer(case)
        assert close(found, expected), (case, expected, found)
        if model == "investigation":
            assert found["categories"].keys() == expected["categories"].keys()


@pytest.mark.parametrize("model", MODELS)
def test_the_command_line_gives_the_golden_numbers(model: str, howsure: Run) -> None:
    cases = _cases(model)
    lines = "\n".join(json.dumps(case) for case, _ in cases)
    options = [option for name in _formulas(model) for option in ("--formula", name)]
    done = howsure("score", model, *options, stdin=lines.encode())
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(cases)
    for (case, expected), found in zip(cases, answers, strict=True):
        assert close(found, expected), (case, expected, found)
