"""The files in deploy: metrics, commands and options that they name exist."""

import json
import re
from pathlib import Path

import yaml
from prometheus_client.parser import text_string_to_metric_families

from howsure.ledger.metrics import ALL
from howsure.sure import Sure
from tests.serve.serving import serving

DEPLOY = Path(__file__).parent.parent / "deploy"
NAME = re.compile(r"\bhowsure_\w+")


def queries() -> list[str]:
    """Return the queries of the dashboard and the alert rules."""
    panels = json.loads((DEPLOY / "grafana.json").read_text())["panels"]
    rules = [rule for group in yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"] for rule in group["rules"]]
    return [target["expr"] for panel in panels for target in panel["targets"]] + [rule["expr"] for rule in rules]


def test_queries_name_metrics_that_are_exposed(sure: Sure) -> None:
    sure.claims.add("a is b", source="user_input:ann", contribution=0.5)
    with serving(sure) as client:
        gate = {"text": "It is tested.", "agent": "ann", "knowledge": 0.3}
        decision = client.do("responses.check", gate).json()["id"]
        client.do("ledger.outcome", {"decision_id": decision, "outcome": "wrong"})
        text = client.get("/metrics").text
    samples = {sample.name for family in text_string_to_metric_families(text) for sample in family.samples}
    # A counter with labels has no sample before it counts; its name and the labels of all are in the table.
    samples |= {metric.name for metric in ALL if metric.kind == "counter"}
    named = {name for query in queries() for name in NAME.findall(query)}
    assert len(named) > 12
    assert named <= samples


def test_labels_in_queries_exist() -> None:
    labels = {metric.name: {*metric.labels, "le"} for metric in ALL}
    for query in queries():
        for name, chosen in re.findall(r"\b(howsure_\w+){([^}]*)}", query):
            if name in labels:
                assert set(re.findall(r"(\w+)[=!]", chosen)) <= labels[name]
