"""Metrics: what is going on, for Prometheus; and every assessment as an event, for OpenTelemetry.

Nothing is measured where nobody looks: by default only in a process that has loaded the package itself.
"""

import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from howsure.errors import MissingExtraError
from howsure.formulas.score import Score
from howsure.settings import METRICS, Measure, Settings
from howsure.store.decisions import Entry

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from howsure.judge.question import Answer, Failure, Judge, Question

EVENT = "gen_ai.evaluation.result"
"""The event that OpenTelemetry's conventions name for the result of an evaluation."""

TENTHS = tuple(step / 10 for step in range(11))
FEW = tuple(map(float, range(10)))
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metric(NamedTuple):
    """Something that is counted or measured."""

    name: str
    kind: Literal["counter", "histogram"]
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    """Upper ends of a histogram's buckets; one more holds the rest."""


ASSESSMENTS = Metric(
    "howsure_assessments_total", "counter", "Assessments, by model and decision.", ("model", "decision")
)
CONFIDENCE = Metric(
    "howsure_assessment_confidence", "histogram", "How sure assessments were, by model.", ("model",), TENTHS
)
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
    "howsure_investigation_recoveries_total", "counter", "Calls made to recover from weak evidence, by outcome.",
    ("outcome",),
)  # fmt: skip
JUDGE_CALLS = Metric(
    "howsure_judge_calls_total", "counter", "Questions to the judge, by task and what came of them.",
    ("task", "outcome"),
)  # fmt: skip
JUDGE_SECONDS = Metric("howsure_judge_duration_seconds", "histogram", "Time to an answer of the judge.", (), SECONDS)

ALL = (
    ASSESSMENTS, CONFIDENCE, RESPONSE_SECONDS, SYNTHESIS_CONFIDENCE, SYNTHESIS_CONFLICTS, SYNTHESIS_FILTERED,
    SYNTHESIS_SECONDS, RECOVERIES, JUDGE_CALLS, JUDGE_SECONDS,
)  # fmt: skip
"""Every metric."""


class Metrics:
    """Where counts and times go. Cheap where nobody looks."""

    def __init__(self, measure: Measure = "auto", registry: "CollectorRegistry | None" = None) -> None:
        """Say when to measure, and into which registry, if not Prometheus's own."""
        self._measure = measure
        self._registry = registry
        if measure == "on":
            _collectors(registry)  # that something is missing should be known at once

    @classmethod
    def chosen(cls, settings: Settings) -> "Metrics":
        """Return what the settings ask for."""
        return cls(settings.value(METRICS))

    @property
    def _wanted(self) -> bool:
        return self._measure != "off" and (self._measure == "on" or "prometheus_client" in sys.modules)

    def add(self, metric: Metric, amount: float = 1.0, **labels: str) -> None:
        """Count something."""
        if self._wanted:
            _labelled(self._registry, metric, labels).inc(amount)

    def observe(self, metric: Metric, value: float, **labels: str) -> None:
        """Note how large something was."""
        if self._wanted:
            _labelled(self._registry, metric, labels).observe(value)

    def assessed(self, score: Score, entry: Entry) -> None:
        """Note an assessment that was written down, and tell OpenTelemetry about it."""
        self.add(ASSESSMENTS, model=entry.model, decision=entry.decision or "none")
        self.observe(CONFIDENCE, entry.score, model=entry.model)
        if self._measure != "off" and "opentelemetry.sdk" in sys.modules:  # else nobody would hear of it
            _emit(score, entry)

    def measured(self, judge: "Judge") -> "Judge":
        """Return a judge whose questions are counted."""
        return MeasuredJudge(judge, self)


class MeasuredJudge:
    """A judge whose questions are counted."""

    def __init__(self, judge: "Judge", metrics: Metrics) -> None:
        """Take the judge that answers."""
        self._judge = judge
        self._metrics = metrics

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self._judge.model

    def ask(self, question: "Question") -> "Answer | Failure":
        """Put a question, and wait for what comes back."""
        return self._noted(question, self._judge.ask(question))

    async def aask(self, question: "Question") -> "Answer | Failure":
        """Put a question without blocking the event loop."""
        return self._noted(question, await self._judge.aask(question))

    def _noted(self, question: "Question", found: "Answer | Failure") -> "Answer | Failure":
        outcome = found.kind if not found.ok else "cached" if found.cached else "answered"
        self._metrics.add(JUDGE_CALLS, task=question.task, outcome=outcome)
        if outcome != "cached":
            self._metrics.observe(JUDGE_SECONDS, found.seconds)
        return found


@lru_cache(maxsize=8)
def _collectors(registry: "CollectorRegistry | None") -> dict[str, Any]:
    """Make the collectors of a registry, once."""
    try:
        import prometheus_client as prometheus
    except ImportError:
        raise MissingExtraError("metrics", "measuring") from None
    into = prometheus.REGISTRY if registry is None else registry
    found: dict[str, Any] = {}
    for name, kind, help_, labels, buckets in ALL:
        if kind == "counter":
            found[name] = prometheus.Counter(name, help_, labels, registry=into)
        else:
            found[name] = prometheus.Histogram(name, help_, labels, registry=into, buckets=buckets)
    return found


def _labelled(registry: "CollectorRegistry | None", metric: Metric, labels: Mapping[str, str]) -> Any:
    found = _collectors(registry)[metric.name]
    return found.labels(**labels) if labels else found


def _emit(score: Score, entry: Entry) -> None:
    """Tell OpenTelemetry the result: never the text that was judged, only what was decided and why."""
    from opentelemetry._logs import get_logger

    label = entry.decision or str(score.answer.get("level", ""))
    about: dict[str, str | float] = {
        "gen_ai.evaluation.name": f"howsure.{entry.model}",
        "gen_ai.evaluation.score.value": entry.score,
        "gen_ai.evaluation.score.label": label,
        "gen_ai.evaluation.explanation": str(score.answer.get("reason", "")),
        "gen_ai.agent.name": entry.agent,
        "howsure.assessment.id": entry.id,
    }
    kept: dict[str, Any] = {name: value for name, value in about.items() if value != ""}
    get_logger("howsure").emit(timestamp=int(entry.at * 1e9), event_name=EVENT, attributes=kept)
