"""Benchmark of finding conflicts among many statements: seconds, and the share of all pairs that are compared."""

import random
from functools import partial

from rich.table import Table

from benchmarks.timing import best
from howsure.text.contradictions import find_conflicts
from howsure.text.contradictions.candidates import find_candidates
from howsure.text.contradictions.parser import parse_statement

SMALL, LARGE = 1_000, 10_000
PARTS = ("cache", "queue", "proxy", "index", "parser", "worker", "gateway", "scheduler")
PREDICATES = (
    "is enabled", "is not enabled", "is disabled on Windows", "never retries a call", "retries every call",
    "takes {n} ms per call", "keeps {n} replicas", "has a timeout of {n} seconds", "is written in Rust",
    "is written in Go", "supports streaming", "does not support streaming", "was released in 20{n:02}",
    "probably leaks memory",
)  # fmt: skip


def reports(size: int) -> list[str]:
    """Return statements like those of many agents about many services."""
    dice = random.Random(11)
    statements = []
    for number in range(size):
        service = f"service{dice.randrange(size // 20)}"
        predicate = dice.choice(PREDICATES).format(n=dice.randrange(1, 30))
        statements.append(f"The {dice.choice(PARTS)} of {service} {predicate}, as run {number} says.")
    return statements


def ports(size: int) -> list[str]:
    """Return statements that all contradict each other."""
    return [f"The default port is {number}." for number in range(size)]


def same(size: int) -> list[str]:
    """Return one statement many times."""
    return ["The cache never returns nil."] * size


def words(size: int) -> list[str]:
    """Return statements of one word, repeated."""
    return [" ".join(["cache"] * (number % 100 + 1)) for number in range(size)]


def table() -> Table:
    """Measure small and large inputs and return the results as a table."""
    results = Table(title=f"conflicts among {SMALL:,} and {LARGE:,} statements", title_justify="left")
    for name in ("statements", "seconds", "growth", "pairs compared", "of all pairs", "conflicts"):
        results.add_column(name, justify="left" if name == "statements" else "right")
    for kind in (reports, ports, same, words):
        (small, _), (large, result) = (best(partial(find_conflicts, kind(size)), 1) for size in (SMALL, LARGE))
        texts = sorted(set(kind(LARGE)))
        compared = len(find_candidates([clause.words for text in texts for clause in parse_statement(text)]))
        results.add_row(
            f"{LARGE:,} {kind.__name__}",
            f"{large:.2f}",
            f"{large / small:.1f} x",
            f"{compared:,}",
            f"{compared / (LARGE * (LARGE - 1) / 2):.2%}",
            f"{len(result):,}",
        )
    return results
