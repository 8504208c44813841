"""Handle an event of a coding agent: record a tool call, or judge a response and decide whether it may be sent.

The content of an event is data: it is judged and counted, and nothing in it is run or obeyed. Whatever goes wrong, the
agent gets an answer that lets it go on.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # each event loads only what it needs, since hooks have to start quickly
    from howsure.formulas.response_case import CodeChecks
    from howsure.responses.gate import ResponseDecision
    from howsure.store.session import Session

AGENT = "coding-agent"
"""Name of the agent in the ledger if none is given."""
STOP, STOP_WITHOUT_EVIDENCE = "stop", "stop without evidence"
"""Tasks under which responses are recorded: those that may be sent back, and those of sessions in which nothing was
looked up or checked, which are left to people to review."""
SIGNALS = ("knowledge", "grounding", "context", "samples", "logprobs", "stated", "signals")
"""What an event may carry about a response, as its object `howsure`."""
READ = "read"
"""Signal of how much of a response is found in what tools returned. It has no weight until a fit gives it one: a report
of what was done need not repeat what was read, so sending it back for that would be wrong."""
MOST_COMPARED = 10_000
"""Characters of a response up to which that is measured."""
FEEDBACK = ("feedback", "userfeedback", "thumbs")
"""Events by which a framework tells what a user thinks of a response."""
OTHER_EVENTS = ("AfterTool", "AfterAgent", "postToolUse", "postToolUseFailure", "stop")
"""Names that only the Gemini CLI and Cursor write like this."""
FOUND = 0.5
"""Score of lookups from which something was found: less than the gate needs for an answer, but enough for a response
that ends with a question to the user, which sending it back would keep from them."""
LONGEST = 500
"""Characters of an error that are shown."""
REPAIRS = {
    "tests_pass": "make the tests pass, which failed when they last ran",
    "types_valid": "fix what the latest type check reported",
    "syntax_valid": "fix what the latest build or syntax check reported",
}
"""What to do about a failed check."""


def handle_event(
    event: Any, agent: str | None = None, agent_type: str | None = None, store: str | None = None
) -> dict[str, Any]:
    """Return what to tell the agent about an event; an empty object lets it go on. Never raises.

    >>> handle_event({"hook_event_name": "SessionStart"})
    {}
    """
    try:
        return _handle(event, agent, agent_type, store)
    except Exception as error:  # noqa: BLE001 - a hook that fails would get in the agent's way
        from howsure.errors import HowsureError

        kind = "" if isinstance(error, HowsureError) else f"{type(error).__name__}: "
        return _message(f"this could not be judged: {kind}{error}"[:LONGEST])


def _handle(event: Any, agent: str | None, agent_type: str | None, store: str | None) -> dict[str, Any]:
    if not isinstance(event, Mapping):
        return _message("the event is not a JSON object")
    if event.get("hook_event_name") in OTHER_EVENTS:
        from howsure.integrations import hook_formats

        if hook_formats.is_gemini(event):
            event = hook_formats.from_gemini(event)
        elif hook_formats.is_cursor(event):
            converted = hook_formats.from_cursor(event)
            return hook_formats.to_cursor(_handle(converted, agent, agent_type, store))
    name = _normalize_name(event.get("hook_event_name"))
    if name == "posttooluse":
        return _record_tool_call(event, store, failed=False)
    if name == "posttoolusefailure":
        return _record_tool_call(event, store, failed=True)
    if name in ("stop", "subagentstop"):
        # The agent was sent back by a hook already; doing it again could go on forever.
        is_again = event.get("stop_hook_active") is True
        return {} if is_again else _add_left_out(event, _judge_response(event, agent, agent_type, store))
    if name in FEEDBACK:
        return _record_feedback(event, store)
    return {}


def _normalize_name(name: Any) -> str:
    """Return the name of an event in lower case without punctuation: `post-tool-use` is `PostToolUse`."""
    return name.replace("-", "").replace("_", "").casefold() if isinstance(name, str) else ""


def _message(text: str) -> dict[str, Any]:
    return {"systemMessage": f"howsure: {text}"}


def _get_text(event: Mapping[str, Any], name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""


def _get_trace(event: Mapping[str, Any]) -> str:
    """Return the session of the agent, which is the trace of its tool calls."""
    from howsure.store.text_rules import check_name

    return check_name(_get_text(event, "session_id"), "session_id")


def _record_tool_call(event: Mapping[str, Any], store: str | None, *, failed: bool) -> dict[str, Any]:
    """Store what a tool call showed."""
    from howsure.agents.evidence import record_tool_calls, summarize_tool_call
    from howsure.settings import REDACT, current_or_own

    trace = _get_trace(event)
    settings, _ = current_or_own()
    summaries = summarize_tool_call(
        _get_text(event, "tool_name"),
        event.get("tool_input"),
        event.get("error") if failed else event.get("tool_response"),
        failed=failed,
        folder=_get_text(event, "cwd"),
        redact=settings.value(REDACT),
    )
    if summaries and trace:
        from howsure.sure import open as open_store

        with open_store(store, settings=settings) as sure:
            record_tool_calls(sure.session, trace, summaries)
    return {}


def _record_feedback(event: Mapping[str, Any], store: str | None) -> dict[str, Any]:
    """Record a thumb or another word of the user as the outcome of the latest response of the session.

    An event with `decision_id` is about that decision.
    """
    from howsure.ledger.outcome_reports import read_outcome
    from howsure.settings import current_or_own
    from howsure.sure import open as open_store

    words = (event.get(name) for name in ("feedback", "thumb", "outcome", "rating"))
    word = next((word for word in words if isinstance(word, str | bool | int | float)), "")
    outcome = read_outcome(word)
    decision, trace = _get_text(event, "decision_id"), _get_trace(event)
    settings, _ = current_or_own()
    with open_store(store, settings=settings) as sure:
        if not decision:
            latest = sure.ledger.find(trace_id=trace, model="response", limit=1).decisions if trace else []
            if not latest:
                return _message("no response of this session was judged, so the feedback was not recorded")
            decision = latest[0].id
        note = _get_text(event, "comment")
        sure.ledger.outcome(decision, outcome, by=_get_text(event, "user") or None, note=note, source="thumbs")
    return {}


def _judge_response(
    event: Mapping[str, Any], agent: str | None, agent_type: str | None, store: str | None
) -> dict[str, Any]:
    """Judge a response by the tool calls of its session; return whether it may be sent."""
    from howsure.agents.evidence import derive_factors, load_tool_calls
    from howsure.settings import PROJECT, current_or_own
    from howsure.sure import open as open_store

    text = find_response(event)
    if not text:
        return _message("there is no response to judge")
    trace = _get_trace(event)
    settings, broken = current_or_own()
    with open_store(store, settings=settings) as sure:
        if _claims_nothing(text, nlnh=sure.responses.policies.default == "nlnh"):
            return {}
        calls = load_tool_calls(sure.session, trace) if trace else []
        lookups, code = derive_factors(
            calls, changed_only=sure.responses.policies.default == "evidence", settings=sure.settings
        )
        without_evidence = lookups is None and code is None
        task = f"{STOP_WITHOUT_EVIDENCE if without_evidence else STOP}{_name_subagent(event)}"
        decision = sure.responses.check(
            text,
            agent=agent or AGENT,
            agent_type=agent_type or "",
            project=sure.settings.value(PROJECT) or _find_project(_get_text(event, "cwd")),
            task_id=task,
            trace_id=trace,
            lookups=lookups,
            code=code,
            **_get_signals(event, text),
        )
        again = decision.decision == "block" and _was_sent_back(sure.session, trace, task, decision.id)
    if decision.decision == "pass":
        return _message(f"a file of settings was left out: {broken}"[:LONGEST]) if broken else {}
    if decision.shadow:
        return _message(f"shadow mode: this response would not have been sent ({decision.decision}): {decision.reason}")
    if without_evidence:
        return _message(f"review: nothing was looked up or checked in this session; {decision.reason}")
    if decision.decision == "review":
        return _message(f"review: {decision.reason}")
    if _hands_over(text, lookups, code):
        return _message(f"let go, since it ends with a question to you: {decision.reason}")
    if again:
        return _message(f"let go, since the response before was sent back: {decision.reason}")
    return {"decision": "block", "reason": explain_block(decision, code)}


def _claims_nothing(text: str, *, nlnh: bool) -> bool:
    """Return whether a message only says what the agent did or is about to do, or asks; then nothing is judged.

    The policy `evidence` recognizes mere questions itself, and records that they pass; the source document's does not.
    """
    from howsure.text.hedging.interim import is_interim

    if is_interim(text):
        return True
    if "?" in text:
        from howsure.text.hedging.asking import is_report_with_question

        if is_report_with_question(text):
            return True
    if not nlnh:
        return False
    from howsure.text.hedging.claimless import is_clarifying_question

    return is_clarifying_question(text)


def _hands_over(text: str, lookups: float | None, code: "CodeChecks | None") -> bool:
    """Return whether a response ends with a question to the user, and the session bears out what it says before.

    That is so if something was found and no code was changed, or if a check failed and the response says so. A response
    that claims a result, such as that tests pass or that none fails, is judged like any other.
    """
    from howsure.text.hedging.asking import claims_result, ends_with_question, reports_failure

    if any(getattr(code, check, None) is False for check in REPAIRS):
        borne_out = reports_failure(text)
    else:
        borne_out = code is None and lookups is not None and lookups >= FOUND and not claims_result(text)
    return borne_out and ends_with_question(text)


def _get_signals(event: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the signals about a response, by the names of `check`: those that the event carries, and READ."""
    carried = event.get("howsure")
    given = {name: carried[name] for name in SIGNALS if name in carried} if isinstance(carried, Mapping) else {}
    if not {"grounding", "context", "signals"} & set(given) and (read := _measure_read(event, text)) is not None:
        given["signals"] = {READ: read}
    return given


def _add_left_out(event: Mapping[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """Return a result with a message about what in the event's object `howsure` is no signal, if there is any."""
    carried = event.get("howsure")
    if carried is None or (isinstance(carried, Mapping) and carried.keys() <= set(SIGNALS)):
        return result
    from howsure.errors import UnknownNameError, shown

    if isinstance(carried, Mapping):
        unknown = [str(UnknownNameError("signal", str(name), SIGNALS)) for name in carried if name not in SIGNALS]
        text = f"left out of `howsure`: {'; '.join(unknown)}"[:LONGEST]
    else:
        text = f"`howsure` was left out: {shown(carried)} is not an object"
    before = result.get("systemMessage")
    return result | (_message(text) if before is None else {"systemMessage": f"{before}; {text}"})


def _measure_read(event: Mapping[str, Any], text: str) -> float | None:
    """Return how much of a response is found in what tools returned, by the transcript; None if that is not known."""
    from howsure.integrations.transcript import read_tool_results

    paths = (_get_text(event, "agent_transcript_path"), _get_text(event, "transcript_path"))
    results = next((found for path in paths if path and (found := read_tool_results(path))), [])
    if not results or len(text) > MOST_COMPARED:
        return None
    from howsure.responses.grounding import measure_grounding

    measured = measure_grounding(text, results)
    return None if measured is None else measured[0]


def _was_sent_back(session: "Session", trace: str, task: str, id_: str) -> bool:
    """Return whether the response before a blocked one was sent back: of blocks in a row, every other one is.

    Decisions are recorded one after the other, so that this holds however many events come at once.
    """
    from howsure.store.ledger_tables.decisions import list_decisions_before

    with session.database.read() as transaction:
        before = list_decisions_before(transaction, trace, task, id_)
    blocks = next((place for place, decision in enumerate(before) if decision != "block"), len(before))
    return blocks % 2 == 1


def _name_subagent(event: Mapping[str, Any]) -> str:
    """Return what tells the agents of one session apart, as a part of the task; "" for the main agent."""
    name = _get_text(event, "agent_id") or _get_text(event, "agent_transcript_path")
    return f" of {name[-200:]}" if name else ""


def explain_block(decision: "ResponseDecision", code: "CodeChecks | None" = None) -> str:
    """Return why a response is sent back and what would help most, in words for the agent.

    Surer words would help too, but an agent that is told so changes its words and nothing else.
    """
    remedies = [remedy for check, remedy in REPAIRS.items() if getattr(code, check, None) is False]
    remedies += [lift.words for lift in decision.lifts if lift.factor != "certainty"]
    most, *others = remedies or ["to look up what the response rests on, and to check the code"]
    besides = f" Besides: {'; or '.join(others)}." if others else ""
    return (
        f"howsure: this response is not sure enough: {decision.reason}. What would help most: {most}.{besides} "
        "Then respond again; say what remains unverified."
    )


def _find_project(folder: str) -> str | None:
    """Return the name of the folder that the agent works in, or None if it cannot be stored as a name."""
    from howsure.errors import InputError
    from howsure.store.text_rules import check_name

    name = folder.replace("\\", "/").rstrip("/").rpartition("/")[2]
    try:
        return check_name(name, "cwd") or None
    except InputError:
        return None


def find_response(event: Mapping[str, Any]) -> str:
    """Return the response that an event is about, from the event or else from the end of its transcript; "" if none."""
    from howsure.agents.messages import text_of

    if response := text_of(event.get("last_assistant_message")).strip():
        return response
    from howsure.integrations.transcript import read_last_response

    paths = (_get_text(event, "agent_transcript_path"), _get_text(event, "transcript_path"))
    return next((text for path in paths if path and (text := read_last_response(path))), "")
