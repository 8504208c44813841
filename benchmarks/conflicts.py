"""Conflicts among many statements: seconds, and how many pairs are compared of all there are."""

import random
from functools import partial

from rich.table import Table

from benchmarks.timing import best
from howsure.text.contradictions import find_conflicts
from howsure.text.contradictions.candidates import find_candidates
from howsure.text.contradictions.parser import parse_statement

SMALL, LARGE = 1_000, 10_000
PARTS = ("cache", "queue", "proxy", "index", "parser", "worker", "gateway", "scheduler")
SAYINGS = (
    "is enabled", "is not enabled", "is disabled on Windows", "never retries a call", "retries every call",
    "takes {n} ms per call", "keeps {n} replicas", "has a timeout of {n} seconds", "is written in Rust",
    "is written in Go", "supports streaming", "does not support streaming", "was released in 20{n:02}",
    "probably leaks memory",
)  # fmt: skip


def reports(size: int) -> list[str]:
    """Return statements as many agents might make them about many services, a few about each."""
    dice = random.Random(11)
    found = []
    for number in range(size):
        service = f"service{dice.randrange(size // 20)}"
        saying = dice.choice(SAYINGS).format(n=dice.randrange(1, 30))
        found.append(f"The {dice.choice(PARTS)} of {service} {saying}, as run {number} says.")
    return found


def ports(size: int) -> list[str]:
    """Return statements of which all contradict all."""
    return [f"The default port is {number}." for number in range(size)]


def same(size: int) -> list[str]:
    """Return one statement many times."""
    return ["The cache never returns nil."] * size


def words(size: int) -> list[str]:
    """Return statements of one word, repeated."""
    return [" ".join(["cache"] * (number % 100 + 1)) for number in range(size)]


def table() -> Table:
    """Return the table of results."""
    found = Table(title=f"conflicts among {SMALL:,} and {LARGE:,} statements", title_justify="left")
    for name in ("statements", "seconds", "growth", "pairs compared", "of all pairs", "conflicts"):
        found.add_column(name, justify="left" if name == "statements" else "right")
    for kind in (reports, ports, same, words):
        (small, _), (large, result) = (best(partial(find_conflicts, kind(size)), 1) for size in (SMALL, LARGE))
        texts = sorted(set(kind(LARGE)))
        compared = len(find_candidates([clause.words for text in texts for clause in parse_statement(text)]))
        found.add_row(
            f"{LARGE:,} {kind.__name__}",
            f"{large:.2f}",
            f"{large / small:.1f} x",
            f"{compared:,}",
            f"{compared / (LARGE * (LARGE - 1) / 2):.2%}",
            f"{len(result):,}",
        )
    return found
