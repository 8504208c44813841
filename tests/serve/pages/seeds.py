"""A store worth looking at: claims of all kinds, with a past, and a week of decisions."""

from howsure.formulas.decay import Tier
from howsure.serve.operations import operation
from howsure.shapes import DAY, HOUR
from howsure.sure import Sure
from tests.conftest import NOW
from tests.serve.pages.records import records

CLAIMS: tuple[tuple[str, str, Tier, int, tuple[float, ...]], ...] = (
    ("The cache is safe to share between threads", "engine/cache", "project", 40, (0.9, 0.8, 0.7)),
    ("The cache evicts the oldest entry first", "engine/cache", "task", 2, (0.6,)),
    ("Every request carries an id", "engine/web", "project", 12, (0.95, 0.9)),
    ("The parser reads both kinds of quotes", "engine/parser", "task", 9, (0.7, 0.5)),
    ("Parsing a megabyte takes less than a second", "engine/parser", "ephemeral", 1, (0.5,)),
    ("Retries wait twice as long each time", "engine/web", "task", 5, (0.8, 0.6)),
    ("Tokens are kept as digests only", "engine/web", "project", 30, (0.9, 0.9, 0.8)),
    ("The index is rebuilt at night", "operations", "task", 6, (0.4,)),
    ("Backups are tested every week", "operations", "project", 80, (0.7,)),
    ("The disk holds three months of logs", "operations", "task", 3, (0.3,)),
    ("Users read dates as day and month", "design", "project", 20, (0.6, 0.4)),
    ("Most visits come from phones", "design", "task", 4, (0.85,)),
)
"""Statement, namespace, tier, age in days, contributions."""
KINDS = ("user_input", "extraction", "agent_assertion")


def seed(sure: Sure) -> dict[str, str]:
    """Fill a store, and return the ids of what is worth naming."""
    ids = []
    for number, (statement, namespace, tier, days, counts) in enumerate(CLAIMS):
        for place, count in enumerate(counts):
            source = f"{KINDS[place]}:{('ann', 'manual.md', 'reviewer')[place]}"
            at = NOW - days * DAY + place * days * DAY / 4 + number * 60
            added = sure.claims.add(
                statement, source=source, contribution=count, namespace=namespace, tier=tier, now=at
            )
        ids.append(str(added.id))
    sure.claims.relate(ids[6], "supports", ids[0], strength=0.6, now=NOW - 8 * DAY)
    sure.claims.relate(ids[5], "related_to", ids[2], now=NOW - 2 * DAY)
    sure.claims.challenge(
        ids[0], statement="The cache loses writes under load", source="agent_assertion:tester", contribution=0.7,
        now=NOW - DAY,
    )  # fmt: skip
    sure.claims.challenge(ids[11], statement="Most visits come from desks", source="extraction:log", now=NOW - HOUR)
    derived = sure.claims.derive(
        "The cache can be shared by all workers", [ids[0], ids[2]], confidence=0.9, now=NOW - DAY
    )
    _decide(sure)
    one = operation("documents.record_scan")
    files = [
        {"path": "docs/api.md", "score": 0.9, "months": 1.0, "due": "2027-03-01"},
        {"path": "docs/old.md", "score": 0.3, "months": 14.0, "action": "refresh_or_remove", "due": "2026-10-01"},
    ]
    one.call(sure, one.decode({"project": "handbook", "files": files}))
    return records(sure) | {
        "cache": ids[0],
        "disk": ids[9],
        "derived": str(derived.id),
        "dates": ids[10],
        "parser": ids[3],
    }


def _decide(sure: Sure) -> None:
    texts = ("It is tested, and all checks pass.", "I think it probably works.", "Perhaps. I am not sure at all.")
    for day in range(8):
        for number in range(6):
            known = (0.98, 0.95, 0.92, 0.85, 0.6, 0.97)[(day + number) % 6]
            text = texts[0] if known > 0.9 else texts[1 + day % 2]
            at = NOW - day * DAY - number * HOUR
            agent = ("patcher", "reviewer")[number % 2]
            found = sure.responses.check(text, agent=agent, knowledge=known, code=known, now=at)
            if number % 3 == 1:
                sure.ledger.outcome(str(found.id), "right" if known > 0.7 else "wrong", by="ann")
