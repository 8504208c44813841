"""Questions to a language model, and what comes back: an answer that fits, or a failure as data."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal, Protocol, get_args

import orjson

from howsure.errors import InputError, shown
from howsure.files import sha256
from howsure.judge.schema import check

LIMIT = 40_000
"""Characters of each part of a question's content that are sent, unless the question says otherwise."""

_TASK = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_ .-]{0,59}")

Kind = Literal[
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
"""How an ask may fail: see `Failure.kind`."""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Question:
    """What a model is asked: trusted instructions, untrusted content, and the shape of the answer."""

    task: str
    """Name of the task: letters, digits, `_` and `-`."""
    schema: Mapping[str, Any] = field(repr=False)
    """JSON Schema of the answer: the keywords of `howsure.judge.schema`."""
    content: Mapping[str, str] = field(repr=False)
    """What is to be judged, part by part. It is fenced off: whatever it says, it is data."""
    instructions: str = field(repr=False)
    """What to do. This text is trusted, so it must not hold anything written by others."""
    limit: int = LIMIT
    """Characters of each part that are sent; what comes after is cut off, and the model is told so."""
    accepted: Mapping[str, Any] | None = field(default=None, repr=False)
    """JSON Schema of what is taken for an answer, where that is less than what is asked for; else the schema."""

    def __post_init__(self) -> None:
        """Refuse a question that cannot be put."""
        if not _TASK.fullmatch(self.task):
            raise InputError(f"{shown(self.task)} is no name of a task", field="task", hint="letters, digits, _ and -")
        check(self.schema)
        if self.accepted is not None:
            check(self.accepted, "accepted")
        for name, text in self.content.items():
            if not _PART.fullmatch(name):
                raise InputError(f"{shown(name)} is no name of a part", field="content", hint="letters and digits")
            if not isinstance(text, str):
                raise InputError(f"{shown(text)} is not a text", field=f"content.{name}")
        if self.limit < 1:
            raise InputError(f"{self.limit} is not a number of characters", field="limit")
        # Copies: what the caller does with his own afterwards changes neither the question nor its key.
        object.__setattr__(self, "content", dict(self.content))
        for name in ("schema", "accepted"):
            try:
                object.__setattr__(self, name, orjson.loads(orjson.dumps(_plain(getattr(self, name)))))
            except TypeError as error:
                raise InputError(f"this cannot be written as JSON: {error}", field=name) from None

    @property
    def fitting(self) -> Mapping[str, Any]:
        """The schema that an answer has to fit."""
        return self.schema if self.accepted is None else self.accepted

    def key(self, model: str) -> str:
        """Return what two questions to a model have in common only if they are the same."""
        parts = [model, self.task, self.instructions, self.schema, list(self.content.items()), self.limit]
        parts += [] if self.accepted is None else [self.accepted]
        return sha256(orjson.dumps(_plain(parts), option=orjson.OPT_SORT_KEYS)).hexdigest()


def _plain(value: Any) -> Any:
    """Return a value that can always be written as JSON: lone surrogates, which cannot be sent, are escaped."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {_plain(str(name)): _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True)
class Answer:
    """What a model answered. It fits the schema that the question accepts."""

    value: Any
    """The answer, as JSON data."""
    model: str
    """The model that answered, as the endpoint names it."""
    attempts: int = 1
    """Requests that were sent; 0 where the answer was kept from before."""
    tokens_in: int | None = None
    """Tokens read by the model in all attempts; null where the endpoint does not tell."""
    tokens_out: int | None = None
    """Tokens written by the model in all attempts; null where the endpoint does not tell."""
    seconds: float = 0.0
    """How long it took, waiting included."""
    cached: bool = False
    """Whether the answer was kept from before, or from the same question asked at the same time."""

    ok: ClassVar[Literal[True]] = True

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as data."""
        return {"ok": True, **asdict(self)}


@dataclass(frozen=True)
class Failure:
    """Why there is no answer. What a model or a network does is never an exception."""

    kind: Kind
    """Which of these it is:

    - `timeout`: no answer in time.
    - `rate_limited`: too many requests, and waiting did not help, or would take too long.
    - `unreachable`: no connection, or the endpoint is out of order.
    - `refused`: the model or the endpoint will not answer this.
    - `not_json`, `wrong_schema`, `truncated`: what came is no JSON, does not fit, or breaks off; and a second time too.
    - `budget`: the budget is used up.
    - `cancelled`: the judge was closed.
    - `broken`: a judge of one's own raised an exception, or gave neither an answer nor a failure.
    """
    message: str
    """What happened, in words."""
    attempts: int = 0
    """Requests that were sent."""
    seconds: float = 0.0
    """How long it took, waiting included."""

    ok: ClassVar[Literal[False]] = False

    def __str__(self) -> str:
        """Return one readable line."""
        return f"{self.kind.replace('_', ' ')}: {self.message}"

    def as_dict(self) -> dict[str, Any]:
        """Return the failure as data."""
        return {"ok": False, **asdict(self)}


class Judge(Protocol):
    """Whatever answers questions."""

    @property
    def model(self) -> str:
        """The model that is asked; part of what an answer is kept by."""

    def ask(self, question: Question) -> Answer | Failure:
        """Put a question, and wait for what comes back."""

    async def aask(self, question: Question) -> Answer | Failure:
        """Put a question without blocking the event loop."""
