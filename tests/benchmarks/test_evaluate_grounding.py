"""Evaluation of grounding on changed answers and labelled claims."""

import json
import random
from pathlib import Path

import pytest

from benchmarks.evaluate_grounding import Example, evaluate_support, is_grounded, main, strangers_of
from benchmarks.grounding_edits import edit


def test_edits_change_one_thing() -> None:
    dice = random.Random(2)
    answer = "With Redis, sessions are kept for 30 minutes."
    assert edit("negation", answer, "", dice) == "With Redis, sessions are not kept for 30 minutes."
    assert edit("negation", "It never stores them.", "", dice) == "It stores them."
    assert edit("negation", "Redis stores them.", "", dice) == "Redis does not store them."
    number = edit("number", answer, "", dice)
    assert number is not None
    assert number != answer
    assert number.startswith("With Redis, sessions are kept for ")
    name = edit("name", answer, "", dice)
    assert name is not None
    assert "Redis" not in name
    assert edit("name", "it works", "", dice) is None
    assert edit("number", "it works", "", dice) is None


def test_support_is_measured() -> None:
    examples = [
        Example("The port is 80.", "The port is 80.", supported=True),
        Example("Cats purr.", "It is 5.", supported=False),
    ]
    assert evaluate_support("small", examples).startswith("| small | 2 | 1.00 |")
    assert is_grounded(examples[0])
    assert not is_grounded(examples[1])
    assert strangers_of(examples)[0].context == "Cats purr."


def test_the_tables_have_every_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder, file, line, labels in (
        ("fc_fever_dev_binary", "dev.jsonl", "label", ["SUPPORTS", "REFUTES"]),
        ("halu_factcheck_bench", "claim_evidence_stance.jsonl", "stance", ["completely-support", "refute"]),
    ):
        (tmp_path / folder).mkdir()
        lines = [
            {"evidence": f"The port of Redis is {port}.", "claim": "The port of Redis is 7.", line: label}
            for port, label in zip([7, 9] * 24, labels * 24, strict=True)
        ]
        (tmp_path / folder / file).write_text("".join(json.dumps(one) + "\n" for one in lines))
    main(str(tmp_path))
    out = capsys.readouterr().out
    assert "| technical, held out | 51 |" in out
    assert "| FEVER, second half | 24 |" in out
    assert "| factcheck-bench, complete support | 16 |" in out
