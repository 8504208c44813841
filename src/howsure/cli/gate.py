"""The command `howsure gate`. Running it imports as little as possible; only its help needs a parser."""

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from howsure.errors import HowsureError, InputError, shown
from howsure.redaction import hide_url_passwords
from howsure.sure import open as open_store
from howsure.wording import pluralize, visible

if TYPE_CHECKING:
    from howsure.responses.gate import ResponseDecision

OPTIONS: Mapping[str, type] = {
    "agent": str,
    "agent_type": str,
    "project": str,
    "task_id": str,
    "trace_id": str,
    "from_trace": bool,
    "knowledge": str,
    "code": str,
    "certainty": float,
    "history": float,
    "threshold": float,
    "promise": float,
    "run_tests": str,
    "grounding": float,
    "context": list,
    "samples": list,
    "logprobs": str,
    "stated": float,
    "judge": str,
    "question": str,
    "signals": list,
    "policy": str,
    "shadow": bool,
    "on_ledger_error": str,
    "store": str,
    "create": bool,
    "json": bool,
}
"""The options, by the parameter of `Responses.check` that each stands for, with the type that it is read as."""

TITLES = {
    "knowledge_base": "Knowledge Base",
    "code_validation": "Code Validation",
    "certainty": "Response Certainty",
    "history": "Agent History",
    "grounding": "Grounding",
    "judge": "Judge",
    "samples": "Agreement of Samples",
    "logprobs": "Token Probability",
    "stated": "Stated Confidence",
}
"""The factors as the source document prints them."""
STDIN = "-"
PANELS: Mapping[str, tuple[str, ...]] = {
    "What it rests on": ("knowledge", "context", "code", "run_tests", "from_trace", "judge", "question", "grounding"),
    "What else is known": ("certainty", "history", "samples", "stated", "logprobs", "signals"),
    "How to decide": ("threshold", "promise", "policy", "shadow", "on_ledger_error"),
}
"""The options by subject, as the help shows them."""
PATIENCE = 30.0
"""Seconds to wait for a response on stdin that was not asked for by '-'."""


def run(
    text: str | None = None, *, store: str | None = None, create: bool = False, json: bool = False, **options: Any
) -> None:
    """Check a response, print the decision, and exit: 0 if it may be sent, 1 if not, 2 if it cannot be checked.

    Args:
        text: The file that holds the response, or '-' for stdin; None for stdin if something is piped to it, or else
            to ask before a response is generated.
        store: The store to use.
        create: Whether to create the folder of the store.
        json: Whether to write JSON.
        options: Those of `OPTIONS` that were given.
    """
    try:
        decision = check(text, store, options, create=create)
    except HowsureError as error:
        sys.stderr.write(visible(f"howsure: {hide_url_passwords(str(error))}\n"))
        sys.exit(2)
    if json:
        import orjson

        from howsure.shapes.encode import encode

        _write(orjson.dumps(encode(decision), option=orjson.OPT_APPEND_NEWLINE))
    else:
        _write(visible(describe(decision)).encode("utf-8", "replace"))
    for warning in decision.warnings:
        sys.stderr.write(visible(f"howsure: {warning}\n"))
    sys.exit(0 if decision.passed else 1)


def _write(text: bytes) -> None:
    """Write to stdout; exit with 2 if that fails, unless nobody reads it: the exit code still says the decision."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    except OSError as error:
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if not isinstance(error, BrokenPipeError):
            sys.stderr.write(f"howsure: the decision could not be written: {error.strerror}\n")
            sys.exit(2)


def check(file: str | None, store: str | None, options: dict[str, Any], *, create: bool = False) -> "ResponseDecision":
    """Check the response in a file, or on stdin; without one, ask before it is generated."""
    given = {name: _value(OPTIONS[name], value, name) for name, value in options.items() if value is not None}
    if "code" in given:
        given["code"] = _number_or_path(given["code"])
    places = [("response", file), ("knowledge", given.get("knowledge"))]
    places += [("context", one) for one in given.get("context", ())]
    first, *others = [*(name for name, place in places if place == STDIN), ""]
    if others[:-1]:
        problem = f"the {first} and the {others[0]} cannot both be stdin"
        raise InputError(problem, field=others[0], hint="pass a file")
    if "context" in given:
        given["context"] = [_read_text(one, "context") for one in given["context"]]
    if "logprobs" in given:
        given["logprobs"] = _read_numbers(given["logprobs"])
    if "judge" in given and given["judge"] != "ask":
        given["judge"] = _value(float, given["judge"], "judge")
    if "signals" in given:
        given["signals"] = dict(_read_signal(one) for one in given["signals"])
    if file is not None:
        text: str | None = _read_text(file)
    else:
        text = None if given.get("knowledge") == STDIN else _read_piped()
    if "knowledge" in given:
        given["knowledge"] = _read_knowledge(given["knowledge"])
    with open_store(store, create=create) as sure:
        return sure.responses.check(text, **given)


def _value(kind: type, text: Any, name: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise InputError(f"{shown(text)} is not a number", field=name) from None


def _read_numbers(text: str) -> Any:
    """Return a number, or a list of the numbers between commas."""
    numbers = [_value(float, part, "logprobs") for part in text.split(",")]
    return numbers if "," in text else numbers[0]


def _read_signal(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"{shown(text)} has no value", field="signal", hint="like rerank=0.7")
    return name, _value(float, value, f"signal {name}")


def _number_or_path(code: str) -> Any:
    try:
        return float(code)
    except ValueError:
        return code


def _read_piped() -> str | None:
    """Return the text that is piped to the command, or None if stdin is a terminal, closed or empty.

    Raises:
        InputError: if nothing comes for a while. A program that runs the command may leave a pipe open for ever; to
            wait for that would hang, and to judge without the text could let anything pass.
    """
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return None
    import select

    try:
        ready = select.select([sys.stdin], [], [], PATIENCE)[0]
    except (OSError, ValueError):  # a kind of stdin that cannot be waited for
        ready = [sys.stdin]
    if not ready:
        hint = "pass - to wait for it, or < /dev/null to check before a response is generated"
        raise InputError(f"no response came on stdin within {PATIENCE:g} s", field="file", hint=hint)
    text = _read_text(STDIN)
    return text if text.strip() else None


def _read_text(file: str, field: str = "file", hint: str = "a file, or - for stdin") -> str:
    """Return the text of a file or of stdin.

    Raises:
        InputError: if it cannot be read, or is not UTF-8.
    """
    try:
        if file == STDIN:
            if sys.stdin.isatty():
                sys.stderr.write("howsure: reading from the terminal; end with Ctrl-D\n")
            return _decode(sys.stdin.buffer.read(), "stdin", field)
        with open(file, "rb") as lines:  # noqa: PTH123 - pathlib would slow down the start
            return _decode(lines.read(), file, field)
    except OSError as error:
        if field == "file" and " " in file.strip():  # the response itself, where its file belongs
            hint = "pass a text on stdin: echo TEXT | howsure gate -"
        raise InputError(f"cannot read {shown(file)}: {error.strerror}", field=field, hint=hint) from error


def _decode(content: bytes, name: str, field: str) -> str:
    """Return the text that bytes stand for, without a byte order mark.

    With replacement marks, another text than was written would be judged.

    Raises:
        InputError: if they are not UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        offset = error.start + len(content) - len(error.object)  # it does not count the mark
        problem = f"{name} is not UTF-8: byte 0x{content[offset]:02x} at offset {offset:,}"
        hint = "convert it, like iconv -f WINDOWS-1252 -t UTF-8"
        raise InputError(problem, field=field, hint=hint) from None


def _read_knowledge(text: str) -> Any:
    """Return a number, or the results of a search that a file holds."""
    number = _number_or_path(text)
    return number if isinstance(number, float) else _read_results(text)


def _read_results(file: str) -> list[Any]:
    import orjson

    text = _read_text(file, "knowledge", "a number from 0 to 1, a file, or - for stdin")
    try:
        if text.lstrip().startswith("["):
            results = orjson.loads(text)
            return results if isinstance(results, list) else [results]
        return [orjson.loads(line) for line in text.split("\n") if line.strip()]
    except orjson.JSONDecodeError as error:
        raise InputError(
            f"{file} is not JSON: {error}", field="knowledge", hint="pass a list, or one object per line"
        ) from None


def describe(decision: "ResponseDecision") -> str:
    """Return the decision as the source document prints it, followed by its reason and what would help."""
    factors = "\n".join(
        f"  {TITLES.get(factor.name, factor.name)}: "
        f"{'not looked at' if factor.score is None else f'{factor.score:.2%}'}"
        for factor in decision.factors
    )
    lines = [
        f"Composite Confidence: {decision.composite:.2%}",
        *([] if decision.probability is None else [_probability(decision)]),
        f"Confidence Level: {decision.level}",
        *_needed(decision),
        f"Should Block: {not decision.passed}",
        "",
        "Factor Scores:",
        factors,
        "",
        f"Policy: {decision.policy}" + ("" if decision.calibrated else ", uncalibrated"),
        f"Decision: {decision.decision}" + (" (shadow mode: it is let through)" if decision.shadow else ""),
        f"Reason: {decision.reason}",
    ]
    if decision.lifts:
        lines.append("What would help: " + "; or ".join(lift.words for lift in decision.lifts))
    if decision.message:
        lines.append(f"Say instead: {decision.message}")
    lines.append(f"Recorded as: {decision.id}" if decision.recorded else "Recorded: no")
    return "\n".join(lines) + "\n"


def _needed(decision: "ResponseDecision") -> list[str]:
    """Return the threshold and whether it is met; or what a promise lacks, without which nothing passes."""
    promise = decision.promise
    if promise is None or promise.kept:
        return [f"Threshold: {decision.threshold:.2%}", f"Threshold Met: {decision.threshold_met}"]
    lacks = f"at least {pluralize(promise.missing, 'more outcome')} needed" if promise.missing else "it was withdrawn"
    if decision.fit is None:
        lacks = "learn and apply a fit first (howsure learn --apply)"
    return [f"Promise: at most {promise.risk:.2%} wrong, which cannot be made: {lacks}"]


def _probability(decision: "ResponseDecision") -> str:
    return f"Probability: {decision.probability:.2%}, between {decision.lower:.2%} and {decision.upper:.2%}"


def command() -> Callable[..., None]:
    """Return the function that Typer turns into the command, with help texts from `Responses.check`."""
    from howsure.cli.from_operations import (
        Reader,
        command_line,
        in_panels,
        repeated,
        standard_options,
        with_signature,
    )
    from howsure.responses.api import Responses

    def read(text: str, _: str) -> str:
        return text  # `run` reads the files

    readers = {
        "text": Reader(
            read, "FILE", "File with the response; - for stdin. Without one or a pipe, check before generating."
        ),
        "code": Reader(
            read, "CODE", "Code factor from 0 to 1, a folder to check, or `answer` for the code blocks in the text."
        ),
        "knowledge": Reader(
            read,
            "NUMBER|FILE",
            "Knowledge from 0 to 1, or a JSON file of search results: numbers, or objects with similarity.",
        ),
        "history": Reader(read, "NUMBER", "History factor, from 0 to 1; default: from the ledger."),
        "logprobs": Reader(read, "NUMBER,...", "Log-probabilities of the response's tokens, or their mean."),
        "judge": Reader(read, "NUMBER|ask", "How sure a judge is; `ask` asks the one of the settings."),
        "run_tests": Reader(read, "COMMAND", "Test command to run in the folder given as --code."),
        "on_ledger_error": Reader(read, "raise|allow", "If it cannot be recorded: raise an error, or allow it."),
    }
    offered = command_line(
        Responses.check,
        readers=readers,
        local=[name for name in OPTIONS if name not in ("store", "create", "json")],
        leave_out=["context", "signals"],
    )
    offered += [
        repeated("context", "--context", "FILE", "Text that the response should rest on; may be repeated."),
        repeated("signals", "--signal", "NAME=NUMBER", "Another number from 0 to 1, recorded; may be repeated."),
    ]
    options = [option for option in offered if option.name in OPTIONS or option.name == "text"]
    described = with_signature(run, [*in_panels(options, PANELS), *standard_options(writes=True)], Responses.check)
    described.__doc__ = (
        "Check a response before it is sent, and record the decision. Exits 0 if it may be sent, else 1.\n\n"
        "Example: howsure gate --agent support --context manual.txt response.txt"
    )
    return described
