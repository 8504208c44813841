"""A scan: every file once, what needs attention first, and nothing read twice."""

from pathlib import Path

import pytest

from howsure.documents.document import URGENCY
from howsure.documents.scan import Scan, ScanOptions
from howsure.errors import InputError
from tests.documents.scans import NOW, PACK, by_path, git, scan


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


def test_documents_that_need_attention_come_first(site: Path) -> None:
    (site / "new.csv").write_text("a\n")
    (site / "_data" / "new.csv").write_text("a\n")
    report = scan(site, fail_under=0.61).report()
    paths = [one.path for one in report.documents]
    assert paths[0] == "_data/new.csv"  # nobody knows its age, so nobody knows that it is above the limit
    assert report.below[0].path == "_data/new.csv"
    assert {one.path for one in report.below} >= {"_data/new.csv", "docs/guide.md"}
    above = [one for one in report.documents if one not in report.below]
    urgency = [(-len(one.problems), URGENCY[one.action], one.score or 0.0) for one in above]
    assert urgency == sorted(urgency)


def test_a_new_document_is_not_below_the_limit_for_being_new(site: Path) -> None:
    (site / "plan.md").write_text("# Plan\n")
    (site / "broken.md").write_text("[the plan](plans.md)\n")
    report = scan(site, fail_under=0.9).report()
    found = by_path(report)
    assert found["plan.md"].new
    assert found["plan.md"].score < 0.9
    below = {one.path for one in report.below}
    assert "plan.md" not in below
    assert below >= {"broken.md", "index.md"}
    git(site, "add", "plan.md")
    assert "plan.md" not in {one.path for one in scan(site, fail_under=0.9).report().below}, "staged"
    git(site, "commit", "-qm", "a plan")
    assert "plan.md" in {one.path for one in scan(site, fail_under=0.9).report().below}, "committed"


def test_prose_and_data_are_scanned_unless_all_is_asked_for(site: Path) -> None:
    for path in ("setup.cfg.toml", "tests/fixtures/page.md", "LICENSE.md", "docs/page.rst"):
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text("text\n")
    assert set(by_path(scan(site, everything=False).report())) == {
        "index.md", "docs/guide.md", "docs/page.rst", "_data/hours.csv",
    }  # fmt: skip
    assert {"tool.py", "setup.cfg.toml", "LICENSE.md"} <= set(by_path(scan(site).report()))
    named = Scan(ScanOptions((site / "tool.py", site / "docs"), PACK), NOW).report()
    assert set(by_path(named)) == {"tool.py", "docs/guide.md", "docs/page.rst"}


def test_events_move_a_document_on(site: Path) -> None:
    found = by_path(scan(site, events={"index.md": (("visit", 1.0), ("confirm", 1.0))}).report())
    assert (found["index.md"].milestone, found["index.md"].state) == ("M2", "VALIDATE")
    assert found["docs/guide.md"].milestone == "M1"


def test_only_what_has_changed_is_looked_at(site: Path) -> None:
    (site / "docs" / "guide.md").write_text("# Guide, changed\n")
    (site / "docs" / "new.py").write_text("import os\n")
    report = scan(site, changed="HEAD").report()
    assert set(by_path(report)) == {"docs/guide.md", "docs/new.py"}
    assert by_path(report)["docs/new.py"].steps["non_md"] == 1.0
    assert set(by_path(scan(site, changed="HEAD", exclude=("*.py",)).report())) == {"docs/guide.md"}
    with pytest.raises(InputError, match="there is no commit 'nowhere'"):
        scan(site, changed="nowhere")


def test_no_changed_files_give_an_empty_report(site: Path) -> None:
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


def test_without_git_ages_are_unknown_and_noted(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n")
    report = scan(folder).report()
    assert report.documents[0].action == "unknown"
    assert report.notes[0].startswith("no dates from git: ")


def test_links_to_what_a_site_makes_of_a_page_lead_there(site: Path) -> None:
    (site / "docs" / "guide.md").write_text("[a](../index.html) [b](../index) [c](more) [d](gone.html) [e](x)\n")
    (site / "docs" / "more").mkdir()
    (site / "docs" / "more" / "index.md").write_text("x\n")
    (site / "docs" / "x.rst").write_text("x\n")
    assert by_path(scan(site).report())["docs/guide.md"].problems == ("2 links lead nowhere: gone.html, x",)


def test_links_of_a_site_may_start_in_the_folder_that_a_page_becomes(site: Path) -> None:
    (site / "mkdocs.yml").write_text("nav:\n  - guide.md\n  - more.md\n")
    (site / "docs" / "more.md").write_text("x\n")
    (site / "docs" / "guide.md").write_text("[a](../more#there) [b](../gone)\n")
    assert by_path(scan(site).report())["docs/guide.md"].problems == ("1 link leads nowhere: ../gone",)
