"""Evaluate the gate: `python -m benchmarks.evaluate_gate [FOLDER]`.

*Generated answers*: 160 correct ones with good retrieval, and 160 that nothing supports: half with poor retrieval, half
with good retrieval of texts that do not say what the answer says, worded plainly or boldly. The first Markdown table
has the share that passes, by policy.

*Real responses* that people judged, from data sets in FOLDER, which are not part of this project: what passes by each
policy without any outcome, and how well its composite tells right from wrong, beside the probability that is learned
from outcomes (cross-validation, ten folds of whole groups).
"""

import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.gate_data import SETS, KnownResponse
from benchmarks.measures import print_heads, show_difference, show_measure
from howsure.formulas.evidence import Evidence
from howsure.formulas.response import Response
from howsure.learn.evaluation import Evaluation, evaluate_columns
from howsure.learn.frames import number_groups
from howsure.learn.learning import cross_validate
from howsure.learn.matrix import learn_matrix
from howsure.responses.fitted import COMPOSITE, answer_values
from howsure.responses.learning import PRECISION, KnownResponses, build_matrix
from howsure.responses.signals import read_signals
from howsure.settings import POLICIES, READER, Policy, current
from howsure.sure import open as open_store

COUNT = 160
NOW = 1_800_000_000.0
PLACES = {
    "Avenor": ("the river Tolme", 1204, 48_300), "Brisk": ("the bay of Ulm", 1388, 112_500),
    "Corvane": ("lake Ister", 1642, 9_750), "Dunmore": ("the river Orra", 998, 210_000),
    "Estby": ("the strait of Halm", 1777, 31_400), "Fallow": ("the river Wend", 1530, 18_900),
    "Garrow": ("lake Senn", 1455, 64_200), "Hollin": ("the gulf of Mar", 1299, 7_300),
}  # fmt: skip
SERVICES = {
    "gateway": (8443, 90, "etcd"), "scheduler": (9100, 30, "Redis"), "indexer": (7070, 45, "PostgreSQL"),
    "mailer": (2525, 120, "RabbitMQ"), "billing service": (8081, 15, "MySQL"), "importer": (6060, 600, "S3"),
    "search service": (9200, 20, "Lucene"), "notifier": (5050, 75, "Kafka"),
}  # fmt: skip
KNOWLEDGE = ((0.91, 0.95), (0.1, 0.4))
"""Good and poor knowledge."""
BOLD = ("Definitely: ", "Verified and confirmed: ", "Absolutely, ", "")


class Answer(NamedTuple):
    """An answer with what was retrieved for it."""

    text: str
    similarities: list[float]
    context: str
    """The retrieved text; empty if the retriever gives none."""
    kind: str


def facts() -> list[tuple[str, list[str], list[str]]]:
    """Return passages, each with right answers from it and answers that it does not support."""
    found = []
    for place, (water, year, people) in PLACES.items():
        passage = (
            f"{place} is a town on {water}. It was founded in {year} and received market rights fifty years later. At "
            f"the last census {place} had {people:,} inhabitants. Its town hall and old bridge are open to visitors."
        )
        right = [
            f"{place} lies on {water}.",
            f"The town of {place} was founded in {year}.",
            f"{place} has {people:,} inhabitants, according to the last census.",
            f"{place}, which is on {water}, was founded in {year}.",
            f"Yes. You can visit the old bridge and the town hall of {place}.",
        ]
        wrong = [
            f"{place} was founded in {year + 137}.",
            f"{place} has {people * 3:,} inhabitants and two airports.",
            f"The cathedral of {place} was designed by Ernst Haller.",
            "Use a stainless steel pan and salt the water first.",
        ]
        found.append((passage, right, wrong))
    for service, (port, seconds, store) in SERVICES.items():
        passage = (
            f"The {service} listens on port {port}. Idle connections are closed after {seconds} seconds. Its state is "
            f"kept in {store}, which has to be running before the {service} starts. Logs go to standard output."
        )
        right = [
            f"The {service} listens on port {port}.",
            f"It closes idle connections after {seconds} seconds.",
            f"The {service} keeps its state in {store}.",
            f"Start {store} first: the {service} needs it to be running.",
            f"The port is {port}, and logs go to standard output.",
        ]
        wrong = [
            f"The {service} listens on port {port + 1011}.",
            f"Idle connections of the {service} are closed after {seconds * 7} minutes.",
            f"The {service} encrypts its backups with a hardware key every Sunday.",
            "The treaty was signed by eleven ministers in Vienna.",
        ]
        found.append((passage, right, wrong))
    return found


def correct(dice: random.Random, count: int = COUNT) -> Iterator[Answer]:
    """Yield right answers with good retrieval; for every other one the retrieved text is known."""
    choices = [(passage, answer) for passage, right, _ in facts() for answer in right]
    for number in range(count):
        passage, answer = choices[number % len(choices)]
        similarities = [round(dice.uniform(0.91, 0.95), 3) for _ in range(dice.randint(1, 4))]
        yield Answer(answer, similarities, passage if number // len(choices) % 2 else "", "correct")


def ungrounded(dice: random.Random, count: int = COUNT) -> Iterator[Answer]:
    """Yield answers that nothing supports."""
    choices = [(passage, answer) for passage, _, wrong in facts() for answer in wrong]
    for number in range(count):
        passage, answer = choices[number % len(choices)]
        text = dice.choice(BOLD) + answer
        if number < count // 2:
            yield Answer(
                text, [round(dice.uniform(0.3, 0.6), 3) for _ in range(dice.randint(1, 4))], "", "poor retrieval"
            )
        else:
            similarities = [round(dice.uniform(0.91, 0.95), 3) for _ in range(dice.randint(1, 4))]
            yield Answer(text, similarities, passage, "not in the text")


def share_passed(policy: Policy, answers: list[Answer], *, report: bool = True) -> tuple[float, list[Answer]]:
    """Return the share of answers that pass a gate with an empty ledger, and those that were judged wrongly."""
    with tempfile.TemporaryDirectory() as folder:
        moment = iter(range(10**9))
        with open_store(f"{folder}/gate.db", clock=lambda: NOW + next(moment)) as sure:
            failed, passed = [], 0
            for answer in answers:
                results: list[Any] = list(answer.similarities)
                if answer.context:
                    results[0] = {"similarity": results[0], "text": answer.context}
                decision = sure.responses.check(answer.text, agent="bot", knowledge=results, policy=policy)
                right = answer.kind == "correct"
                if report:
                    sure.ledger.outcome(decision.id, "right" if right else "wrong")
                passed += decision.decision == "pass"
                if (decision.decision == "pass") != right:
                    failed.append(answer)
    return passed / len(answers), failed


class Judged(NamedTuple):
    """What the gate says of a set of responses without any outcome."""

    evidence: list[float]
    """Composites."""
    nlnh: list[float]
    passed: dict[Policy, list[bool]]
    values: list[dict[str, float]]
    """Composite, factors and signals of the policy evidence, to learn from."""


def judge(responses: Sequence[KnownResponse]) -> Judged:
    """Judge responses by each policy; nlnh sees the text only, since it knows no signals."""
    found = Judged([], [], {policy: [] for policy in POLICIES}, [])
    evidence, nlnh, reader = Evidence(), Response(), current().value(READER)
    for response in responses:
        given = dict(response.given)
        text = {"response": given["text"]} if "text" in given else {}
        answer = evidence.score(text | read_signals(given.pop("text", None), **given, reader=reader).values).answer
        found.evidence.append(answer["composite"])
        found.passed["evidence"].append(answer["decision"] == "pass")
        found.values.append(answer_values(answer))
        answer = nlnh.score(text).answer
        found.nlnh.append(answer["composite"])
        found.passed["nlnh"].append(answer["decision"] == "pass")
    return found


def share_by_knowledge(texts: Sequence[str], low: float, high: float) -> float:
    """Return the share of texts that pass if nothing is known but a knowledge drawn between two numbers."""
    dice, model = random.Random(5), Evidence()
    cases = ({"response": text, "knowledge_base": dice.uniform(low, high)} for text in texts)
    return float(np.mean([model.score(case).answer["decision"] == "pass" for case in cases]))


def hold_out(responses: Sequence[KnownResponse], values: Sequence[dict[str, float]]) -> list[float]:
    """Return the probability of each response that is learned from those of other groups, as the store would learn."""
    outcomes = [float(response.right) for response in responses]
    paths = [response.path for response in responses]

    def predict(known: Any, wanted: Any) -> Any:
        own = KnownResponses(
            [values[row] for row in known], [outcomes[row] for row in known], [paths[row] for row in known]
        )
        fit = learn_matrix(build_matrix(own), name=COMPOSITE, old=None, precision=PRECISION, draws=1)
        estimates = fit.estimates([values[row] for row in wanted], [paths[row] for row in wanted])
        return np.array([one.probability for one in estimates])

    groups = np.asarray(number_groups([response.group for response in responses])[0])
    chances = cross_validate(predict, len(responses), groups)
    return [] if chances is None else chances.tolist()


def evaluate_real(folder: Path) -> None:
    """Print what passes, and how well composites and learned probabilities match outcomes."""
    sets = {name: list(read(folder)) for name, read in SETS.items()}
    judged = {name: judge(responses) for name, responses in sets.items()}
    print()
    kinds = [f"{kind} ones passed by {policy}" for kind in ("right", "wrong") for policy in POLICIES]
    print_heads("set", "n", "right", *kinds)
    for name, responses in sets.items():
        right = np.array([response.right for response in responses])
        shares = [
            np.mean(np.array(judged[name].passed[one])[right == kind]) for kind in (True, False) for one in POLICIES
        ]
        print(f"| {name} | {len(right):,} | {right.mean():.0%} | {' | '.join(f'{share:.1%}' for share in shares)} |")
    print()
    print_heads("right ones, by their text and a knowledge of", "n", *(f"{low} to {high}" for low, high in KNOWLEDGE))
    for name, responses in sets.items():
        if texts := [one.given["text"] for one in responses if one.right and "text" in one.given]:
            passed = [f"{share_by_knowledge(texts, low, high):.1%}" for low, high in KNOWLEDGE]
            print(f"| {name} | {len(texts):,} | {' | '.join(passed)} |")
    print()
    print_heads("set", "score", "AUROC", "Brier", "Brier less that of evidence", "ECE", "log loss", "AURC")
    for name, responses in sets.items():
        columns = {"evidence": judged[name].evidence, "nlnh": judged[name].nlnh}
        columns["learned"] = hold_out(responses, judged[name].values)
        found = evaluate_columns(columns, [one.right for one in responses], [one.group for one in responses])
        for one in (found, *found.others):
            print(f"| {name} | {one.score} | {' | '.join(_cells(found, one))} |", flush=True)


def _cells(first: Evaluation, one: Evaluation) -> Iterator[str]:
    yield show_measure(one, "auroc")
    yield show_measure(one, "brier", ".3f")
    yield show_difference(first, one.score, "brier")
    for measure in ("ece", "log_loss", "aurc"):
        yield show_measure(one, measure)


def main(folder: str = "") -> None:
    """Print the tables; those of real responses with a folder."""
    sets = {"correct, good retrieval": list(correct(random.Random(1)))}
    made_up = list(ungrounded(random.Random(2)))
    sets |= {
        f"ungrounded: {kind}": [one for one in made_up if one.kind == kind]
        for kind in ("poor retrieval", "not in the text")
    }
    print(f"| answers | n | {' | '.join(f'passed by {policy}' for policy in POLICIES)} |")
    print("|---|---|" + "---|" * len(POLICIES))
    for name, answers in (sets | {"ungrounded, all": made_up}).items():
        shares = [share_passed(policy, answers, report=False)[0] for policy in POLICIES]
        print(f"| {name} | {len(answers)} | {' | '.join(f'{share:.1%}' for share in shares)} |")
        if name.startswith("correct"):
            shares = [share_passed(policy, answers)[0] for policy in POLICIES]
            print(
                f"| the same, outcomes reported | {len(answers)} | {' | '.join(f'{share:.1%}' for share in shares)} |"
            )
    if folder:
        evaluate_real(Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
