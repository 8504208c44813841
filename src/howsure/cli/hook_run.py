"""Running a hook, with as little loaded as it needs.

Whatever happens, it answers and exits 0: to an agent other codes mean other things, and one of them forbids it to stop.
"""

import sys
from typing import Any

LARGEST = 50_000_000
"""Bytes of an event that are read."""


def run(
    event: str | None = None,
    *,
    agent: str | None = None,
    agent_type: str | None = None,
    store: str | None = None,
    wrong: str | None = None,
) -> None:
    """Read an event from stdin and write what the agent should do as one JSON object.

    `event` names it where the event itself does not; `wrong` are options that nobody understands.
    """
    _fill_in()
    try:
        found = (
            _message(f"cannot read {wrong} (howsure hook --help)")
            if wrong is not None
            else _answer(event, {"agent": agent, "agent_type": agent_type, "store": store})
        )
    except KeyboardInterrupt:
        found = _message("interrupted")
    except Exception as error:  # noqa: BLE001 - a hook that fails would get in the agent's way
        found = _message(f"{type(error).__name__}: {error}")
    _write(found)


def _fill_in() -> None:
    """Let nobody stumble over output that was closed before we began."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            import os

            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115 - it lives as long as we do


def _message(text: str) -> dict[str, Any]:
    return {"systemMessage": f"howsure: {text}"}


def _answer(event: str | None, given: dict[str, str | None]) -> dict[str, Any]:
    if sys.stdin is None or sys.stdin.closed:
        return _message("there is no event on stdin")
    if sys.stdin.isatty():
        return _message("an agent's event is expected on stdin, as JSON")
    content = sys.stdin.buffer.read(LARGEST + 1)
    if len(content) > LARGEST:
        return _message(f"the event is larger than {LARGEST:,} bytes")
    try:
        found = _parsed(content)
    except (ValueError, RecursionError) as error:
        return _message(f"the event is no JSON: {error}")
    if event and isinstance(found, dict) and not found.get("hook_event_name"):
        found["hook_event_name"] = event
    from howsure.integrations.hooks import handle_event  # only now, since an event that cannot be read needs none of it

    return handle_event(found, **given)


def _parsed(content: bytes) -> Any:
    """Return the event. What a strict reader refuses, like half a character, is no reason not to judge."""
    import orjson

    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        import json

        return json.loads(content.decode("utf-8", "replace"))


def _write(found: dict[str, Any]) -> None:
    import json
    import os

    try:
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError, KeyboardInterrupt):  # nobody listens any more
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        except OSError:
            os._exit(0)
