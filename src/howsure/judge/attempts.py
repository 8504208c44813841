"""Ask one question over several requests, until there is an answer that fits or nothing left to try.

The SDK's own retries are switched off. With them (openai 3.49) 15 tests of the judge fail, because they happen inside
one call of ours and cannot: charge every request to the budget; count retries once for the whole question, also across
a second try; retry a streamed body that breaks off, or an error in a reply with status 200; fail at once if
`Retry-After` exceeds `longest_wait` or the deadline (the SDK's limit is fixed at two minutes); or report how many
requests a failed question took.
"""

import asyncio
import logging
import random
import time
from typing import NamedTuple

from howsure.judge.budget import Budget, estimate_tokens
from howsure.judge.endpoint import Endpoint, RequestForm
from howsure.judge.fence import Messages, messages, schema_note, with_correction
from howsure.judge.question import Answer, Failure, FailureKind, Question
from howsure.judge.reply import ParsedAnswer, Problem, Reply, TokenCount, parse_answer, total
from howsure.redaction import SecretFilter

log: logging.Logger = logging.getLogger(__name__)

_LONGEST_QUOTE = 4000
"""Characters of a wrong answer that the model is shown again."""
_MAX_DOUBLINGS = 6
"""The wait before a retry is doubled at most this often."""


class RetryPolicy(NamedTuple):
    """How often and how long to wait before a request is sent again."""

    retries: int
    """Retries of one question after failures that may pass."""
    backoff: float
    """Seconds of the first wait; each further one is twice as long."""
    longest_wait: float
    """Seconds that `Retry-After` may ask for; more is a failure."""


class Attempts:
    """The requests for one question: what was sent, what it cost, and what may still be tried."""

    def __init__(
        self,
        question: Question,
        endpoint: Endpoint,
        policy: RetryPolicy,
        form: RequestForm,
        budget: Budget | None,
        redact: SecretFilter,
    ) -> None:
        """Prepare; nothing is sent yet."""
        self.question: Question = question
        self.endpoint: Endpoint = endpoint
        self.policy: RetryPolicy = policy
        self.form: RequestForm = form
        self.budget: Budget = budget or Budget()
        self.redact = redact
        self.start: float = time.monotonic()
        self.deadline: float = float("inf")
        self.sent: int = 0
        self.waits: int = 0
        self.tokens: list[TokenCount] = []
        self.corrected: bool = False
        """Whether the model was asked a second time because its first answer was of no use."""
        self.messages: Messages = []

    async def run(self, time_limit: float) -> Answer | Failure:
        """Send requests until there is an answer, nothing is left to try, or the time is up."""
        self.deadline = time.monotonic() + time_limit
        self.messages = self._messages()
        while True:
            result = await self._send()
            if isinstance(result, Failure):
                return self._logged(result)
            end = self._read(result) if isinstance(result, Reply) else await self._recover(result)
            if end is not None:
                return self._logged(end)
            if isinstance(result, Problem):
                problem = self.redact(result.message)
                log.info("%s: request %d failed: %s", self.question.task, self.sent, problem)

    def _logged(self, end: Answer | Failure) -> Answer | Failure:
        about = (self.question.task, self.sent, end.seconds)
        if isinstance(end, Failure):
            log.info("%s: no answer after %d requests and %.1f s: %s", *about, f"{end.kind}: {end.message}")
        else:
            tokens = f"{end.tokens_in} tokens in, {end.tokens_out} out"
            log.info("%s: answered after %d requests and %.1f s by %s, %s", *about, end.model, tokens)
        return end

    async def _send(self) -> Reply | Problem | Failure:
        """Send one request if the budget allows it."""
        estimated = estimate_tokens(message["content"] for message in self.messages)
        refusal = self.budget.take(estimated)
        if refusal:
            return self.failure("budget", refusal)
        self.sent += 1
        result = await self.endpoint.send(self.messages, self.form, self.question)
        self.tokens.append(result.tokens)
        self.budget.settle(estimated, self._cost(result, estimated))
        return result

    def _cost(self, result: Reply | Problem, estimated: int) -> int:
        """Return the tokens of a request: as the endpoint reports them, else estimated."""
        if isinstance(result, Problem) and not result.charged:
            return 0
        read, written = result.tokens
        return (estimated if read is None else read) + (estimate_tokens([result.text]) if written is None else written)

    def _messages(self) -> Messages:
        return messages(self.question, tell_schema=self.form.format != "json_schema")

    def _read(self, reply: Reply) -> Answer | Failure | None:
        """Return the answer, or None if the model is asked a second time for one that fits."""
        parsed = parse_answer(reply.text, self.question.fitting)
        if isinstance(parsed, ParsedAnswer):
            return Answer(parsed.value, reply.model, self.sent, *total(self.tokens), seconds=self._seconds())
        problem = self.redact(parsed.problem)
        return self._ask_again(parsed.kind, problem, reply.text, f"This was not accepted: {problem}.")

    async def _recover(self, problem: Problem) -> Failure | None:
        """Prepare the next request after a problem; return a failure if nothing is left to try."""
        if problem.remedy == "wait":
            return await self._wait(problem)
        if problem.remedy == "repeat":
            return self._ask_again(problem.kind, problem.message, "", "")
        if problem.remedy == "shorten":
            note = "Your answer broke off because it was too long. Answer once more, and much more briefly."
            return self._ask_again(problem.kind, problem.message, problem.text, note)
        simpler = self.form.simpler(problem.message) if problem.remedy == "simplify" and not self.corrected else None
        if simpler is None:
            return self.failure(problem.kind, problem.message)
        self.form = simpler
        self.messages = self._messages()
        return None

    def _ask_again(self, kind: FailureKind, problem: str, answer: str, note: str) -> Failure | None:
        """Prepare the second try with a note on what was wrong; return a failure if this was the second."""
        if self.corrected:
            return self.failure(kind, problem)
        self.corrected = True
        if note:
            correction = f"{note}\nAnswer in JSON, and with nothing else. {schema_note(self.question)}"
            self.messages = with_correction(self.messages, self.redact(answer[:_LONGEST_QUOTE]), correction)
        return None

    async def _wait(self, problem: Problem) -> Failure | None:
        """Wait before the next request; return a failure if no retry is left or the wait would be too long."""
        if self.waits >= self.policy.retries:
            return self.failure(problem.kind, problem.message)
        if problem.retry_after is not None and problem.retry_after > self.policy.longest_wait:
            return self.failure(problem.kind, f"{problem.message}; it asks to wait {problem.retry_after:.0f} s")
        # Jitter, so that callers that failed together do not come back together.
        jitter = random.uniform(0.5, 1.0)  # noqa: S311
        pause = self.policy.backoff * 2 ** min(self.waits, _MAX_DOUBLINGS) * jitter
        pause = max(min(pause, self.policy.longest_wait), problem.retry_after or 0.0)
        if time.monotonic() + pause >= self.deadline:
            return self.failure(problem.kind, f"{problem.message}; no time is left to try again")
        self.waits += 1
        await asyncio.sleep(pause)
        return None

    def _seconds(self) -> float:
        return time.monotonic() - self.start

    def failure(self, kind: FailureKind, message: str) -> Failure:
        """Return a failure with the number of requests and the time they took."""
        return Failure(kind, self.redact(message), self.sent, self._seconds())
