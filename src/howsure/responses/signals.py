"""Compute signals about a response, in addition to its four factors."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from howsure.errors import InputError, shown
from howsure.shapes import Doc, Unit, Wire, Within, decode_as

if TYPE_CHECKING:
    from howsure.judge.question import Judge
    from howsure.settings import GroundingReader
    from howsure.text.grounding.result import GroundedSentence

MOST_SIGNALS = 20
"""Named signals of one response."""
MOST_SAMPLES = 100
"""Other answers that a response is compared with."""
MOST_TEXTS = 1000
"""Texts that a response may be grounded in."""
MOST_TOKENS = 1_000_000
_NAME = r"[a-z][a-z0-9_.-]{0,49}"
_RESERVED = frozenset(
    (
        *("knowledge_base", "code_validation", "certainty", "history", "composite"),
        *("grounding", "judge", "samples", "logprobs", "stated"),
    )
)
_OWN_NAMES = {"knowledge_base": "knowledge", "code_validation": "code", "composite": ""}
"""Parameters of reserved names that are called otherwise; "" if there is none."""
LogProbability = Annotated[float, Within(-1e6, 0.0)]

Logprobs = Annotated[
    float | Sequence[float] | None,
    Wire(LogProbability | list[LogProbability] | None),
    Doc("Log-probabilities of the response's tokens, or their mean: at most 0."),
]
Samples = Annotated[
    Sequence[str] | None, Wire(list[str] | None), Doc("Other answers to the same question, to see how far they agree.")
]
ContextTexts = Annotated[
    str | Sequence[str] | None,
    Wire(str | list[str] | None),
    Doc("Texts that the response should rest on, such as what was retrieved: its grounding is computed from them."),
]
JudgeSignal = Annotated[
    float | Literal["ask"] | None,
    Wire(Unit | Literal["ask"] | None),
    Doc('How sure a judge is that the response is right, or "ask" to ask the one of the settings.'),
]
NamedSignals = Annotated[
    Mapping[str, float] | None,
    Wire(dict[str, Unit] | None),
    Doc("Other numbers from 0 to 1 by name. They are recorded, and count once outcomes give them a weight."),
]


class Signals(NamedTuple):
    """The signals of a response."""

    values: dict[str, Any]
    """By the fields of a case: grounding, judge, samples, logprobs, stated, and the named ones as `signals`."""
    notes: dict[str, str]
    """How each was computed, in words."""
    warnings: tuple[str, ...] = ()
    sentences: "tuple[GroundedSentence, ...]" = ()
    """The sentences of the response, compared with the context."""

    @property
    def flat(self) -> dict[str, float]:
        """All of them by name."""
        flat: dict[str, float] = {name: value for name, value in self.values.items() if name != "signals"}
        flat |= self.values.get("signals", {})
        return flat


def read_signals(
    text: str | None,
    *,
    logprobs: Any = None,
    samples: Any = None,
    stated: Any = None,
    grounding: Any = None,
    context: Any = None,
    judge: Any = None,
    signals: Any = None,
    ask: "Callable[[], Judge | None] | None" = None,
    question: str = "",
    reader: "GroundingReader" = "words",
) -> Signals:
    """Return the signals that were given, each as a number from 0 to 1; `reader` is what compares with the context.

    Raises:
        InputError: if one is invalid.
    """
    values: dict[str, Any] = {}
    notes: dict[str, str] = {}
    warnings: list[str] = []
    sentences: tuple[GroundedSentence, ...] = ()
    if logprobs is not None:
        values["logprobs"], notes["logprobs"] = _read_logprobs(logprobs)
    if samples is not None and (others := _read_texts(samples, "samples", MOST_SAMPLES)) and text is not None:
        from howsure.text.agreement import measure_agreement

        values["samples"] = measure_agreement(text, others)
        notes["samples"] = f"agreement with {len(others)} other answer{'s' * (len(others) > 1)}"
    if stated is not None:
        values["stated"] = decode_as(Unit, stated, "stated")
    texts = read_context(context, MOST_TEXTS)
    if grounding is not None:
        values["grounding"], notes["grounding"] = decode_as(Unit, grounding, "grounding"), "given as a number"
    elif texts and text is not None:
        from howsure.responses.grounding import measure_grounding

        if (found := measure_grounding(text, texts, reader=reader)) is not None:
            values["grounding"], notes["grounding"] = found.score, found.why
            sentences = found.sentences
    if judge is not None:
        reply = _read_judge(judge, text, texts, ask, question)
        if isinstance(reply, str):
            warnings.append(reply)
        else:
            values["judge"] = reply
    if signals is not None and (named := read_named(signals)):
        values["signals"] = named
    return Signals(values, notes, tuple(warnings), sentences)


def _read_logprobs(given: Any) -> tuple[float, str]:
    if isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping):
        tokens = list(given)
        if not tokens or len(tokens) > MOST_TOKENS:
            raise InputError(f"{len(tokens):,} tokens", field="logprobs", hint=f"pass 1 to {MOST_TOKENS:,} of them")
        mean = math.fsum(decode_as(LogProbability, one, f"logprobs[{n}]") for n, one in enumerate(tokens)) / len(tokens)
        return math.exp(mean), f"mean probability of {len(tokens):,} token{'s' * (len(tokens) > 1)}"
    return math.exp(decode_as(LogProbability, given, "logprobs")), "mean probability of a token"


def read_context(given: Any, most: int | None = None) -> list[str]:
    """Return the texts that a response should rest on, one or several, without empty ones.

    Raises:
        InputError: if there are more than `most`, or one is not a text.

    >>> read_context("The port is 8443."), read_context(["", "The port is 8443."])
    (['The port is 8443.'], ['The port is 8443.'])
    """
    return _read_texts([given] if isinstance(given, str) else given, "context", most)


def _read_texts(given: Any, field: str, most: int | None) -> list[str]:
    """Return the texts, without empty ones."""
    if given is None:
        return []
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"{shown(given)} is not a list of texts", field=field, hint="pass a list, even of one")
    texts = list(given)
    if most is not None and len(texts) > most:
        raise InputError(f"{len(texts):,} texts", field=field, hint=f"at most {most:,}")
    for number, one in enumerate(texts):
        if not isinstance(one, str):
            raise InputError(f"{shown(one)} is not a text", field=f"{field}[{number}]")
    return [one for one in texts if one.strip()]


def read_named(given: Any) -> dict[str, float]:
    """Return named signals.

    Raises:
        InputError: if a name or a number is invalid, or there are too many.

    >>> read_named({"rerank": 1})
    {'rerank': 1.0}
    """
    if not isinstance(given, Mapping):
        raise InputError(f"{shown(given)} is not a mapping", field="signals", hint='like {"rerank": 0.7}')
    if len(given) > MOST_SIGNALS:
        raise InputError(f"{len(given):,} signals", field="signals", hint=f"at most {MOST_SIGNALS}")
    for name in given:
        if not isinstance(name, str) or not re.fullmatch(_NAME, name):
            hint = "a small letter, then letters, digits, _ . and -, up to 50"
            raise InputError(f"invalid name {shown(name)}", field="signals", hint=hint)
        if name in _RESERVED:
            own = _OWN_NAMES.get(name, name)
            hint = f"pass it as `{own}`" if own else "give it another name: it is computed"
            raise InputError(f"{name} is not a named signal", field="signals", hint=hint)
    return {name: float(decode_as(Unit, value, f"signals.{name}")) for name, value in given.items()}


def _read_judge(
    given: Any, text: str | None, context: list[str], ask: "Callable[[], Judge | None] | None", question: str
) -> float | str:
    """Return how sure the judge is, or why it could not say."""
    if given != "ask":
        return float(decode_as(Unit, given, "judge"))
    judge = ask() if ask is not None else None
    if judge is None:
        hint = "set judge.base_url and judge.model, or pass a number"
        raise InputError("no judge is configured", field="judge", hint=hint)
    if text is None or not text.strip():
        raise InputError("there is no text to ask about", field="judge", hint="pass the response")
    from howsure.judge.consult import consult
    from howsure.judge.prompts import correctness

    reply = consult(judge, correctness(text, question=question, background=context))
    if not reply.ok:
        return f"the judge could not be asked: {reply}"
    probability = reply.value["probability"]
    return "the judge cannot say" if probability is None else float(probability)
