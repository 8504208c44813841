"""A scan: every file once, what needs attention first, and nothing read twice."""

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from howsure.documents import file_reader as reading
from howsure.documents.document import Report
from howsure.documents.facts import FactsReader
from howsure.documents.report.csv import to_csv
from howsure.documents.report.markdown import to_markdown
from howsure.documents.report.sarif import to_sarif
from howsure.documents.scan import Scan, ScanOptions
from howsure.documents.scoring import start_of_day
from howsure.errors import HowsureError, InputError
from howsure.sure import Sure
from howsure.text.patterns import load_builtin_pack
from tests.documents.report.test_html import page

NOW = start_of_day(date(2026, 11, 15))
PACK = load_builtin_pack("default")


def git(folder: Path, *arguments: str, at: str = "2026-01-15T12:00:00Z") -> None:
    who = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
           (("NAME", "Ann"), ("EMAIL", "ann@example.org"), ("DATE", at))}  # fmt: skip
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env=os.environ | who)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Give a repository with pages, a program and data."""
    folder = tmp_path / "site"
    (folder / "_data").mkdir(parents=True)
    (folder / "docs").mkdir()
    (folder / "index.md").write_text(
        "---\nsources:\n  - url: a\n    confirmed: true\n---\n# Home\n[x](docs/guide.md)\n"
    )
    (folder / "docs" / "guide.md").write_text("# Guide\n[gone](../missing.md)\n")
    (folder / "tool.py").write_text("import os\n")
    (folder / "_data" / "hours.csv").write_text("a,b\n")
    (folder / "image.txt").write_bytes(b"\x00\x01")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def scan(folder: Path, cache: Path | None = None, **options: Any) -> Scan:
    events = options.pop("events", None)
    return Scan(ScanOptions((folder,), PACK, cache=cache, **options), NOW, events)


def by_path(report: Report) -> dict[str, Any]:
    return {one.path: one for one in report.documents}


def test_every_file_is_scored_by_its_kind_with_what_git_tells(site: Path) -> None:
    report = scan(site).report()
    found = by_path(report)
    assert {path: one.kind for path, one in found.items()} == {
        "index.md": "content", "docs/guide.md": "content", "tool.py": "code", "_data/hours.csv": "data",
    }  # fmt: skip
    assert all(one.months == pytest.approx(304 * 12 / 365.25) for one in found.values())
    assert {one.age_from for one in found.values()} == {"git"}
    assert found["index.md"].authors == ("Ann",)
    assert found["_data/hours.csv"].score == pytest.approx(1 - 0.001 * found["_data/hours.csv"].months)
    assert found["docs/guide.md"].problems == ("1 link leads nowhere: ../missing.md",)
    assert found["index.md"].problems == ()
    assert [(one.path, one.why) for one in report.skipped] == [("image.txt", "it is binary")]
    assert report.score == pytest.approx(sum(one.score or 0.0 for one in report.documents) / 4)
    assert [(one.name, one.documents) for one in report.folders] == [(".", 2), ("_data", 1), ("docs", 1)]


def test_what_needs_attention_comes_first(site: Path) -> None:
    (site / "new.csv").write_text("a\n")
    (site / "_data" / "new.csv").write_text("a\n")
    report = scan(site, fail_under=0.61).report()
    paths = [one.path for one in report.documents]
    assert paths[0] == "_data/new.csv"  # nobody knows its age, so nobody knows that it is above the limit
    assert report.below[0].path == "_data/new.csv"
    assert {one.path for one in report.below} >= {"_data/new.csv", "docs/guide.md", "new.csv"}
    above = [one.score or 0.0 for one in report.documents if one not in report.below]
    assert above == sorted(above)


def test_events_move_a_document_on(site: Path) -> None:
    found = by_path(scan(site, events={"index.md": (("visit", 1.0), ("confirm", 1.0))}).report())
    assert (found["index.md"].milestone, found["index.md"].state) == ("M2", "VALIDATE")
    assert found["docs/guide.md"].milestone == "M1"


def test_a_second_scan_reads_nothing_again(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache.json"
    first = scan(site, cache)
    before = first.report()
    _age(cache)
    read: list[str] = []
    one = reading.read_one

    def noted(reader: FactsReader, wanted: reading.FileToRead, largest: int) -> reading.ReadResult:
        read.append(wanted.path)
        return one(reader, wanted, largest)

    monkeypatch.setattr(reading, "read_one", noted)
    again = scan(site, cache)
    assert (first.reused, again.reused, read) == (0, 5, [])
    assert again.report().documents == before.documents
    (site / "tool.py").write_text("import sys\n")
    changed = scan(site, cache)
    assert (changed.reused, read) == (4, ["tool.py"])


@pytest.fixture
def still(site: Path) -> Path:
    """Give the same repository, unchanged for long enough that its report is kept."""
    for path in [site, *site.rglob("*")]:
        if ".git" not in path.parts:
            os.utime(path, (1_700_000_000, 1_700_000_000))
    return site


def test_where_nothing_has_changed_the_report_is_as_it_was(
    still: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache.json"
    first = scan(still, cache).report()
    monkeypatch.setattr(Scan, "_build_report", None)  # it is not worked out again
    again = scan(still, cache).report()
    assert [one.as_dict() for one in again.documents] == [one.as_dict() for one in first.documents]
    assert again.as_dict() | {"reused": 0, "seconds": 0} == first.as_dict() | {"reused": 0, "seconds": 0}
    assert again.documents[:2] == tuple(first.documents[:2])
    assert again.reused == 4


OLD = (1_700_000_000, 1_700_000_000)


def write(path: Path, text: str) -> None:
    """Write a file so that its time tells nothing."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    os.utime(path, OLD)


def refactored(site: Path) -> None:
    write(site / "tool.py", "import re\n")
    git(site, "commit", "-qam", "refactor: tool", at="2026-06-01T00:00:00Z")


CHANGES: dict[str, Callable[[Path], Any]] = {
    "content": lambda site: write(site / "index.md", "# sources:\n"),
    "new file": lambda site: write(site / "docs" / "b.md", "x\n"),
    "gone": lambda site: (site / "tool.py").unlink(),
    "a document that is linked to": lambda site: write(site / "missing.md", "x\n"),
    "a commit": refactored,
    "what is ignored": lambda site: write(site / ".gitignore", "docs\n"),
    "a file beside": lambda site: write(
        site / "_data" / "hours.csv.confidence.json", '{"data_metadata": {"validated": "2026-11-01"}}'
    ),
    "what git knows": lambda site: git(site, "rm", "-q", "--cached", "tool.py"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_the_report_is_worked_out_anew(still: Path, tmp_path: Path, change: str) -> None:
    cache = tmp_path / "cache.json"
    before = shown(scan(still, cache))
    CHANGES[change](still)
    after = shown(scan(still, cache))
    assert after == shown(scan(still))
    assert after != before


@pytest.mark.parametrize(
    "more", [{"fail_under": 0.9}, {"events": {"index.md": (("visit", 1.0),)}}, {"exclude": ("docs",)}]
)
def test_another_wish_is_another_report(still: Path, tmp_path: Path, more: dict[str, Any]) -> None:
    cache = tmp_path / "cache.json"
    shown(scan(still, cache))
    assert shown(scan(still, cache, **more)) == shown(scan(still, **more))


def test_another_day_is_another_report(still: Path, tmp_path: Path) -> None:
    options = ScanOptions((still,), PACK, cache=tmp_path / "cache.json")
    today = shown(Scan(options, NOW))
    later = shown(Scan(options, NOW + 60 * 86400))
    assert later == shown(Scan(replace(options, cache=None), NOW + 60 * 86400))
    assert later != today


def test_a_picture_that_is_linked_to_may_come_and_go(still: Path, tmp_path: Path) -> None:
    (still / "img").mkdir()
    write(still / "docs" / "guide.md", "![x](../img/x.png)\n")
    os.utime(still / "docs", OLD)
    cache = tmp_path / "cache.json"
    for there in (False, True, False):
        (still / "img" / "x.png").touch() if there else (still / "img" / "x.png").unlink(missing_ok=True)
        for _ in range(2):
            problems = by_path(scan(still, cache).report())["docs/guide.md"].problems
            assert bool(problems) is not there


def shown(found: Scan) -> list[dict[str, Any]]:
    return [one.as_dict() for one in found.report().documents]


def test_another_pack_is_read_anew(site: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache.json"
    scan(site, cache).report()
    _age(cache)
    assert Scan(ScanOptions((site,), load_builtin_pack("legal-luminary"), cache=cache), NOW).reused == 0


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 1}', b'{"format": 99}', b"\x00\xff"])
def test_a_broken_cache_is_no_cache(site: Path, tmp_path: Path, content: bytes) -> None:
    cache = tmp_path / "cache.json"
    cache.write_bytes(content)
    assert scan(site, cache).report().documents == scan(site).report().documents


def test_a_cache_that_cannot_be_written_is_no_obstacle(site: Path) -> None:
    assert scan(site, Path("/proc/nowhere/cache.json")).report().documents


def test_a_file_changed_within_a_moment_is_read_again(site: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache.json"
    (site / "index.md").write_text("one\n")
    before = scan(site, cache).report()
    state = (site / "index.md").stat()
    (site / "index.md").write_text("# 2\n")
    os.utime(site / "index.md", ns=(state.st_atime_ns, state.st_mtime_ns))  # the clock was too coarse to tell
    after = scan(site, cache).report()
    assert by_path(before)["index.md"].matches != by_path(after)["index.md"].matches


def test_only_what_has_changed_is_looked_at(site: Path) -> None:
    (site / "docs" / "guide.md").write_text("# Guide, changed\n")
    (site / "docs" / "new.py").write_text("import os\n")
    report = scan(site, changed="HEAD").report()
    assert set(by_path(report)) == {"docs/guide.md", "docs/new.py"}
    assert by_path(report)["docs/new.py"].steps["non_md"] == 1.0
    assert set(by_path(scan(site, changed="HEAD", exclude=("*.py",)).report())) == {"docs/guide.md"}
    with pytest.raises(InputError, match="there is no commit 'nowhere'"):
        scan(site, changed="nowhere")


def test_nothing_has_changed_is_an_empty_report(site: Path) -> None:
    report = scan(site, changed="HEAD").report()
    assert (report.documents, report.score) == ((), None)


def test_results_of_tests_integrate(site: Path, tmp_path: Path) -> None:
    results = tmp_path / "junit.xml"
    results.write_text('<testsuite><testcase file="tests/test_tool.py" name="x"/></testsuite>')
    found = by_path(scan(site, tests=results).report())
    assert found["tool.py"].steps["integration"] == pytest.approx(0.004)
    assert found["index.md"].steps["integration"] == 0.0


def test_several_paths_are_counted_from_one_root(site: Path) -> None:
    found = Scan(ScanOptions((site / "docs", site / "tool.py"), PACK), NOW).report()
    assert {one.path for one in found.documents} == {"docs/guide.md", "tool.py"}
    with pytest.raises(InputError, match="does not exist"):
        Scan(ScanOptions((site / "nowhere",), PACK), NOW)


def test_repositories_are_scanned_each_by_itself(site: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    with pytest.raises(InputError, match="these are different repositories: .*other.*scan each by itself"):
        Scan(ScanOptions((site, other), PACK), NOW)


def test_without_git_ages_are_unknown_and_that_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n")
    report = scan(folder).report()
    assert report.documents[0].action == "unknown"
    assert report.notes[0].startswith("git does not know anything: ")


def test_the_store_keeps_what_happens_to_documents(sure: Sure, site: Path) -> None:
    sure.documents.event(site / "index.md", "visit", by="ann", now=NOW - 10)
    sure.documents.event(site / "index.md", "confirm", strength=0.5, by="bob", now=NOW - 5)
    assert [(one.symbol, one.strength, one.actor) for one in sure.documents.events(site / "index.md")] == [
        ("visit", 1.0, "ann"), ("confirm", 0.5, "bob"),
    ]  # fmt: skip
    found = sure.documents.show(site / "index.md", now=NOW)
    assert (found.state, found.distribution["VALIDATE"]) == ("OBSERVE", 0.5)
    before = sure.documents.show(site / "index.md", now=NOW - 20)
    assert before.state == "INIT"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"symbol": "confrim"}, "did you mean confirm"),
        ({"strength": 1.5}, "strength: 1.5"),
        ({"strength": float("nan")}, "strength"),
        ({"path": "nowhere.md"}, "does not exist"),
        ({"by": "x" * 1000}, "by"),
    ],
)
def test_an_event_that_is_none_is_refused(sure: Sure, site: Path, given: dict[str, Any], told: str) -> None:
    event = {"path": str(site / "index.md"), "symbol": "visit"} | given
    with pytest.raises(InputError, match=told):
        sure.documents.event(event.pop("path"), event.pop("symbol"), **event)
    assert sure.documents.events(site / "index.md") == []


def test_what_is_no_document_cannot_be_shown(sure: Sure, site: Path) -> None:
    with pytest.raises(InputError, match="it is binary"):
        sure.documents.show(site / "image.txt")
    with pytest.raises(HowsureError, match="cannot read the pattern pack"):
        sure.documents.scan(site, pack="nowhere.toml")


def test_events_are_carried_from_store_to_store(sure: Sure, site: Path, tmp_path: Path) -> None:
    from howsure.sure import open as open_store

    sure.documents.event(site / "index.md", "visit", by="ann", now=NOW)
    records = list(sure.claims.export())
    with open_store(str(tmp_path / "other.db")) as other:
        other.claims.import_(records)
        other.claims.import_(records)
        assert other.documents.events(site / "index.md") == sure.documents.events(site / "index.md")


def test_links_to_what_a_site_makes_of_a_page_lead_there(site: Path) -> None:
    (site / "docs" / "guide.md").write_text("[a](../index.html) [b](../index) [c](more) [d](gone.html) [e](x)\n")
    (site / "docs" / "more").mkdir()
    (site / "docs" / "more" / "index.md").write_text("x\n")
    (site / "docs" / "x.rst").write_text("x\n")
    assert by_path(scan(site).report())["docs/guide.md"].problems == ("2 links lead nowhere: gone.html, x",)


@pytest.mark.parametrize("form", ["csv", "markdown", "sarif", "html"])
def test_a_report_that_was_kept_looks_as_it_did(still: Path, tmp_path: Path, form: str) -> None:
    write = {"csv": to_csv, "markdown": to_markdown, "sarif": to_sarif, "html": page}[form]
    forms = []
    for _ in range(2):
        found = scan(still, tmp_path / "cache.json", fail_under=0.61)
        forms.append(write(found.report()))
    assert forms[0] == forms[1]
    kept = scan(still, tmp_path / "cache.json", fail_under=0.61).report()
    assert [id(one) for one in kept.documents] == [id(one) for one in kept.documents]  # nobody gets two of one kind


@pytest.mark.parametrize("cut", [1, 40])
def test_a_kept_report_that_is_damaged_is_worked_out_again(still: Path, tmp_path: Path, cut: int) -> None:
    cache = tmp_path / "cache.json"
    expected = by_path(scan(still, cache).report())
    place = cache.with_suffix(".report")
    whole = place.read_bytes()
    place.write_bytes(whole[:-cut])
    assert by_path(scan(still, cache).report()) == expected
    assert place.read_bytes() == whole


def test_what_could_not_be_read_is_looked_at_again(
    still: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache.json"
    one = reading.read_one

    def refused(reader: FactsReader, wanted: reading.FileToRead, largest: int) -> reading.ReadResult:
        refuses = wanted.path == "index.md"
        return reading.ReadResult(wanted.path, None, "it cannot be read") if refuses else one(reader, wanted, largest)

    with monkeypatch.context() as patch:
        patch.setattr(reading, "read_one", refused)
        assert "index.md" not in by_path(scan(still, cache).report())
    assert "index.md" in by_path(scan(still, cache).report())


def test_a_report_is_of_the_moment_that_was_asked_for(still: Path, tmp_path: Path) -> None:
    for hour in (1, 2):
        options = ScanOptions((still,), PACK, cache=tmp_path / "cache.json")
        assert Scan(options, NOW + hour * 3600).report().at == NOW + hour * 3600


def test_details_of_a_kept_report_do_not_take_longer_the_more_there_are(still: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache.json"
    scan(still, cache).report()
    found = scan(still, cache)
    report = found.report()
    found.entries = Once(found.entries)
    assert all(one.reason for one in report.documents)


class Once(list[Any]):
    """A list that is gone through once."""

    def __iter__(self) -> Any:
        assert not getattr(self, "seen", False)
        self.seen = True
        return super().__iter__()


def test_a_document_is_the_same_whichever_link_leads_to_it(sure: Sure, site: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(site)
    sure.documents.event(tmp_path / "link" / "index.md", "visit", by="ann", now=NOW)
    assert [one.symbol for one in sure.documents.events(site / "index.md")] == ["visit"]
    changed = site / "index.md"
    changed.write_text("# Changed\n")
    report = sure.documents.scan(tmp_path / "link", changed="HEAD", cache=False, now=NOW).report()
    assert [(one.path, one.state) for one in report.documents] == [("index.md", "OBSERVE")]


def test_a_folder_is_no_document(sure: Sure, site: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        sure.documents.event(site, "visit")
    with pytest.raises(InputError, match="is a folder"):
        sure.documents.show(site / "docs")


def _age(cache: Path) -> None:
    """Make a cache look as if it had been written later, so that no file counts as just changed."""
    import orjson

    data = orjson.loads(cache.read_bytes())
    data["written"] = time.time_ns() + 10**10
    cache.write_bytes(orjson.dumps(data))
