"""A scan: every file once, what needs attention first, and nothing read twice."""

from pathlib import Path

import pytest

from howsure.documents.document import URGENCY
from howsure.documents.scan import Scan, ScanOptions
from howsure.errors import InputError
from howsure.shapes.encode import encode
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


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Give a project in which what a page is judged by lies in other pages and files, one of them not committed yet."""
    root = tmp_path / "shop"
    pages = {
        "pyproject.toml": '[project]\nname = "shop"\n[project.optional-dependencies]\nweb = []\n',
        "README.md": '# Shop\n\nRun `pip install "shop[web]"`. See `shop/cart.py`.\n',
        "shop/__init__.py": "",
        "shop/cart.py": "class Cart:\n    def add(self): ...\n",
        "docs/api.rst": "API\n===\n\n.. class:: shop.Trolley\n\n   A trolley.\n",
        "docs/a.md": "# A\n\nSee `shop/cart.py` and `Cart`.\n",
        "docs/b.md": '# B\n\nRun `pip install "shop[all]"`. [There](../README.md#nowhere), `shop.cart.Cart`, `Cart`,'
        " `shop/cart.py`, `shop.Trolley`, `basket.Basket` and `basket.Gone`.\n",
    }
    for name, text in pages.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "-q")
    git(root, "add", ".", ":!docs/b.md")
    git(root, "commit", "-qm", "first")
    git(root, "add", ".")
    git(root, "commit", "-qm", "page")
    (root / "shop" / "cart.py").write_text("class Cart:\n    def add(self): ...\n    def wrap(self): ...\n")
    git(root, "commit", "-qam", "wrap", at="2026-02-15T12:00:00Z")
    (root / "docs" / "b.md").write_text((root / "docs" / "b.md").read_text() + "\nAnd more.\n")
    (root / "basket.py").write_text("class Basket: ...\n")
    return root


@pytest.mark.parametrize("cached", [False, True])
def test_a_page_is_judged_alike_however_it_is_named(shop: Path, tmp_path: Path, *, cached: bool) -> None:
    cache = tmp_path / "cache.json" if cached else None
    (expected,) = [one for one in scan(shop, cache, everything=False).report().documents if one.path == "docs/b.md"]
    assert expected.problems == (
        "1 link leads to no place of its page: ../README.md#nowhere",
        "names an extra that does not exist: all",
        "names code that does not exist: basket.Gone",
    )
    assert expected.changed_since == ("shop/cart.py",)
    page = shop / "docs" / "b.md"
    for paths in ((page,), (page.parent,), (page, shop / "README.md"), (shop, page)):
        for more in ({}, {"everything": True}, {"changed": "HEAD"}):
            options = ScanOptions(paths, PACK, cache=cache, **more)
            (found,) = [one for one in Scan(options, NOW).report().documents if one.path == "docs/b.md"]
            assert encode(found) == encode(expected), (paths, more)


def test_what_other_pages_say_is_noticed_when_it_changes(shop: Path, tmp_path: Path) -> None:
    options = ScanOptions((shop / "docs" / "b.md",), PACK, cache=tmp_path / "cache.json")
    assert len(Scan(options, NOW).report().documents[0].problems) == 3
    (shop / "README.md").write_text("# Shop\n\n## Nowhere\n")
    assert Scan(options, NOW).report().documents[0].problems == ("names code that does not exist: basket.Gone",)


def test_pages_that_were_not_named_are_not_reported(shop: Path, tmp_path: Path) -> None:
    (shop / "large.md").write_text("x" * 2000)
    (shop / "docs" / "away.md").symlink_to("/etc/hostname")
    cache = tmp_path / "cache.json"
    for _ in range(2):
        report = Scan(ScanOptions((shop / "docs" / "b.md",), PACK, cache=cache, largest=1000), NOW).report()
        assert [one.path for one in report.documents] == ["docs/b.md"]
        assert report.skipped == ()
        assert report.reused <= 1
