"""A page: a scan as one HTML file that opens anywhere and asks for nothing from outside."""

from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from string import Template

from howsure import __version__
from howsure.documents import labels as wording
from howsure.documents.agenda import agenda
from howsure.documents.document import Report
from howsure.documents.report import sections
from howsure.documents.report.markup import day, safe
from howsure.formulas.automaton import MILESTONES
from howsure.wording import shorten

_ASSETS = Path(__file__).with_name("assets")
_STATES = {
    milestone: ", ".join(state for state, reached in MILESTONES.items() if reached == milestone)
    for milestone in MILESTONES.values()
}
"""For each milestone, the states in which a document has reached it."""


def page(report: Report) -> str:
    """Return a scan as a page: a map of the documents, what is due, the worst of them, and summaries.

    Style and script are part of it, and its policy lets nothing else run, load or be sent. It reads without the script.
    """
    plan = agenda(report)
    parts = {
        "map": sections.tree(report),
        "due": sections.due(report, plan),
        "files": sections.files(report),
        "folders": sections.groups("folders", "Folders", "folder", report.folders, {}),
        "milestones": sections.groups("milestones", "Milestones", "milestone", report.milestones, _STATES),
        "skipped": sections.skipped(report),
    }
    names = {"map": "Map", "due": "Due", "files": "Documents", "folders": "Folders", "milestones": "Milestones"}
    names["skipped"] = "SkippedFile"
    return _template().substitute(
        parts,
        policy=_policy(),
        style=_asset("page.css"),
        script=_asset("page.js"),
        root=safe(shorten(report.root, 200)),
        score=wording.score(report.score),
        day=day(report.day),
        pack=safe(shorten(report.pack, 100)),
        version=safe(__version__),
        navigation="".join(f'<li><a href="#{name}">{names[name]}</a></li>' for name, part in parts.items() if part),
        summary=sections.summary(report, plan),
    )


def _policy() -> str:
    """Return what the page may do: apply its own style, and run its own script."""
    rules = ("default-src 'none'", f"style-src '{_digest('page.css')}'", f"script-src '{_digest('page.js')}'")
    return "; ".join((*rules, "base-uri 'none'", "form-action 'none'"))


def _digest(name: str) -> str:
    return f"sha256-{b64encode(sha256(_asset(name).encode()).digest()).decode()}"


@lru_cache
def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


@lru_cache
def _template() -> Template:
    return Template(_asset("page.html"))
