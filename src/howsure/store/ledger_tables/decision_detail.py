"""Check that the detail of a decision has the shape that lists and pages of decisions rely on.

Decisions come from this program, from imports and from backups. A detail of another shape is refused when it is
imported; if one is in the store nevertheless, the decision is shown as broken, and the others as usual.
"""

from collections.abc import Mapping
from typing import Any

import orjson

BROKEN = "broken"
"""Member of a detail that says what is wrong with the stored one."""
_SCAN_COUNTS = ("documents", "unknown", "due", "skipped", "found")
_SCAN_FIELDS: dict[str, Any] = {
    "path": str,
    "kind": str,
    "score": int | float | None,
    "milestone": str,
    "state": str,
    "months": int | float | None,
    "age_from": str,
    "action": str,
    "due": str | None,
    "reason": str,
    "gains": list,
    "problems": list,
    "gaps": list,
    "hints": list,
    "weight": int | float,
}
"""Fields of a document in a recorded scan."""
_REASONS = ("problems", "gaps", "hints")
_KINDS = ("content", "code", "data")
_ACTIONS = ("none", "review", "human_validation", "refresh_or_remove", "unknown")


def read_detail(model: str, text: str) -> dict[str, Any]:
    """Return a stored detail; if it is broken, an object that says so in its member `broken`."""
    try:
        detail = orjson.loads(text)
    except ValueError:
        return {BROKEN: "its detail is not JSON"}
    problem = find_problem(model, detail)
    return {BROKEN: problem} if problem else detail


def find_problem(model: str, detail: Any) -> str:
    """Return what is wrong with a detail; empty if nothing is.

    >>> find_problem("response", {"row": {}, "answer": []})
    'its answer is not an object'
    """
    if not isinstance(detail, Mapping):
        return "its detail is not an object"
    for name in ("row", "answer"):
        if not isinstance(detail.get(name, {}), Mapping):
            return f"its {name} is not an object"
    answer = detail.get("answer", {})
    if model == "document" and "files" in answer:
        return _find_scan_problem(answer)
    return ""


def _find_scan_problem(answer: Mapping[str, Any]) -> str:
    for name in _SCAN_COUNTS:
        if not isinstance(answer.get(name), int) or answer[name] < 0:
            return f"its number of {name} is missing or wrong"
    if not isinstance(answer.get("score", ""), int | float | None):
        return "its score is missing or wrong"
    if not isinstance(answer.get("root"), str) or not isinstance(answer.get("pack"), str):
        return "its root or pack is missing or wrong"
    if not isinstance(answer["files"], list):
        return "its files are not a list"
    return next((problem for file in answer["files"] if (problem := _find_file_problem(file))), "")


def _find_file_problem(file: Any) -> str:
    if not isinstance(file, Mapping) or file.keys() != _SCAN_FIELDS.keys():
        return "a file of it has other fields"
    for name, kind in _SCAN_FIELDS.items():
        if not isinstance(file[name], kind):
            return f"the {name} of a file is wrong"
    if file["due"] is not None and not _is_date(file["due"]):
        return "the due date of a file is wrong"
    pairs = (isinstance(gain, list) and len(gain) == 2 for gain in file["gains"])  # noqa: PLR2004
    if not all(pairs) or not all(isinstance(w, str) and isinstance(g, int | float) for w, g in file["gains"]):
        return "the gains of a file are wrong"
    for name in _REASONS:
        if not all(isinstance(words, str) for words in file[name]):
            return f"the {name} of a file are wrong"
    known = file["kind"] in _KINDS and file["action"] in _ACTIONS
    return "" if known else "the kind or action of a file is unknown"


def _is_date(text: str) -> bool:
    from datetime import date

    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
