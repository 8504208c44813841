"""Replies: what an endpoint sent back, as endpoints of many makers write it; or why it is of no use."""

import time
from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Literal, NamedTuple

import orjson

from howsure.judge.question import Kind
from howsure.judge.redaction import Redactor

_BAD_REQUEST, _TIMEOUT, _UNPROCESSABLE, _TOO_EARLY, _TOO_MANY, _OUT_OF_ORDER = 400, 408, 422, 425, 429, 500

Then = Literal["wait", "again", "shorter", "lower", "stop"]
"""What may help: to wait, the same again, a shorter answer, another form, or nothing."""


class Tokens(NamedTuple):
    """What a model read and wrote, where the endpoint tells."""

    read: int | None = None
    written: int | None = None


class Reply(NamedTuple):
    """What a model wrote."""

    text: str
    model: str
    tokens: Tokens = Tokens()


class Trouble(NamedTuple):
    """Why a request brought nothing."""

    kind: Kind
    message: str
    then: Then = "stop"
    after: float | None = None
    """Seconds that the endpoint asks to wait."""
    charged: bool = True
    """Whether the request may have cost anything: not, where the endpoint turned it away."""
    text: str = ""
    """The start of an answer that broke off."""
    tokens: Tokens = Tokens()


class Reader:
    """Reads what one endpoint sends."""

    def __init__(self, address: str, model: str, redacted: Redactor) -> None:
        """Say what endpoint and model are called in messages, and what is not shown in them."""
        self._address, self._model, self._redacted = address, model, redacted

    def completion(self, body: bytes) -> Reply | Trouble:
        """Read a chat completion."""
        try:
            data = orjson.loads(body)
        except orjson.JSONDecodeError:
            start = self._redacted.line(body[:2000].decode("utf-8", "replace"))
            return Trouble("not_json", f"{self._address} answered with no chat completion: {start[:80]}", "again")
        choices, fault = _get(data, "choices", list), _get(data, "error", dict)
        if fault and not choices:  # some endpoints answer 200, whatever happened
            return self.status(_get(fault, "code", int) or _OUT_OF_ORDER, fault)
        usage = _get(data, "usage", dict)
        tokens = Tokens(_count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))
        choice = choices[0] if choices else None
        message = _get(choice, "message", dict)
        if message is None:
            return Trouble("not_json", f"{self._address} answered with no choice", "again", tokens=tokens)
        text, end = _text(message.get("content")), _get(choice, "finish_reason", str)
        refusal = _get(message, "refusal", str)
        if refusal or end in ("content_filter", "safety"):
            why = self._redacted.line(refusal or "the endpoint's filter held the answer back")
            return Trouble("refused", f"the model refused: {why}", tokens=tokens)
        if end in ("length", "max_tokens"):
            why = "the answer broke off at the model's length limit"
            return Trouble("truncated", why, "shorter", text=text, tokens=tokens)
        return Reply(text, self._redacted.line(_get(data, "model", str) or self._model), tokens)

    def status(self, status: int, body: object, after: float | None = None) -> Trouble:
        """Say what a status means, and what may help."""
        said = body if isinstance(body, str) else _get(body, "message", str) or ""
        code = _get(body, "code", str)
        told = self._redacted.line(said)
        message = f"{self._address} answered {status}" + (f": {told}" if told else "")
        if status == _TOO_MANY:
            return _turned_away("rate_limited", message, "stop" if code == "insufficient_quota" else "wait", after)
        if status in (_TIMEOUT, _TOO_EARLY) or status >= _OUT_OF_ORDER:
            return _turned_away("unreachable", message, "wait", after)
        lower = status in (_BAD_REQUEST, _UNPROCESSABLE) and code != "context_length_exceeded"
        return _turned_away("refused", message, "lower" if lower else "stop")


def _turned_away(kind: Kind, message: str, then: Then, after: float | None = None) -> Trouble:
    return Trouble(kind, message, then, after, charged=False)


def _get(data: Any, name: str, kind: type) -> Any:
    """Return a field if it is there and of a kind."""
    found = data.get(name) if isinstance(data, dict) else None
    return found if isinstance(found, kind) else None


def _count(usage: Any, name: str) -> int | None:
    found = _get(usage, name, int)
    return found if found is not None and found >= 0 else None


def _text(content: Any) -> str:
    """Return a message's text, which may come in parts."""
    if isinstance(content, list):
        return "".join(_get(part, "text", str) or "" for part in content)
    return content if isinstance(content, str) else ""


def waiting(headers: Mapping[str, str]) -> float | None:
    """Return the seconds an endpoint asks to wait, whether it says them as a number or as a moment.

    >>> waiting({"retry-after": "7"})
    7.0
    """
    given = headers.get("retry-after", "")
    try:
        seconds = float(given)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(given).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(seconds, 0.0) if seconds < float("inf") else None


def total(tokens: Iterable[Tokens]) -> Tokens:
    """Return the sum of what was told; nothing, if nothing was."""
    parts = list(tokens)
    return Tokens(_sum(part.read for part in parts), _sum(part.written for part in parts))


def _sum(parts: Iterable[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if known else None
