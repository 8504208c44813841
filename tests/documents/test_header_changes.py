"""Headers: scores stand in the files, nothing else in them changes, and time alone makes none outdated."""

import json
import resource
import stat
from datetime import date
from pathlib import Path

import pytest

from howsure.documents import header_changes as scored_headers
from howsure.documents.document import SkippedFile
from howsure.documents.headers import edit as headers
from howsure.documents.scan import Scan, ScanOptions
from howsure.errors import HowsureError
from howsure.text.patterns import load_builtin_pack
from tests.documents.scans import git, start_of_day

FILES: dict[str, bytes] = {
    "index.md": b"---\ntitle: x\n---\n# Home\n",
    "crlf.md": b"# Home\r\ntext\r\n",
    "bom.txt": b"\xef\xbb\xbfhello",
    "page.html": b"<!DOCTYPE html>\n<html></html>\n",
    "tool.py": b'#!/usr/bin/env python3\n# -*- coding: latin-1 -*-\n"""\xe9"""\n',
    "run.sh": b"#!/bin/sh\necho hi\n",
    "app.ts": b"/// <reference types='x' />\nlet a = 1\n",
    "conf.yml": b"a: 1\n",
    "package.json": b'{"name": "x"}\n',
    "_data/hours.json": b'{\n  "rows": [1.0e3]\n}\n',
    "_data/list.json": b"[1, 2]\n",
    "_data/t.csv": b"a,b\r\n1,2",
    "wide.txt": "größe\n".encode("utf-16"),
    "empty.md": b"",
}
DAY = date(2026, 11, 15)


def scan(folder: Path, day: date = DAY) -> Scan:
    return Scan(ScanOptions((folder,), load_builtin_pack("default"), everything=True), start_of_day(day))


def written(found: Scan) -> list[str]:
    changes = list(scored_headers.changes(found, found.report()))
    for change in changes:
        assert not isinstance(change, SkippedFile), change
        scored_headers.apply_change(found, change)
    return sorted(change.path for change in changes)


def states(found: Scan) -> dict[str, str]:
    documents = {one.path: one for one in found.report().documents}
    return {
        entry.file.path: scored_headers.header_state(found, entry, documents[entry.file.path])
        for entry in found.scanned_files
    }


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Give a repository with a file of each kind, committed half a year ago."""
    folder = tmp_path / "tree"
    for path, content in FILES.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    (folder / "run.sh").chmod(0o751)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first", at="2026-05-15T00:00:00Z")
    return folder


def content_without_headers(folder: Path) -> dict[str, bytes]:
    found = {}
    for path in FILES:
        style = headers.header_style(path, in_data=path.startswith("_data/"))
        data = (folder / path).read_bytes()
        found[path] = data if style is None or style.kind == "sidecar" else headers.remove(data, style)
    return found


def test_headers_are_put_in_and_nothing_else_changes(tree: Path) -> None:
    changed = written(scan(tree))
    assert set(changed) == {
        *(path for path in FILES if path not in ("package.json", "_data/list.json", "_data/t.csv")),
        "_data/list.json.confidence.json", "_data/t.csv.confidence.json",
    }  # fmt: skip
    assert content_without_headers(tree) == FILES
    assert stat.S_IMODE((tree / "run.sh").stat().st_mode) == 0o751
    member = json.loads((tree / "_data/hours.json").read_text())["_confidence"]
    assert member == {"score": 0.994, "next_review": "2026-11-15", "decay_rate": 0.001, "human_validated": False}
    assert json.loads((tree / "_data/t.csv.confidence.json").read_text())["_confidence"] == member
    header = headers.read((tree / "index.md").read_bytes(), headers.Style("markup", "markdown"))
    assert header is not None
    assert (header["BASE"], header["DATA_DECAY"], header["LAST_UPDATED"]) == ("0.6", "-0.006", "2026-11-15")
    assert not [path for path in tree.rglob("*") if path.name.endswith(".part")]


def test_a_second_run_changes_nothing(tree: Path) -> None:
    written(scan(tree))
    assert set(states(scan(tree)).values()) == {"current", "impossible"}
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file() and ".git/" not in str(path)}
    assert written(scan(tree)) == []
    assert {path: path.read_bytes() for path in before} == before


def test_a_month_later_only_header_fields_differ(tree: Path) -> None:
    written(scan(tree))
    later = scan(tree, date(2026, 12, 15))
    assert set(states(later).values()) == {"current", "impossible"}  # time alone has passed
    assert written(later)
    assert content_without_headers(tree) == FILES
    header = headers.read((tree / "index.md").read_bytes(), headers.Style("markup", "markdown"))
    assert header is not None
    assert (header["DATA_DECAY"], header["LAST_UPDATED"]) == ("-0.007", "2026-12-15")


def test_a_header_is_outdated_when_its_evidence_has_changed(tree: Path) -> None:
    written(scan(tree))
    place = tree / "index.md"
    place.write_bytes(place.read_bytes().replace(b"title: x", b"title: x\nsources: []\nevidence: 1"))
    found = states(scan(tree))
    assert found["index.md"] == "outdated"
    assert found["crlf.md"] == "current"


def test_a_commit_of_headers_makes_no_page_young(tree: Path) -> None:
    written(scan(tree))
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "headers", at="2026-11-15T00:00:00Z")
    found = {one.path: one for one in scan(tree, date(2026, 12, 15)).report().documents}
    assert found["index.md"].months == pytest.approx(7.03, abs=0.05)
    assert found["package.json"].months == pytest.approx(7.03, abs=0.05)
    (tree / "crlf.md").write_bytes((tree / "crlf.md").read_bytes() + b"more\r\n")
    git(tree, "commit", "-qam", "text", at="2026-12-01T00:00:00Z")
    again = {one.path: one for one in scan(tree, date(2026, 12, 15)).report().documents}
    assert again["crlf.md"].months == pytest.approx(0.46, abs=0.05)
    assert again["index.md"].months == pytest.approx(7.03, abs=0.05)


def test_files_changed_meanwhile_are_left_unchanged(tree: Path) -> None:
    found = scan(tree)
    change = next(c for c in scored_headers.changes(found, found.report()) if not isinstance(c, SkippedFile))
    place = tree / change.path
    place.write_bytes(b"somebody else was faster")
    with pytest.raises(HowsureError, match="was changed by somebody else"):
        scored_headers.apply_change(found, change)
    assert place.read_bytes() == b"somebody else was faster"


def test_a_full_disk_keeps_the_old_file(tree: Path) -> None:
    found = scan(tree)
    changes = list(scored_headers.changes(found, found.report()))
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3, most))  # no file gets longer than this
    try:
        for change in changes:
            assert not isinstance(change, SkippedFile)
            with pytest.raises(HowsureError, match="cannot be written: File too large"):
                scored_headers.apply_change(found, change)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert {path: (tree / path).read_bytes() for path in FILES} == FILES
    assert not [path for path in tree.rglob("*") if path.name.endswith((".part", ".confidence.json"))]


def test_a_link_is_never_written_through(tree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("mine\n")
    found = scan(tree)
    report = found.report()
    (tree / "index.md").unlink()
    (tree / "index.md").symlink_to(outside)
    changes = {change.path: change for change in scored_headers.changes(found, report)}
    assert isinstance(changes["index.md"], SkippedFile)
    assert outside.read_text() == "mine\n"


def test_a_diff_shows_what_would_change(tree: Path) -> None:
    found = scan(tree)
    changes = {change.path: change for change in scored_headers.changes(found, found.report())}
    change = changes["run.sh"]
    assert not isinstance(change, SkippedFile)
    assert change.diff().startswith(b"--- a/run.sh\n+++ b/run.sh\n@@ -1,2 +1,9 @@\n #!/bin/sh\n+# CONFIDENCE SCORE: ")
    assert (tree / "run.sh").read_bytes() == FILES["run.sh"]


def test_a_commit_of_a_new_file_makes_no_header_outdated(tree: Path) -> None:
    (tree / "new.py").write_text("x = 1\n")
    (tree / "new.txt").write_text("x\n")
    written(scan(tree))
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "new", at="2026-11-15T00:00:00Z")
    assert set(states(scan(tree)).values()) == {"current", "impossible"}
    since = Scan(
        ScanOptions((tree,), load_builtin_pack("default"), changed="HEAD~1", everything=True), start_of_day(DAY)
    )
    assert {states(since)[path] for path in ("new.py", "new.txt")} == {"current"}
    (tree / "new.txt").write_text((tree / "new.txt").read_text() + "pytest\n")
    assert states(scan(tree))["new.txt"] == "outdated"


def test_a_diff_can_be_applied_whatever_the_encoding(tree: Path) -> None:
    (tree / "feed.md").write_bytes("# A\x0cB\x85\u2028C\n".encode())
    (tree / "latin.txt").write_bytes(b"caf\xe9\n")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "more")
    found = scan(tree)
    changes = [
        change for change in scored_headers.changes(found, found.report()) if not isinstance(change, SkippedFile)
    ]
    patch = tree.parent / "all.patch"
    patch.write_bytes(b"".join(change.diff() for change in changes))
    git(tree, "apply", "--whitespace=nowarn", str(patch))
    assert {change.path: (tree / change.path).read_bytes() for change in changes} == {
        change.path: change.after for change in changes
    }


def test_a_future_date_is_not_a_validation(tree: Path) -> None:
    (tree / "_data" / "x.json").write_text('{"data_metadata": {"validated": "2099-01-01", "reviewed_by": "ann",'
                                           ' "created": "2026-11-01"}}')  # fmt: skip
    written(scan(tree))
    assert json.loads((tree / "_data" / "x.json").read_text())["_confidence"]["human_validated"] is False
