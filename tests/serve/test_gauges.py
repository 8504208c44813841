"""Gauges of the store on /metrics: whoever wrote it, and without a scan for each scrape."""

import re
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from howsure.claims.api import Claims
from howsure.errors import StoreError
from howsure.serve.gauges import CACHE_SECONDS, COUNT_SHARE, CachedValue
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import ROOT
from tests.serve.serving import Client, serving


def _gauges(client: Client) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
    """Return the gauges of the store by name and labels, read by the parser of Prometheus."""
    found: dict[str, dict[tuple[tuple[str, str], ...], float]] = {}
    for family in text_string_to_metric_families(client.get("/metrics").text):
        if family.name.startswith("howsure_store"):
            assert family.type == "gauge"
            for sample in family.samples:
                found.setdefault(family.name, {})[tuple(sorted(sample.labels.items()))] = sample.value
    return found


def _strengths(client: Client) -> dict[str, float]:
    return {dict(labels)["strength"]: value for labels, value in _gauges(client)["howsure_store_claims"].items()}


def test_what_other_processes_wrote_is_shown(store: Sure, tmp_path: Path) -> None:
    with open_store(str(tmp_path / "web.db"), actor="another") as other:
        for number in range(4):
            sources = [{"source_type": kind, "source_id": "x", "contribution": 0.9} for kind in "abc"[:number]]
            other.claims.add(f"Claim {number}", sources=sources)
        given: Any = {"policy": "nlnh", "threshold": 0.5}
        decisions = [other.responses.check("x", knowledge=share, code=share, **given) for share in (0.0, 1.0)]
        other.ledger.outcome(str(decisions[1].id), "right")
    with serving(store) as client:
        counts = client.do("claims.count", {}).json()
        assert _strengths(client) == {name: counts[name] for name in ("strong", "uncertain", "weak", "unknown")}
        found = _gauges(client)
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    for name, samples in found.items():
        (line,) = [line for line in page.splitlines() if line.startswith("|") and f"`{name}`" in line]
        assert all(f"`{label}`" in line for labels in samples for label, _ in labels), line
    assert set(re.findall(r"`(howsure_store_\w+)`", page)) == set(found)
    assert found["howsure_store_up"] == {(): 1}
    assert found["howsure_store_claims_by_status"] == {(("status", "active"),): 4}
    assert found["howsure_store_claims_stale"] == {(): 0}
    assert (found["howsure_store_decisions"], found["howsure_store_outcomes"]) == ({(): 2}, {(): 1})
    assert found["howsure_store_bytes"][()] > 100_000
    by_decision = {dict(labels)["decision"]: value for labels, value in found["howsure_store_decisions_by_day"].items()}
    assert by_decision == {"pass": 1, "block": 1, "review": 0}
    by_outcome = {dict(labels)["outcome"]: value for labels, value in found["howsure_store_outcomes_by_day"].items()}
    assert by_outcome == {"right": 1, "wrong": 0}
    (day,) = {dict(labels)["day"] for labels in found["howsure_store_decisions_by_day"]}
    assert day[:2] == "20"


def test_scrapes_do_not_count_again_and_again(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[Any] = []
    count = Claims.count

    def counting(self: Claims, *given: Any, **named: Any) -> Any:
        counted.append(given)
        return count(self, *given, **named)

    monkeypatch.setattr(Claims, "count", counting)
    for _ in range(5):
        assert "howsure_store_claims" in _gauges(client)
    assert len(counted) == 1


def test_a_store_that_fails_is_told_and_the_rest_is_shown(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise StoreError("the store /secret/place failed")

    with serving(store) as client:
        monkeypatch.setattr("howsure.serve.gauges.summarize", broken)
        monkeypatch.setattr(Claims, "count", broken)
        response = client.get("/metrics")
        assert response.status_code == 200
        assert "howsure_http_requests_total" in response.text
        assert "secret" not in response.text
        assert _gauges(client) == {"howsure_store_up": {(): 0}}


class _Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_cached_value_stays_for_some_seconds() -> None:
    time, values = _Time(), iter(range(10))
    cached = CachedValue(lambda: next(values), time)
    assert cached.is_due
    cached.refresh()
    cached.refresh()
    assert (cached.value, cached.is_due) == (0, False)
    time.now = CACHE_SECONDS
    assert cached.is_due
    cached.refresh()
    assert cached.value == 1


def test_what_takes_long_is_computed_rarely() -> None:
    time = _Time()

    def compute() -> float:
        time.now += 2.0
        return time.now

    cached = CachedValue(compute, time)
    cached.refresh()
    time.now = 2.0 + 2.0 / COUNT_SHARE - 0.1
    assert not cached.is_due
    time.now += 0.2
    assert cached.is_due


def test_while_one_thread_computes_the_others_get_the_old_value() -> None:
    time = _Time()
    seen: list[Any] = []

    def compute() -> int:
        cached.refresh()  # as another thread would
        seen.append((cached.value, cached.is_due))
        return 1

    cached: CachedValue[int] = CachedValue(compute, time)
    cached.refresh()
    assert seen == [(None, False)]
    assert cached.value == 1


def test_a_failure_is_tried_again() -> None:
    answers = iter([StoreError("busy"), 3])

    def compute() -> Any:
        found = next(answers)
        if isinstance(found, StoreError):
            raise found
        return found

    cached = CachedValue(compute, _Time())
    with pytest.raises(StoreError):
        cached.refresh()
    assert cached.is_due
    cached.refresh()
    assert cached.value == 3


def test_a_decision_after_the_last_year_of_the_calendar_is_shown(store: Sure) -> None:
    store.responses.check("It works.", now=3e11)
    with serving(store) as client:
        assert client.get("/metrics").status_code == 200
        (day,) = {dict(labels)["day"] for labels in _gauges(client)["howsure_store_decisions_by_day"]}
        assert day == "9999-12-31"
