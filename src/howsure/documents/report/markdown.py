"""Markdown: a scan as a summary for jobs and pull requests."""

import re
from collections.abc import Iterable, Sequence

from howsure.documents import labels as wording
from howsure.documents.document import Document, Group, Report
from howsure.documents.report.findings import BELOW, Rule, concerns, neediest
from howsure.wording import escape_invisible, pluralize, shorten, single_line

_HEAD = ("document", "score", "milestone", "state", "age", "due", "what would raise it")
_LONGEST = 160
"""Characters of a cell that are shown."""
_CODE = re.compile(r"[\w/.@#:+=,~() -]*[\w/.@#:+=,~()-]")
"""Names that can stand as code as they are."""
_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$]")
_LINKING = re.compile(r"(?<=[@#])|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
"""Places in a text where a break keeps it from becoming a mention, a reference or a link."""


def markdown(report: Report, limit: int = 50) -> str:
    """Return a scan as Markdown: its score, at most so many documents that need attention, and summaries.

    Names and reasons are shown as text: nothing in them ends a cell, makes a link, or is taken for HTML.
    """
    found = concerns(report)
    lines = [f"# {_text(report.root)}: {_headline(report)}", "", _counts(report, len(found)), ""]
    lines += [f"- {_text(note)}" for note in report.notes] + [""] * bool(report.notes)
    if found:
        rows = (_row(report, document, concern) for document, concern in found[:limit])
        lines += ["## What needs attention", "", *_table(_HEAD, rows, "lrlllll")]
        lines += _left_out(len(found) - limit, "document")
    for title, noun, groups in (("Folders", "folder", report.folders), ("Milestones", "milestone", report.milestones)):
        if groups:
            rows = (_group(one) for one in neediest(groups, limit))
            lines += [f"## {title}", "", *_table((noun, "documents", "score", "unknown", "due"), rows, "lrrrr")]
            lines += _left_out(len(groups) - limit, noun)
    if report.skipped:
        rows = ((_name(one.path), _text(one.why)) for one in report.skipped[:limit])
        lines += ["## SkippedFile", "", *_table(("file", "why"), rows, "ll")]
        lines += _left_out(len(report.skipped) - limit, "file")
    return "\n".join(lines).rstrip() + "\n"


def _headline(report: Report) -> str:
    if not report.documents:
        return "no documents were found"
    return "score unknown" if report.score is None else f"score {wording.score(report.score)}"


def _counts(report: Report, found: int) -> str:
    if not report.documents:
        told = "There was nothing to score."
    elif not found:
        told = f"{pluralize(len(report.documents), 'document')}, and none needs attention."
    else:
        told = f"{found:,} of {pluralize(len(report.documents), 'document')} need attention."
    if report.fail_under is not None and report.documents:
        told += f" {len(report.below):,} below the limit of {report.fail_under:g}."
    if report.skipped:
        told += f" {pluralize(len(report.skipped), 'file')} skipped."
    return f"{told} As of {report.day}, with the patterns of {_name(report.pack)}."


def _row(report: Report, document: Document, concern: Rule) -> tuple[str, ...]:
    score = wording.score(document.score, report.fail_under)
    told = [wording.advice(document)] if document.gains else []
    told += [f"problem: {single_line(one)}" for one in document.problems]
    return (
        _name(document.path),
        f"**{score}**" if concern is BELOW else score,
        _text(document.milestone),
        _text(document.state),
        wording.age(document.months),
        wording.due(document, report.day),
        _text("; ".join(told)),
    )


def _group(group: Group) -> tuple[str, ...]:
    numbers = (f"{group.documents:,}", wording.score(group.score), f"{group.unknown:,}", f"{group.due:,}")
    return (_name(group.name or "."), *numbers)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], sides: str) -> list[str]:
    """Return a table, and an empty line after it. Cells are taken as they are."""
    rules = ("---:" if side == "r" else "---" for side in sides)
    return [f"| {' | '.join(row)} |" for row in (head, tuple(rules), *rows)] + [""]


def _left_out(number: int, noun: str) -> list[str]:
    return [f"And {pluralize(number, f'more {noun}')}.", ""] if number > 0 else []


def _name(text: str) -> str:
    """Return a name as code; as text, where code could not hold it."""
    short = shorten(escape_invisible(text), _LONGEST)
    return f"`{short}`" if _CODE.fullmatch(short) else _text(short)


def _text(text: str) -> str:
    """Return a text in which nothing has a meaning of its own."""
    short = shorten(single_line(text), _LONGEST)
    broken = (_SPECIAL.sub(lambda found: f"&#{ord(found[0])};", part) for part in _LINKING.split(short))
    return "<!-- -->".join(broken)
