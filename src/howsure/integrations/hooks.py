"""Events of a coding agent: a tool was used, or an answer is about to go out.

What an event holds is data: it is judged and counted, and nothing in it is run or obeyed. Whatever goes wrong, the
agent gets an answer that lets it go on.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # each event loads only what it needs, since hooks have to be quick
    from howsure.formulas.response import Code
    from howsure.responses.gate import Assessment

AGENT = "coding-agent"
"""Name under which answers are recorded where no other is given."""
ENDS = (1 << 18, 1 << 22, 1 << 26)
"""How many bytes at the end of a transcript are looked at, until an answer is found."""
LONGEST = 500
"""Characters of an error that are told."""
MEND = {
    "tests_pass": "make the tests pass, which failed when they last ran",
    "types_valid": "mend what the latest type check found",
    "syntax_valid": "mend what the latest build or syntax check found",
}
"""What to do about a check that failed."""


def answer(
    event: Any, agent: str | None = None, agent_type: str | None = None, store: str | None = None
) -> dict[str, Any]:
    """Return what to tell the agent about an event; an empty object lets it go on. Never raises.

    >>> answer({"hook_event_name": "SessionStart"})
    {}
    """
    try:
        return _answer(event, agent, agent_type, store)
    except Exception as error:  # noqa: BLE001 - a hook that fails would get in the agent's way
        from howsure.errors import HowsureError

        kind = "" if isinstance(error, HowsureError) else f"{type(error).__name__}: "
        return _message(f"this could not be judged: {kind}{error}"[:LONGEST])


def _answer(event: Any, agent: str | None, agent_type: str | None, store: str | None) -> dict[str, Any]:
    if not isinstance(event, Mapping):
        return _message("the event is not a JSON object")
    name = _plain_name(event.get("hook_event_name"))
    if name == "posttooluse":
        return _noted(event, store, failed=False)
    if name == "posttoolusefailure":
        return _noted(event, store, failed=True)
    if name in ("stop", "subagentstop"):
        return {} if event.get("stop_hook_active") is True else _judged(event, agent, agent_type, store)
    return {}


def _plain_name(name: Any) -> str:
    """Return the name of an event as it is compared: `post-tool-use` is `PostToolUse`."""
    return name.replace("-", "").replace("_", "").casefold() if isinstance(name, str) else ""


def _message(text: str) -> dict[str, Any]:
    return {"systemMessage": f"howsure: {text}"}


def _text(event: Mapping[str, Any], name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""


def _session(event: Mapping[str, Any]) -> str:
    from howsure.ledger.api import check_name

    return check_name(_text(event, "session_id"), "session_id")


def _noted(event: Mapping[str, Any], store: str | None, *, failed: bool) -> dict[str, Any]:
    """Write down what a tool call showed."""
    from howsure.agents.evidence import note_all, seen
    from howsure.settings import REDACT, current

    session = _session(event)
    redact = current().value(REDACT)
    returned = event.get("error") if failed else event.get("tool_response")
    calls = seen(
        _text(event, "tool_name"),
        event.get("tool_input"),
        returned,
        failed=failed,
        folder=_text(event, "cwd"),
        redact=redact,
    )
    if calls and session:
        from howsure.sure import open as open_store

        with open_store(store) as sure:
            note_all(sure.session, session, calls)
    return {}


def _judged(event: Mapping[str, Any], agent: str | None, agent_type: str | None, store: str | None) -> dict[str, Any]:
    """Judge an answer, and say whether it may go out."""
    from howsure.agents.evidence import STOP, UNSEEN, calls_of, factors, sent_back
    from howsure.settings import PROJECT
    from howsure.sure import open as open_store

    text = last_answer(event)
    if not text:
        return _message("there is no answer to judge")
    session = _session(event)
    with open_store(store) as sure:
        knowledge, code = factors(calls_of(sure.session, session) if session else [])
        unseen = knowledge is None and code is None
        task = f"{UNSEEN if unseen else STOP}{_agent_id(event)}"
        found = sure.responses.check(
            text,
            agent=agent or AGENT,
            agent_type=agent_type or "",
            project=sure.settings.value(PROJECT) or _project(_text(event, "cwd")),
            task_id=task,
            trace_id=session,
            knowledge=knowledge,
            code=code,
        )
        again = found.decision == "block" and sent_back(sure.session, session, task, found.id)
    if found.decision == "pass":
        return {}
    if unseen or found.decision == "review":
        return _message(f"review: nothing was looked up or checked in this session; {found.reason}")
    if again:
        return _message(f"let go, since the answer before was sent back: {found.reason}")
    return {"decision": "block", "reason": reason(found, code)}


def _agent_id(event: Mapping[str, Any]) -> str:
    """Return what tells agents of one session apart, as part of a task's name; nothing for the main one."""
    name = _text(event, "agent_id") or _text(event, "agent_transcript_path")
    return f" of {name[-200:]}" if name else ""


def reason(found: "Assessment", code: "Code | None" = None) -> str:
    """Return why an answer is sent back and what would help most, in words for the agent.

    Surer words would help too, but an agent that is told so changes its words and nothing else.
    """
    helps = [words for check, words in MEND.items() if getattr(code, check, None) is False]
    helps += [lift.words for lift in found.lifts if lift.factor != "certainty"]
    most, *others = helps or ["to look up what the answer rests on, and to check the code"]
    besides = f" Besides: {'; or '.join(others)}." if others else ""
    return (
        f"howsure: this answer is not sure enough: {found.reason}. What would help most: {most}.{besides} "
        "Then answer again; what remains unverified, say so."
    )


def _project(folder: str) -> str | None:
    """Return the name of the folder that the agent works in; nothing where it has none that can be kept."""
    from howsure.errors import InputError
    from howsure.ledger.api import check_name

    name = folder.replace("\\", "/").rstrip("/").rpartition("/")[2]
    try:
        return check_name(name, "cwd") or None
    except InputError:
        return None


def last_answer(event: Mapping[str, Any]) -> str:
    """Return the answer that an event is about: as it says itself, else the last one in its transcript."""
    said = _said(event.get("last_assistant_message"))
    paths = (_text(event, "agent_transcript_path"), _text(event, "transcript_path"))
    return said or next((found for path in paths if path and (found := last_in_transcript(path))), "")


def last_in_transcript(path: str) -> str:
    """Return the last text of the assistant in a file of JSON Lines; only the end of a large one is read."""
    import os

    path = os.path.expanduser(path)  # noqa: PTH111 - pathlib would slow down the start
    if not os.path.isfile(path):  # noqa: PTH113 - likewise; what is no plain file might never end
        return ""
    size = os.path.getsize(path)  # noqa: PTH202
    for end in ENDS:
        with open(path, "rb") as file:  # noqa: PTH123
            file.seek(max(0, size - end))
            lines = file.read(end).split(b"\n")
        for line in reversed(lines if end >= size else lines[1:]):
            if found := _line_said(line):
                return found
        if end >= size:
            break
    return ""


def _line_said(line: bytes) -> str:
    """Return what the assistant says in one line of a transcript; nothing where another speaks, or it is broken."""
    if b"assistant" not in line:
        return ""
    import json  # it takes half a character too, as agents write where they cut a text off

    try:
        found = json.loads(line.decode("utf-8", "replace"))
    except ValueError:
        return ""
    if not isinstance(found, dict) or found.get("isSidechain") is True:  # that is another agent's
        return ""
    message = found.get("message")
    inner = message if isinstance(message, dict) else found
    return _said(inner.get("content")) if "assistant" in (found.get("type"), inner.get("role")) else ""


def _said(content: Any) -> str:
    """Return the text of a message: a string, or its blocks of text."""
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        return ""
    texts = [block["text"] for block in content if isinstance(block, dict) and isinstance(block.get("text"), str)]
    return "\n".join(texts).strip()
