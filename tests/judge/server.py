"""An OpenAI-compatible server on a real socket that answers by a script.

    with JudgeServer() as server:
        server.script(status(429, retry_after=0), answer({"text": "yes"}))
        judge = ChatJudge(server.url, "test-model", "a key")
        ...
        assert len(server.requests) == 2

The steps of the script are used in order; after that, `server.otherwise` answers. Each step is a `Step`, or a function
that returns one for a `Request`.
"""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

MODEL = "test-model-2"
"""The name of the model in its answers."""


@dataclass(frozen=True)
class Request:
    """What was sent."""

    path: str
    headers: dict[str, str]
    """By their names in small letters."""
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, str]]:
        """What was said to the model."""
        found: list[dict[str, str]] = self.body["messages"]
        return found

    def said(self, role: str) -> str:
        """Return all that was said in a role."""
        return "\n".join(message["content"] for message in self.messages if message["role"] == role)


@dataclass(frozen=True)
class Step:
    """How the server behaves once."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    lost: int = 0
    """Bytes of the body that are announced but never sent: the connection is closed instead."""
    silent: bool = False
    """Whether nothing is sent at all, until the server ends."""
    endless: bool = False
    """Whether the body never ends: a little of it comes again and again."""


Script = Step | Callable[[Request], Step]


def completion(message: dict[str, Any], **fields: Any) -> Step:
    """Return a chat completion with any message."""
    finish = fields.pop("finish_reason", "stop")
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant"} | message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    } | fields
    return raw(json.dumps({name: value for name, value in body.items() if value is not None}))


def streamed(parts: list[str]) -> Step:
    """Return a text as server-sent events of a chat completion, one for each part."""
    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": MODEL}
    deltas: list[dict[str, Any]] = [
        {"index": 0, "delta": {"role": "assistant", "content": part}, "finish_reason": None} for part in parts
    ]
    deltas.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    lines = [f"data: {json.dumps(chunk | {'choices': [delta]})}\n\n" for delta in deltas]
    return Step(200, "".join([*lines, "data: [DONE]\n\n"]).encode(), {"Content-Type": "text/event-stream"})


def answer(value: Any, **fields: Any) -> Step:
    """Return a good answer: a value, as JSON."""
    return completion({"content": json.dumps(value)}, **fields)


def text(content: str, **fields: Any) -> Step:
    """Return an answer of any text."""
    return completion({"content": content}, **fields)


def refusal(why: str) -> Step:
    """Return a refusal by the model."""
    return completion({"content": None, "refusal": why})


def truncated(start: str = '{"text": "it is', **fields: Any) -> Step:
    """Return an answer that breaks off at the length limit."""
    return completion({"content": start}, finish_reason="length", **fields)


def raw(body: str, content_type: str = "application/json") -> Step:
    """Return any body."""
    return Step(body=body.encode(), headers={"Content-Type": content_type})


def half() -> Step:
    """Return half an answer: the connection is closed in the middle of it."""
    whole = answer({"text": "yes"})
    return Step(body=whole.body[:80], headers=whole.headers, lost=len(whole.body) - 80)


def huge(size: int) -> Step:
    """Return an answer of at least so many bytes."""
    return answer({"text": "x" * size})


def status(
    code: int, message: str = "this is how it is", *, retry_after: object = None, error_code: str | None = None
) -> Step:
    """Return an error."""
    headers = {"Content-Type": "application/json"} | ({} if retry_after is None else {"Retry-After": str(retry_after)})
    body = {"error": {"message": message, "type": "some_error", "code": error_code}}
    return Step(code, json.dumps(body).encode(), headers)


def endless() -> Step:
    """Answer, and never come to an end."""
    return Step(body=b" ", headers={"Content-Type": "application/json"}, lost=10**9, endless=True)


def silent() -> Step:
    """Never answer."""
    return Step(silent=True)


class JudgeServer:
    """The server. `url` is its address, for `ChatJudge`."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        """All that was sent, in the order of arrival."""
        self.most_at_once = 0
        """The most requests that were under way at the same time."""
        self.otherwise: Script = status(500, "the script is over")
        self._script: deque[Script] = deque()
        self._changed = threading.Condition()
        self._under_way = 0
        self._held = False
        self._ended = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *steps: Script) -> None:
        """Add to what will be answered."""
        with self._changed:
            self._script.extend(steps)

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Hold back all answers until the end of the block."""
        self._held = True
        try:
            yield
        finally:
            with self._changed:
                self._held = False
                self._changed.notify_all()

    def wait_for(self, count: int) -> None:
        """Wait until so many requests have come."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.requests) >= count, timeout=30), self.requests

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        with self._changed:
            self._held = False
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _step(self, request: Request) -> Step:
        with self._changed:
            self.requests.append(request)
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
            step = self._script.popleft() if self._script else self.otherwise
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._held)
        return step if isinstance(step, Step) else step(request)

    def _done(self) -> None:
        with self._changed:
            self._under_way -= 1


def _handler(server: JudgeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 60
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            step = server._step(Request(self.path, headers, json.loads(body)))
            server._done()  # before anything is sent: who asked may ask again at once
            if step.silent:
                server._ended.wait()
                self.close_connection = True
                return
            self.send_response(step.status)
            for name, value in step.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(step.body) + step.lost))
            self.end_headers()
            self.wfile.write(step.body)
            while step.endless and not server._ended.wait(0.02):
                self.wfile.write(step.body)
            if step.lost:
                self.close_connection = True

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:  # who asked has gone
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the one it replaces
            pass

    return Handler
