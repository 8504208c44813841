"""The gate lets plain right answers through, and stops what nothing supports."""

import gzip
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from benchmarks.evaluate_gate import (
    correct,
    evaluate_real,
    hold_out,
    judge,
    main,
    share_by_knowledge,
    share_passed,
    ungrounded,
)
from benchmarks.gate_data import SETS
from benchmarks.syntheses_data import ANSWERS, PASSAGES


def test_right_answers_pass_and_ungrounded_ones_do_not() -> None:
    passed, wrongly = share_passed("evidence", list(correct(random.Random(3))))
    assert passed >= 0.95, wrongly
    passed, wrongly = share_passed("evidence", list(ungrounded(random.Random(4))), report=False)
    assert passed <= 0.10, wrongly


def test_a_single_modal_costs_no_right_answer() -> None:
    """Only `--knowledge` is given, as in a first try; every ninth text has a "may" or "could"."""
    texts = [answer.text for answer in correct(random.Random(3))]
    hedged = [
        f"{text[:-1]}, and it {modal} be changed later." if place % 9 == 0 else text
        for place, (text, modal) in enumerate(zip(texts, ["may", "could"] * 80, strict=True))
    ]
    assert share_by_knowledge(hedged, 0.91, 0.95) >= 0.95
    assert share_by_knowledge(hedged, 0.1, 0.4) <= 0.10


def test_the_source_document_blocks_all_of_them() -> None:
    assert share_passed("nlnh", list(correct(random.Random(3), 40)), report=False)[0] == 0.0


def test_the_table_has_every_set(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "| answers | n | passed by evidence | passed by nlnh |"
    assert [row.split(" | ")[1] for row in rows[2:]] == ["160", "160", "80", "80", "160"]


def _write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    responses = [{"id": str(n), "response": "It works.", "hallucination": n % 4 == 0} for n in range(20)]
    _write(tmp_path / "halu_halueval_general" / "all.jsonl", responses)
    answers, passages = [], []
    for n in range(20):
        claim = f"The port of Redis is {n}."
        labels = [n % 2 == 0]
        answers.append({"prompt": "", "response": claim, "response_label": labels[0], "claims": [claim]})
        answers[-1]["claim_labels"] = labels
        passages.append({"claim": claim, "evidence": f"The port of Redis is {n if n % 2 == 0 else n + 50}."})
    _write(tmp_path / ANSWERS, answers)
    _write(tmp_path / PASSAGES, passages)
    lines = ["llm,qset,question_id,stated_confidence,chosen_token_confidence,correct"]
    for n in range(40):
        right = n % 3 > 0
        lines.append(f"{'ab'[n % 2]},quiz,{n // 2},{0.9 if right else 0.4},{'0.8' if n % 2 else ''},{right}")
    lines.append("a,quiz,5000,0.9,,True")  # beyond the questions that are read
    (tmp_path / "llm_stated_confidence").mkdir()
    (tmp_path / "llm_stated_confidence" / "confidence.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    return tmp_path


def test_real_responses_are_read_with_what_is_known_about_them(folder: Path) -> None:
    sets = {name: list(read(folder)) for name, read in SETS.items()}
    assert [len(responses) for responses in sets.values()] == [20, 20, 20, 40, 20]
    text, claims, answers, stated, token = sets.values()
    assert (text[0].right, text[1].right, text[1].given) == (False, True, {"text": "It works."})
    assert claims[2].given == {"text": "The port of Redis is 2.", "context": ["The port of Redis is 2."]}
    assert (answers[3].right, answers[3].given["context"]) == (False, ["The port of Redis is 53."])
    assert stated[4].path == ("quiz", "a")
    assert (stated[4].group, stated[4].given) == ("quiz 2", {"stated": 0.9})
    assert token[0].given["logprobs"] == pytest.approx(math.log(0.8))


def test_only_what_is_supported_passes(folder: Path) -> None:
    judged = {name: judge(list(read(folder))) for name, read in SETS.items()}
    text, claims, _, stated, _ = judged.values()
    assert not any(text.passed["evidence"])
    assert claims.passed["evidence"] == [True, False] * 10
    assert not any(stated.passed["evidence"])
    assert all(not any(one.passed["nlnh"]) for one in judged.values())


def test_learned_probabilities_never_saw_the_outcome_of_their_group(folder: Path) -> None:
    responses = list(SETS["stated confidence alone"](folder))
    judged = judge(responses)
    before = hold_out(responses, judged.values)
    assert min(c for c, one in zip(before, responses, strict=True) if one.right) > 0.8
    group = responses[0].group
    turned = [one._replace(right=not one.right) if one.group == group else one for one in responses]
    after = hold_out(turned, judged.values)
    own = [place for place, one in enumerate(responses) if one.group == group]
    assert [after[place] for place in own] == [before[place] for place in own]
    assert after != before


def test_the_tables_of_real_responses_have_every_set(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evaluate_real(folder)
    passed, by_knowledge, measured = capsys.readouterr().out.strip().split("\n\n")
    assert len(by_knowledge.splitlines()) == 2 + 3
    assert passed.splitlines()[3] == (
        "| factcheck-bench, claim and passages | 20 | 50% | 100.0% | 0.0% | 0.0% | 0.0% |"
    )
    rows = measured.splitlines()
    assert len(rows) == 2 + 3 * len(SETS)
    assert rows[5].startswith("| factcheck-bench, claim and passages | evidence | 1.00 [1.00, 1.00] |")
