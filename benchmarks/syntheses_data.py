"""Read the labelled texts and claims for `benchmarks.evaluate_syntheses` from a folder outside this project.

Labels are used only for counting; they are never part of a text or a sub-result.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from howsure.syntheses.synthesis import SubResult

SENTENCES = "hedge_science_certainty/sentence.jsonl"
ASPECTS = "hedge_science_certainty/aspect.jsonl"
ANSWERS = "halu_factcheck_bench/claims_by_response.jsonl"
PASSAGES = "halu_factcheck_bench/claim_evidence_stance.jsonl"
CLAIMS = "fc_climate_fever/claims.jsonl"
EVIDENCE = "fc_climate_fever/evidence.jsonl"
TRUTH = {"SUPPORTS": True, "REFUTES": False}
"""Labels of climate claims that say whether a claim is true; claims with other labels are not counted."""


class RatedText(NamedTuple):
    """A text, its rating by people, and the group with which it is sampled."""

    text: str
    rating: float
    group: str


class Task(NamedTuple):
    """The sub-results of one synthesis, some of which are claims that people labelled."""

    query: str
    results: list[SubResult]
    truth: dict[str, bool]
    """Whether each labelled claim is true, by the id of its sub-result. Used only for counting."""
    group: str


def _lines(folder: Path, name: str, *fields: str) -> Iterator[dict[str, Any]]:
    """Yield the records of a file; exit with a message if it is missing or a record lacks a field."""
    path = folder / name
    if not path.is_file():
        sys.exit(f"no file {name} in {folder}")
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
            except ValueError:
                sys.exit(f"{name}, line {number}: invalid JSON")
            missing = [field for field in fields if not isinstance(record, dict) or field not in record]
            if missing:
                sys.exit(f"{name}, line {number}: missing field {missing[0]!r}")
            yield record


def _answers(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each response with the name of its group."""
    fields = ("prompt", "response", "claims", "claim_labels")
    for number, record in enumerate(_lines(folder, ANSWERS, *fields)):
        if len(record["claims"]) != len(record["claim_labels"]):
            sys.exit(f"{ANSWERS}, line {number + 1}: the numbers of labels and claims differ")
        yield f"answer {number}", record


def sentences(folder: Path) -> list[RatedText]:
    """Return scientific findings with the certainty of their wording, as rated by people (1 to 6)."""
    field = "sentence-level-certainty"
    return [
        RatedText(r["finding"], r[field], str(n)) for n, r in enumerate(_lines(folder, SENTENCES, "finding", field))
    ]


def aspects(folder: Path) -> list[RatedText]:
    """Return scientific findings with the share of their aspects (number, extent, ...) that people rated certain."""
    texts = []
    for number, record in enumerate(_lines(folder, ASPECTS, "finding", "aspect-level-certainty")):
        ratings = Counter(record["aspect-level-certainty"].values())
        if ratings["Certain"] + ratings["Uncertain"]:
            share = ratings["Certain"] / (ratings["Certain"] + ratings["Uncertain"])
            texts.append(RatedText(record["finding"], share, str(number)))
    return texts


def answers(folder: Path) -> list[RatedText]:
    """Return responses of a language model with the share of their claims that people labelled true."""
    texts = []
    for group, record in _answers(folder):
        known = [label for label in record["claim_labels"] if isinstance(label, bool)]
        if known:
            texts.append(RatedText(record["response"], sum(known) / len(known), group))
    return texts


def claims(folder: Path) -> list[RatedText]:
    """Return the claims of these responses with 1.0 if people labelled them true; a response is one group."""
    return [
        RatedText(claim, float(label), group)
        for group, record in _answers(folder)
        for claim, label in zip(record["claims"], record["claim_labels"], strict=True)
        if isinstance(label, bool)
    ]


def in_answers(folder: Path) -> Iterator[Task]:
    """Yield a task for each response with at least two claims: every claim is a sub-result."""
    for group, record in _answers(folder):
        results = [SubResult(f"c{n}", claim) for n, claim in enumerate(record["claims"])]
        truth = {f"c{n}": label for n, label in enumerate(record["claim_labels"]) if isinstance(label, bool)}
        if len(results) > 1 and truth:
            yield Task(record["prompt"], results, truth, group)


def against_passages(folder: Path) -> Iterator[Task]:
    """Yield a task for each claim of a response: the claim and its retrieved passages, one sub-result each."""
    passages: dict[str, list[str]] = {}
    for record in _lines(folder, PASSAGES, "claim", "evidence"):
        passages.setdefault(record["claim"], []).append(record["evidence"])
    for group, record in _answers(folder):
        for claim, label in zip(record["claims"], record["claim_labels"], strict=True):
            if claim in passages and isinstance(label, bool):
                around = [SubResult(f"e{n}", text) for n, text in enumerate(passages[claim])]
                yield Task(record["prompt"], [SubResult("claim", claim), *around], {"claim": label}, group)


def _climate(folder: Path) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]], dict[str, str]]:
    """Return the claims that have evidence, the evidence and the topic of each: the article that most of it is from."""
    evidence: dict[str, list[dict[str, Any]]] = {}
    for record in _lines(folder, EVIDENCE, "claim_id", "article", "evidence"):
        evidence.setdefault(record["claim_id"], []).append(record)
    records = [one for one in _lines(folder, CLAIMS, "claim_id", "claim", "claim_label") if one["claim_id"] in evidence]
    topics = {}
    for claim in records:
        named = Counter(record["article"] for record in evidence[claim["claim_id"]])
        topics[claim["claim_id"]] = min(named, key=lambda name: (-named[name], name))
    return records, evidence, topics


def in_topics(folder: Path) -> Iterator[Task]:
    """Yield a task for each topic with at least two claims: every claim is a sub-result."""
    records, _, topics = _climate(folder)
    for topic in dict.fromkeys(topics.values()):
        own = [claim for claim in records if topics[claim["claim_id"]] == topic]
        results = [SubResult(f"c{claim['claim_id']}", claim["claim"]) for claim in own]
        truth = {f"c{c['claim_id']}": TRUTH[c["claim_label"]] for c in own if c["claim_label"] in TRUTH}
        if len(results) > 1 and truth:
            yield Task(topic, results, truth, topic)


def against_evidence(folder: Path) -> Iterator[Task]:
    """Yield a task for each claim: the claim and its evidence sentences, one sub-result each, from its article."""
    records, evidence, topics = _climate(folder)
    for claim in records:
        if claim["claim_label"] in TRUTH:
            around = [
                SubResult(f"e{n}", record["evidence"], sources=(record["article"],))
                for n, record in enumerate(evidence[claim["claim_id"]])
            ]
            topic = topics[claim["claim_id"]]
            truth = {"claim": TRUTH[claim["claim_label"]]}
            yield Task(topic, [SubResult("claim", claim["claim"]), *around], truth, topic)


TEXTS: dict[str, Callable[[Path], list[RatedText]]] = {
    "science, certainty of the sentence": sentences,
    "science, share of certain aspects": aspects,
    "answers, share of true claims": answers,
    "claims of answers, true or not": claims,
}
TASKS: dict[str, Callable[[Path], Iterator[Task]]] = {
    "halu, claims of an answer": in_answers,
    "halu, claim and passages": against_passages,
    "climate, claims on a topic": in_topics,
    "climate, claim and evidence": against_evidence,
}
