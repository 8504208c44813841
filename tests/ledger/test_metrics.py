"""Metrics: counted where somebody looks, and only there."""

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import prometheus_client
import pytest
from opentelemetry import _logs
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor

import howsure
from howsure.errors import InputError
from howsure.judge import Failure, Question, ScriptedJudge
from howsure.ledger import metrics
from howsure.ledger.metrics import SECONDS, Metrics
from howsure.settings import METRICS, Settings
from howsure.sure import Sure

SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}


def value(name: str, **labels: str) -> float:
    return prometheus_client.REGISTRY.get_sample_value(name, labels) or 0.0


@pytest.fixture
def sure(tmp_path: Path) -> Iterator[Sure]:
    with howsure.open(str(tmp_path / "howsure.db"), settings=Settings({}, ())) as opened:
        yield opened


def test_a_decision_is_counted_with_its_confidence_and_its_time(sure: Sure) -> None:
    before = (
        value("howsure_assessments_total", model="response", decision="pass"),
        value("howsure_assessment_confidence_sum", model="response"),
        value("howsure_response_duration_seconds_count"),
    )
    found = sure.responses.check("It is tested.", agent="ann", knowledge=1.0, code=1.0, threshold=0.5)
    assert found.decision == "pass"
    assert value("howsure_assessments_total", model="response", decision="pass") == before[0] + 1
    assert value("howsure_assessment_confidence_sum", model="response") == pytest.approx(before[1] + found.composite)
    assert value("howsure_response_duration_seconds_count") == before[2] + 1


def test_threads_that_count_first_at_the_same_time_share_the_collectors(monkeypatch: pytest.MonkeyPatch) -> None:
    registry, begun = prometheus_client.CollectorRegistry(), threading.Barrier(2)
    own = Metrics(registry=registry)
    create = prometheus_client.Counter

    def slowly(*given: Any, **named: Any) -> Any:
        with contextlib.suppress(threading.BrokenBarrierError):
            begun.wait(0.2)  # until the other thread is here, too, if it may come here at all
        return create(*given, **named)

    monkeypatch.setattr(prometheus_client, "Counter", slowly)
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(own.add, metrics.PROMISES_WITHDRAWN) for _ in range(2)]
        assert [one.result() for one in done] == [None, None]
    assert registry.get_sample_value("howsure_promises_withdrawn_total") == 2.0


def test_a_synthesis_fills_the_three_histograms_in_the_buckets_of_its_numbers(sure: Sure) -> None:
    names = ("howsure_synthesis_confidence", "howsure_synthesis_conflicts", "howsure_synthesis_filtered_results")
    before = {name: (value(f"{name}_sum"), value(f"{name}_count")) for name in names}
    full = [value("howsure_synthesis_conflicts_bucket", le=edge) for edge in ("0.0", "1.0")]
    found = sure.syntheses.combine(
        "Does it return nil?",
        [
            {"id": "a", "content": "The function returns nil on error. It is documented in api.md line 4."},
            {"id": "b", "content": "The function never returns nil. I verified it in api.go line 12."},
            {"id": "c", "content": "", "error": "timeout"},
        ],
    )
    assert len(found.conflicts) == 1
    numbers = (found.overall, 1, 1)
    for name, number in zip(names, numbers, strict=True):
        assert value(f"{name}_sum") == pytest.approx(before[name][0] + number), name
        assert value(f"{name}_count") == before[name][1] + 1, name
    assert value("howsure_synthesis_conflicts_bucket", le="0.0") == full[0]
    assert value("howsure_synthesis_conflicts_bucket", le="1.0") == full[1] + 1
    assert value("howsure_synthesis_duration_seconds_count") >= 1


def test_the_buckets_are_the_tenths_and_the_first_ten_numbers() -> None:
    registry = prometheus_client.CollectorRegistry()
    Metrics("on", registry).observe(metrics.SYNTHESIS_CONFIDENCE, 0.55)
    text = prometheus_client.generate_latest(registry).decode()
    edges = [line.split('le="')[1].split('"')[0] for line in text.splitlines() if "synthesis_confidence_bucket" in line]
    assert edges == [*(str(step / 10) for step in range(11)), "+Inf"]
    assert "howsure_judge_calls_total" in text


def test_recoveries_are_counted_by_what_they_found(sure: Sure) -> None:
    before = {kind: value("howsure_investigation_recoveries_total", outcome=kind) for kind in ("found", "nothing")}
    with sure.investigations.start("Where is it parsed?") as inquiry:
        inquiry.record("grep", {"pattern": "parse"}, "")
        inquiry.record("grep", {"pattern": "parser"}, "src/parser.py:3: def parse", recovery=True)
        inquiry.record("grep", {"pattern": "parsing"}, "", recovery=True)
    assert value("howsure_investigation_recoveries_total", outcome="found") == before["found"] + 1
    assert value("howsure_investigation_recoveries_total", outcome="nothing") == before["nothing"] + 1


def test_questions_to_the_judge_are_counted_by_task_and_outcome(tmp_path: Path) -> None:
    judge = ScriptedJudge([{"ok": True}, Failure("timeout", "too slow", seconds=2.0)])
    before = value("howsure_judge_duration_seconds_sum")
    with howsure.open(str(tmp_path / "howsure.db"), judge=judge, settings=Settings({}, ())) as opened:
        assert opened.judge is not None
        question = Question("counting", SCHEMA, {"text": "x"}, "Say ok.")
        assert opened.judge.ask(question).ok
        assert not opened.judge.ask(question).ok
        assert opened.judge.model == judge.model
    assert value("howsure_judge_calls_total", task="counting", outcome="answered") == 1
    assert value("howsure_judge_calls_total", task="counting", outcome="timeout") == 1
    assert value("howsure_judge_duration_seconds_sum") >= before


def test_opentelemetry_gets_every_decision_but_never_its_text(sure: Sure) -> None:
    exporter = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]
    provider = LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    _logs.set_logger_provider(provider)
    found = sure.responses.check("The vault opens at noon.", agent="ann", knowledge=0.2, now=1_800_000_000.0)
    (event,) = [record.log_record for record in exporter.get_finished_logs()]
    assert event.event_name == "gen_ai.evaluation.result"
    assert event.timestamp == 1_800_000_000 * 10**9
    assert event.attributes == {
        "gen_ai.evaluation.name": "howsure.response",
        "gen_ai.evaluation.score.value": found.composite,
        "gen_ai.evaluation.score.label": "block",
        "gen_ai.evaluation.explanation": found.reason,
        "gen_ai.agent.name": "ann",
        "howsure.decision.id": found.id,
    }
    assert "vault" not in str(event.attributes)


def test_off_counts_nothing(tmp_path: Path) -> None:
    before = value("howsure_assessments_total", model="response", decision="block")
    settings = Settings({}, (("test", {"metrics": "off"}),))
    with howsure.open(str(tmp_path / "howsure.db"), settings=settings) as opened:
        assert opened.responses.check("x", knowledge=0.0).decision == "block"
    assert value("howsure_assessments_total", model="response", decision="block") == before


def test_a_setting_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="metrics"):
        Settings({}, (("test", {"metrics": "sometimes"}),)).value(METRICS)


def test_without_metrics_nothing_is_loaded(tmp_path: Path) -> None:
    program = (
        "import sys, howsure\n"
        f"with howsure.open({str(tmp_path / 'howsure.db')!r}) as sure: sure.responses.check('x', knowledge=1.0)\n"
        "assert not {'prometheus_client', 'opentelemetry'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_on_without_the_package_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "sys.modules['prometheus_client'] = None\n"
        "from howsure.ledger.metrics import Metrics\n"
        "Metrics('on')\n"
    )
    found = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert "pip install '.[metrics]'" in found.stderr


def test_the_docs_list_every_metric_with_its_labels() -> None:
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
    page, _, _ = page.partition("## The store")  # its gauges are tested with the server
    lines = [line for line in page.splitlines() if line.startswith("| `")]
    assert [line.split("`")[1] for line in lines] == [metric.name for metric in metrics.ALL]
    for metric, line in zip(metrics.ALL, lines, strict=True):
        assert f"| {metric.kind} |" in line
        assert all(f"`{label}`" in line for label in metric.labels), metric.name


def test_opentelemetry_gets_the_same_metrics(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader

    reader = InMemoryMetricReader()
    monkeypatch.setattr("opentelemetry.metrics._internal._METER_PROVIDER", MeterProvider([reader]))
    sure.responses.check("It is tested.", agent="ann", knowledge=0.3)
    data: Any = reader.get_metrics_data()
    metrics = {one.name: one for one in data.resource_metrics[0].scope_metrics[0].metrics}
    [counted] = metrics["howsure.assessments"].data.data_points
    assert (counted.value, dict(counted.attributes)) == (1, {"model": "response", "decision": "block"})
    [timed] = metrics["howsure.response_duration"].data.data_points
    assert (timed.count, metrics["howsure.response_duration"].unit) == (1, "s")
    assert len(timed.explicit_bounds) == len(SECONDS)


def test_a_decision_about_a_received_trace_belongs_to_it(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    exporter = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]
    provider = LoggerProvider()
    provider.add_log_record_processor(SimpleLogRecordProcessor(exporter))
    monkeypatch.setattr("opentelemetry._logs._internal._LOGGER_PROVIDER", provider)
    for trace in ("5b8efff798038103d269b633813fc60c", "session-1"):
        sure.responses.check("It is tested.", agent="ann", knowledge=0.3, trace_id=trace)
    received, other = (record.log_record for record in exporter.get_finished_logs())
    assert f"{received.trace_id:032x}" == "5b8efff798038103d269b633813fc60c"
    assert not other.trace_id
    assert [dict(one.attributes or {}).get("gen_ai.conversation.id") for one in (received, other)] == [
        None,
        "session-1",
    ]


def test_models_of_any_number_of_names_have_few_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "_MODELS", set())
    registry = prometheus_client.CollectorRegistry()
    score: Any = SimpleNamespace(answer={})
    row: Any = SimpleNamespace(decision="pass", score=0.5, id="a", at=1.0, agent="", trace_id="")
    for number in range(1000):
        row.model = f"model {number}"
        Metrics("on", registry).decided(score, row)
    name = metrics.DECISIONS.name
    counted = [sample for metric in registry.collect() for sample in metric.samples if sample.name == name]
    assert len(counted) == 51
    assert [sample.value for sample in counted if sample.labels["model"] == "other"] == [950]
