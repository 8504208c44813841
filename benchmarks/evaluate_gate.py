"""Evaluate the gate on plain generated answers: `python -m benchmarks.evaluate_gate`.

160 correct answers with good retrieval, and 160 that nothing supports: half with poor retrieval, half with good
retrieval of texts that do not say what the answer says, worded plainly or boldly. The output is a Markdown table: the
share that passes, by policy.
"""

import random
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

from howsure.settings import POLICIES, Policy
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
                retrieved: list[Any] = list(answer.similarities)
                if answer.context:
                    retrieved[0] = {"similarity": retrieved[0], "text": answer.context}
                decision = sure.responses.check(answer.text, agent="bot", retrieved=retrieved, policy=policy)
                right = answer.kind == "correct"
                if report:
                    sure.ledger.outcome(decision.id, "right" if right else "wrong")
                passed += decision.decision == "pass"
                if (decision.decision == "pass") != right:
                    failed.append(answer)
    return passed / len(answers), failed


def main() -> None:
    """Print the table."""
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


if __name__ == "__main__":
    main()
