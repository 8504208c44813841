"""Questions to a language model, and their results: an answer that fits the schema, or a failure as data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol, get_args

import orjson

from howsure.errors import InputError, shown
from howsure.files import sha256
from howsure.judge.schema import check

LIMIT = 40_000
"""Characters of each part of a question's content that are sent, unless the question says otherwise."""

_TASK = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_ .-]{0,59}")

FailureKind = Literal[
    "timeout",
    "rate_limited",
    "unreachable",
    "refused",
    "not_json",
    "wrong_schema",
    "truncated",
    "budget",
    "cancelled",
    "broken",
]
"""How a question may fail: see `Failure.kind`."""

FAILURE_KINDS: tuple[FailureKind, ...] = get_args(FailureKind)


@dataclass(frozen=True)
class Question:
    """A question to a model: trusted instructions, untrusted content, and the schema of the answer."""

    task: str
    """Name of the task: letters, digits, `_` and `-`."""
    schema: Mapping[str, Any] = field(repr=False)
    """JSON Schema of the answer, with the keywords of `howsure.judge.schema`."""
    content: Mapping[str, str] = field(repr=False)
    """What is to be judged, by the name of each part. It is fenced off, so that a model takes it as data."""
    instructions: str = field(repr=False)
    """What to do. This text is trusted, so it must not contain anything written by others."""
    limit: int = LIMIT
    """Characters of each part that are sent; the rest is cut, and the model is told so."""
    accepted: Mapping[str, Any] | None = field(default=None, repr=False)
    """JSON Schema that an answer must fit, if that is less than what is asked for; default: `schema`."""

    def __post_init__(self) -> None:
        """Raise InputError if the question cannot be asked."""
        if not _TASK.fullmatch(self.task):
            raise InputError(f"invalid task name {shown(self.task)}", field="task", hint="letters, digits, _ and -")
        check(self.schema)
        if self.accepted is not None:
            check(self.accepted, "accepted")
        for name, text in self.content.items():
            if not _PART.fullmatch(name):
                raise InputError(f"invalid part name {shown(name)}", field="content", hint="letters and digits")
            if not isinstance(text, str):
                raise InputError(f"{shown(text)} is not a text", field=f"content.{name}")
        if self.limit < 1:
            raise InputError(f"{self.limit} is less than 1", field="limit")
        # Copies, so that later changes by the caller affect neither the question nor its key.
        object.__setattr__(self, "content", dict(self.content))
        for name in ("schema", "accepted"):
            try:
                object.__setattr__(self, name, orjson.loads(orjson.dumps(_plain(getattr(self, name)))))
            except TypeError as error:
                raise InputError(f"it cannot be written as JSON: {error}", field=name) from None

    @property
    def fitting(self) -> Mapping[str, Any]:
        """The schema that an answer has to fit."""
        return self.schema if self.accepted is None else self.accepted

    def key(self, model: str) -> str:
        """Return a digest of the question and the model, to cache answers by."""
        parts = [model, self.task, self.instructions, self.schema, list(self.content.items()), self.limit]
        parts += [] if self.accepted is None else [self.accepted]
        return sha256(orjson.dumps(_plain(parts), option=orjson.OPT_SORT_KEYS)).hexdigest()


def _plain(value: Any) -> Any:
    """Return a value that can be written as JSON: lone surrogates are escaped."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {_plain(str(name)): _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True)
class Answer:
    """The answer of a model. It fits the schema that the question accepts."""

    value: Any
    """JSON data."""
    model: str
    """The model that answered, as the endpoint names it."""
    attempts: int = 1
    """Requests that were sent; 0 for a cached answer."""
    tokens_in: int | None = None
    """Tokens read by the model in all attempts; None if the endpoint does not report them."""
    tokens_out: int | None = None
    """Tokens written by the model in all attempts; None if the endpoint does not report them."""
    seconds: float = 0.0
    """How long it took, including waits."""
    cached: bool = False
    """Whether the answer comes from the cache, or from the same question asked at the same time."""

    ok: ClassVar[Literal[True]] = True


@dataclass(frozen=True)
class Failure:
    """Why there is no answer. Problems of a model or a network are never exceptions."""

    kind: FailureKind
    """One of these:

    - `timeout`: no answer in time.
    - `rate_limited`: too many requests, and waiting did not help or would take too long.
    - `unreachable`: no connection, or the endpoint has an error.
    - `refused`: the model or the endpoint rejected the question.
    - `not_json`, `wrong_schema`, `truncated`: the answer is not JSON, does not fit, or breaks off, twice.
    - `budget`: the budget is used up.
    - `cancelled`: the judge was closed.
    - `broken`: the user's own judge raised an exception, or returned neither an answer nor a failure.
    """
    message: str
    """What happened, in words."""
    attempts: int = 0
    """Requests that were sent."""
    seconds: float = 0.0
    """How long it took, including waits."""

    ok: ClassVar[Literal[False]] = False

    def __str__(self) -> str:
        """Return one readable line."""
        return f"{self.kind.replace('_', ' ')}: {self.message}"


class Judge(Protocol):
    """Answers questions. Implement this to use a model of your own."""

    @property
    def model(self) -> str:
        """The name of the model; answers are cached by it."""

    def ask(self, question: Question) -> Answer | Failure:
        """Ask a question and wait for the result."""

    async def aask(self, question: Question) -> Answer | Failure:
        """Ask a question without blocking the event loop."""
