"""The MCP server, asked by the SDK's own client over both transports, in the old and the new form of the protocol."""

import asyncio
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from howsure.cli.mcp import known_clients
from howsure.errors import StoreError
from howsure.operation import Tool
from howsure.serve.mcp.resources import RESOURCES, TEMPLATES, resolve
from howsure.serve.mcp.tools import TOOLS
from howsure.serve.mcp.transports import PATH, http_mounts
from howsure.serve.operations import OPERATIONS
from howsure.serve.tokens import SCOPES, Tokens
from howsure.store.ledger_tables.decisions import hours_out_of_step
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import ROOT, hear_ctrl_c
from tests.serve.serving import serving

NAMES = {
    "remember_claim",
    "find_claims",
    "explain_claim",
    "challenge_claim",
    "verify_claim",
    "who_to_trust",
    "check_response",
    "check_grounding",
    "record_evidence",
    "investigation_confidence",
    "combine_results",
    "find_conflicts",
    "record_outcome",
    "list_fits",
}
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
Story = Callable[[Client], Awaitable[None]]


def _stdio(store: Path) -> StdioServerParameters:
    """Return how a client starts the server."""
    script = "from howsure.cli.mcp import mcp; mcp()"
    return StdioServerParameters(
        command=sys.executable,
        args=["-c", script, "--store", str(store), "--actor", "agent"],
        env=dict(os.environ) | {"HOME": str(store.parent)},
    )


@contextmanager
def _http(store: Path, **given: Any) -> Iterator[tuple[str, Sure]]:
    """Serve a store over HTTP, and give the address of its tools."""
    with open_store(str(store), actor="agent") as sure, serving(sure, mounts=http_mounts, **given) as client:
        yield str(client.base_url).rstrip("/") + PATH, sure


def _ask(server: Any, story: Story, mode: str = "auto") -> None:
    async def run() -> None:
        async with Client(server, mode=mode) as client:
            await story(client)

    asyncio.run(run())


async def _used(client: Client, name: str, **given: Any) -> dict[str, Any]:
    """Use a tool, and return what came of it, which has to be as the tool says."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    jsonschema.validate(given, tools[name].input_schema)
    result = await client.call_tool(name, given)
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    operation, tool = TOOLS[name]
    described = operation.output_schema
    described["required"] = [field for field in described["required"] if field not in tool.omit]
    jsonschema.validate(found, described)
    assert set(found) == set(described["properties"]) - set(tool.omit), "the fields that HTTP documents"
    assert getattr(result.content[0], "text", "").startswith("{"), "older clients read the text"
    return found


async def _story(client: Client) -> None:
    """Use every tool and read every resource."""
    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == NAMES
    safe = await _used(client, "remember_claim", statement="The cache is safe", source="user:ann", contribution=0.8)
    id_ = safe["id"]
    again = await _used(client, "remember_claim", statement="the cache is safe.", source="doc:readme")
    assert (safe["outcome"], again["outcome"]) == ("created", "corroborated")
    assert again["upper"] > safe["upper"]
    found = await _used(client, "find_claims", text="cache", min_lower=0.1, limit=1)
    assert [claim["id"] for claim in found["claims"]] == [id_]
    verified = await _used(client, "verify_claim", claim=id_, source="agent:7")
    assert verified["sources"] == 3
    fought = await _used(client, "challenge_claim", claim=id_, statement="The cache loses writes", source="agent:7")
    assert fought["claim"]["status"] == "challenged"
    why = await _used(client, "explain_claim", claim=id_)
    assert "challenged" in why["words"]
    assert "score" not in why
    grep = {"tool": "grep", "arguments": {"pattern": "Cache"}, "results": 3}
    evidence = await _used(client, "record_evidence", trace_id="s1", **grep)
    assert evidence["advice"]
    standing = await _used(client, "investigation_confidence", trace_id="s1")
    assert standing["score"] == evidence["score"] > 0
    given = {"agent": "ann", "trace_id": "s1", "from_trace": True, "stated": 0.9, "signals": {"rerank": 0.5}}
    looked_up = await _used(client, "check_response", text="It is there.", **(given | {"agent": "bob"}))
    assert looked_up["factors"][0]["score"] == pytest.approx(1 / (1 + math.exp((0.5 - evidence["score"]) / 0.1)))
    assert {one["name"]: one["score"] for one in looked_up["factors"]} | {"stated": 0.9, "rerank": 0.5} == {
        one["name"]: one["score"] for one in looked_up["factors"]
    }
    given["code"] = {"exists": True, "tests_pass": True}
    checked = await _used(client, "check_response", text="It is tested.", **given)
    assert (checked["decision"], checked["factors"][1]["score"]) == ("pass", pytest.approx(0.88))
    assert "spec" not in checked
    said = ["The cache is safe.", "The cache is not safe."]
    clashes = await _used(client, "find_conflicts", statements=said)
    assert (clashes["conflicts"][0]["first"], clashes["conflicts"][0]["second"]) == (0, 1)
    results = [{"id": str(number), "content": text} for number, text in enumerate(said)]
    merged = await _used(client, "combine_results", query="Is it safe?", results=results)
    assert merged["conflicts"]
    grounded = await _used(client, "check_grounding", response="The cache is safe.", context=said)
    assert [sentence["text"] for sentence in grounded["sentences"]] == ["The cache is safe."]
    told = await _used(client, "record_outcome", decision_id=checked["id"], outcome="right")
    assert (told["outcome"], told["source"]) == ("right", "agent")
    await _resources(client, id_)


async def _resources(client: Client, id_: str) -> None:
    async def read(uri: str) -> Any:
        (content,) = (await client.read_resource(uri)).contents
        assert content.mime_type == "application/json"
        return json.loads(getattr(content, "text", ""))

    listed = {str(one.uri) for one in (await client.list_resources()).resources}
    assert listed == {"howsure://claims", "howsure://statistics"}
    templates = {one.uri_template for one in (await client.list_resource_templates()).resource_templates}
    assert templates == {"howsure://claims/{id}", "howsure://statistics/{agent}"}
    assert id_ in {claim["id"] for claim in (await read("howsure://claims"))["claims"]}
    assert (await read(f"howsure://claims/{id_}"))["words"]
    assert (await read("howsure://statistics"))["groups"][0]["name"] == "ann"
    assert (await read("howsure://statistics/ann"))["all"]["total"] == 1
    for uri in ("howsure://claims/c0", "howsure://nothing", "howsure://claims?x=1", "file:///etc/passwd"):
        with pytest.raises(MCPError, match="unknown resource|unknown claim") as caught:
            await client.read_resource(uri)
        assert caught.value.code == -32602


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_whole_story_over_stdio(tmp_path: Path, mode: str) -> None:
    _ask(stdio_client(_stdio(tmp_path / "mcp.db")), _story, mode)
    with open_store(str(tmp_path / "mcp.db")) as sure:
        assert sure.claims.history(sure.claims.find("safe").claims[0].id)[0].actor == "agent"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_whole_story_over_http(tmp_path: Path, mode: str) -> None:
    with _http(tmp_path / "mcp.db") as (url, sure):
        _ask(url, _story, mode)
        assert sure.claims.history(sure.claims.find("safe").claims[0].id)[0].actor == "agent"


def test_tools_declare_whether_they_change_anything(tmp_path: Path) -> None:
    async def story(client: Client) -> None:
        operations = {one.tool.name: one for one in OPERATIONS if isinstance(one.tool, Tool)}
        for tool in (await client.list_tools()).tools:
            assert tool.title
            assert len(tool.description or "") > 100
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint == (operations[tool.name].scope == "read")
            assert (tool.annotations.destructive_hint, tool.annotations.open_world_hint) == (False, False)
            assert tool.annotations.idempotent_hint == (operations[tool.name].scope == "read")
            assert tool.input_schema["type"] == "object"
            assert tool.output_schema is None, "schemas of results would be two thirds of the list"
            assert len(tool.input_schema["properties"]) <= 15, "more than an agent can choose from"
            assert all(field["description"] for field in tool.input_schema["properties"].values())

    with _http(tmp_path / "mcp.db") as (url, _):
        _ask(url, story)


def test_errors_are_reported_to_the_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(client: Client) -> None:
        async def said(name: str, **given: Any) -> str:
            result = await client.call_tool(name, given)
            assert result.is_error
            return str(getattr(result.content[0], "text", ""))

        statemnt = await said("remember_claim", statemnt="x")
        assert statemnt == "statemnt: unknown field 'statemnt' (did you mean statement?)"
        unread = await said("check_grounding", text="It is so.")
        assert unread == "response: this field is missing, and 'text' is unknown"
        assert "this field is missing" in await said("remember_claim")
        assert "contribution: 7 is not between 0 and 1" in await said("remember_claim", statement="x", contribution=7)
        assert await said("explain_claim", claim="c0") == "claim: unknown claim 'c0' (find_claims lists claims)"
        assert "check_response returns" in await said("record_outcome", decision_id="a0", outcome="right")
        assert "unknown field 'formula'" in await said("explain_claim", claim="c0", formula="beta")
        assert "'so' is not one of right, wrong" in await said("record_outcome", decision_id="a", outcome="so")
        failed = "the store could not be read or written; nothing was changed; try again"
        assert await said("find_claims", text="broken") == failed
        assert "secret" not in await said("find_conflicts", statements=["a"])
        with pytest.raises(MCPError, match="unknown tool"):
            await client.call_tool("purge_claim", {"id": "c0"})

    def broken(*_: Any, **__: Any) -> Any:
        raise StoreError("the store /secret/place failed")

    def fault(*_: Any, **__: Any) -> Any:
        raise RuntimeError("secret inside")

    with _http(tmp_path / "mcp.db") as (url, sure):
        monkeypatch.setattr(type(sure.claims), "find", broken)
        monkeypatch.setattr("howsure.syntheses.stages.detect", fault)
        _ask(url, story)


def _ask_with(secret: str, url: str, story: Story) -> None:
    """Ask a server over HTTP, with a token."""

    async def run() -> None:
        headers = {"Authorization": f"Bearer {secret}"}
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False, timeout=30) as bearing,
            Client(streamable_http_client(url, http_client=bearing)) as client,
        ):
            await story(client)

    asyncio.run(run())


def test_numbers_flags_and_lists_may_be_texts(tmp_path: Path) -> None:
    async def story(client: Client) -> None:
        async def use(name: str, **given: Any) -> dict[str, Any]:
            result = await client.call_tool(name, given)
            assert not result.is_error, result.content
            return dict(result.structured_content)

        added = await use("remember_claim", statement="The cache is safe", source="user:ann", contribution="0.8")
        assert added["upper"] == pytest.approx(0.8)
        found = await use("find_claims", min_lower="0.1", limit="1", tiers='["task"]', unverified="false")
        assert [claim["id"] for claim in found["claims"]] == [added["id"]]
        for code, knowledge in (("0.9", "0.9"), ("answer", 0.9)):  # more types than the schema can declare
            assert "decision" in await use("check_response", text="It is tested.", code=code, knowledge=knowledge)
        checked = await use("check_response", text="Yes.", stated="0.4", signals={"rerank": "0.5"})
        assert {"stated": 0.4, "rerank": 0.5}.items() <= {
            one["name"]: one["score"] for one in checked["factors"]
        }.items()
        assert (await use("record_evidence", trace_id="s", tool="grep", results="2"))["calls"] == 1
        assert (await use("record_evidence", trace_id="s", tool="grep", results="No matches found"))["calls"] == 2

    with _http(tmp_path / "mcp.db") as (url, _):
        _ask(url, story)


def test_over_http_a_token_is_required(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "mcp.db")) as sure:
        tokens = Tokens(sure.session)
        secrets: dict[str, str] = {scope: tokens.create(scope, scope)[1] for scope in SCOPES}
        tokens.create("gone", "admin")
        tokens.revoke("gone")

    async def reader(client: Client) -> None:
        assert (await client.call_tool("find_claims", {})).is_error is False
        refused = await client.call_tool("remember_claim", {"statement": "x", "source": "a:b"})
        assert refused.is_error
        assert "this needs a token of scope write" in str(refused.content)

    async def writer(client: Client) -> None:
        await _used(client, "remember_claim", statement="Signed", source="a:b")

    with _http(tmp_path / "mcp.db", tokens=True) as (url, sure):
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        accept = {"Accept": "application/json, text/event-stream"}
        for headers in ({}, {"Authorization": "Bearer nonsense"}, {"Authorization": f"Bearer howsure_{'x' * 43}"}):
            for method in ("POST", "GET", "DELETE"):
                body: Any = {"json": call} if method == "POST" else {}
                response = httpx2.request(method, url, headers=accept | headers, trust_env=False, **body)
                assert response.status_code == 401
                assert "find_claims" not in response.text
        _ask_with(secrets["read"], url, reader)
        _ask_with(secrets["write"], url, writer)
        assert sure.claims.history(sure.claims.find("Signed").claims[0].id)[0].actor == "write"


@pytest.mark.parametrize("http", [False, True])
def test_an_agent_cannot_raise_its_own_score_by_outcomes(tmp_path: Path, http: bool) -> None:
    scores: list[float] = []

    async def cheat(client: Client) -> None:
        for _ in range(30):
            checked = await _used(client, "check_response", text="It is tested.", agent="cheat", knowledge=[0.74])
            scores.append(checked["composite"])
            await _used(client, "record_outcome", decision_id=checked["id"], outcome="right")
        for more in ({"by": "ceo"}, {"source": "person"}):
            given = {"decision_id": checked["id"], "outcome": "right"} | more
            refused = await client.call_tool("record_outcome", given)
            assert refused.is_error, more

    store = tmp_path / "mcp.db"
    if http:
        with open_store(str(store)) as sure:
            secret = Tokens(sure.session).create("agent", "write")[1]
        with _http(store, tokens=True) as (url, _):
            _ask_with(secret, url, cheat)
    else:
        _ask(stdio_client(_stdio(store)), cheat)
    assert max(scores) <= scores[0] + 1e-9
    with open_store(str(store)) as sure:
        decision = sure.ledger.find(limit=1).decisions[0]
        (said,) = sure.ledger.explain(decision.id).outcomes
        assert (said.source, said.by, decision.outcome) == ("agent", "agent", None)
        stats = sure.ledger.stats(agent="cheat")
        assert (stats.calibration.outcomes, stats.outcome_sources) == (0, ())
        assert not sure.ledger.find(with_outcome=True).decisions
        assert not store_check(sure)
        sure.ledger.outcome(decision.id, "wrong")
        assert sure.ledger.get(decision.id).outcome == "wrong"
        sure.ledger.outcome(decision.id, "right", source="agent")
        assert sure.ledger.get(decision.id).outcome == "wrong"
        assert not store_check(sure)


def store_check(sure: Sure) -> list[Any]:
    """Return the sums of the ledger that differ from its decisions."""
    with sure.session.database.read() as transaction:
        return hours_out_of_step(transaction)


def test_over_http_other_sites_and_host_names_are_refused(tmp_path: Path) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accept = {"Accept": "application/json, text/event-stream"}
    with _http(tmp_path / "mcp.db") as (url, _):
        good = httpx2.post(url, json=call, headers=accept, trust_env=False, timeout=60)
        assert (good.status_code, "find_claims" in good.text) == (200, True)
        assert good.headers["cache-control"] == "no-store"
        for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}, {"X-Forwarded-For": "1.2.3.4"}):
            response = httpx2.post(url, json=call, headers=accept | headers, trust_env=False, timeout=60)
            assert response.status_code == 403
        listening = httpx2.get(url, headers={"Accept": "text/event-stream"}, trust_env=False, timeout=60)
        assert (listening.status_code, listening.headers["allow"]) == (405, "POST")
        form = httpx2.post(
            url, content=b"{}", headers=accept | {"Content-Type": "text/plain"}, trust_env=False, timeout=60
        )
        assert form.status_code in (400, 415)
        huge = httpx2.post(
            url,
            content=b" " * 5_000_000,
            headers=accept | {"Content-Type": "application/json"},
            trust_env=False,
            timeout=60,
        )
        assert huge.status_code == 413


def test_rate_limits_apply_to_tools(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "mcp.db")) as sure:
        _, secret = Tokens(sure.session).create("reader")

    async def story(client: Client) -> None:
        results = [await client.call_tool("find_claims", {}) for _ in range(8)]
        assert any("too many requests" in str(result.content) for result in results if result.is_error)

    with _http(tmp_path / "mcp.db", tokens=True, rate=1.0) as (url, _):
        _ask_with(secret, url, story)


def test_resources_name_the_operations_that_they_show() -> None:
    assert resolve("howsure://statistics/a%20b").arguments == {"by": "agent", "agent": "a b"}
    assert resolve("howsure://claims").operation.name == "claims.find"


def test_the_docs_list_every_tool_and_resource() -> None:
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in NAMES)
    assert all(f"| `{one.uri}` |" in page for one in RESOURCES)
    assert all(f"| `{one.uri_template}` |" in page for one in TEMPLATES)
    assert all(f"| `{client}`" in page for client in known_clients())


@pytest.mark.parametrize("close", [True, False])
def test_the_server_ends_with_its_client_or_on_ctrl_c(tmp_path: Path, close: bool) -> None:
    server = _stdio(tmp_path / "mcp.db")
    process = subprocess.Popen(
        [server.command, *server.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=server.env,
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509 - nothing but a signal is set
    )
    assert process.stdin is not None
    assert process.stdout is not None
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    process.stdin.write(json.dumps(call).encode() + b"\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "howsure"
    if close:
        out, errors = process.communicate(timeout=30)
    else:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
        out, errors = process.communicate()
    assert (process.returncode, out, errors) == (0 if close else 130, b"", b"")
