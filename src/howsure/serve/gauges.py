"""Collect gauges of the store for Prometheus.

The cheap numbers are read at most every five seconds. Counting claims by strength computes the interval of every claim
(1.1 s for 100,000), so it runs in the background, at most for a hundredth of the time; a scrape shows the last result.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from howsure.errors import MissingExtraError, StoreError
from howsure.ledger.statistics import day_name
from howsure.shapes import DAY
from howsure.store.summary import DaySummary, StoreSummary, summarize

if TYPE_CHECKING:
    from prometheus_client import Metric

    from howsure.claims.find import ClaimCounts
    from howsure.sure import Sure

CACHE_SECONDS = 5.0
"""How old the cheap numbers may be."""
COUNT_SHARE = 0.01
"""Share of the time that counting claims by strength may take."""
WIDEST = 5
"""Claims with the widest intervals that are remembered."""
DAYS = 7
"""Days of decisions that are shown, today included."""
_MOST_MODELS = 50
"""Models with labels of their own."""
T = TypeVar("T")


class CachedValue(Generic[T]):
    """A value that is computed again when it is too old, by one thread at a time. The others get the old value."""

    def __init__(self, compute: Callable[[], T], clock: Callable[[], float] = time.monotonic) -> None:
        """Compute with this function."""
        self.value: T | None = None
        self._compute = compute
        self._clock = clock
        self._until = float("-inf")
        self._lock = Lock()

    @property
    def is_due(self) -> bool:
        """Whether the value is too old, and nobody is computing it."""
        return self._clock() >= self._until and not self._lock.locked()

    def refresh(self) -> None:
        """Compute the value if it is due. It then stays for some seconds, or for longer if that took long."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            started = self._clock()
            if started >= self._until:
                self.value = self._compute()
                ended = self._clock()
                self._until = ended + max(CACHE_SECONDS, (ended - started) / COUNT_SHARE)
        finally:
            self._lock.release()


class ClaimStrengths(NamedTuple):
    """How many claims there are of each strength, and the widest ones: counting them reads every claim."""

    at: float
    """When they were counted, by the store's clock."""
    counts: "ClaimCounts"
    widest: list[str]
    """Ids of the claims with the widest intervals."""
    challenged: list[str]
    """Ids of the challenged claims with the widest intervals."""


class StoreGauges:
    """Reads the gauges of one store. Thread-safe."""

    def __init__(self, sure: "Sure") -> None:
        """Read this store."""
        self._sure = sure
        self.summary: CachedValue[StoreSummary] = CachedValue(self._summarize)
        self.standing: CachedValue[ClaimStrengths] = CachedValue(self._count)

    def _count(self) -> ClaimStrengths:
        claims, at = self._sure.claims, self._sure.session.at(None)
        counts = claims.count(now=at)
        widest = claims.find(wide=True, order="width", limit=WIDEST, now=at).claims
        challenged = claims.find(statuses=["challenged"], order="width", limit=WIDEST, now=at).claims
        return ClaimStrengths(at, counts, [one.id for one in widest], [one.id for one in challenged])

    def _summarize(self) -> StoreSummary:
        session = self._sure.session
        with session.database.read() as transaction:
            return summarize(transaction, int(session.at(None) // DAY) - DAYS + 1)

    def text(self) -> bytes:
        """Return the gauges in the text format of Prometheus.

        Raises:
            MissingExtraError: if prometheus_client is not installed.
        """
        try:
            from prometheus_client import CollectorRegistry, generate_latest
        except ImportError:
            raise MissingExtraError("metrics", "measuring") from None
        try:
            self.summary.refresh()
            reachable = True
        except StoreError:
            reachable = False
        registry = CollectorRegistry()
        registry.register(_Collector(self._metrics(reachable)))
        return bytes(generate_latest(registry))

    def _metrics(self, reachable: bool) -> "Iterator[Metric]":
        yield _gauge("howsure_store_up", "Whether the store can be read.", [({}, float(reachable))])
        summary, standing = self.summary.value, self.standing.value
        if not reachable or summary is None:
            return
        by_status = [({"status": status}, count) for status, count in summary.claims.items()]
        yield _gauge("howsure_store_claims_by_status", "Claims, by status.", by_status)
        yield _gauge("howsure_store_bytes", "Size of the store.", [({}, summary.bytes)])
        yield _gauge("howsure_store_decisions", "Decisions in the ledger.", [({}, summary.decisions)])
        yield _gauge("howsure_store_outcomes", "Decisions with a known outcome.", [({}, summary.outcomes)])
        decisions, outcomes = [], []
        for day in _join_rare_models(summary.days):
            labels = {"day": day_name(day.day), "model": day.model}
            passed = day.total - day.blocked - day.reviewed
            for decision, count in (("pass", passed), ("block", day.blocked), ("review", day.reviewed)):
                decisions.append((labels | {"decision": decision}, count))
            for outcome, count in (("right", day.rights), ("wrong", day.outcomes - day.rights)):
                outcomes.append((labels | {"outcome": outcome}, count))
        yield _gauge(
            "howsure_store_decisions_by_day", "Decisions of the last days, by day, model, decision.", decisions
        )
        yield _gauge("howsure_store_outcomes_by_day", "Outcomes of the decisions of a day, by model.", outcomes)
        if standing is not None:
            counts = standing.counts
            strengths = ("strong", "uncertain", "weak", "unknown")
            by_strength = [({"strength": name}, getattr(counts, name)) for name in strengths]
            yield _gauge("howsure_store_claims", "Active and challenged claims, by strength.", by_strength)
            yield _gauge("howsure_store_claims_stale", "Claims that lose confidence by age.", [({}, counts.stale)])


def _join_rare_models(days: Sequence[DaySummary]) -> list[DaySummary]:
    """Return the sums with the most frequent models alone, and others as one: an import may bring any number of them.

    >>> from howsure.store.summary import DaySummary
    >>> many = [DaySummary(1, f"m{number}", 1, 0, 0, 0, 0) for number in range(1000)]
    >>> len(_join_rare_models(many)), _join_rare_models(many)[-1].model, _join_rare_models(many)[-1].total
    (51, 'other', 950)
    """
    totals: Counter[str] = Counter()
    for day in days:
        totals[day.model] += day.total
    frequent = {model for model, _ in totals.most_common(_MOST_MODELS)}
    shown = [day for day in days if day.model in frequent]
    rest: dict[int, DaySummary] = {}
    for day in days:
        if day.model not in frequent:
            before = rest.get(day.day)
            sums = day[2:] if before is None else [one + other for one, other in zip(before[2:], day[2:], strict=True)]
            rest[day.day] = DaySummary(day.day, "other", *sums)
    return shown + list(rest.values())


class _Collector:
    """Passes metrics to a registry of Prometheus."""

    def __init__(self, metrics: "Iterable[Metric]") -> None:
        self._metrics = list(metrics)

    def collect(self) -> "Iterable[Metric]":
        return self._metrics

    def describe(self) -> "Iterable[Metric]":
        return ()


def _gauge(name: str, help_: str, samples: "Iterable[tuple[dict[str, str], float]]") -> Any:
    from prometheus_client.core import GaugeMetricFamily

    gauge = GaugeMetricFamily(name, help_)
    for labels, value in samples:
        gauge.add_sample(name, labels, value)
    return gauge
