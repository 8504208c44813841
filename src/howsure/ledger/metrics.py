"""Count and time what happens for Prometheus and OpenTelemetry, and emit every decision as an OpenTelemetry event.

By default this happens only in a process that has loaded `prometheus_client` or the OpenTelemetry SDK itself.
"""

import re
import sys
import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

from howsure.errors import MissingExtraError
from howsure.formulas.score import Score
from howsure.redaction import redact_secrets
from howsure.settings import METRICS, Measure, Settings
from howsure.store.ledger_tables.decisions import DecisionRow

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from howsure.judge.question import Answer, Failure, Judge, Question

EVENT = "gen_ai.evaluation.result"
"""The name of this event in OpenTelemetry's semantic conventions."""

_TRACE_ID = r"[0-9a-f]{32}"
"""The id of a trace of OpenTelemetry."""

TENTHS = tuple(step / 10 for step in range(11))
FEW = tuple(map(float, range(10)))
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metric(NamedTuple):
    """A counter or a histogram."""

    name: str
    kind: Literal["counter", "histogram"]
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    """Upper bounds of a histogram's buckets; Prometheus adds one for the rest."""


DECISIONS = Metric("howsure_assessments_total", "counter", "Decisions, by model and decision.", ("model", "decision"))
CONFIDENCE = Metric("howsure_assessment_confidence", "histogram", "Scores of decisions, by model.", ("model",), TENTHS)
RESPONSE_SECONDS = Metric(
    "howsure_response_duration_seconds", "histogram", "Time to decide about a response.", (), SECONDS
)
SYNTHESIS_CONFIDENCE = Metric(
    "howsure_synthesis_confidence", "histogram", "Distribution of synthesis confidence scores.", (), TENTHS
)
SYNTHESIS_CONFLICTS = Metric("howsure_synthesis_conflicts", "histogram", "Number of conflicts per synthesis.", (), FEW)
SYNTHESIS_FILTERED = Metric(
    "howsure_synthesis_filtered_results", "histogram", "Results filtered due to low confidence.", (), FEW
)
SYNTHESIS_SECONDS = Metric("howsure_synthesis_duration_seconds", "histogram", "Time to merge results.", (), SECONDS)
RECOVERIES = Metric(
    "howsure_investigation_recoveries_total", "counter", "Tool calls made to recover from weak evidence, by outcome.",
    ("outcome",),
)  # fmt: skip
PROMISES_WITHDRAWN = Metric(
    "howsure_promises_withdrawn_total", "counter", "Promises that were withdrawn because too many responses were wrong."
)
JUDGE_CALLS = Metric(
    "howsure_judge_calls_total", "counter", "Questions to the judge, by task and outcome.",
    ("task", "outcome"),
)  # fmt: skip
JUDGE_SECONDS = Metric("howsure_judge_duration_seconds", "histogram", "Time until the judge answers.", (), SECONDS)

ALL = (
    DECISIONS, CONFIDENCE, RESPONSE_SECONDS, SYNTHESIS_CONFIDENCE, SYNTHESIS_CONFLICTS, SYNTHESIS_FILTERED,
    SYNTHESIS_SECONDS, RECOVERIES, PROMISES_WITHDRAWN, JUDGE_CALLS, JUDGE_SECONDS,
)  # fmt: skip
"""Every metric."""


class Metrics:
    """Where counts and times go. Cheap if nothing reads them."""

    def __init__(self, measure: Measure = "auto", registry: "CollectorRegistry | None" = None) -> None:
        """Say when to measure, and into which registry, if not Prometheus's own."""
        self._measure = measure
        self._registry = registry
        if measure == "on":
            _collectors(registry)  # that something is missing should be known at once

    @classmethod
    def chosen(cls, settings: Settings) -> "Metrics":
        """Return metrics as the settings ask for."""
        return cls(settings.value(METRICS))

    @property
    def _enabled(self) -> bool:
        return self._measure != "off" and (self._measure == "on" or "prometheus_client" in sys.modules)

    @property
    def _looked_at(self) -> bool:
        """Whether anything may read the counts: a quick answer for most processes."""
        return self._measure == "on" or (
            self._measure != "off" and not sys.modules.keys().isdisjoint(("prometheus_client", "opentelemetry.sdk"))
        )

    @property
    def _exports(self) -> bool:
        """Whether OpenTelemetry's SDK for metrics is loaded; without it, measurements go nowhere."""
        return self._measure != "off" and "opentelemetry.sdk.metrics" in sys.modules

    def add(self, metric: Metric, amount: float = 1.0, **labels: str) -> None:
        """Add to a counter."""
        if self._enabled:
            _labelled(self._registry, metric, labels).inc(amount)
        if self._exports:
            _instrument(metric).add(amount, labels)

    def observe(self, metric: Metric, value: float, **labels: str) -> None:
        """Add a value to a histogram."""
        if self._enabled:
            _labelled(self._registry, metric, labels).observe(value)
        if self._exports:
            _instrument(metric).record(value, labels)

    def decided(self, score: Score, row: DecisionRow) -> None:
        """Count a recorded decision, and emit it as an OpenTelemetry event if the SDK is loaded."""
        if not self._looked_at:
            return
        model = _model_label(row.model)
        self.add(DECISIONS, model=model, decision=row.decision or "none")
        self.observe(CONFIDENCE, row.score, model=model)
        if self._measure != "off" and "opentelemetry.sdk" in sys.modules:  # without the SDK, events go nowhere
            _emit(score, row)

    def measured(self, judge: "Judge") -> "Judge":
        """Return a judge whose questions are counted and timed."""
        return MeasuredJudge(judge, self)


class MeasuredJudge:
    """A judge whose questions are counted and timed."""

    def __init__(self, judge: "Judge", metrics: Metrics) -> None:
        """Wrap a judge."""
        self._judge = judge
        self._metrics = metrics

    @property
    def model(self) -> str:
        """The language model that is asked."""
        return self._judge.model

    def ask(self, question: "Question") -> "Answer | Failure":
        """Ask a question and wait for the answer."""
        return self._count(question, self._judge.ask(question))

    async def aask(self, question: "Question") -> "Answer | Failure":
        """Ask a question without blocking the event loop."""
        return self._count(question, await self._judge.aask(question))

    def _count(self, question: "Question", reply: "Answer | Failure") -> "Answer | Failure":
        outcome = reply.kind if not reply.ok else "cached" if reply.cached else "answered"
        self._metrics.add(JUDGE_CALLS, task=question.task, outcome=outcome)
        if outcome != "cached":
            self._metrics.observe(JUDGE_SECONDS, reply.seconds)
        return reply


_MOST_MODELS = 50
"""Models with labels of their own, as in the gauges of the store."""
_MODELS: set[str] = set()
"""Models that have labels in this process."""


def _model_label(name: str) -> str:
    """Return the label of a model: a program that makes up names would fill the memory of whoever collects them."""
    if name not in _MODELS:
        if len(_MODELS) >= _MOST_MODELS:
            return "other"
        _MODELS.add(name)
    return name


_CREATING = threading.Lock()


def _collectors(registry: "CollectorRegistry | None") -> dict[str, Any]:
    """Return the collectors in a registry; one thread creates them, since a registry refuses a name that it has."""
    with _CREATING:
        return _create_collectors(registry)


@lru_cache(maxsize=8)
def _create_collectors(registry: "CollectorRegistry | None") -> dict[str, Any]:
    try:
        import prometheus_client as prometheus
    except ImportError:
        raise MissingExtraError("metrics", "measuring") from None
    into = prometheus.REGISTRY if registry is None else registry
    collectors: dict[str, Any] = {}
    for name, kind, help_, labels, buckets in ALL:
        if kind == "counter":
            collectors[name] = prometheus.Counter(name, help_, labels, registry=into)
        else:
            collectors[name] = prometheus.Histogram(name, help_, labels, registry=into, buckets=buckets)
    return collectors


def _labelled(registry: "CollectorRegistry | None", metric: Metric, labels: Mapping[str, str]) -> Any:
    collector = _collectors(registry)[metric.name]
    return collector.labels(**labels) if labels else collector


def _instrument(metric: Metric) -> Any:
    """Return the instrument of OpenTelemetry for a metric. The API returns the same one for the same name.

    Its name is such that an exporter for Prometheus makes the name of ours of it.
    """
    from opentelemetry.metrics import get_meter

    meter = get_meter("howsure")
    name = metric.name.replace("howsure_", "howsure.", 1)
    if metric.kind == "counter":
        return _once(meter.create_counter, meter, name.removesuffix("_total"), "1", metric.help)
    unit = "s" if name.endswith("_seconds") else "1"
    return _once(meter.create_histogram, meter, name.removesuffix("_seconds"), unit, metric.help, metric.buckets)


_INSTRUMENTS: "WeakKeyDictionary[Any, dict[str, Any]]" = WeakKeyDictionary()
"""Instruments by meter and name: making one takes a lock and a lookup of views."""


def _once(make: Any, meter: Any, name: str, unit: str, help_: str, buckets: tuple[float, ...] | None = None) -> Any:
    made = _INSTRUMENTS.setdefault(meter, {})
    if name not in made:
        advice = {} if buckets is None else {"explicit_bucket_boundaries_advisory": buckets}
        made[name] = make(name, unit=unit, description=help_, **advice)
    return made[name]


def _emit(score: Score, row: DecisionRow) -> None:
    """Emit the decision and its reason; never the judged text."""
    from opentelemetry._logs import get_logger

    label = row.decision or str(score.answer.get("level", ""))
    attributes: dict[str, str | float] = {
        "gen_ai.evaluation.name": f"howsure.{row.model}",
        "gen_ai.evaluation.score.value": row.score,
        "gen_ai.evaluation.score.label": label,
        "gen_ai.evaluation.explanation": str(score.answer.get("reason", "")),
        "gen_ai.agent.name": row.agent,
        "gen_ai.conversation.id": "" if re.fullmatch(_TRACE_ID, row.trace_id or "") else (row.trace_id or ""),
        "howsure.decision.id": row.id,
    }
    given: dict[str, Any] = {
        name: redact_secrets(value) if isinstance(value, str) else value
        for name, value in attributes.items()
        if value != ""
    }
    timestamp = int(row.at * 1e9)
    get_logger("howsure").emit(
        timestamp=timestamp, context=_find_parent(row.trace_id), event_name=EVENT, attributes=given
    )


def _find_parent(trace_id: str | None) -> Any:
    """Return the context of the trace that a decision is about, or None for the current one, which comes first.

    A decision about spans that were received names their trace; which of its spans is meant is not known.
    """
    from opentelemetry import trace

    if trace.get_current_span().get_span_context().is_valid or not re.fullmatch(_TRACE_ID, trace_id or ""):
        return None
    about = trace.SpanContext(int(trace_id or "0", 16), trace.INVALID_SPAN_ID, is_remote=True)
    return trace.set_span_in_context(trace.NonRecordingSpan(about))
