"""Draw the images of docs/plots.md: `.venv/bin/python docs/plots.py`."""

import tempfile
from pathlib import Path

from howsure.shapes import DAY
from howsure.sure import open as open_store

NOW = 1_800_000_000.0
IMAGES = Path(__file__).with_name("images")
moment = [NOW - 60 * DAY]
SAFE = "The session cache is thread-safe under concurrent writers"

with (
    tempfile.TemporaryDirectory() as folder,
    open_store(f"{folder}/plots.db", actor="ann", clock=lambda: moment[0]) as sure,
):

    def add(statement: str, source: str, contribution: float) -> str:
        """Add a claim and return its id."""
        return str(sure.claims.add(statement, source=source, contribution=contribution, tier="project").id)

    claim = add(SAFE, "user_input:ann", 0.6)
    moment[0] += 6 * DAY
    add(SAFE, "extraction:design.md", 0.7)
    moment[0] += 10 * DAY
    lock = add("All writers take the lock before they touch a bucket", "review:bob", 0.8)
    sure.claims.relate(lock, "supports", claim, strength=0.9)
    stress = add("The stress test with 64 threads passes every night", "ci:nightly", 0.9)
    sure.claims.relate(stress, "supports", claim, strength=0.7)
    moment[0] += 14 * DAY
    twice = add("Two writers can evict the same bucket twice", "agent:reviewer", 0.7)
    sure.claims.challenge(claim, twice)
    guarded = add("Eviction is guarded by a second lock", "review:bob", 0.6)
    sure.claims.relate(guarded, "contradicts", twice, strength=0.8)
    readers = add("The session cache is thread-safe under concurrent readers", "user_input:eve", 0.5)
    sure.claims.relate(readers, "refines", claim, strength=0.5)
    moment[0] = NOW
    sure.charts.relations(claim, 2).save(IMAGES / "plot-relations.svg")
    sure.charts.life(claim).save(IMAGES / "plot-life.svg")
