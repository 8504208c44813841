"""Sections: the parts of the page, each as HTML that reads without a script."""

from collections.abc import Sequence

from howsure.charts.treemap_svg import drawing, hatch, merged
from howsure.documents import labels as wording
from howsure.documents.agenda import MonthPlan
from howsure.documents.bands import AGE_WORDS, SCORE_WORDS, score_band
from howsure.documents.document import Document, Group, Report
from howsure.documents.report.findings import concerns, neediest
from howsure.documents.report.markup import bar, day, histogram, path, safe
from howsure.wording import pluralize, shorten, single_line

FILES, AGENDA, GROUPS, SKIPPED = 200, 100, 100, 200
"""How many documents, things to do, groups and skipped files are shown."""
_FIRST = 8
"""Things to do that are shown at once."""
_WIDE, _NARROW, _HIGHEST = 1040, 420, 560
_LEAST = 150.0
"""How large a tile of the map is at least."""
_NOTHING = '<span class="quiet">nothing known</span>'
_MARKS = {
    "refresh_or_remove": f'{hatch("legend")}<rect width="18" height="18" fill="url(#hatch-legend)"/>',
    "human_validation": '<path class="mark" d="M16 2v10l-10 -10z"/>',
    "review": '<circle class="mark" cx="12" cy="6" r="3.5"/>',
    "unknown": '<rect class="unknown" x="2" y="2" width="14" height="14" rx="1"/>',
}


def summary(report: Report, plan: MonthPlan) -> str:
    """Return the project's score, what it means, and the numbers that matter."""
    found, below = len(concerns(report)), len(report.below)
    many = len(report.documents)
    if not many:
        return (
            '<section class="card empty"><h2>No documents were found</h2><p>There was nothing to score in '
            f"<bdi>{safe(report.root)}</bdi>. Look whether it is the right folder, and whether everything in it is "
            f"excluded or skipped.</p></section>{_notes(report)}"
        )
    verdict = f"{found:,} of {pluralize(many, 'document')} need attention." if found else "Everything is in order."
    rest = "" if found else f" Nothing is due for {pluralize(many, 'document')}"
    if not found:
        rest += " and nothing is below the limit." if report.fail_under is not None else "."
    numbers: list[tuple[str, int, str]] = [
        ("documents", many, ""),
        ("need attention", found, "#files" if found else ""),
    ]
    if report.fail_under is not None:
        numbers.append((f"below {report.fail_under:g}", below, "#files" if below else ""))
    now = len(plan.overdue) + len(plan.coming)
    numbers.append(("due this month", now, "#due" if now else ""))
    unknown = sum(one.score is None for one in report.documents)
    numbers += [("score unknown", unknown, "")] * bool(unknown)
    numbers.append(("skipped", len(report.skipped), "#skipped" if report.skipped else ""))
    tiles = "".join(f"<li>{_linked(f'<b>{number:,}</b> {words}', target)}</li>" for words, number, target in numbers)
    scores = [one.score for one in report.documents if one.score is not None]
    limit = "" if report.fail_under is None else f'<p class="quiet">The mark is the limit, {report.fail_under:g}.</p>'
    return (
        f'<section class="card summary{"" if found else " good"}" aria-labelledby="verdict">'
        f'<div class="score {score_band(report.score)}"><p class="label">Project score</p>'
        f'<p class="figure">{wording.score(report.score)}</p>{bar(report.score, report.fail_under)}{limit}</div>'
        f'<div class="verdict"><h2 id="verdict">{verdict}</h2><p>{rest or _advice(report)}</p></div>'
        f"<figure><figcaption>Documents by score</figcaption>{histogram(scores)}</figure>"
        f'<ul class="numbers">{tiles}</ul></section>{_notes(report)}'
    )


def _advice(report: Report) -> str:
    first = report.documents[0]
    return f"Begin with {path(first.path, 90)}{f': {safe(wording.advice(first, 1))}' if first.gains else ''}."


def _linked(html: str, target: str) -> str:
    return f'<a href="{target}">{html}</a>' if target else f"<span>{html}</span>"


def _notes(report: Report) -> str:
    notes = "".join(f"<li>{safe(single_line(note))}</li>" for note in report.notes)
    return f'<ul class="card note">{notes}</ul>' if notes else ""


def tree(report: Report) -> str:
    """Return the map of the documents, by score or by age."""
    if not report.documents:
        return ""
    many = len(report.documents)
    wide, narrow = (_WIDE, min(160 + 12 * many, _HIGHEST)), (_NARROW, min(200 + 16 * many, _HIGHEST))
    shared = ""
    if merged(report.documents, wide, _LEAST):
        shared = " There are too many to see each: those of a folder share a tile, in stripes of their colours."
    scores = _legend("s", SCORE_WORDS)
    ages = _legend("a", AGE_WORDS)
    marks = "".join(
        '<li><svg class="swatch" viewBox="0 0 18 18" aria-hidden="true" focusable="false">'
        f'<rect class="plain" width="18" height="18" rx="3"/>{mark}</svg>{words}</li>'
        for mark, words in (
            (_MARKS["review"], "review due"),
            (_MARKS["human_validation"], "to be validated by a person"),
            (_MARKS["refresh_or_remove"], "refresh or remove"),
            (_MARKS["unknown"], "age unknown"),
        )
    )
    return (
        '<section class="card" id="map" aria-labelledby="map-title"><h2 id="map-title">Map</h2>'
        '<fieldset class="switch"><legend>Colour by</legend>'
        '<label><input type="radio" name="colour" id="by-score" checked><span>Score</span></label>'
        '<label><input type="radio" name="colour" id="by-age"><span>Age</span></label></fieldset>'
        f'<p class="quiet" id="map-help">Each document has the same area, folder beside folder.{shared} '
        '<span class="scripted" hidden>Arrow keys move from tile to tile; Enter or a click finds a tile in the list.'
        "</span></p>"
        f'<ul class="legend of-score">{scores}</ul><ul class="legend of-age">{ages}</ul>'
        f'<ul class="legend">{marks}</ul>'
        f"{drawing(report.documents, 'wide', wide, _LEAST, report.day)}"
        f"{drawing(report.documents, 'narrow', narrow, _LEAST, report.day)}</section>"
    )


def _legend(kind: str, bands: Sequence[str]) -> str:
    parts = [*((f"{kind}{place}", words) for place, words in enumerate(bands)), (f"{kind}u", "unknown")]
    return "".join(f'<li><i class="dot {name}"></i>{words}</li>' for name, words in parts)


def due(report: Report, plan: MonthPlan) -> str:
    """Return what is to be done this month."""
    if not report.documents:
        return ""
    items = [(one, "overdue") for one in plan.overdue] + [(one, "") for one in plan.coming]
    rows = [_task(one, late) for one, late in items[:AGENDA]]
    body = (
        f'<ol class="tasks">{"".join(rows[:_FIRST])}</ol>' if rows else '<p class="fine">Nothing is due this month.</p>'
    )
    if len(rows) > _FIRST:
        rest = "".join(rows[_FIRST:])
        body += f'<details><summary>{len(rows) - _FIRST:,} more</summary><ol class="tasks">{rest}</ol></details>'
    more = [f"{len(items) - AGENDA:,} more are due and not listed here."] if len(items) > AGENDA else []
    more += [f"{plan.later:,} more are old enough for a review; their day comes later."] if plan.later else []
    more += [f"The age of {pluralize(plan.unknown, 'document')} is unknown."] if plan.unknown else []
    note = f'<p class="quiet">{" ".join(more)}</p>' if more else ""
    return (
        '<section class="card" id="due" aria-labelledby="due-title"><h2 id="due-title">Due this month</h2>'
        f'<p class="quiet">By {day(plan.until)}: {len(plan.overdue):,} overdue, {len(plan.coming):,} coming up.</p>'
        f"{body}{note}</section>"
    )


def _task(document: Document, late: str) -> str:
    when = "" if document.due is None else f"{'since' if late else 'by'} {day(document.due)}"
    words = wording.ACTIONS["review" if document.action == "none" else document.action]
    return (
        f'<li><span class="tag {document.action}">{words}</span>{path(document.path)}'
        f'<span class="when {late}">{when}</span></li>'
    )


def files(report: Report) -> str:
    """Return the documents that need attention most."""
    if not report.documents:
        return ""
    shown = report.documents[:FILES]
    below = {id(one) for one in report.below}
    rows = "".join(_file(one, report, id(one) in below) for one in shown)
    left = len(report.documents) - len(shown)
    words = f"All {pluralize(len(shown), 'document')}" if not left else f"The {len(shown):,} that need it most"
    note = f", {left:,} left out: the CSV and JSON outputs have all of them" if left else ""
    return (
        '<section class="card" id="files" aria-labelledby="files-title"><h2 id="files-title">Documents</h2>'
        f'<p class="quiet">{words}, what is most urgent first{note}.</p>'
        '<p class="filter scripted" hidden><label for="filter">Filter by text</label><input id="filter" type="search" '
        'autocomplete="off" spellcheck="false"><output id="matches" for="filter"></output></p>'
        '<table class="cards sortable"><thead><tr><th scope="col">Document</th><th scope="col">Score</th>'
        '<th scope="col">Milestone</th><th scope="col">Age</th><th scope="col">Due</th>'
        f'<th scope="col">What would raise it</th></tr></thead><tbody>{rows}</tbody></table></section>'
    )


def _file(document: Document, report: Report, below: bool) -> str:
    told = [shorten(single_line(one), 300) for one in (document.reason, *document.problems) if one]
    why = "".join(f"<small>{safe(one)}</small>" for one in told)
    gains = "".join(f"<li>{safe(single_line(one.words))} <b>{wording.gain(one)}</b></li>" for one in document.gains)
    when = ""
    if document.due is not None:
        when = f"<small>{'by' if document.due > report.day else 'since'} {day(document.due)}</small>"
    urgency = f'<span class="tag {document.action}">{wording.ACTIONS[document.action]}</span>'
    limit = report.fail_under
    return (
        f"<tr><th scope=row>{path(document.path)}{why}</th>"
        f'<td data-label="Score" data-value="{-1.0 if document.score is None else document.score:.6f}">'
        f'<span class="number{" below" if below else ""}">{wording.score(document.score, limit)}</span>'
        f"{bar(document.score, limit)}{'<small>below the limit</small>' if below else ''}</td>"
        f'<td data-label="Milestone">{safe(document.milestone)}<small>{safe(document.state)}</small></td>'
        f'<td data-label="Age" data-value="{1e9 if document.months is None else document.months:.3f}">'
        f"{wording.age(document.months)}</td>"
        f'<td data-label="Due" data-value="{document.due or "9999-12-31"}">{urgency}{when}</td>'
        f'<td data-label="What would raise it" data-value="{-document.gains[0].gain if document.gains else 0.0:.6f}">'
        f"{f'<ul>{gains}</ul>' if gains else _NOTHING}</td></tr>"
    )


def groups(name: str, title: str, noun: str, parts: Sequence[Group], words: dict[str, str]) -> str:
    """Return how groups of documents stand."""
    if not parts:
        return ""
    rows = "".join(
        f"<tr><th scope=row>{path(one.name or '.')}{_under(words.get(one.name, ''))}</th>"
        f'<td data-value="{one.documents}">{one.documents:,}</td>'
        f'<td data-value="{-1.0 if one.score is None else one.score:.6f}">'
        f'<span class="number">{wording.score(one.score)}</span>{bar(one.score)}'
        f"{_under(f'{one.unknown:,} unknown' if one.unknown else '')}</td>"
        f'<td data-value="{-one.due}">{one.due:,}</td></tr>'
        for one in neediest(parts, GROUPS)
    )
    left = len(parts) - GROUPS
    note = f'<p class="quiet">Where most is due; {pluralize(left, f"other {noun}")} left out.</p>' if left > 0 else ""
    return (
        f'<section class="card" id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{title}</h2>{note}'
        f'<table class="sortable"><thead><tr><th scope="col">{noun.capitalize()}</th><th scope="col">Documents</th>'
        f'<th scope="col">Mean score</th><th scope="col">Due</th></tr></thead><tbody>{rows}</tbody></table></section>'
    )


def _under(words: str) -> str:
    return f"<small>{words}</small>" if words else ""


def skipped(report: Report) -> str:
    """Return the files that were not scored."""
    if not report.skipped:
        return ""
    rows = "".join(
        f"<li>{path(one.path)} <small>{safe(single_line(one.why))}</small></li>" for one in report.skipped[:SKIPPED]
    )
    left = len(report.skipped) - SKIPPED
    note = f'<p class="quiet">And {pluralize(left, "more file")}.</p>' if left > 0 else ""
    return (
        '<section class="card" id="skipped" aria-labelledby="skipped-title"><h2 id="skipped-title">SkippedFile</h2>'
        f"<details><summary>{pluralize(len(report.skipped), 'file')} not scored</summary>"
        f'<ul class="plain">{rows}</ul>{note}</details></section>'
    )
