"""Doors of the server: the API, pages and their forms, MCP, OTLP and the guardrail of LiteLLM."""

import asyncio
import gzip
import json
import random
from typing import Any, ClassVar
from urllib.parse import quote, urlencode

from howsure.files import sha256
from howsure.serve import litellm, otlp
from howsure.serve.http import build_app
from howsure.serve.mcp.tools import TOOLS
from howsure.serve.mcp.transports import PATH, http_mounts
from howsure.serve.operations import OPERATIONS, Operation
from howsure.serve.pages.cookies import COOKIE
from howsure.serve.pages.site import all_pages
from howsure.serve.server import ServerOptions
from tests.agents import runs
from tests.fuzz.door import Door, House
from tests.fuzz.mutations import as_json, damage, mutate_often, odd, odd_text

PAGES = all_pages()
SPANS = [run for name, run in runs.RUNS.items() if name.startswith("spans")]
PROTOBUF = runs.protobuf(runs.SPANS)
SESSION = "fuzz" * 8
CSRF = sha256(f"howsure form:{SESSION}".encode()).hexdigest()
BUSY = (503, 504)
"""Statuses that say that the server is busy."""
QUERIES: tuple[str, ...] = (
    "text",
    "limit",
    "cursor",
    "order",
    "formula",
    "now",
    "trace_id",
    "q",
    "id",
    "by",
    "since",
    "tier",
    "export",
)
QUERIES += ("relations", "charts", "next", "agent", "project", "tiers", "statuses", "min_lower", "kind", "days", "page")
VALUES = ("1", "0.5", "agent", "claims.csv", "claims.json", "all", "task", "t", "2027-01-01", "//evil.example", "a")
METHODS: dict[str, dict[str, Any]] = {
    "tools/call": {"name": "find_claims", "arguments": {"text": "sky"}},
    "resources/read": {"uri": "howsure://claims/x"},
    "prompts/get": {"name": "x", "arguments": {"question": "why?"}},
    "tools/list": {},
    "ping": {},
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "fuzz", "version": "1"},
    },
}


def example_of(operation: Operation, house: House, dice: random.Random) -> dict[str, Any]:
    """Return the example of an operation, mostly with ids that exist."""
    given = dict(operation.example or {})
    if dice.random() < 0.8:
        given |= {name: value for name, value in house.seeded.items() if name in given}
    return given


class Server(Door):
    """Sends requests to the application itself, without a network."""

    def __init__(self, house: House, dice: random.Random) -> None:
        """Build the application."""
        super().__init__(house, dice)
        self._loop = asyncio.new_event_loop()
        self._app = build_app(house.desk, ServerOptions(pages=True, mounts=http_mounts))
        self._ended = asyncio.Event()
        self._life = self._loop.create_task(self._live())
        self._loop.run_until_complete(asyncio.sleep(0.01))

    async def _live(self) -> None:
        async with self._app.router.lifespan_context(self._app):
            await self._ended.wait()

    def close(self) -> None:
        """Stop the application."""
        self._ended.set()
        self._loop.run_until_complete(self._life)
        self._loop.close()

    def send(
        self, method: str, path: str, body: bytes = b"", query: str = "", kind: str = "application/json", **more: Any
    ) -> bytes:
        """Send a request; return the start of the answer, and raise AssertionError if it is an error of the server."""
        status, answer = self._loop.run_until_complete(self._request(method, path, body, query, kind, more))
        if status >= 500 and status not in BUSY:
            raise AssertionError(f"{method} {path} {query[:200]} {body[:400]!r} answered {status}: {answer[:300]!r}")
        return answer

    async def _request(
        self, method: str, path: str, body: bytes, query: str, kind: str, more: dict[str, str]
    ) -> tuple[int, bytes]:
        messages = [{"type": "http.request", "body": body, "more_body": False}]
        status, answer = 0, b""

        async def receive() -> Any:
            if not messages:
                await asyncio.sleep(3600)
            return messages.pop()

        async def send(message: Any) -> None:
            nonlocal status, answer
            if message["type"] == "http.response.start":
                status = message["status"]
            elif len(answer) < 2000:
                answer += message.get("body", b"")

        headers = {"host": "127.0.0.1:8765", "content-type": kind, "content-length": str(len(body)), **more}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": quote(path, errors="replace").encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [
                (name.replace("_", "-").encode(), text.encode("latin-1", "replace")) for name, text in headers.items()
            ],
            "client": ("127.0.0.1", 5),
            "server": ("127.0.0.1", 8765),
            "state": {},
        }
        await self._app(scope, receive, send)
        return status, answer

    def path_of(self, path: str, given: Any) -> str:
        """Return a path with its parameters filled in."""
        for part in [part for part in path.split("/") if part.startswith("{")]:
            value = given.get(part.strip("{}"), "x") if isinstance(given, dict) else "x"
            path = path.replace(part, str(value)[:200].replace("/", "").encode("utf-8", "replace").decode() or "x")
        return path


class Api(Server):
    """Operations over HTTP."""

    name = "http"
    share = 150

    def throw(self) -> None:
        """Send a request to an operation."""
        dice = self.dice
        one = dice.choice(OPERATIONS)
        given = mutate_often(example_of(one, self.house, dice), dice)
        path = self.path_of(one.path, given)
        if one.method == "POST":
            kind = dice.choice(["application/json"] * 8 + ["application/x-ndjson", "text/plain"])
            key = {"idempotency-key": odd_text(dice)[:300]} if dice.random() < 0.1 else {}
            self.send("POST", path, as_json(given, dice), kind=kind, **key)
            return
        pairs = given.items() if isinstance(given, dict) else [("x", given)]
        query = "&".join(f"{quote(str(k), errors='replace')}={quote(str(v)[:300], errors='replace')}" for k, v in pairs)
        self.send(dice.choice([one.method] * 9 + ["PUT"]), path, query=query)


class Pages(Server):
    """Pages of the dashboard and their forms."""

    name = "pages"
    share = 15

    def throw(self) -> None:
        """Read a page, or submit a form."""
        dice = self.dice
        page = dice.choice(PAGES)
        seeded = self.house.seeded | {"decision_id": self.house.seeded["id"]}
        path = self.path_of(page.path, seeded if dice.random() < 0.8 else {"claim": odd_text(dice)})
        pairs = [
            (dice.choice(QUERIES), str(odd(dice) if dice.random() < 0.5 else dice.choice(VALUES))[:300])
            for _ in range(dice.randrange(4))
        ]
        cookie: dict[str, Any] = {"cookie": f"{COOKIE}={SESSION}"}
        if page.submit is not None and dice.random() < 0.7:
            fields = [("csrf", CSRF), ("sure", "1"), *seeded.items(), ("statement", "x"), ("source", "a:b"), *pairs]
            kept = [field for field in fields if dice.random() < 0.9]
            body = urlencode(kept, errors="replace").encode()
            self.send("POST", path, body, kind="application/x-www-form-urlencoded", **cookie)
        else:
            partial: dict[str, Any] = {"hx-request": "true"} if dice.random() < 0.2 else {}
            self.send("GET", path, query=urlencode(pairs, errors="replace"), **cookie, **partial)


class Mcp(Server):
    """The MCP server, over HTTP."""

    name = "mcp"
    share = 50

    def throw(self) -> None:
        """Call a tool, or send another message."""
        dice = self.dice
        method = dice.choice(["tools/call"] * 6 + list(METHODS))
        parameters: Any = dict(METHODS[method])
        if method == "tools/call":
            name = dice.choice(list(TOOLS))
            parameters = {"name": name, "arguments": example_of(TOOLS[name][0], self.house, dice)}
            if dice.random() < 0.8:
                parameters["arguments"] = mutate_often(parameters["arguments"], dice)
        elif dice.random() < 0.8:
            parameters = mutate_often(parameters, dice)
        message: Any = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        if dice.random() < 0.1:
            message = mutate_often(message, dice)
        accept = "application/json, text/event-stream"
        answer = self.send("POST", PATH, as_json(message, dice), accept=accept)
        if (b"nternal" in answer and b"-32603" in answer) or b"internal error" in answer:
            raise AssertionError(f"{json.dumps(message)[:600]} was answered by {answer[:300]!r}")


class Spans(Server):
    """Spans by OTLP, in JSON and protobuf."""

    name = "otlp"
    share = 50

    def throw(self) -> None:
        """Send spans."""
        dice = self.dice
        binary = dice.random() < 0.5
        body = damage(PROTOBUF, dice) if binary else as_json(mutate_often(dice.choice(SPANS), dice), dice)
        more = {}
        if dice.random() < 0.2:
            more = {"content-encoding": dice.choice(("gzip", "gzip", "gzip", "br", odd_text(dice)[:20]))}
            body = damage(gzip.compress(body, 1), dice) if dice.random() < 0.5 else gzip.compress(body, 1)
        self.send("POST", otlp.PATH, body, kind=otlp.PROTOBUF if binary else "application/json", **more)


class Guardrail(Server):
    """The guardrail of LiteLLM."""

    name = "litellm"
    share = 20
    _BODY: ClassVar[Any] = {
        "input_type": "response",
        "texts": ["It is so.", "It is not so."],
        "litellm_call_id": "c1",
        "litellm_trace_id": "t1",
        "request_data": {"user_api_key_alias": "a"},
        "structured_messages": [{"role": "tool", "tool_call_id": "x", "content": [{"type": "text", "text": "seen"}]}],
        "additional_provider_specific_params": {"agent": "x", "knowledge": [0.9], "on_blocked": "replace"},
    }

    def throw(self) -> None:
        """Send a request or a response."""
        kind = {"input_type": self.dice.choice(("request", "response"))}
        self.send("POST", litellm.PATH, as_json(mutate_often(self._BODY | kind, self.dice), self.dice))


DOORS = (Api, Pages, Mcp, Spans, Guardrail)
