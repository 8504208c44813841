"""Read what an endpoint sends: the chat completion, and the JSON that the model wrote in it.

Endpoints of many makers differ in details, so the raw body is read here instead of by the SDK's types.
"""

import re
import time
from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Literal, NamedTuple

import orjson

from howsure.judge.fence import short_line
from howsure.judge.question import FailureKind
from howsure.judge.schema import problems
from howsure.redaction import SecretFilter

_BAD_REQUEST, _TIMEOUT, _UNPROCESSABLE, _TOO_EARLY, _TOO_MANY, _SERVER_ERROR = 400, 408, 422, 425, 429, 500
_CODE_BLOCK = re.compile(r"```[A-Za-z]*[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)
_END_OF_THOUGHT = "</think>"
"""Some models write their reasoning before the answer and end it with this tag."""

Remedy = Literal["wait", "repeat", "shorten", "simplify", "none"]
"""What may help after a problem: wait, send the same again, ask for less, use a simpler request form, or nothing."""


class TokenCount(NamedTuple):
    """Tokens that a model read and wrote; None if the endpoint does not report them."""

    read: int | None = None
    written: int | None = None


class Reply(NamedTuple):
    """What a model wrote."""

    text: str
    model: str
    tokens: TokenCount = TokenCount()


class Problem(NamedTuple):
    """Why a request brought no reply."""

    kind: FailureKind
    message: str
    remedy: Remedy = "none"
    retry_after: float | None = None
    """Seconds that the endpoint asks to wait."""
    charged: bool = True
    """Whether the request may have cost tokens: not if the endpoint rejected it."""
    text: str = ""
    """The start of an answer that broke off."""
    tokens: TokenCount = TokenCount()


class ReplyReader:
    """Reads the replies of one endpoint."""

    def __init__(self, address: str, model: str, redact: SecretFilter) -> None:
        """Take the names of endpoint and model for messages, and the filter for secrets in them."""
        self._address, self._model, self._redact = address, model, redact

    def read_completion(self, body: bytes) -> Reply | Problem:
        """Read the body of a chat completion."""
        try:
            data = orjson.loads(body)
        except orjson.JSONDecodeError:
            start = self._line(body[:2000].decode("utf-8", "replace"))
            message = f"{self._address} did not send a chat completion: {start[:80]}"
            return Problem("not_json", message, "repeat")
        choices, error = _get(data, "choices", list), _get(data, "error", dict)
        if error and not choices:  # some endpoints send errors with status 200
            return self.read_status(_get(error, "code", int) or _SERVER_ERROR, error)
        usage = _get(data, "usage", dict)
        tokens = TokenCount(_count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))
        choice = choices[0] if choices else None
        message = _get(choice, "message", dict)
        if message is None:
            return Problem("not_json", f"{self._address} sent no choices", "repeat", tokens=tokens)
        text, finish = _text(message.get("content")), _get(choice, "finish_reason", str)
        refusal = _get(message, "refusal", str)
        if refusal or finish in ("content_filter", "safety"):
            reason = self._line(refusal or "the endpoint's filter held the answer back")
            return Problem("refused", f"the model refused: {reason}", tokens=tokens)
        if finish in ("length", "max_tokens"):
            reason = "the answer broke off at the model's length limit"
            return Problem("truncated", reason, "shorten", text=text, tokens=tokens)
        return Reply(text, self._line(_get(data, "model", str) or self._model), tokens)

    def read_status(self, status: int, body: object, retry_after: float | None = None) -> Problem:
        """Return the problem that an error status stands for."""
        text = body if isinstance(body, str) else _get(body, "message", str) or ""
        code = _get(body, "code", str)
        detail = self._line(text)
        message = f"{self._address} answered {status}" + (f": {detail}" if detail else "")
        if status == _TOO_MANY:
            return _rejected("rate_limited", message, "none" if code == "insufficient_quota" else "wait", retry_after)
        if status in (_TIMEOUT, _TOO_EARLY) or status >= _SERVER_ERROR:
            return _rejected("unreachable", message, "wait", retry_after)
        simplify = status in (_BAD_REQUEST, _UNPROCESSABLE) and code != "context_length_exceeded"
        return _rejected("refused", message, "simplify" if simplify else "none")

    def _line(self, text: str) -> str:
        return short_line(self._redact(text))


def _rejected(kind: FailureKind, message: str, remedy: Remedy, retry_after: float | None = None) -> Problem:
    return Problem(kind, message, remedy, retry_after, charged=False)


def _get(data: Any, name: str, kind: type) -> Any:
    """Return a field if it exists and has that type, else None."""
    value = data.get(name) if isinstance(data, dict) else None
    return value if isinstance(value, kind) else None


def _count(usage: Any, name: str) -> int | None:
    count = _get(usage, name, int)
    return count if count is not None and count >= 0 else None


def _text(content: Any) -> str:
    """Return the text of a message, which may come in parts."""
    if isinstance(content, list):
        return "".join(_get(part, "text", str) or "" for part in content)
    return content if isinstance(content, str) else ""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a `Retry-After` header, which holds a number or a date; None if it holds neither.

    >>> retry_after({"retry-after": "7"})
    7.0
    """
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(seconds, 0.0) if seconds < float("inf") else None


def total(counts: Iterable[TokenCount]) -> TokenCount:
    """Return the sum of the reported tokens; None if none were reported."""
    parts = list(counts)
    return TokenCount(_sum(part.read for part in parts), _sum(part.written for part in parts))


def _sum(parts: Iterable[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return sum(known) if known else None


class ParsedAnswer(NamedTuple):
    """An answer that fits the schema."""

    value: Any


class Mismatch(NamedTuple):
    """Why a text is not an answer that fits the schema."""

    kind: Literal["not_json", "wrong_schema"]
    problem: str
    """In words, for people and for the model."""


def parse_answer(text: str, schema: Mapping[str, Any]) -> ParsedAnswer | Mismatch:
    r"""Read the JSON of an answer: alone, after the model's reasoning, or in the only code block of the text.

    >>> parse_answer('Here it is:\n```json\n{"text": "yes"}\n```', {"type": "object"})
    ParsedAnswer(value={'text': 'yes'})
    >>> parse_answer("[]", {"type": "object"})
    Mismatch(kind='wrong_schema', problem='the answer does not fit: the answer: an empty list is not of type object')
    """
    answer = text.rpartition(_END_OF_THOUGHT)[2].strip().removeprefix("\ufeff")
    try:
        value = orjson.loads(answer)
    except orjson.JSONDecodeError as error:
        try:
            (block,) = _CODE_BLOCK.findall(answer)
            value = orjson.loads(block)
        except ValueError:  # no code block, several, or no JSON in it
            what = "is empty" if not answer else f"is not JSON ({error})"
            return Mismatch("not_json", f"the answer {what}")
    wrong = problems(schema, value)
    return Mismatch("wrong_schema", f"the answer does not fit: {'; '.join(wrong)}") if wrong else ParsedAnswer(value)
