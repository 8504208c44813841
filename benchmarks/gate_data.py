"""Responses that people judged, from folders of data that are not part of this project, for `evaluate_gate`."""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.calibration_sets import read_stated
from benchmarks.syntheses_data import ANSWERS, PASSAGES, against_passages

QUESTIONS = 100
"""Questions that are read of each set of questions, so that a run takes less than two minutes."""


class KnownResponse(NamedTuple):
    """A response, what is known about it, and whether it is right."""

    right: bool
    group: str
    """What is drawn whole and held out together: claims of one response, answers to one question."""
    given: dict[str, Any]
    """Arguments of `sure.responses.check`: text, context, stated, logprobs."""
    path: tuple[str, ...] = ()
    """Who it is from: kind of question and language model."""


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def read_responses(folder: Path) -> Iterator[KnownResponse]:
    """Yield responses of a language model, without anything that was retrieved: is nothing of it made up?"""
    for line in _lines(folder / "halu_halueval_general" / "all.jsonl"):
        yield KnownResponse(not line["hallucination"], line["id"], {"text": line["response"]})


def read_claims(folder: Path) -> Iterator[KnownResponse]:
    """Yield claims of responses with the passages that were retrieved for them: is the claim true?"""
    for task in against_passages(folder):
        claim, *passages = (result.content for result in task.results)
        yield KnownResponse(task.truth["claim"], task.group, {"text": claim, "context": passages})


def read_answers(folder: Path) -> Iterator[KnownResponse]:
    """Yield whole responses with the passages that were retrieved for their claims: are all claims true?"""
    passages: dict[str, list[str]] = {}
    for line in _lines(folder / PASSAGES):
        passages.setdefault(line["claim"], []).append(line["evidence"])
    for number, line in enumerate(_lines(folder / ANSWERS)):
        context = [text for claim in line["claims"] for text in passages.get(claim, [])]
        if context and isinstance(line["response_label"], bool):
            given = {"text": line["response"], "context": context}
            yield KnownResponse(line["response_label"], str(number), given)


def read_confidences(folder: Path, *, token: bool = False) -> Iterator[KnownResponse]:
    """Yield answers of language models to the first questions of each set, of which only their confidence is known."""
    for row in read_stated(folder):
        if int(row["question_id"]) < QUESTIONS and row["stated_confidence"]:
            given: dict[str, Any] = {"stated": float(row["stated_confidence"])}
            if token:
                if not row["chosen_token_confidence"]:
                    continue
                given["logprobs"] = math.log(max(float(row["chosen_token_confidence"]), 1e-6))
            right, group = row["correct"] in ("True", "1"), f"{row['qset']} {row['question_id']}"
            yield KnownResponse(right, group, given, (row["qset"], row["llm"]))


SETS: dict[str, Callable[[Path], Iterator[KnownResponse]]] = {
    "HaluEval, text alone": read_responses,
    "factcheck-bench, claim and passages": read_claims,
    "factcheck-bench, response and passages": read_answers,
    "stated confidence alone": read_confidences,
    "stated and token probability": lambda folder: read_confidences(folder, token=True),
}
