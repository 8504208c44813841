"""Responses: may this answer go out? Decided, written down, and only then said."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

from howsure.errors import InputError, StoreError, shown
from howsure.formulas.response import Code, History, Response, ResponseCase, agent_kind
from howsure.ledger.api import About, Ledger
from howsure.ledger.metrics import RESPONSE_SECONDS
from howsure.responses.gate import Assessment
from howsure.settings import (
    LOOKBACK,
    OUTCOMES,
    THRESHOLD,
    THRESHOLD_AGENTS,
    THRESHOLD_PROJECTS,
    THRESHOLD_TYPES,
    TIME_LIMIT,
    TYPE_CHECKER,
    Settings,
)
from howsure.shapes import decode
from howsure.store.database import Transaction
from howsure.store.decisions import HOUR
from howsure.store.history_window import past

OnLedgerError = Literal["raise", "allow"]
"""What to do with a decision that cannot be written down: raise, or return it nevertheless, with a warning."""


class Responses:
    """The gate for answers."""

    def __init__(self, ledger: Ledger, settings: Settings, model: Response | None = None) -> None:
        """Take the ledger to write in, the settings, and the model if not the usual one."""
        self.ledger = ledger
        self.settings = settings
        self.model = model or Response()
        if not settings.value(OUTCOMES):
            self.model = replace(self.model, outcomes_from=2**53)
        self._lookback = settings.value(LOOKBACK) * HOUR
        self._agents: dict[str, float] = settings.value(THRESHOLD_AGENTS)
        self._types = {agent_kind(kind): value for kind, value in settings.value(THRESHOLD_TYPES).items()}
        self._projects: dict[str, float] = settings.value(THRESHOLD_PROJECTS)
        self._all: float | None = settings.value(THRESHOLD)

    def check(
        self,
        text: str | None = None,
        *,
        agent: str = "",
        agent_type: str = "",
        project: str | None = None,
        task_id: str | None = None,
        trace_id: str | None = None,
        retrieved: Iterable[Any] | None = None,
        from_distance: Callable[[float], float] | None = None,
        code: Any = None,
        run_tests: str = "",
        certainty: float | None = None,
        history: float | Mapping[str, int] | None = None,
        knowledge: float | None = None,
        threshold: float | None = None,
        on_ledger_error: OnLedgerError = "raise",
        now: float | None = None,
    ) -> Assessment:
        """Decide whether an answer may go out, and write that down before saying it.

        Without a text it is asked before anything is generated. `knowledge` is a number, or comes from what was
        `retrieved`. `code` is a number, checks that were made, a folder or file to check, or "answer" for the blocks of
        code in the text; `run_tests` is a command to run there. What is not given was not looked at.
        """
        start = time.perf_counter()
        if on_ledger_error not in ("raise", "allow"):
            raise InputError(f"{shown(on_ledger_error)} is neither raise nor allow", field="on_ledger_error")
        if text is not None and not isinstance(text, str):
            raise InputError(f"{shown(text)} is not a text", field="text")
        about = self.ledger.about(
            agent=agent, agent_type=agent_type, project=project, task_id=task_id, trace_id=trace_id
        )
        needed, origin = (threshold, "given") if threshold is not None else self.threshold(about)
        given: dict[str, Any] = {"response": text, "certainty": certainty, "knowledge_base": knowledge}
        given |= {"threshold": needed, "history": history}
        given = {name: value for name, value in given.items() if value is not None} | {"agent_type": agent_type}
        if retrieved is not None:
            from howsure.responses.knowledge import similarities

            given["similarities"] = similarities(retrieved, from_distance)
        answer = decode(ResponseCase, given | self._code(code, text, run_tests))
        at = self.ledger.session.at(now)
        self.model.marks(answer)  # the text is read before others have to wait
        kept = self.ledger.kept(text)
        try:
            with self.ledger.session.write() as transaction:
                if history is None:
                    answer = self._with_history(answer, self._past(transaction, about.agent, at))
                score = self.model.judge(answer)
                entry = self.ledger.entry(score, about, kept, at)
                self.ledger.write(transaction, score, entry)
        except StoreError as error:
            if on_ledger_error == "raise":
                raise
            score = self.model.judge(answer)
            entry = self.ledger.entry(score, about, kept, at)
            return Assessment(self.model, answer, score, entry, origin, unwritten=str(error))
        self.ledger.written(score, entry)
        self.ledger.metrics.observe(RESPONSE_SECONDS, time.perf_counter() - start)
        return Assessment(self.model, answer, score, entry, origin)

    @staticmethod
    def _with_history(answer: ResponseCase, history: History) -> ResponseCase:
        """Return an answer with its agent's history, and with what was worked out about its text."""
        found = object.__new__(ResponseCase)  # as `replace` would, without checking again what was checked
        vars(found).update(vars(answer), history=history)
        return found

    async def acheck(self, text: str | None = None, **given: Any) -> Assessment:
        """Decide as `check` does, without keeping others from running meanwhile."""
        import asyncio

        return await asyncio.to_thread(self.check, text, **given)

    def history(self, agent: str, at: float) -> History:
        """Return how an agent has done within the look-back window."""
        with self.ledger.session.database.read() as transaction:
            return self._past(transaction, agent, at)

    def _past(self, transaction: Transaction, agent: str, at: float) -> History:
        return History(*past(transaction, agent, self.model.name, at - self._lookback, at))

    def threshold(self, about: About) -> tuple[float | None, str]:
        """Return the threshold that is set nearest to an answer, and where: agent, type, project, or for all."""
        places = (
            ("the agent", self._agents.get(about.agent)),
            ("the agent type", self._types.get(agent_kind(about.agent_type)) if self._types else None),
            ("the project", self._projects.get(about.project)),
            ("all answers", self._all),
        )
        for place, value in places:
            if value is not None:
                return value, f"set for {place}"
        return None, "the default for the agent type"

    def _code(self, code: Any, text: str | None, run_tests: str) -> dict[str, Any]:
        """Return the code factor, as a number or as checks."""
        if code is None or isinstance(code, int | float | Mapping | Code):
            if run_tests:
                raise InputError("tests are run in a folder", field="run_tests", hint="give it as code")
            if code is None:
                return {}
        if isinstance(code, int | float) and not isinstance(code, bool):
            return {"code_validation": code}
        if isinstance(code, Mapping | Code):
            return {"code": code}
        from pathlib import Path

        from howsure.responses.code_checks import code_at, code_in

        if code == "answer":
            return {"code": code_in(text or "")}
        if isinstance(code, str | Path):
            limit = self.settings.value(TIME_LIMIT)
            return {
                "code": code_at(Path(code), types=self.settings.value(TYPE_CHECKER), tests=run_tests, time_limit=limit)
            }
        hint = 'a number, checks, a folder, or "answer"'
        raise InputError(f"{shown(code)} says nothing about code", field="code", hint=hint)

    @contextmanager
    def guard(self, **given: Any) -> Iterator["Guard"]:
        """Collect what is known about an answer, and judge it at the end.

        `with sure.responses.guard(agent="ann") as guard:` sets `guard.text` and what else is known; afterwards
        `guard.reply` is the answer, or "I don't know".
        """
        guard = Guard(given)
        yield guard
        guard.assessment = self.check(guard.text, **guard.given)

    def gate(self, *, on_block: Literal["reply", "raise"] = "reply", **given: Any) -> Callable[[Any], Any]:
        """Return a decorator: what the function returns goes out only if it may, else "I don't know" does.

        The function returns the answer, or the answer with a mapping of what else is known about it.
        """
        from howsure.responses.decorator import gated

        return gated(self, on_block, given)


class Guard:
    """An answer in the making."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        """Start with what is known beforehand."""
        self.given = dict(given)
        """What is known, by the names that `check` takes."""
        self.text: str | None = None
        """The answer."""
        self.assessment: Assessment | None = None
        """What came of it, once it was judged."""

    def __call__(self, **given: Any) -> None:
        """Add what is known."""
        self.given |= given

    @property
    def reply(self) -> str:
        """What may be said: the answer, or that we don't know."""
        if self.assessment is None:
            raise InputError("the answer has not been judged yet", hint="ask after the with block")
        return (self.text or "") if self.assessment.decision == "pass" else self.assessment.message
