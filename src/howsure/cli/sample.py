"""Fill a store with sample data of one month, to try the dashboard before having data of your own."""

import random
import tempfile
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from howsure.formulas.decay import Tier
from howsure.shapes import DAY, HOUR

if TYPE_CHECKING:
    from howsure.store.ledger_tables.decisions import Outcome
    from howsure.sure import Sure


class Sample(NamedTuple):
    """A claim of the agents of a small web shop."""

    statement: str
    namespace: str
    tier: Tier
    days: float
    """How many days ago it was added."""
    sources: tuple[tuple[str, float], ...]


README, ANN, BOB = "extraction:README.md", "user_input:ann", "user_input:bob"
REVIEWER, TESTER, LOGS = "agent_assertion:reviewer", "agent_assertion:tester", "extraction:checkout.log"
CLAIMS = (
    Sample("Payments are idempotent", "shop/payments", "project", 28, ((README, 0.7), (ANN, 0.8), (REVIEWER, 0.6))),
    Sample("A retry waits twice as long as the one before", "shop/payments", "task", 9, ((README, 0.6), (TESTER, 0.7))),
    Sample("Refunds take at most two days", "shop/payments", "project", 70, ((BOB, 0.5),)),
    Sample("Logs hold no card numbers", "shop/payments", "project", 20, ((REVIEWER, 0.7), (LOGS, 0.9), (ANN, 0.6))),
    Sample("The cart survives a restart", "shop/cart", "task", 6, ((TESTER, 0.8),)),
    Sample("Prices are stored in cents", "shop/cart", "project", 25, ((README, 0.8), (REVIEWER, 0.8), (BOB, 0.7))),
    Sample("Two tabs may overwrite each other's cart", "shop/cart", "task", 4, ((ANN, 0.4),)),
    Sample("Search answers within 200 ms", "shop/search", "task", 12, ((LOGS, 0.6), (TESTER, 0.5))),
    Sample("The index is rebuilt every night", "shop/search", "project", 33, ((README, 0.6),)),
    Sample("Umlauts are found without them", "shop/search", "task", 2, ((TESTER, 0.7), (BOB, 0.5))),
    Sample("Backups are restored once a month", "operations", "project", 45, ((BOB, 0.6),)),
    Sample("The disk holds three months of logs", "operations", "task", 5, ((LOGS, 0.5),)),
    Sample("Deploys take four minutes", "operations", "ephemeral", 0.1, ((LOGS, 0.8),)),
    Sample("Staging runs the same version as production", "operations", "task", 3, ((REVIEWER, 0.5), (LOGS, 0.7))),
)  # fmt: skip
RESPONSES = (
    ("The fix is verified: all 214 tests pass, and a new one covers it.", 0.97, 1.0),
    ("The retry is documented and definitely tested; it waits twice as long each time.", 0.94, 1.0),
    ("I think the cart is probably safe, but it might not be tested.", 0.71, 0.6),
    ("Perhaps the index is stale. I am not sure what rebuilds it.", 0.42, 0.3),
    ("The refund path is verified against the specification, and tested.", 0.95, 0.95),
)
"""A response, its knowledge score, and its code score."""
MANUAL = "The payment gateway listens on port 8443. Refunds are sent every night."
LATEST_RESPONSES: tuple[tuple[int, str, str, str, list[str]], ...] = (
    (5, "notes-1", "clerk", "The payment gateway listens on port 9443.", [MANUAL]),
    (4, "notes-1", "clerk", "The payment gateway listens on port 8443.", [MANUAL]),
    (3, "plan-1", "planner", "Refunds arrive within one working day.", []),
    (1, "check-1", "validator", "The new index is complete.", []),
)
"""Hours ago, agent, its type, a response, and the texts it rests on: without any, it is for review."""
QUIET_DAYS = 17
"""More than this many days ago, nothing was blocked."""
AGENTS = (("patch-1", "patcher"), ("plan-1", "planner"), ("check-1", "validator"), ("notes-1", "clerk"))
TRACES = (
    ("Where are refunds delayed?", "refunds", (
        ("grep", "refund", 7, False), ("read", "payments/refunds.py", 1, False), ("grep", "delay", 0, False),
        ("find_references", "schedule_refund", 3, True), ("pytest", "tests/test_refunds.py", 1, False),
    )),
    ("Why does search miss umlauts?", "umlauts", (
        ("grep", "normalize", 2, False), ("read", "search/fold.py", 1, False), ("find_references", "fold", 4, False),
    )),
    ("Who writes card numbers?", "cards", (("grep", "card_number", 0, False), ("grep", "pan", 0, True))),
)  # fmt: skip
"""A question, its trace, and its tool calls: tool, target, number of results, whether it was a recovery."""
OPEN = (("grep", "retry", 4), ("read", "payments/retry.py", 1))
"""The tool calls so far of an open investigation."""
SYNTHESES = (
    ("Is the cart safe to share between tabs?", (
        ("reviewer", 0.86, "The cart is locked while it is written. Two tabs cannot overwrite each other."),
        ("tester", 0.64, "Two tabs can overwrite each other. I have seen it in 3 of 50 runs."),
        ("docs", 0.4, "The manual says nothing about tabs."),
    )),
    ("How long do refunds take?", (
        ("bob", 0.7, "Refunds take 2 days."),
        ("logs", 0.9, "Refunds take 5 days. The longest took 9 days in October."),
    )),
)  # fmt: skip
"""A question, and the results of sub-agents: id, confidence, text."""
DOCUMENTS = (
    ("README.md", 20, "sources:\n  - url: payments.md\n    confirmed: true\n", "# Shop\n\nimport, test, coverage\n"),
    ("docs/payments.md", 40, "sources:\n  - url: bank\n    confirmed: true\n  - url: code\n    visited: true\n",
     "# Payments\n\n## Retries\n\n| try | wait |\n|---|---|\n"),
    ("docs/refunds.md", 210, "", "# Refunds\n\nAsk Bob.\n"),
    ("docs/search.md", 130, "sources:\n  - url: tests\n    visited: true\n", "# Search\n\nassert, pytest\n"),
    ("docs/guide/first-order.md", 15, "", "# Your first order\n\nSee [payments](../payments.md).\n"),
    ("docs/guide/returns.md", 320, "", "# Returns\n\nSee [the form](form.md).\n"),
    ("docs/operations/backup.md", 75, "sources:\n  - url: runbook\n    confirmed: true\n", "# Backup\n"),
    ("src/cart.py", 12, "", "def total():\n    return 0\n"),
    ("src/search.py", 90, "", "class Search:\n    pass\n"),
    ("_data/prices.yml", 25, "", "coffee: 3\n"),
    ("_data/holidays.yml", 250, "", "spring: 3\n"),
    ("_data/couriers.yml", 400, "", "bike: 1\n"),
)  # fmt: skip
"""A file, how many days ago it was validated, more front matter, and its text."""


def fill(sure: "Sure", now: float) -> None:
    """Write the sample into an empty store, as if it had been used for a month until now."""
    rng = random.Random(7)  # noqa: S311 - reproducible
    _claims(sure, now)
    _decisions(sure, now, rng)
    for number, (question, trace, calls) in enumerate(TRACES):
        investigation = sure.investigations.start(question, agent="patch-1", trace_id=trace)
        for tool, target, results, recovery in calls:
            investigation.record(tool, target, results, recovery=recovery)
            _record_call(sure, trace, tool, target, results, recovery)
        investigation.close(now - (number * 31 + 3) * HOUR)
    for tool, target, results in OPEN:
        _record_call(sure, "checkout", tool, target, results)
    for number, (question, parts) in enumerate(SYNTHESES):
        sub_results = [{"id": name, "confidence": share, "content": text} for name, share, text in parts]
        sure.syntheses.combine(question, sub_results, agent="plan-1", now=now - (number * 20 + 1) * HOUR)
    if find_spec("yaml") is not None:  # needed to read front matter
        _documents(sure, now)


def _record_call(sure: "Sure", trace: str, tool: str, target: str, results: int, recovery: bool = False) -> None:
    """Record a tool call under its trace."""
    sure.investigations.record(trace, tool, target, results, recovery=recovery)


def _claims(sure: "Sure", now: float) -> None:
    ids: dict[str, str] = {}
    for sample in CLAIMS:
        for number, (source, contribution) in enumerate(sample.sources):
            at = now - sample.days * DAY * (1 - number / (len(sample.sources) + 1))
            added = sure.claims.add(
                sample.statement,
                source=source,
                contribution=contribution,
                namespace=sample.namespace,
                tier=sample.tier,
                now=at,
            )
        ids[sample.statement] = added.id
    key = list(ids.values())
    sure.claims.relate(key[1], "supports", key[0], strength=0.5, now=now - 8 * DAY)
    sure.claims.relate(key[3], "related_to", key[0], now=now - 8 * DAY)
    sure.claims.relate(key[8], "supports", key[7], strength=0.4, now=now - 7 * DAY)
    sure.claims.challenge(
        key[0], statement="One payment in October was taken twice", source=LOGS, contribution=0.6, now=now - 2 * DAY
    )
    sure.claims.challenge(key[4], key[6], now=now - DAY)
    sure.claims.derive("Refunds are safe to repeat", [key[0], key[2]], confidence=0.8, now=now - DAY)


def _decisions(sure: "Sure", now: float, rng: random.Random) -> None:
    for day in range(21, -1, -1):
        for agent, kind in AGENTS:
            for _ in range(rng.randrange(1, 5)):
                text, known, code = rng.choices(RESPONSES, (4, 4, 1, 1, 4) if day < QUIET_DAYS else (1, 1, 0, 0, 1))[0]
                at = now - day * DAY - rng.random() * 8 * HOUR
                known = min(known + rng.uniform(-0.05, 0.05), 1.0)
                decision = sure.responses.check(
                    text, agent=agent, agent_type=kind, project="shop", knowledge=known, code=code, now=at
                )
                if rng.random() < 0.6:  # noqa: PLR2004 - most get an outcome
                    chance = rng.random()
                    corrected: Outcome = "corrected" if chance < (1 + known) / 2 else "wrong"
                    outcome: Outcome = "right" if chance < known else corrected
                    sure.ledger.outcome(str(decision.id), outcome, by="ann", now=at + HOUR)

    for hours, agent, kind, text, texts in LATEST_RESPONSES:
        sure.responses.check(
            text, agent=agent, agent_type=kind, project="shop", context=texts or None, now=now - hours * HOUR
        )


def _documents(sure: "Sure", now: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "shop")
        for path, days, matter, text in DOCUMENTS:
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            validated = f"validated: {datetime.fromtimestamp(now - days * DAY, UTC):%Y-%m-%d}\n"
            headers = {".yml": f"data_metadata:\n  {validated}", ".md": f"---\n{validated}{matter}---\n"}
            file.write_text(headers.get(file.suffix, "") + text)
        (root / "howsure.toml").write_text("")
        for path, symbols in (("README.md", ("visit", "confirm", "test", "merge")), ("docs/search.md", ("visit",))):
            for number, symbol in enumerate(symbols):
                sure.documents.event(root / path, symbol, by="ann", now=now - (9 - 2 * number) * DAY)
        sure.documents.record(sure.documents.scan(root, exclude=["howsure.toml"], cache=False, now=now))
