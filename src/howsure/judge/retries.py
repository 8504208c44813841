"""Asking: one question on its way, through waiting, other forms and a second try, to an answer or a failure."""

import asyncio
import random
import time
from typing import NamedTuple

from howsure.judge.budget import Budget, estimate
from howsure.judge.endpoint import Endpoint, Form
from howsure.judge.fence import Messages, again, messages, schema_told
from howsure.judge.question import Answer, Failure, Kind, Question
from howsure.judge.read_reply import Value, read
from howsure.judge.redaction import Redactor
from howsure.judge.reply import Reply, Tokens, Trouble, total

_LONGEST_REPEATED = 4000
"""Characters of a wrong answer that the model is shown again."""
_LONGEST_BACKOFF = 6
"""Doublings of the first wait."""


class Patience(NamedTuple):
    """How often and how long to wait."""

    retries: int
    """Times that a request is sent again after a failure that may pass."""
    backoff: float
    """Seconds of the first wait; each further one is twice as long."""
    longest_wait: float
    """Seconds that an endpoint may ask to wait; if it asks for more, that is a failure."""


class Asking:
    """One question on its way: what was sent, what it cost, and what may still be tried."""

    def __init__(
        self,
        question: Question,
        endpoint: Endpoint,
        patience: Patience,
        form: Form,
        budget: Budget | None,
        redacted: Redactor,
    ) -> None:
        """Begin; nothing is sent yet."""
        self.question, self.endpoint, self.patience, self.form = question, endpoint, patience, form
        self.budget = budget or Budget()
        self.redacted = redacted
        self.began = time.monotonic()
        self.ends = float("inf")
        self.attempts = self.waits = 0
        self.tokens: list[Tokens] = []
        self.second = False
        self.said: Messages = []

    async def run(self, time_limit: float) -> Answer | Failure:
        """Ask until there is an answer, or nothing more to try, or no time left to try it."""
        self.ends = time.monotonic() + time_limit
        self.said = self._messages()
        while True:
            found = await self._once()
            if isinstance(found, Failure):
                return found
            end = self._read(found) if isinstance(found, Reply) else await self._help(found)
            if end is not None:
                return end

    async def _once(self) -> Reply | Trouble | Failure:
        """Send one request, if the budget allows it."""
        guess = estimate(message["content"] for message in self.said)
        refusal = self.budget.take(guess)
        if refusal:
            return self.failure("budget", refusal)
        self.attempts += 1
        found = await self.endpoint.send(self.said, self.form, self.question)
        self.tokens.append(found.tokens)
        self.budget.settle(guess, self._cost(found, guess))
        return found

    def _cost(self, found: Reply | Trouble, guess: int) -> int:
        """Return the tokens that a request cost: as told, or estimated where nothing is told."""
        if isinstance(found, Trouble) and not found.charged:
            return 0
        read, written = found.tokens
        return (guess if read is None else read) + (estimate([found.text]) if written is None else written)

    def _messages(self) -> Messages:
        return messages(self.question, tell_schema=self.form.format != "json_schema")

    def _read(self, reply: Reply) -> Answer | Failure | None:
        """Return the answer; or nothing, if the model is asked a second time for one that fits."""
        found = read(reply.text, self.question.fitting)
        if isinstance(found, Value):
            return Answer(found.value, reply.model, self.attempts, *total(self.tokens), seconds=self._seconds())
        problem = self.redacted(found.problem)
        return self._once_more(found.kind, problem, reply.text, f"This was not accepted: {problem}.")

    async def _help(self, trouble: Trouble) -> Failure | None:
        """Do what may help; return a failure, if nothing does."""
        if trouble.then == "wait":
            return await self._wait(trouble)
        if trouble.then == "again":
            return self._once_more(trouble.kind, trouble.message, "", "")
        if trouble.then == "shorter":
            note = "Your answer broke off because it was too long. Answer once more, and much more briefly."
            return self._once_more(trouble.kind, trouble.message, trouble.text, note)
        lower = self.form.lowered(trouble.message) if trouble.then == "lower" and not self.second else None
        if lower is None:
            return self.failure(trouble.kind, trouble.message)
        self.form = lower
        self.said = self._messages()
        return None

    def _once_more(self, kind: Kind, problem: str, answer: str, note: str) -> Failure | None:
        """Prepare the second try, or fail if this was the second."""
        if self.second:
            return self.failure(kind, problem)
        self.second = True
        if note:
            told_again = f"{note}\nAnswer in JSON, and with nothing else. {schema_told(self.question)}"
            self.said = again(self.said, self.redacted(answer[:_LONGEST_REPEATED]), told_again)
        return None

    async def _wait(self, trouble: Trouble) -> Failure | None:
        """Wait before another request, if one is left and the wait is not too long."""
        if self.waits >= self.patience.retries:
            return self.failure(trouble.kind, trouble.message)
        if trouble.after is not None and trouble.after > self.patience.longest_wait:
            return self.failure(trouble.kind, f"{trouble.message}; it asks to wait {trouble.after:.0f} s")
        spread = random.uniform(0.5, 1.0)  # noqa: S311 - so that those who failed together do not come back together
        pause = self.patience.backoff * 2 ** min(self.waits, _LONGEST_BACKOFF) * spread
        pause = max(min(pause, self.patience.longest_wait), trouble.after or 0.0)
        if time.monotonic() + pause >= self.ends:
            return self.failure(trouble.kind, f"{trouble.message}; no time is left to try again")
        self.waits += 1
        await asyncio.sleep(pause)
        return None

    def _seconds(self) -> float:
        return time.monotonic() - self.began

    def failure(self, kind: Kind, message: str) -> Failure:
        """Return a failure, with what was spent on it."""
        return Failure(kind, self.redacted(message), self.attempts, self._seconds())
