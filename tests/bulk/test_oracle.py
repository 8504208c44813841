"""Tables against the oracle, which was written from the specification alone."""

from typing import Any

import pytest

from howsure.bulk import api as bulk
from howsure.bulk.choose import EngineName
from tests import oracle
from tests.bulk.worlds import NOW, World

HUGE = 2**62


def claim(name: Any, **about: Any) -> dict[str, Any]:
    return {"id": name, "tier": "task", "stale_at": None, "status": "active"} | about


def said(name: Any, kind: str, source: str, contribution: float | None) -> dict[str, Any]:
    return {"claim": name, "source_type": kind, "source_id": source, "contribution": contribution}


def related(kind: str, source: Any, target: Any, strength: float = 1.0) -> dict[str, Any]:
    return {"kind": kind, "source": source, "target": target, "strength": strength}


AGES = [(-1e9, "ephemeral"), (-6e7, "persistent"), (0.0, "task"), (1e-6, "project"), (9e4, "task"), (-9e11, "project")]
WINDOWS = [{"valid_from": NOW}, {"valid_until": NOW}, {"valid_from": NOW + 1}, {"valid_until": NOW + 1}, {}]
WORLDS = {
    "huge ids, both directions, next to nothing": World(
        [claim(HUGE), claim(-HUGE), claim(0)],
        [said(HUGE, "a", "b", 1.0), said(-HUGE, "a", "b", 1e-300), said(0, "a", "b", 0.0), said(0, "x", "y", None)],
        [
            related("supports", HUGE, -HUGE),
            related("supports", -HUGE, HUGE, 0.0),
            related("contradicts", HUGE, 0),
            related("contradicts", 0, HUGE, 0.2),
        ],
    ),
    "names that look alike": World(
        [claim(name) for name in ("\u00e9", "e\u0301", "A", "a", "a ")],
        [
            said("\u00e9", "\u00fc", "x", 0.5),
            said("e\u0301", "u\u0308", "x", 0.5),
            said("A", "t", "i", 0.1),
            said("a", "t", "i", 0.9),
            said("a", "t", "i", 0.7),
            said("a ", "T", "i", 0.9),
            said("a ", "t", "I", 0.9),
        ],
        [
            related("contradicts", "A", "a", 0.7),
            related("contradicts", "a", "A", 0.9),
            related("supports", "a", "a ", 0.2),
            related("supports", "a", "a ", 0.8),
        ],
    ),
    "products that would vanish, and very many types": World(
        [claim(0), claim(1), claim(2)],
        [said(0, "t", f"{n}", 0.5) for n in range(300)]
        + [said(1, "t", f"{n}", 1 - 1e-16) for n in range(20)]
        + [said(2, f"t{n}", "same", 0.9) for n in range(70)],
        [related("contradicts", 0, 1), related("contradicts", 1, 2), related("supports", 0, 2)],
    ),
    **{
        f"few sources each, {types} types in all": World(
            [claim(n) for n in range(types)],
            [said(n, f"t{n}", "i", 0.5) for n in range(types)]
            + [said(n, f"t{(7 * n) % types}", "i", 0.4) for n in range(types)]
            + [said(n, f"t{n}", "i", 0.6) for n in range(0, types, 2)],
            [related(kind, n, n + 1, 0.5) for n in range(types - 1) for kind in ("supports", "contradicts")]
            + [related("supports", 3, 4, 0.9), related("contradicts", 4, 3, 0.7)],
        )
        for types in (5, 32, 62, 63, 64)
    },
    "ages": World(
        [claim(n, stale_at=NOW + since, tier=tier) for n, (since, tier) in enumerate(AGES)],
        [said(n, "t", "i", 0.8) for n in range(6)],
        [related("contradicts", n, (n + 1) % 6) for n in range(6)],
    ),
    "windows and standing": World(
        [claim(n, **about) for n, about in enumerate(WINDOWS)]
        + [claim(5, status="deprecated"), claim(6, status="forgotten"), claim(7, status="challenged")],
        [said(n, "t", "i", 0.8) for n in range(8)],
        [related("supports", n, 4, 0.9) for n in (0, 1, 2, 3, 5, 6, 7)]
        + [related("contradicts", 7, n, 0.5) for n in range(7)]
        + [related("derived_from", 3, 5), related("derived_from", 3, 0), related("derived_from", 0, 7)],
    ),
}


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
@pytest.mark.parametrize("name", list(WORLDS))
def test_odd_tables(name: str, engine: EngineName) -> None:
    made = WORLDS[name]
    nodes = [
        oracle.Node(
            str(row["id"]),
            row["tier"],
            row["stale_at"],
            tuple(
                oracle.Entry(e["source_type"], e["source_id"], e["contribution"])
                for e in made.sources
                if e["claim"] == row["id"]
            ),
            row["status"],
            row.get("valid_from"),
            row.get("valid_until"),
        )
        for row in made.claims
    ]
    edges = [oracle.Edge(r["kind"], str(r["source"]), str(r["target"]), r["strength"]) for r in made.relations]
    for number, formula in enumerate(oracle.FORMULAS):
        trust = (1.0, 0.3, 0.0, 1.0)[number]
        expected = oracle.effective(nodes, edges, NOW, formula, trust)
        tables = (made.claims, made.sources, made.relations)
        given: Any = dict(zip(("claims", "sources", "relations"), tables, strict=True))
        found = bulk.score(**given, formula=formula, now=NOW, trust=trust, engine=engine).table
        intervals = {str(row["id"]): (row["lower"], row["upper"]) for row in found.to_pylist()}
        assert intervals == {name: pytest.approx(interval, abs=1e-9) for name, interval in expected.items()}
