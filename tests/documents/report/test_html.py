"""The page: one file that opens anywhere, shows everything, and lets nothing in."""

import re
from base64 import b64encode
from datetime import date
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from howsure.charts.theme import css_variables
from howsure.charts.treemap import draw_report
from howsure.documents.document import Group, Improvement, Report, SkippedFile
from howsure.documents.report import html as module
from howsure.documents.report.html import to_html
from howsure.documents.review import plan_month
from howsure.wording import escape_invisible, single_line
from tests.documents.factory import HOSTILE, document, hostile, many, report

TEMPLATES = Path(module.__file__).with_name("templates")
VOID = {"meta", "input", "wbr"}
TAGS = (
    "html head meta title style body a header div p svg rect h1 bdi nav ul li main section h2 figure figcaption g path "
    "text span b small time label input output fieldset legend table thead tr th tbody td details summary ol footer "
    "script pattern defs circle i wbr"
)
ATTRIBUTES = (
    "lang charset http-equiv content name class href id aria-labelledby aria-label aria-describedby aria-hidden role "
    "viewbox focusable x y width height rx cx cy r d fill text-anchor preserveaspectratio patternunits "
    "patterntransform datetime hidden for type checked autocomplete spellcheck scope data-label data-value"
)


def page(report: Report) -> str:
    return to_html(report, draw_report(report))


class Read(HTMLParser):
    """A page as a browser would take it apart."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": []}
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.inside:
            self.inside[self.open[-1]].append(data)
        else:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


PAGES = {
    "hostile": hostile(),
    "many": many(300),
    "empty": report(),
    "good": report(document(), document("b.md")),
    "one": report(document("only.md", score=None, months=None, action="unknown", due=None)),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_well_formed_and_holds_nothing_but_what_it_is_made_of(name: str) -> None:
    read = Read(page(PAGES[name]))
    assert read.open == []
    assert {tag for tag, _ in read.tags} <= set(TAGS.split())
    assert {attribute for _, attributes in read.tags for attribute in attributes} <= set(ATTRIBUTES.split())
    assert sum(tag == "script" for tag, _ in read.tags) == 1
    assert read.inside["script"] == [(TEMPLATES / "report.js").read_text()]
    assert read.inside["style"] == [css_variables() + (TEMPLATES / "report.css").read_text()]


@pytest.mark.parametrize("name", PAGES)
def test_the_page_has_no_external_links(name: str) -> None:
    read = Read(page(PAGES[name]))
    ids = [attributes["id"] for _, attributes in read.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in read.tags:
        target = attributes.get("href")
        assert target is None or target.removeprefix("#") in ids
        fill = attributes.get("fill")
        assert fill is None or fill.removeprefix("url(#").removesuffix(")") in ids
        for key in ("for", "aria-labelledby", "aria-describedby"):
            assert attributes.get(key) is None or attributes[key] in ids


def test_style_and_script_ask_for_nothing() -> None:
    style, script = ((TEMPLATES / name).read_text() for name in ("report.css", "report.js"))
    assert not re.search(r"url\(|@import|https?:|expression|image-set|</", style)
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(|fetch|XMLHttp|WebSocket|import|"
        r"https?:|location|storage|cookie|</|<!--",
        script,
    )


@pytest.mark.parametrize("name", PAGES)
def test_the_policy_lets_only_this_style_and_this_script_run(name: str) -> None:
    text = page(PAGES[name])
    (policy,) = (
        attributes["content"] or ""
        for tag, attributes in Read(text).tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        (inline,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert rules.pop(rule) == f"'sha256-{b64encode(sha256(inline.encode()).digest()).decode()}'"
    assert rules == {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
    assert text.index("Content-Security-Policy") < min(
        text.index("<style"), text.index("<script"), text.index("<title")
    )


def test_hostile_texts_are_shown_as_they_are() -> None:
    found = hostile()
    read = Read(page(found))
    shown = "".join(read.texts)
    for text in HOSTILE:
        assert read.text.count(" ".join(single_line(text).split())) >= 4
    for one in found.documents:
        assert escape_invisible(one.path) in shown
    assert not re.search("[\u202a-\u202e\u2066-\u2069\ud800-\udfff\x00-\x09\x0b-\x1f]", shown)
    page(found).encode()


def test_the_headline_and_the_numbers() -> None:
    found = report(
        document(score=0.25, action="refresh_or_remove", due=date(2026, 5, 1)),
        document("b.md", score=0.75),
        document("c.md", score=None, months=None, action="unknown", due=None),
        skipped=(SkippedFile("a.png", "it is binary"),),
        fail_under=0.5,
        notes=("git tells nothing",),
    )
    text = Read(page(found)).text
    assert "Project score 0.50" in text
    assert "2 of 3 documents need attention." in text
    numbers = "3 documents 2 need attention 2 below 0.5 1 due this month 1 score unknown 1 skipped"
    assert numbers in text
    assert "Begin with docs/ guide.md : confirm its source (+0.04)." in text
    assert "git tells nothing" in text
    assert "1 file not scored a.png it is binary" in text


def test_a_row_shows_every_field_of_a_document() -> None:
    one = document(
        score=0.4996,
        months=7.0,
        action="review",
        due=date(2026, 11, 20),
        reason="M2, no sources",
        problems=("no YAML",),
        gains=(Improvement("validate it", 0.05), Improvement("test it", 0.004)),
    )
    text = Read(page(report(one, fail_under=0.5))).text
    start = text.index("What would raise it docs/")
    assert text[start:].startswith(
        "What would raise it docs/ guide.md no YAML M2, no sources 0.4996 below the limit M2 VALIDATE 7 months "
        "fresh 0.42 review by 20 Nov 2026 validate it +0.05 test it Folders"
    )


def test_folders_and_milestones_are_summed_up() -> None:
    found = report(document(), folders=(Group("docs", 1200, 0.5, 2, 3),), milestones=(Group("M1", 7, None, 7, 0),))
    text = Read(page(found)).text
    assert "Folder Documents Mean score Due docs 1,200 0.50 2 unknown 3" in text
    assert "Milestone Documents Mean score Due M1 INIT, OBSERVE 7 unknown 7 unknown 0" in text


def test_documents_due_this_month_are_listed() -> None:
    old = document("old.md", action="refresh_or_remove", due=date(2026, 1, 1))
    late = document("late.md", action="none", due=date(2026, 11, 14))
    today = document("today.md", action="review", due=date(2026, 11, 15))
    last = document("last.md", action="none", due=date(2026, 11, 30))
    later = document("later.md", action="review", due=date(2026, 12, 1))
    unknown = document("unknown.md", action="unknown", due=date(2026, 11, 1))
    found = report(last, today, late, old, later, unknown, document("fine.md"))
    plan = plan_month(found)
    assert [one.path for one in plan.overdue] == ["old.md", "late.md"]
    assert [one.path for one in plan.coming] == ["today.md", "last.md"]
    assert (plan.until, plan.later, plan.unknown) == (date(2026, 11, 30), 1, 1)
    text = Read(page(found)).text
    assert (
        "By 30 Nov 2026 : 2 overdue, 2 coming up. refresh or remove old.md since 1 Jan 2026 review late.md since "
        "14 Nov 2026 review today.md by 15 Nov 2026 review last.md by 30 Nov 2026 1 more are old enough for a review; "
        "their day comes later. The age of 1 document is unknown."
    ) in text


def test_an_empty_result_is_stated() -> None:
    text = Read(page(report(root="empty"))).text
    assert "No documents were found There was nothing to score in empty ." in text
    assert "Map" not in text


def test_a_report_without_issues_says_so() -> None:
    text = Read(page(report(document(), fail_under=0.5))).text
    assert "Everything is in order. Nothing is due for 1 document and nothing is below the limit." in text
    assert "Nothing is due this month." in text


def _tiles(read: Read) -> list[dict[str, str | None]]:
    return [attributes for tag, attributes in read.tags if tag == "g" and "tile" in (attributes.get("class") or "")]


def test_the_map_shows_scores_ages_and_what_is_due() -> None:
    old = document("old.md", score=0.1, months=30.0, action="refresh_or_remove")
    read = Read(page(report(old, document("new.md", score=0.95, months=0.5))))
    assert [tile["class"] for tile in _tiles(read)] == ["tile s0 a4", "tile s4 a0"] * 2
    fills = [attributes["fill"] for _, attributes in read.tags if "fill" in attributes]
    assert fills == ["url(#hatch-legend)", "url(#hatch-wide)", "url(#hatch-narrow)"]
    assert "old.md Score 0.10, M2 VALIDATE 2.5 years old, refresh or remove, by 2027-04-15" in read.text


@pytest.mark.parametrize(
    ("action", "mark"),
    [("review", "circle"), ("human_validation", "path"), ("refresh_or_remove", "rect"), ("unknown", "rect")],
)
def test_each_action_has_a_mark_of_its_own(action: str, mark: str) -> None:
    def drawn(found: Report) -> list[tuple[str, Any]]:
        return [(tag, attributes.get("class")) for tag, attributes in Read(page(found)).tags]

    plain_, marked = drawn(report(document())), drawn(report(document(action=action)))
    assert sum(tag == mark for tag, _ in marked) > sum(tag == mark for tag, _ in plain_)


def test_many_documents_stay_usable() -> None:
    text = page(many(20_000))
    read = Read(text)
    assert len(text.encode()) < 2_000_000
    assert 100 < len(_tiles(read)) < 8000
    assert "There are too many to see each" in read.text
    assert "The 200 that need it most, what is most urgent first, 19,800 left out" in read.text
    assert sum(tag == "tr" for tag, _ in read.tags) < 500
    assert re.search(r"[\d,]+ more are due and not listed here\.", read.text)
    assert re.search(r"Where most is due; \d+ other folders left out\.", read.text)


def _colours(style: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", style))


def _contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_has_enough_contrast_on_every_background(theme: str) -> None:
    colours: dict[str, str] = {}
    for style in (css_variables(), (TEMPLATES / "report.css").read_text()):
        first, second = style.split("@media (prefers-color-scheme: dark)")
        colours |= _colours(first) | (_colours(second.split("* {")[0]) if theme == "dark" else {})
    pairs = [(ink, ground) for ink in ("ink", "quiet", "link") for ground in ("card", "ground", "frame", "rail")]
    pairs += [("alarm", "card"), ("quiet", "frame-in"), ("u-ink", "u"), ("tip-ink", "tip")]
    pairs += [("s-ink", f"s{place}") for place in range(5)]
    pairs += [("a-ink" if place < 3 else "a-ink-old", f"a{place}") for place in range(5)]
    pairs += [(f"t-{name}-ink", f"t-{name}") for name in ("red", "orange", "yellow", "grey", "blue")]
    weak = {pair: round(_contrast(colours[pair[0]], colours[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}
