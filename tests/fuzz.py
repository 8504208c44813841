"""Throw random inputs at every door: HTTP, pages, hooks, models, imports, settings and commands.

python -m tests.fuzz COUNT [SEED] prints how many inputs each door took, and every traceback; exits 1 if there is one.
Each input is an example of the door with some of its parts replaced by odd ones. An error of howsure, or an HTTP status
below 500 (or 503 and 504, which say that the server is busy), is a good answer.
"""

import asyncio
import contextlib
import copy
import io
import json
import logging
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from howsure.errors import HowsureError
from howsure.formulas import MODELS
from howsure.formulas.scoring import score
from howsure.integrations.hooks import handle_event
from howsure.serve.desk import Desk
from howsure.serve.http import build_app
from howsure.serve.limits import RateLimits
from howsure.serve.operations import OPERATIONS
from howsure.settings import parse_file
from howsure.sure import open as open_store

if TYPE_CHECKING:
    from collections.abc import Callable

ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**63,
        -(2**63),
        10**400,
        0.5,
        -0.0,
        1e308,
        1e-320,
        float("inf"),
        float("nan"),
    ),
    *(
        "",
        " ",
        "\0",
        "\x1b[2J",
        "\ud800",
        "\u202e",
        "é" * 300,
        "x" * 5000,
        "'; DROP TABLE claims; --",
        "../../etc/passwd",
    ),
    *("1e999", "NaN", "9" * 400, "2027-13-45", "%", "a:b", "@last", "*", "[", "(((((", "${jndi}", "<script>", "\ufeff"),
    *([], {}, [[]], [None], {"": None}, {"a": {"a": {"a": []}}}, [1, "a", None], {"__class__": 1}, ["x"] * 200),
)
PAGES = (
    *("/overview", "/claims", "/agents", "/documents", "/investigations", "/syntheses", "/review", "/search", "/docs"),
    *(
        "/server",
        "/settings",
        "/tokens",
        "/reliability",
        "/login",
        "/claims/x",
        "/decisions/x",
        "/investigations/trace",
    ),
)
EVENTS = ("PostToolUse", "Stop", "SubagentStop", "PostToolUseFailure", "feedback", "SessionStart")
GOLDEN = Path(__file__).parent / "golden"
COMMANDS = ("claim", "ledger", "stats", "score", "explain", "models", "conflicts", "settings", "janitor", "sql")


def mutate(value: Any, dice: random.Random) -> Any:
    """Return a value with a random part replaced, removed or added."""
    if dice.random() < 0.3 or not isinstance(value, dict | list) or not value:
        return copy.deepcopy(dice.choice(ODD))
    value = copy.copy(value)
    key: Any = dice.choice(list(value)) if isinstance(value, dict) else dice.randrange(len(value))
    chance = dice.random()
    if chance < 0.1:
        del value[key]
    elif chance < 0.2 and isinstance(value, dict):
        value[str(dice.choice(ODD))[:50]] = dice.choice(ODD)
    else:
        value[key] = mutate(value[key], dice)
    return value


def as_json(value: Any, dice: random.Random) -> bytes:
    """Return a value as JSON, now and then damaged."""
    try:
        text = json.dumps(value).encode("utf-8", "surrogatepass")
    except ValueError:
        text = b"{}"
    if dice.random() < 0.1 and text:
        place = dice.randrange(len(text))
        text = text[:place] + bytes([dice.randrange(256)]) + text[place + dice.randrange(3) :]
    return text


class Doors:
    """One open store behind all doors."""

    def __init__(self, folder: Path, seed: int) -> None:
        """Open a store in a folder."""
        self.dice = random.Random(seed)
        self.sure = open_store(str(folder / "fuzz.db"), actor="fuzz")
        self.sure.claims.add("The sky is blue", source="user:ann")
        self.folder = folder
        self.app = build_app(Desk(self.sure, requires_tokens=False, limits=RateLimits(None)), pages=True)
        self.operations = OPERATIONS
        self.cases = [
            (model, {name: value for name, value in case.items() if name != "expect"})
            for file in GOLDEN.glob("*.json")
            for case in json.loads(file.read_text())
            for model in (("noisy_or", "beta") if file.stem == "claims" else (file.stem,))
            if model in MODELS.builtin
        ]
        self.loop = asyncio.new_event_loop()

    async def request(self, method: str, path: str, body: bytes, query: bytes, kind: bytes) -> tuple[int, bytes]:
        """Send a request to the application itself; return the status and the start of the answer."""
        messages = [{"type": "http.request", "body": body, "more_body": False}]
        found: dict[str, Any] = {"status": 0, "body": b""}

        async def receive() -> Any:
            if not messages:
                await asyncio.sleep(3600)
            return messages.pop()

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                found["status"] = message["status"]
            elif len(found["body"]) < 2000:
                found["body"] += message.get("body", b"")

        headers = [(b"host", b"127.0.0.1:8765"), (b"content-type", kind), (b"content-length", b"%d" % len(body))]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": quote(path, errors="replace").encode(),
            "query_string": query,
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 5),
            "server": ("127.0.0.1", 8765),
            "state": {},
        }
        await self.app(scope, receive, send)
        return found["status"], found["body"]

    def _send(self, *given: Any) -> None:
        status, body = self.loop.run_until_complete(self.request(*given))
        if status >= 500 and status not in (503, 504):
            raise AssertionError(f"{given[:2]} {given[2][:300]!r} {given[3][:300]!r} answered {status}: {body[:300]!r}")

    def http(self) -> None:
        """Call an operation over HTTP."""
        one = self.dice.choice(self.operations)
        given = mutate(dict(one.example or {}), self.dice)
        path = one.path
        for part in [part for part in path.split("/") if part.startswith("{")]:
            value = given.get(part.strip("{}"), "x") if isinstance(given, dict) else "x"
            path = path.replace(part, str(value)[:200].replace("/", "").encode("utf-8", "replace").decode() or "x")
        query = b""
        if one.method != "POST" and isinstance(given, dict):
            pairs = (
                f"{quote(str(k), errors='replace')}={quote(str(v)[:300], errors='replace')}" for k, v in given.items()
            )
            query = "&".join(pairs).encode()
        kind = self.dice.choice([b"application/json"] * 8 + [b"application/x-ndjson", b"text/plain"])
        self._send(one.method, path, as_json(given, self.dice) if one.method == "POST" else b"", query, kind)

    def pages(self) -> None:
        """Read a page of the dashboard."""
        names = ("text", "limit", "cursor", "order", "formula", "now", "trace_id", "q", "id", "by", "since", "tier")
        pairs = (
            f"{self.dice.choice(names)}={quote(str(self.dice.choice(ODD))[:300], errors='replace')}" for _ in range(2)
        )
        self._send("GET", self.dice.choice(PAGES), b"", "&".join(pairs).encode(), b"text/html")

    def hook(self) -> None:
        """Handle an event of a coding agent."""
        event = {
            "hook_event_name": self.dice.choice(EVENTS),
            "session_id": "s",
            "tool_name": "Bash",
            "cwd": "/x",
            "tool_input": {"command": "pytest"},
            "tool_response": {"stdout": "1 passed"},
            "last_assistant_message": "It is so.",
            "howsure": {"stated": 0.9},
            "feedback": "up",
        }
        answer = handle_event(mutate(event, self.dice), store=str(self.folder / "fuzz.db"))
        said = str(answer.get("systemMessage", ""))
        if any(
            f"{kind}Error: " in said for kind in ("Type", "Key", "Value", "Attribute", "Index", "Recursion", "Unicode")
        ):
            raise AssertionError(said)

    def models_(self) -> None:
        """Score a case by a model."""
        model, case = self.dice.choice(self.cases)
        data = mutate(case, self.dice)
        score(model, data if isinstance(data, dict) else {"x": data})

    def imports(self) -> None:
        """Import records, or learn claims."""
        records: list[Any] = list(self.sure.claims.export())[:3]
        if self.dice.random() < 0.5:
            records[self.dice.randrange(len(records))] = mutate(self.dice.choice(records), self.dice)
            self.sure.claims.import_(records)
        else:
            self.sure.claims.learn([mutate({"statement": "x", "source": "a:b", "contribution": 0.5}, self.dice)])

    def settings(self) -> None:
        """Read a file of settings."""
        lines = b'project = "web"\n[thresholds]\ndefault = 0.5\n[models.noisy_or]\nboost_factor = 0.2\n'
        place = self.dice.randrange(len(lines))
        parse_file("howsure.toml", lines[:place] + self.dice.randbytes(self.dice.randrange(4)) + lines[place:])

    def commands(self) -> None:
        """Run a command in this process."""
        from howsure.cli.app import run

        words = [str(self.dice.choice(ODD))[:100].replace("\0", "") for _ in range(self.dice.randrange(4))]
        words += [f"--{self.dice.choice(('json', 'limit', 'agent', 'store', 'by', 'help'))}"] * self.dice.randrange(2)
        before, sys.argv = sys.argv, ["howsure", self.dice.choice(COMMANDS), *words]
        errors = io.TextIOWrapper(io.BytesIO(), errors="replace")
        stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(as_json(mutate({"a": 1}, self.dice), self.dice)))
        out = io.TextIOWrapper(io.BytesIO(), errors="replace")
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors), contextlib.suppress(SystemExit):
                run()
        finally:
            sys.argv, sys.stdin = before, stdin
        errors.flush()
        said = errors.buffer.getvalue().decode("utf-8", "replace")
        if "this is a bug" in said or "Traceback" in said:
            raise AssertionError(f"{words}: {said[-500:]}")


def main(count: int, seed: int) -> int:
    """Throw inputs, and print what came of it; return the exit code."""
    logging.disable(logging.CRITICAL)
    taken: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    bugs: Counter[str] = Counter()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        doors = Doors(Path(folder), seed)
        every: dict[str, tuple[Callable[[], None], int]] = {
            "http": (doors.http, 30),
            "pages": (doors.pages, 5),
            "hooks": (doors.hook, 10),
            "models": (doors.models_, 35),
            "imports": (doors.imports, 9),
            "settings": (doors.settings, 10),
            "commands": (doors.commands, 1),
        }
        names = [name for name, (_, weight) in every.items() for _ in range(weight)]
        for _ in range(count):
            name = doors.dice.choice(names)
            taken[name] += 1
            try:
                every[name][0]()
            except HowsureError:
                refused[name] += 1
            except Exception as error:  # noqa: BLE001 - any other error is what is looked for
                where = traceback.extract_tb(error.__traceback__)[-1]
                bugs[
                    f"{name}: {type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {str(error)[:600]}"
                ] += 1
    seconds = time.monotonic() - began
    print(f"{count:,} inputs in {seconds:.0f} s (seed {seed}): {dict(taken)}; refused {dict(refused)}")  # noqa: T201
    for bug, times in bugs.most_common(20):
        print(f"{times} x {bug}")  # noqa: T201
    print(f"{sum(bugs.values())} tracebacks")  # noqa: T201
    return 1 if bugs else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
