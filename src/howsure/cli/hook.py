"""Answer an event of a coding agent, `howsure hook`, and import as little as possible.

Whatever happens, it prints an answer and exits 0: other exit codes mean other things to an agent, and one of
them forbids it to stop.
"""

import sys
from collections.abc import Mapping
from typing import Any

OPTIONS: Mapping[str, type] = {"agent": str, "agent_type": str, "store": str}
"""The options, with the type that each is read as."""
LARGEST = 50_000_000
"""Bytes of an event that are accepted."""


def run(
    event: str | None = None,
    *,
    agent: str | None = None,
    agent_type: str | None = None,
    store: str | None = None,
    wrong: str | None = None,
) -> None:
    """Read an event from stdin and print what the agent should do as one JSON object.

    Args:
        event: Name of the event, if the event itself has none.
        agent: Name of the agent.
        agent_type: Type of the agent.
        store: The store to use.
        wrong: Options that could not be parsed.
    """
    _open_missing_streams()
    try:
        answer = (
            _message(f"cannot read {wrong} (howsure hook --help)")
            if wrong is not None
            else _handle(event, {"agent": agent, "agent_type": agent_type, "store": store})
        )
    except KeyboardInterrupt:
        answer = _message("interrupted")
    except Exception as error:  # noqa: BLE001 - a hook that fails would get in the agent's way
        answer = _message(f"{type(error).__name__}: {error}")
    _print(answer)


def _open_missing_streams() -> None:
    """Replace stdout and stderr by /dev/null if they were closed before the start."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            import os

            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115 - it lives as long as we do


def _message(text: str) -> dict[str, Any]:
    return {"systemMessage": f"howsure: {text}"}


def _handle(event: str | None, options: dict[str, str | None]) -> dict[str, Any]:
    if sys.stdin is None or sys.stdin.closed:
        return _message("there is no event on stdin")
    if sys.stdin.isatty():
        return _message("an agent's event is expected on stdin, as JSON")
    content = sys.stdin.buffer.read(LARGEST + 1)
    if len(content) > LARGEST:
        return _message(f"the event is larger than {LARGEST:,} bytes")
    try:
        data = _parse(content)
    except (ValueError, RecursionError) as error:
        return _message(f"the event is not JSON: {error}")
    if event and isinstance(data, dict) and not data.get("hook_event_name"):
        data["hook_event_name"] = event
    from howsure.integrations.hooks import handle_event  # only now, since an event that cannot be read needs none of it

    return handle_event(data, **options)


def _parse(content: bytes) -> Any:
    """Return the event as data. Lone surrogates, which orjson refuses, are accepted too."""
    import orjson

    content = content.removeprefix(b"\xef\xbb\xbf")  # a byte order mark, as PowerShell writes it
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        import json

        return json.loads(content.decode("utf-8", "replace"))


def _print(answer: dict[str, Any]) -> None:
    import json
    import os

    try:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError, KeyboardInterrupt):  # nobody reads the output any more
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        except OSError:
            os._exit(0)
