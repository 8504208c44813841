"""Running the gate, with as little loaded as it needs."""

import sys
from typing import TYPE_CHECKING, Any

from howsure.errors import HowsureError, InputError
from howsure.sure import open as open_store

if TYPE_CHECKING:
    from howsure.responses.gate import Assessment

TITLES = {
    "knowledge_base": "Knowledge Base",
    "code_validation": "Code Validation",
    "certainty": "Response Certainty",
    "history": "Agent History",
}
"""The factors, as the source document prints them."""
STDIN = "-"


def run(file: str | None = None, *, store: str | None = None, json: bool = False, **given: Any) -> None:
    """Judge an answer, print what was decided, and exit 0 for pass, 1 for block or review, 2 for no judgement."""
    try:
        found = judge(file, store, given)
    except HowsureError as error:
        sys.stderr.write(f"howsure: {error}\n")
        sys.exit(2)
    if json:
        import orjson

        _write(orjson.dumps(found.as_dict(), option=orjson.OPT_APPEND_NEWLINE))
    else:
        _write(block(found).encode("utf-8", "replace"))
    for warning in found.warnings:
        sys.stderr.write(f"howsure: {warning}\n")
    sys.exit(0 if found.passed else 1)


def _write(text: bytes) -> None:
    """Write what was decided. That nobody reads it changes nothing: the exit code tells it, too."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    except OSError:
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def judge(file: str | None, store: str | None, given: dict[str, Any]) -> "Assessment":
    """Judge the answer in a file, or on stdin for '-'; without either, judge before anything is generated."""
    names = {"task": "task_id", "trace": "trace_id"}
    known = {names.get(name, name): value for name, value in given.items() if value is not None}
    if "code" in known:
        known["code"] = _number_or_path(known["code"])
    if "retrieved" in known:
        known["retrieved"] = _results(known["retrieved"])
    text = None if file is None else _text(file)
    with open_store(store) as sure:
        return sure.responses.check(text, **known)


def _number_or_path(code: str) -> Any:
    try:
        return float(code)
    except ValueError:
        return code


def _text(file: str) -> str:
    try:
        if file == STDIN:
            return sys.stdin.buffer.read().decode("utf-8", "replace")
        with open(file, "rb") as lines:  # noqa: PTH123 - pathlib would slow down the start
            return lines.read().decode("utf-8-sig", "replace")
    except OSError as error:
        raise InputError(
            f"cannot read {file}: {error.strerror}", field="file", hint="a file, or - for stdin"
        ) from error


def _results(file: str) -> list[Any]:
    import orjson

    text = _text(file)
    try:
        if text.lstrip().startswith("["):
            found = orjson.loads(text)
            return found if isinstance(found, list) else [found]
        return [orjson.loads(line) for line in text.split("\n") if line.strip()]
    except orjson.JSONDecodeError as error:
        raise InputError(
            f"{file} is no JSON: {error}", field="retrieved", hint="a list, or an object per line"
        ) from None


def block(found: "Assessment") -> str:
    """Return what was decided as the source document prints it, and after that why and what would help."""
    factors = "\n".join(
        f"  {TITLES[factor.name]}: {'not looked at' if factor.score is None else f'{factor.score:.2%}'}"
        for factor in found.factors
    )
    lines = [
        f"Composite Confidence: {found.composite:.2%}",
        f"Confidence Level: {found.level}",
        f"Threshold: {found.threshold:.2%}",
        f"Threshold Met: {found.threshold_met}",
        f"Should Block: {not found.passed}",
        "",
        "Factor Scores:",
        factors,
        "",
        f"Decision: {found.decision}",
        f"Reason: {found.reason}",
    ]
    if found.lifts:
        lines.append("What would help: " + "; or ".join(lift.words for lift in found.lifts))
    if found.message:
        lines.append(f"Say instead: {found.message}")
    lines.append(f"Recorded as: {found.id}" if found.recorded else "Recorded: no")
    return "\n".join(lines) + "\n"
