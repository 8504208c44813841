"""Labelled texts and claims for `benchmarks.evaluate_syntheses`, read from a folder that is not part of this project.

Labels are read only to count by; no text and no task shows them to what is measured.
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
VERDICTS = {"SUPPORTS": True, "REFUTES": False}
"""What a label of a claim about the climate says; the other labels say neither."""


class Judged(NamedTuple):
    """A text, what people say of it, and the group with which it is drawn again."""

    text: str
    judgement: float
    group: str


class Task(NamedTuple):
    """One synthesis to make: sub-results, of which some are claims that people labelled."""

    query: str
    results: list[SubResult]
    truth: dict[str, bool]
    """Whether each labelled claim is true, by the id of its sub-result. Only what is counted reads this."""
    group: str


def _lines(folder: Path, name: str, *fields: str) -> Iterator[dict[str, Any]]:
    """Give the records of a file; end with a plain message where there is none, or one lacks a field."""
    path = folder / name
    if not path.is_file():
        sys.exit(f"there is no {name} in {folder}")
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
            except ValueError:
                sys.exit(f"{name}, line {number}: this is not JSON")
            missing = [field for field in fields if not isinstance(record, dict) or field not in record]
            if missing:
                sys.exit(f"{name}, line {number}: there is no field {missing[0]!r}")
            yield record


def _answers(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give each answer with the name of its group."""
    fields = ("prompt", "response", "claims", "claim_labels")
    for number, record in enumerate(_lines(folder, ANSWERS, *fields)):
        if len(record["claims"]) != len(record["claim_labels"]):
            sys.exit(f"{ANSWERS}, line {number + 1}: there are not as many labels as claims")
        yield f"answer {number}", record


def sentences(folder: Path) -> list[Judged]:
    """Give findings of science, and how certain people say they are put (1 to 6)."""
    field = "sentence-level-certainty"
    return [Judged(r["finding"], r[field], str(n)) for n, r in enumerate(_lines(folder, SENTENCES, "finding", field))]


def aspects(folder: Path) -> list[Judged]:
    """Give findings of science, and the share of their aspects (number, extent, ...) that people call certain."""
    found = []
    for number, record in enumerate(_lines(folder, ASPECTS, "finding", "aspect-level-certainty")):
        rated = Counter(record["aspect-level-certainty"].values())
        if rated["Certain"] + rated["Uncertain"]:
            share = rated["Certain"] / (rated["Certain"] + rated["Uncertain"])
            found.append(Judged(record["finding"], share, str(number)))
    return found


def answers(folder: Path) -> list[Judged]:
    """Give answers of a language model, and the share of their claims that people found true."""
    found = []
    for group, record in _answers(folder):
        known = [label for label in record["claim_labels"] if isinstance(label, bool)]
        if known:
            found.append(Judged(record["response"], sum(known) / len(known), group))
    return found


def claims(folder: Path) -> list[Judged]:
    """Give the claims of these answers, and whether people found them true; those of an answer are drawn together."""
    return [
        Judged(claim, float(label), group)
        for group, record in _answers(folder)
        for claim, label in zip(record["claims"], record["claim_labels"], strict=True)
        if isinstance(label, bool)
    ]


def in_answers(folder: Path) -> Iterator[Task]:
    """Give each answer of two claims or more: every claim is a sub-result, to be merged with the others."""
    for group, record in _answers(folder):
        results = [SubResult(f"c{n}", claim) for n, claim in enumerate(record["claims"])]
        truth = {f"c{n}": label for n, label in enumerate(record["claim_labels"]) if isinstance(label, bool)}
        if len(results) > 1 and truth:
            yield Task(record["prompt"], results, truth, group)


def against_passages(folder: Path) -> Iterator[Task]:
    """Give each claim of an answer with the passages that were retrieved for it, one sub-result each."""
    passages: dict[str, list[str]] = {}
    for record in _lines(folder, PASSAGES, "claim", "evidence"):
        passages.setdefault(record["claim"], []).append(record["evidence"])
    for group, record in _answers(folder):
        for claim, label in zip(record["claims"], record["claim_labels"], strict=True):
            if claim in passages and isinstance(label, bool):
                around = [SubResult(f"e{n}", text) for n, text in enumerate(passages[claim])]
                yield Task(record["prompt"], [SubResult("claim", claim), *around], {"claim": label}, group)


def _climate(folder: Path) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]], dict[str, str]]:
    """Return the claims with evidence, that evidence, and each one's topic: the article that most of it is from."""
    evidence: dict[str, list[dict[str, Any]]] = {}
    for record in _lines(folder, EVIDENCE, "claim_id", "article", "evidence"):
        evidence.setdefault(record["claim_id"], []).append(record)
    found = [one for one in _lines(folder, CLAIMS, "claim_id", "claim", "claim_label") if one["claim_id"] in evidence]
    topics = {}
    for claim in found:
        named = Counter(record["article"] for record in evidence[claim["claim_id"]])
        topics[claim["claim_id"]] = min(named, key=lambda name: (-named[name], name))
    return found, evidence, topics


def in_topics(folder: Path) -> Iterator[Task]:
    """Give each topic of two claims or more: every claim is a sub-result, to be merged with the others."""
    found, _, topics = _climate(folder)
    for topic in dict.fromkeys(topics.values()):
        own = [claim for claim in found if topics[claim["claim_id"]] == topic]
        results = [SubResult(f"c{claim['claim_id']}", claim["claim"]) for claim in own]
        truth = {f"c{c['claim_id']}": VERDICTS[c["claim_label"]] for c in own if c["claim_label"] in VERDICTS}
        if len(results) > 1 and truth:
            yield Task(topic, results, truth, topic)


def against_evidence(folder: Path) -> Iterator[Task]:
    """Give each claim with its sentences of evidence, one sub-result each, the article being its source."""
    found, evidence, topics = _climate(folder)
    for claim in found:
        if claim["claim_label"] in VERDICTS:
            around = [
                SubResult(f"e{n}", record["evidence"], sources=(record["article"],))
                for n, record in enumerate(evidence[claim["claim_id"]])
            ]
            topic = topics[claim["claim_id"]]
            truth = {"claim": VERDICTS[claim["claim_label"]]}
            yield Task(topic, [SubResult("claim", claim["claim"]), *around], truth, topic)


TEXTS: dict[str, Callable[[Path], list[Judged]]] = {
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
