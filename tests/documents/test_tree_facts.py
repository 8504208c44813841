"""TreeFacts: what was found out once is right whatever was looked at before, and however much of it."""

from datetime import date
from pathlib import Path

import pytest

from howsure.documents import tree_facts as gathering
from howsure.documents.scan import Scan, ScanOptions
from tests.documents.scans import PACK, git, start_of_day
from tests.documents.test_header_changes import written

DAY = date(2026, 11, 15)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Give a repository whose pages are two years old, but for headers that were committed lately."""
    folder = tmp_path / "pages"
    (folder / "docs").mkdir(parents=True)
    (folder / "a.md").write_text("# A\n")
    (folder / "docs" / "b.md").write_text("# B\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first", at="2024-11-15T00:00:00Z")
    headers(folder, date(2026, 10, 15))
    return folder


def headers(folder: Path, day: date) -> None:
    written(Scan(ScanOptions((folder,), PACK), start_of_day(day)))
    git(folder, "commit", "-qam", "headers", at=f"{day}T00:00:00Z")


def ages(*paths: Path, cache: Path | None = None, changed: str | None = None) -> dict[str, int | None]:
    report = Scan(ScanOptions(paths, PACK, cache=cache, changed=changed), start_of_day(DAY)).report()
    return {one.path: None if one.months is None else round(one.months) for one in report.documents}


def test_a_look_at_a_part_does_not_make_the_rest_young(pages: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache.json"
    assert ages(pages, cache=cache, changed="HEAD") == {}
    assert ages(pages / "docs", cache=cache) == {"docs/b.md": 24}
    for _ in range(2):
        assert ages(pages, cache=cache) == {"a.md": 24, "docs/b.md": 24}


def test_a_look_at_a_part_does_not_forget_the_rest(pages: Path, tmp_path: Path) -> None:
    import os

    cache = tmp_path / "cache.json"
    for path in (pages / "a.md", pages / "docs" / "b.md"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    ages(pages, cache=cache)
    ages(pages / "docs", cache=cache)
    (pages / "new.md").write_text("# New\n")
    assert Scan(ScanOptions((pages,), PACK, cache=cache), start_of_day(DAY)).reused == 2


def test_headers_of_many_years_make_no_page_young(pages: Path) -> None:
    for month in range(1, 13):
        headers(pages, date(2027, month, 15))
        headers(pages, date(2028, month, 15))
    report = Scan(ScanOptions((pages,), PACK), start_of_day(date(2028, 12, 15))).report()
    assert {one.path: round(one.months or 0) for one in report.documents} == {"a.md": 49, "docs/b.md": 49}


def test_uncommitted_changes_do_not_change_the_history(pages: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache.json"
    text = (pages / "a.md").read_text()
    (pages / "a.md").write_text(text + "more\n")
    assert ages(pages, cache=cache)["a.md"] == 24
    (pages / "a.md").write_text(text)
    assert ages(pages, cache=cache)["a.md"] == 24


def test_line_ends_of_the_working_copy_make_no_difference(pages: Path) -> None:
    git(pages, "config", "core.autocrlf", "true")
    (pages / "a.md").unlink()
    git(pages, "checkout", "a.md")
    assert b"\r\n" in (pages / "a.md").read_bytes()
    assert ages(pages)["a.md"] == 24


def test_a_clone_that_gets_its_whole_past_is_asked_again(pages: Path, tmp_path: Path) -> None:
    clone, cache = tmp_path / "clone", tmp_path / "cache.json"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{pages}", str(clone))
    for _ in range(2):
        assert ages(clone, cache=cache) == {"a.md": None, "docs/b.md": None}
    git(clone, "fetch", "-q", "--unshallow")
    assert ages(clone, cache=cache) == {"a.md": 24, "docs/b.md": 24}


def test_git_is_asked_again_where_it_has_failed(pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    cache = tmp_path / "cache.json"
    for path in (pages / "a.md", pages / "docs" / "b.md"):
        os.utime(path, (1_700_000_000, 1_700_000_000))  # so that the report could be kept
    with monkeypatch.context() as patch:
        patch.setattr(gathering, "history", lambda _: ({}, "git took longer than 120 s"))
        assert ages(pages, cache=cache) == {"a.md": None, "docs/b.md": None}
    assert ages(pages, cache=cache) == {"a.md": 24, "docs/b.md": 24}
