"""Fill a store with data for every chart, and draw every chart of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from howsure.charts.chart import Chart
from howsure.serve.operations import operation
from howsure.shapes import DAY
from howsure.sure import Sure
from tests.conftest import NOW, Clock

CALLS = (
    {"tool": "grep", "target": "SessionCache", "results": 0},
    {"tool": "find", "target": "session_cache", "results": 2, "recovery": True},
    {"tool": "read", "target": "src/session_cache.py", "results": 1, "recovery": True},
    {"tool": "pytest", "passed": False},
    {"tool": "pytest", "passed": True},
)
RESULTS = (
    {"id": "code", "content": "The function returns nil on error. It was introduced in version 1.2."},
    {"id": "docs", "content": "The function never returns nil."},
    {"id": "forum", "error": "timed out"},
    {"id": "guess", "content": "It might be so.", "confidence": 0.2},
)
ODD = (
    "say \"it\" 'now' \\ and {0} %s ${x}",
    "two\nlines\tand a tab",
    "long " * 2000,
    "שלום עולם, هذا نص من اليمين إلى اليسار",
    "</text><script>alert(1)</script><svg onload=alert(1)>",
    "turned \u202e around \x07 and \ufffe \uffff out",
    "datum.label + '' || width",
)
"""Texts with markup, control characters and other surprises."""


class Told(NamedTuple):
    """Ids of what was added."""

    claim: str
    derived: str
    supporter: str
    challenger: str
    synthesis: str
    trace: str
    folder: Path


def tell(sure: Sure, clock: Clock, folder: Path, statement: str = "The cache is thread-safe") -> Told:
    """Add claims, decisions, tool calls, a synthesis and documents over sixty days."""
    clock.now = NOW - 60 * DAY
    given: dict[str, Any] = {"tier": "project", "namespace": "team/cache"}
    claim = str(sure.claims.add(statement, source="user_input:ann", contribution=0.6, **given).id)
    clock.now += 9 * DAY
    sure.claims.add(statement, source="extraction:design.md", contribution=0.7, **given)
    supporter = str(sure.claims.add("All writers take a lock", source="review:bob", contribution=0.8, **given).id)
    sure.claims.relate(supporter, "supports", claim, strength=0.9)
    clock.now += 20 * DAY
    against: dict[str, Any] = {"source": "agent:reviewer", "contribution": 0.7}
    challenger = str(sure.claims.add("A bucket is evicted twice", **against, **given).id)
    sure.claims.challenge(claim, challenger)
    other = str(sure.claims.add("Eviction takes a second lock", source="review:bob", contribution=0.6, **given).id)
    sure.claims.relate(other, "contradicts", challenger, strength=0.8)
    sure.claims.relate(claim, "related_to", str(sure.claims.add("Buckets grow lazily", source="doc:a").id))
    derived = str(sure.claims.derive("Sessions can be shared", [claim, supporter], confidence=0.8).id)
    sure.claims.add("Nobody says this")
    for number in range(24):
        clock.now = NOW - (24 - number) * DAY / 2
        share = 1.0 - 0.03 * number
        text = "It is tested and verified." if number % 3 else "I think it works."
        agent: dict[str, Any] = {"agent": f"agent-{number % 2}", "agent_type": "planner"}
        found = sure.responses.check(text, knowledge=share, code=min(share + 0.2, 1.0), **agent)
        if number % 4 and found.id:
            sure.ledger.outcome(found.id, "right" if number % 3 else "wrong")
    clock.now = NOW
    record = operation("investigations.record")
    for call in CALLS:
        record.call(sure, record.decode({"trace_id": "run-7"} | call))
    synthesis = sure.syntheses.combine("What does it return?", RESULTS)
    site = folder / "site"
    site.mkdir(parents=True)
    (site / "index.md").write_text("---\nsources:\n  - url: https://example.org\n    confirmed: true\n---\n# Hours\n")
    (site / "notes.md").write_text("# Notes\n")
    return Told(claim, derived, supporter, challenger, str(synthesis.id), "run-7", site)


Opened = tuple[Sure, Told]
Make = Callable[[Sure, Told], Chart]
EVERY: dict[str, Make] = {
    "claims": lambda sure, told: sure.charts.claims(),
    "waterfall": lambda sure, told: sure.charts.waterfall(told.claim),
    "waterfall of a derived claim": lambda sure, told: sure.charts.waterfall(told.derived, "beta"),
    "formulas": lambda sure, told: sure.charts.formulas(told.claim),
    "relations": lambda sure, told: sure.charts.relations(told.claim, 2),
    "life": lambda sure, told: sure.charts.life(told.claim),
    "decisions": lambda sure, told: sure.charts.decisions(),
    "decisions of an agent": lambda sure, told: sure.charts.decisions("agent-1", until=NOW),
    "reliability": lambda sure, told: sure.charts.reliability(),
    "investigation": lambda sure, told: sure.charts.investigation(told.trace),
    "synthesis": lambda sure, told: sure.charts.synthesis(told.synthesis),
    "documents": lambda sure, told: sure.charts.documents(told.folder, cache=False),
    "scores": lambda sure, told: sure.charts.scores(),
    "scores by week": lambda sure, told: sure.charts.scores(by="week"),
}
"""Every chart by name."""


def layer_values(spec: dict[str, Any], style: str) -> list[dict[str, Any]]:
    """Return the data of the layers that have a style."""
    found, waiting = [], list(spec["layer"])
    for layer in waiting:
        if "layer" in layer:
            waiting += layer["layer"]
        elif layer["mark"]["style"] == style:
            found += spec["datasets"][layer["data"]["name"]] if "data" in layer else spec["data"]["values"]
    return found
