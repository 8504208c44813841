"""The files in deploy: metrics, commands and options that they name exist."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml
from prometheus_client.parser import text_string_to_metric_families

from howsure.cli.hook_settings import add_hooks
from howsure.cli.mcp import known_clients, server_configuration
from howsure.ledger.metrics import ALL
from howsure.sure import Sure
from howsure.version import __version__
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


def commands() -> list[list[str]]:
    """Return the commands of howsure that the files run."""
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["howsure"]["command"]
    deployment = next(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))
    docker = re.search(r"^CMD (\[.*\])$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    unit = re.search(r"^ExecStart=\S+/howsure (.*)$", (DEPLOY / "howsure.service").read_text(), re.MULTILINE)
    assert docker
    assert unit
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    return [compose, container["args"], json.loads(docker[1]), unit[1].split(), ["token", "create", "--scope"]]


def test_commands_and_options_exist() -> None:
    for command in commands():
        names = command[: next(place for place, word in enumerate(command) if word.startswith("-"))]
        environment = {"COLUMNS": "200", "PATH": "/usr/bin:/bin", "TERM": "dumb"}
        done = subprocess.run(
            [sys.executable, "-m", "howsure", *names, "--help"],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        for option in (word for word in command if word.startswith("--")):
            assert re.search(rf"{option}\b", done.stdout), (names, option)


def test_extras_of_the_image_exist() -> None:
    named = re.search(r'"\.\[([\w,]+)\]"', (DEPLOY / "Dockerfile").read_text())
    project = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["project"]
    assert named
    assert set(named[1].split(",")) <= set(project["optional-dependencies"])
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert all((DEPLOY.parent / name).exists() for line in copied for name in line.split())


def test_probes_ask_paths_that_answer(sure: Sure) -> None:
    text = "".join(path.read_text() for path in DEPLOY.iterdir() if path.is_file())
    with serving(sure) as client:
        for path in set(re.findall(r"/(?:ready|health)z\b", text)):
            assert client.get(path, headers={"Host": "localhost"}).status_code == 200


def test_the_plugin_installs_what_the_commands_install() -> None:
    plugin = DEPLOY / "claude-code-plugin"
    hooks = json.loads((plugin / "hooks" / "hooks.json").read_text())
    assert hooks == json.loads(add_hooks("", "howsure hook"))
    servers = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]
    assert servers == {"howsure": server_configuration(known_clients()["project"], None)}
    manifests = [plugin / ".claude-plugin" / "plugin.json", DEPLOY.parent / "server.json"]
    described = [json.loads(path.read_text()) for path in manifests]
    assert {one["version"] for one in described} == {described[1]["packages"][0]["version"]} == {__version__}
