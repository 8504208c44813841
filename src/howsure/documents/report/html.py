"""Write a scan as one HTML file that opens anywhere and loads nothing from outside."""

from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from howsure.documents import labels
from howsure.documents.document import Report
from howsure.documents.report.findings import find_issues, most_urgent_groups
from howsure.documents.review import MonthPlan, plan_month
from howsure.errors import MissingExtraError
from howsure.formulas.automaton import MILESTONES
from howsure.version import __version__
from howsure.wording import escape_invisible, pluralize, shorten, single_line

if TYPE_CHECKING:
    from jinja2 import Template

_TEMPLATES = Path(__file__).with_name("templates")
_STATES = {
    milestone: ", ".join(state for state, reached in MILESTONES.items() if reached == milestone)
    for milestone in MILESTONES.values()
}
"""For each milestone, the states in which a document has reached it."""


class Limits(NamedTuple):
    """How many rows each part of the page shows."""

    files: int = 200
    tasks: int = 100
    first: int = 8
    """Tasks that are shown before one opens the rest."""
    groups: int = 100
    skipped: int = 200


class Drawings(NamedTuple):
    """The pictures of the page as SVG, drawn by `howsure.charts`, which this package does not import."""

    maps: str
    """The tree map of the documents, for wide and for narrow screens."""
    histogram: str
    merged: bool
    """Whether documents share tiles because there are too many."""
    palette: str
    """CSS variables of the colours."""


def to_html(report: Report, drawings: Drawings) -> str:
    """Return a scan as a page: a map of the documents, what is due, the most urgent documents, and summaries.

    Style and script are part of the page, and its security policy allows nothing else to run, load or be sent. It can
    be read without the script.

    Raises:
        MissingExtraError: if jinja2 is not installed.
    """
    plan = plan_month(report)
    issues = len(find_issues(report))
    style, script = drawings.palette + _asset("report.css"), _asset("report.js")
    return _template().render(
        report=report,
        documents=report.documents,
        below={one.path for one in report.below},
        drawings=drawings,
        plan=plan,
        tasks=[(one, True) for one in plan.overdue] + [(one, False) for one in plan.coming],
        issues=issues,
        numbers=_numbers(report, plan, issues),
        states=_STATES,
        limits=Limits(),
        actions=labels.ACTIONS,
        score_bands=labels.SCORE_BANDS,
        age_bands=labels.AGE_BANDS,
        gains=labels.format_gains,
        most_urgent_groups=most_urgent_groups,
        policy=_policy(style, script),
        style=style,
        script=script,
        version=__version__,
    )


def _numbers(report: Report, plan: MonthPlan, issues: int) -> list[tuple[str, int, str]]:
    """Return the numbers of the summary: words, number, and the part of the page to link to."""
    below, due = len(report.below), len(plan.overdue) + len(plan.coming)
    unknown = sum(one.score is None for one in report.documents)
    numbers = [("documents", len(report.documents), ""), ("need attention", issues, "#files" if issues else "")]
    if report.fail_under is not None:
        numbers.append((f"below {report.fail_under:g}", below, "#files" if below else ""))
    numbers.append(("due this month", due, "#due" if due else ""))
    if unknown:
        numbers.append(("score unknown", unknown, ""))
    return [*numbers, ("skipped", len(report.skipped), "#skipped" if report.skipped else "")]


def _policy(style: str, script: str) -> str:
    """Return a content security policy that allows this style and this script and nothing else."""
    rules = ("default-src 'none'", f"style-src '{_digest(style)}'", f"script-src '{_digest(script)}'")
    return "; ".join((*rules, "base-uri 'none'", "form-action 'none'"))


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@lru_cache
def _asset(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@lru_cache
def _template() -> "Template":
    try:
        from jinja2 import Environment, FileSystemLoader
    except ImportError:
        raise MissingExtraError("documents", "an HTML report") from None
    environment = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True)
    environment.filters |= {
        "age": labels.format_age,
        "band": labels.score_band,
        "clamp": lambda value: max(0.0, min(value, 1.0)),
        "gain": labels.format_gain,
        "line": single_line,
        "multiply": lambda value, factor: f"{value * factor:.1f}",
        "plural": pluralize,
        "score": labels.format_score,
        "shorten": shorten,
        "visible": escape_invisible,
    }
    return environment.get_template("report.html")
