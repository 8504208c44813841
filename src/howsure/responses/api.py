"""The gate for responses: decide whether a response may be sent, and record the decision first."""

import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any, Literal

from howsure.asynchronous import asynchronous
from howsure.errors import InputError, StoreError, shown
from howsure.formulas.response_case import AgentHistory, CodeChecks
from howsure.ledger.metrics import RESPONSE_SECONDS
from howsure.ledger.recorder import AgentName, AgentType, ProjectName, Recorder, Subject, TaskId, TraceId
from howsure.operation import Tool, operation
from howsure.responses.fitted import ActiveFits, FitUse, group_path
from howsure.responses.gate import ResponseDecision
from howsure.responses.guard import gating, guarding
from howsure.responses.loosening import describe_lowered, describe_shadow, list_loosened
from howsure.responses.outcome_rates import OutcomeRates
from howsure.responses.policy import MODEL, Basis, Policies, decide, is_nlnh, read_case, with_history
from howsure.responses.signals import ContextTexts, JudgeSignal, Logprobs, NamedSignals, Samples, Signals, read_signals
from howsure.responses.threshold import ResponseThreshold, Thresholds
from howsure.settings import (
    LOOKBACK,
    PROMISE,
    READER,
    SHADOW,
    TIME_LIMIT,
    TYPE_CHECKER,
    GroundingReader,
    Policy,
    Risk,
    Settings,
)
from howsure.shapes import HOUR, Doc, Local, Unit, Wire, decode_as
from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables.history_window import count_window
from howsure.store.text_rules import check_name

if TYPE_CHECKING:  # loaded only by its policy
    from howsure.formulas.evidence import Evidence
    from howsure.formulas.response import Response
    from howsure.judge.question import Judge
    from howsure.responses.reading import ReadSentenceStream
    from howsure.text.grounding.ground import SentenceStream
    from howsure.text.grounding.result import GroundedSentence, Grounding

OnLedgerError = Literal["raise", "allow"]
"""What to do if a decision cannot be recorded: raise, or return it nevertheless, with a warning."""
Knowledge = Annotated[
    float | Iterable[Any] | None,
    Wire(Unit | list[Any] | None),
    Doc(
        "What is known about it: a number from 0 to 1, or the results of a search, each a similarity or an object with "
        "`similarity` or `score`. An empty list: nothing was found."
    ),
]
CodeEvidence = Annotated[
    float | Mapping[str, bool | None] | CodeChecks | str | PathLike[str] | None,
    Wire(CodeChecks | Unit | Literal["answer"] | None),
    Doc('Code factor: results of checks, a number, or "answer" to check the code blocks in the text.'),
]
HistoryEvidence = Annotated[
    float | Mapping[str, int] | AgentHistory | None,
    Wire(AgentHistory | Unit | None),
    Doc("The agent's track record as counts or a share; default: from the ledger."),
]


_NO_SIGNALS = Signals({}, {})


class Responses:
    """The gate for responses."""

    def __init__(
        self,
        recorder: Recorder,
        settings: Settings,
        model: "Response | Evidence | None" = None,
        judge: "Callable[[], Judge | None] | None" = None,
    ) -> None:
        """Decide by a model (default: that of the setting `gate.policy`), and record decisions with a recorder.

        Args:
            recorder: Records decisions.
            settings: The settings.
            model: The model to decide by.
            judge: Returns the language model to ask, if a call asks for it.
        """
        self._judge = judge
        self.recorder = recorder
        self.settings = settings
        self.policies: Policies = Policies(settings, model)
        self.thresholds: Thresholds = Thresholds(settings)
        self._lookback = settings.value(LOOKBACK) * HOUR
        self._shadow: bool = settings.value(SHADOW)
        self._promise: float | None = settings.value(PROMISE)
        self._reader: GroundingReader = settings.value(READER)
        self._rates = OutcomeRates(recorder.session)
        self._fits = ActiveFits()
        self._loosened: list[str] = list_loosened(settings)
        self._loosened_by_shadow: list[str] = describe_shadow(settings)

    @property
    def model(self) -> "Response | Evidence":
        """The model that decides if a call names no policy."""
        return self.policies.model()

    @operation(
        "POST /v1/responses/check",
        scope="write",
        example={
            "text": "The cache is tested and documented.",
            "agent": "patcher-1",
            "agent_type": "patcher",
            "knowledge": [0.91, 0.84],
            "code": {"exists": True, "syntax_valid": True, "tests_exist": True, "tests_pass": True},
        },
        tool=Tool(
            "check_response",
            "Check a response",
            "Before sending a response, check whether it is sure enough. Pass the text, what there is about it "
            "(`knowledge`, `context`, `code`, `samples`, `stated`), and always the same `agent` name; or `trace_id` "
            "with `from_trace` to use what record_evidence has collected. If `should_block` is true, say the `message` "
            "instead, or make the first change in `lifts` and check again. Keep the `id` for record_outcome.",
            parameters=(
                *("text", "agent", "agent_type", "project", "trace_id", "from_trace"),
                *("knowledge", "code", "certainty", "context", "samples", "stated", "signals"),
                "promise",
            ),
            omit=("spec", "markers"),
            types={
                "knowledge": Annotated[
                    list[float], Doc("Similarities of the search results, from 0 to 1; [] if nothing was found.")
                ],
                "code": Annotated[CodeChecks, Doc("Results of checks of the code; leave out what was not checked.")],
                "context": Annotated[list[str], Doc("The texts that were retrieved.")],
            },
        ),
    )
    def check(
        self,
        text: str | None = None,
        *,
        agent: AgentName = "",
        agent_type: AgentType = "",
        project: ProjectName | None = None,
        task_id: TaskId | None = None,
        trace_id: TraceId | None = None,
        knowledge: Knowledge = None,
        from_distance: Annotated[Callable[[float], float] | None, Local()] = None,
        code: CodeEvidence = None,
        run_tests: Annotated[str, Local()] = "",
        certainty: Unit | None = None,
        history: HistoryEvidence = None,
        threshold: Unit | None = None,
        promise: Risk | None = None,
        grounding: Unit | None = None,
        context: ContextTexts = None,
        samples: Samples = None,
        logprobs: Logprobs = None,
        stated: Unit | None = None,
        judge: JudgeSignal = None,
        question: str = "",
        signals: NamedSignals = None,
        from_trace: bool = False,
        lookups: Annotated[Unit | None, Local()] = None,
        policy: Policy | None = None,
        shadow: bool | None = None,
        on_ledger_error: Annotated[OnLedgerError, Local()] = "raise",
        now: Annotated[float | None, Local()] = None,
    ) -> ResponseDecision:
        """Decide whether a response may be sent, and record the decision before returning it.

        A factor about which nothing is passed is left out. In Python, `code` may also be a file or folder to check, in
        which the command `run_tests` is run, `from_distance` turns distances of search results into
        similarities, and `lookups` is the score of the agent's lookups as an investigation, instead of `knowledge`.

        Args:
            text: The response; leave it out to ask before generating one.
            certainty: Certainty factor as a number; default: from the wording of the text.
            threshold: The composite that is needed; default: by agent, agent type, project or settings.
            promise: At most this share of what passes is wrong, like 0.05, instead of a threshold; for review until the
                outcomes of a fit allow it; default: the setting `gate.promise`.
            grounding: How much of the text is found in what was retrieved, as a number; default: by `context`.
            stated: The language model's own confidence. It can only lower the composite.
            question: What was asked, for the judge.
            from_trace: Take knowledge and code from the tool calls that were recorded for `trace_id`.
            policy: How to decide, evidence or nlnh; default: the setting `gate.policy`.
            shadow: Decide and record, but let the response through; default: the setting `gate.shadow`.

        Raises:
            InputError: if an option is invalid.
            StoreError: if the decision cannot be recorded, unless `on_ledger_error` is "allow".
        """
        start = time.perf_counter()
        _check_call(text, on_ledger_error)
        recorder = self.recorder
        subject = recorder.subject(
            agent=agent, agent_type=agent_type, project=project, task_id=task_id, trace_id=trace_id
        )
        model: Any = self.policies.model(policy)
        noted = _NO_SIGNALS
        if from_trace:
            lookups, code, noted = self._evidence(subject, model, lookups, code)
            lookups = None if knowledge is not None else lookups
        risk = self._promised(model, threshold, promise)
        needed = self.thresholds.resolve(subject, model) if threshold is None else ResponseThreshold(threshold, "given")
        loosened = [
            *self._loosened,
            *(describe_lowered(needed, model, agent_type) if risk is None else ()),
            *(self._loosened_by_shadow if shadow is None else ()),
        ]
        nlnh = is_nlnh(model)
        given: dict[str, Any] = {"response": text, "certainty": certainty, "history": history}
        given["knowledge_base" if nlnh else "lookups"] = lookups
        given = {name: value for name, value in given.items() if value is not None}
        given |= {"agent_type": agent_type, "threshold": needed.threshold}
        known, texts = _read_knowledge(knowledge, from_distance)
        given |= known
        context = texts if context is None and text is not None else context
        if any(one is not None for one in (grounding, context, samples, logprobs, stated, judge, signals)):
            noted = self._signals(
                text, context, question, (grounding, samples, logprobs, stated, judge, signals), noted.warnings
            )
            given |= {} if nlnh else noted.values
        if code is not None or run_tests:
            given |= self._code(code, text, run_tests)
        case = read_case(model.case, given, checked=threshold is lookups is None and isinstance(agent_type, str))
        at = recorder.session.at(now)
        read = model.marks if nlnh else model.wording
        read(case)  # cached; reads the text before the transaction, so that other writers do not wait
        kept = recorder.keep(text)
        use = None if nlnh else FitUse(None, None, risk, group_path(subject.agent_type, subject.agent))
        options: dict[str, Any] = {
            "model": MODEL,
            "shadow": self._shadow if shadow is None else decode_as(bool, shadow, "shadow"),
        }
        options["sentences"] = self._highlights(noted, kept.content)
        try:
            with recorder.session.write() as transaction:
                if history is None:
                    case = with_history(case, self._history_for(model, transaction, subject, at))
                use = use and self._fits.use(transaction, use)
                score = decide(model, case, noted, use)
                row = recorder.row(score, subject, kept, at, **options)
                recorder.write(transaction, score, row)
        except StoreError as error:
            if on_ledger_error == "raise":
                raise
            score = decide(model, case, noted, use)
            row = recorder.row(score, subject, kept, at, **options)
            basis = Basis(model, case, score, noted, use)
            return ResponseDecision.of(basis, row, needed, loosened=loosened, unrecorded=str(error))
        recorder.committed(score, row)
        recorder.metrics.observe(RESPONSE_SECONDS, time.perf_counter() - start)
        return ResponseDecision.of(Basis(model, case, score, noted, use), row, needed, loosened=loosened)

    acheck = asynchronous(check)
    guard = guarding(check)
    gate = gating(check, raises=False)
    require = gating(check, raises=True)

    @operation("GET /v1/responses/history", scope="read", example={"agent": "patcher-1"})
    def history(self, agent: AgentName, *, now: Annotated[float | None, Local()] = None) -> AgentHistory:
        """Return an agent's track record within the look-back window: the history factor of its next response."""
        at = self.recorder.session.at(now)
        with self.recorder.session.database.read() as transaction:
            return self._history(transaction, check_name(agent, "agent"), at)

    ahistory = asynchronous(history)

    @operation("GET /v1/responses/threshold", scope="read", example={"agent": "patcher-1", "agent_type": "patcher"})
    def threshold(
        self, *, agent: AgentName = "", agent_type: AgentType = "", project: ProjectName | None = None
    ) -> ResponseThreshold:
        """Return the threshold that applies to an agent's responses, and where it comes from."""
        subject = self.recorder.subject(agent=agent, agent_type=agent_type, project=project)
        return self.thresholds.resolve(subject, self.model)

    athreshold = asynchronous(threshold)

    @operation(
        "POST /v1/responses/ground",
        scope="read",
        example={
            "response": "The gateway listens on port 9443.",
            "context": ["The gateway listens on port 8443. TLS 1.3 is required."],
        },
        tool=Tool(
            "check_grounding",
            "Check grounding",
            "Before sending a response that was made from texts (passages, files, tool outputs), compare it with them. "
            "Each sentence comes back as supported, contradicted or not found, with the best quote and what differs. "
            "Mend or remove what is not supported. English only.",
            idempotent=True,
            types={"context": Annotated[list[str], Doc("The texts it was made from.")]},
        ),
    )
    def ground(
        self,
        response: Annotated[str, Doc("The text to compare.", "The gateway listens on port 9443.")],
        context: Annotated[
            str | Sequence[str], Wire(str | list[str]), Doc("The texts it was made from: one, or a list of them.")
        ],
        *,
        reader: Annotated[
            GroundingReader,
            Doc("words: compare words. installed: also by the reader that is installed, if there is one."),
        ] = "words",
    ) -> "Grounding":
        """Compare each sentence of a response with the texts it was made from; record nothing.

        Numbers, dates, names, negations and content words are compared. `support` is the probability that the texts
        support the response, None if no sentence can be judged: another language, or nothing but code or questions.

        Raises:
            InputError: if an argument is not a text.
        """
        from howsure.text.grounding.ground import ground

        texts = [context] if isinstance(context, str) else list(context)
        for field, texts_of_field in (("response", [response]), ("context", texts)):
            for text in texts_of_field:
                if not isinstance(text, str):
                    raise InputError(f"{shown(text)} is not a text", field=field)
        grounding = ground(response, texts)
        if decode_as(GroundingReader, reader, "reader") == "words":
            return grounding
        from howsure.responses.reading import read_grounding

        return read_grounding(grounding, texts)

    aground = asynchronous(ground)

    def ground_stream(
        self, chunks: Iterable[str], context: str | Sequence[str], *, reader: GroundingReader = "words"
    ) -> "Iterator[GroundedSentence]":
        """Compare a response with the texts it was made from while it arrives; yield each sentence once it is complete.

        The sentences are those of `ground`, by words or also by the reader that is installed, which reads the first 64.
        """
        stream = _open_stream(context, reader)
        for chunk in chunks:
            yield from stream.add(chunk)
        yield from stream.finish()

    async def aground_stream(
        self, chunks: AsyncIterable[str], context: str | Sequence[str], *, reader: GroundingReader = "words"
    ) -> "AsyncIterator[GroundedSentence]":
        """Do what `ground_stream` does, with chunks that arrive asynchronously, without blocking the event loop."""
        import asyncio

        stream = await asyncio.to_thread(_open_stream, context, reader)
        async for chunk in chunks:
            for sentence in await asyncio.to_thread(stream.add, chunk):
                yield sentence
        for sentence in await asyncio.to_thread(stream.finish):
            yield sentence

    def _promised(self, model: Any, threshold: float | None, promise: float | None) -> float | None:
        """Return the risk of the promise that is wanted, or None.

        Raises:
            InputError: if it is out of range, or given with a threshold or with the policy nlnh.
        """
        risk = self._promise if promise is None else decode_as(Risk, promise, "promise")
        if risk is None:
            return None
        if is_nlnh(model):
            hint = "use the policy evidence, or leave out gate.promise"
            raise InputError("the policy nlnh cannot promise anything", field="promise", hint=hint)
        if threshold is not None and promise is not None:
            raise InputError("a promise sets its own threshold", field="threshold", hint="pass one of them")
        return None if threshold is not None else risk

    def _signals(
        self, text: str | None, context: Any, question: str, given: tuple[Any, ...], warnings: tuple[str, ...]
    ) -> Signals:
        names = ("grounding", "samples", "logprobs", "stated", "judge", "signals")
        found = read_signals(
            text,
            context=context,
            question=question,
            ask=self._judge,
            reader=self._reader,
            **dict(zip(names, given, strict=True)),
        )
        return found._replace(warnings=(*warnings, *found.warnings))

    def _highlights(self, noted: Signals, content: str | None) -> list[dict[str, Any]]:
        """Return what to store about each sentence."""
        if not noted.sentences:
            return []
        from howsure.responses.highlights import pack_sentences

        return pack_sentences(noted.sentences, content, self.recorder.redact)

    def _history(self, transaction: Transaction, agent: str, at: float) -> AgentHistory:
        return AgentHistory(*count_window(transaction, agent, MODEL, at - self._lookback, at))

    def _history_for(self, model: Any, transaction: Transaction, subject: Subject, at: float) -> Any:
        """Return the history that a model reads: how often the threshold was met, or outcomes."""
        own = count_window(transaction, subject.agent, MODEL, at - self._lookback, at)
        if is_nlnh(model):
            return AgentHistory.of_valid(*own)
        from howsure.formulas.evidence_case import OutcomeCounts

        rates = self._rates.read(transaction, at - self._lookback)
        of_type, of_all = rates.of(subject.agent_type)
        return OutcomeCounts.of_valid(own.rights, own.outcomes, *of_type, *of_all, own.met, own.total)

    def _evidence(self, subject: Subject, model: Any, lookups: Any, code: Any) -> tuple[Any, Any, Signals]:
        """Return the score of lookups and checks of code from the tool calls of the trace, unless they are given.

        With them come signals that hold nothing but a warning, if there are no tool calls.
        """
        if not subject.trace_id:
            raise InputError("from_trace needs the id of a trace", field="trace_id", hint="pass it too")
        from howsure.agents.evidence import derive_factors, load_tool_calls

        calls = load_tool_calls(self.recorder.session, subject.trace_id)
        of_trace, checks = derive_factors(calls, changed_only=not is_nlnh(model), settings=self.settings)
        warnings = () if calls else (f"there are no tool calls of the trace {shown(subject.trace_id)}",)
        noted = _NO_SIGNALS._replace(warnings=warnings)
        return of_trace if lookups is None else lookups, checks if code is None else code, noted

    def _code(self, code: Any, text: str | None, run_tests: str) -> dict[str, Any]:
        """Return the code factor as a field of a case: a number, or the results of checks."""
        if run_tests and (code in (None, "answer") or isinstance(code, int | float | Mapping | CodeChecks)):
            raise InputError("tests can only be run in a folder", field="run_tests", hint="pass the folder as `code`")
        if code is None:
            return {}
        if isinstance(code, int | float) and not isinstance(code, bool):
            return {"code_validation": decode_as(Unit, code, "code")}
        if isinstance(code, Mapping | CodeChecks):
            return {"code": code}
        from pathlib import Path

        from howsure.responses.code_checks import check_blocks, check_files

        if code == "answer":
            return {"code": check_blocks(text or "")}
        if isinstance(code, str | PathLike):
            types, limit = self.settings.value(TYPE_CHECKER), self.settings.value(TIME_LIMIT)
            return {"code": check_files(Path(code), types=types, tests=run_tests, time_limit=limit)}
        hint = 'a number, results of checks, a file or folder, or "answer"'
        raise InputError(f"{shown(code)} does not describe code", field="code", hint=hint)


def _open_stream(context: str | Sequence[str], reader: GroundingReader) -> "SentenceStream | ReadSentenceStream":
    if decode_as(GroundingReader, reader, "reader") == "words":
        from howsure.text.grounding.ground import SentenceStream

        return SentenceStream(context)
    from howsure.responses.reading import ReadSentenceStream

    return ReadSentenceStream(context)


def _read_knowledge(
    knowledge: Any, from_distance: Callable[[float], float] | None
) -> tuple[dict[str, Any], list[str] | None]:
    """Return the field of a case that knowledge is, and the texts of search results if there are any."""
    if knowledge is None:
        return {}, None
    if getattr(knowledge, "shape", None) == ():  # a number of numpy or torch
        knowledge = knowledge.item()
    if not isinstance(knowledge, Iterable):
        return {"knowledge_base": decode_as(Unit, knowledge, "knowledge")}, None
    from howsure.responses.knowledge import find_texts, similarities

    results = knowledge if isinstance(knowledge, str | bytes | Mapping) else list(knowledge)
    return {"similarities": similarities(results, from_distance)}, find_texts(results)


def _check_call(text: Any, on_ledger_error: Any) -> None:
    if on_ledger_error not in ("raise", "allow"):
        hint = 'pass "raise" or "allow"'
        raise InputError(f"unknown value {shown(on_ledger_error)}", field="on_ledger_error", hint=hint)
    if text is not None and not isinstance(text, str):
        raise InputError(f"{shown(text)} is not a text", field="text")
