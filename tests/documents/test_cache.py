"""A second scan reuses what has not changed, and computes the rest again."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from howsure.documents.content import file_reader as reading
from howsure.documents.content.facts import FactsReader
from howsure.documents.report.csv import to_csv
from howsure.documents.report.markdown import to_markdown
from howsure.documents.report.sarif import to_sarif
from howsure.documents.scan import Scan, ScanOptions
from howsure.shapes.encode import encode
from howsure.text.patterns import load_builtin_pack
from tests.documents.report.test_html import page
from tests.documents.scans import NOW, PACK, by_path, git, scan


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


def test_without_changes_the_report_is_the_same(still: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache.json"
    first = scan(still, cache).report()
    monkeypatch.setattr(Scan, "_build_report", None)  # it is not worked out again
    again = scan(still, cache).report()
    assert encode(again.documents) == encode(first.documents)
    assert encode(again) | {"reused": 0, "seconds": 0} == encode(first) | {"reused": 0, "seconds": 0}
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
def test_any_change_recomputes_the_report(still: Path, tmp_path: Path, change: str) -> None:
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
    documents: list[dict[str, Any]] = encode(found.report().documents)
    return documents


def test_another_pack_is_read_anew(site: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache.json"
    scan(site, cache).report()
    _age(cache)
    assert Scan(ScanOptions((site,), load_builtin_pack("legal-luminary"), cache=cache), NOW).reused == 0


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format": 1}', b'{"format": 99}', b"\x00\xff"])
def test_a_broken_cache_is_ignored(site: Path, tmp_path: Path, content: bytes) -> None:
    cache = tmp_path / "cache.json"
    cache.write_bytes(content)
    assert scan(site, cache).report().documents == scan(site).report().documents


def test_an_unwritable_cache_is_ignored(site: Path) -> None:
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


@pytest.mark.parametrize("name", ["index.md", "table.csv.confidence.json"])
def test_content_of_the_same_size_and_mtime_is_read_again(site: Path, tmp_path: Path, name: str) -> None:
    cache = tmp_path / "cache.json"
    (site / "index.md").write_text("one\n")
    (site / "table.csv").write_text("a,b\n1,2\n")
    (site / "table.csv.confidence.json").write_text('{"data_metadata": {"validated": "2020-01-01"}}')
    for path in site.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    scan(site, cache).report()
    assert scan(site, cache).reused > 0
    state, content = (site / name).stat(), (site / name).read_text()
    (site / name).write_text("# 2\n" if name == "index.md" else content.replace("2020-01", "2021-02"))
    os.utime(site / name, ns=(state.st_atime_ns, state.st_mtime_ns))  # as rsync, tar and editors may do
    after = (site / name).stat()
    assert (state.st_size, state.st_mtime_ns, state.st_ino) == (after.st_size, after.st_mtime_ns, after.st_ino)
    fresh, cached = scan(site), scan(site, cache)
    assert cached.report().documents == fresh.report().documents
    assert {file.file.path: file.facts for file in cached.scanned_files} == {
        file.file.path: file.facts for file in fresh.scanned_files
    }


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


def test_unreadable_files_are_read_again(still: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    found.scanned_files = Once(found.scanned_files)
    assert all(one.reason for one in report.documents)


class Once(list[Any]):
    """A list that is gone through once."""

    def __iter__(self) -> Any:
        assert not getattr(self, "seen", False)
        self.seen = True
        return super().__iter__()


def _age(cache: Path) -> None:
    """Make a cache look as if it had been written later, so that no file counts as just changed."""
    import orjson

    data = orjson.loads(cache.read_bytes())
    data["written"] = time.time_ns() + 10**10
    cache.write_bytes(orjson.dumps(data))
