"""Write a scan as Markdown, for job summaries and pull requests."""

import re
from collections.abc import Iterable, Sequence

from howsure.documents import labels
from howsure.documents.document import Document, Group, Report
from howsure.documents.report.findings import BELOW_LIMIT, Rule, find_issues, most_urgent_groups
from howsure.wording import escape_invisible, pluralize, shorten, single_line

_HEAD = ("document", "trust", "fresh", "milestone", "state", "age", "due", "what would raise it")
_LONGEST = 160
"""Longest text of a cell, in characters."""
_CODE = re.compile(r"[\w/.@#:+=,~() -]*[\w/.@#:+=,~()-]")
"""Names that can be written between backticks."""
_SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$]")
_LINK_BREAKS = re.compile(r"(?<=[@#])|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
"""Positions at which an empty comment prevents a mention, a reference or a link."""


def to_markdown(report: Report, limit: int = 50) -> str:
    """Return a scan as Markdown: its score, at most `limit` documents that need attention, and summaries.

    Names and reasons are escaped: nothing in them ends a cell, makes a link or is read as HTML.
    """
    issues = find_issues(report)
    lines = [f"# {_text(report.root)}: {_headline(report)}", "", _counts(report, len(issues)), ""]
    lines += [f"- {_text(note)}" for note in report.notes] + [""] * bool(report.notes)
    first = {id(document) for document in report.documents[: report.found]}
    told = [issue for issue in issues if id(issue[0]) in first]
    aged = [issue for issue in issues if id(issue[0]) not in first]
    for title, own, most in (("What needs attention", told, limit), ("Due by age alone", aged, limit - len(told))):
        if own and most > 0:
            rows = (_row(report, document, rule) for document, rule in own[:most])
            lines += [f"## {title}", "", *_table(_HEAD, rows, "lrrlllll")]
    lines += _left_out(len(issues) - limit, "document")
    for title, noun, groups in (("Folders", "folder", report.folders), ("Milestones", "milestone", report.milestones)):
        if groups:
            rows = (_group(one) for one in most_urgent_groups(groups, limit))
            lines += [f"## {title}", "", *_table((noun, "documents", "score", "unknown", "due"), rows, "lrrrr")]
            lines += _left_out(len(groups) - limit, noun)
    if report.skipped:
        rows = ((_name(one.path), _text(one.why)) for one in report.skipped[:limit])
        lines += ["## Skipped files", "", *_table(("file", "why"), rows, "ll")]
        lines += _left_out(len(report.skipped) - limit, "file")
    return "\n".join(lines).rstrip() + "\n"


def _headline(report: Report) -> str:
    if not report.documents:
        return "no documents were found"
    return "score unknown" if report.score is None else f"score {labels.format_score(report.score)}"


def _counts(report: Report, issues: int) -> str:
    if not report.documents:
        sentence = "There was nothing to score."
    elif not issues:
        sentence = f"{pluralize(len(report.documents), 'document')}, and none needs attention."
    else:
        sentence = f"{issues:,} of {pluralize(len(report.documents), 'document')} need attention."
    if report.fail_under is not None and report.documents:
        sentence += f" {len(report.below):,} below the limit of {report.fail_under:g}."
    if report.skipped:
        sentence += f" {pluralize(len(report.skipped), 'file')} skipped."
    return f"{sentence} As of {report.day}, with the patterns of {_name(report.pack)}."


def _row(report: Report, document: Document, rule: Rule) -> tuple[str, ...]:
    score = labels.format_score(document.score, report.fail_under)
    # Problems matter more than what would raise the score, and a cell is short.
    gains = labels.format_gains(document, limit=1 if document.problems or document.gaps else 3)
    sentence = [gains] if gains else []
    sentence += [f"problem: {single_line(one)}" for one in document.problems]
    sentence += [f"gap: {single_line(one)}" for one in document.gaps]
    return (
        _name(document.path),
        f"**{score}**" if rule is BELOW_LIMIT else score,
        labels.format_score(document.freshness),
        _text(document.milestone),
        _text(document.state),
        labels.format_age(document.months),
        labels.format_due(document, report.day),
        _text("; ".join(sentence)),
    )


def _group(group: Group) -> tuple[str, ...]:
    numbers = (f"{group.documents:,}", labels.format_score(group.score), f"{group.unknown:,}", f"{group.due:,}")
    return (_name(group.name or "."), *numbers)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], sides: str) -> list[str]:
    """Return a table and an empty line after it. Cells have to be escaped already."""
    rules = ("---:" if side == "r" else "---" for side in sides)
    return [f"| {' | '.join(row)} |" for row in (head, tuple(rules), *rows)] + [""]


def _left_out(number: int, noun: str) -> list[str]:
    return [f"And {pluralize(number, f'more {noun}')}.", ""] if number > 0 else []


def _name(text: str) -> str:
    """Return a name between backticks, or as text if they cannot hold it."""
    short = shorten(escape_invisible(text), _LONGEST)
    return f"`{short}`" if _CODE.fullmatch(short) else _text(short)


def _text(text: str) -> str:
    """Return escaped text without any markup."""
    short = shorten(single_line(text), _LONGEST)
    broken = (_SPECIAL.sub(lambda match: f"&#{ord(match[0])};", part) for part in _LINK_BREAKS.split(short))
    return "<!-- -->".join(broken)
