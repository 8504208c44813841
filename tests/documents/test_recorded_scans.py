"""Recorded scans: what was scanned is kept in the ledger, and comes back as it was."""

from pathlib import Path

import pytest

from howsure.documents import api as documents_api
from howsure.documents import recorded_scans as recorded
from howsure.documents.recorded_scans import TASK, ScannedDocument, record
from howsure.errors import InputError, NotFoundError
from howsure.formulas.scoring import score
from howsure.serve.operations import operation
from howsure.shapes.encode import encode
from howsure.sure import Sure
from tests.documents.factory import NOON, document, hostile, report


def test_a_scan_is_recorded_and_comes_back(sure: Sure, tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    (folder / "_data").mkdir(parents=True)
    (folder / "index.md").write_text("---\nsources:\n  - url: a\n---\n# Home\n")
    (folder / "_data" / "hours.yml").write_text("data_metadata:\n  validated: 2025-01-01\n")
    scan = sure.documents.scan(folder, cache=False, now=NOON)
    found = scan.report()
    back = sure.documents.recorded_scan(sure.documents.record(scan, found))
    assert (back.project, back.at, back.score) == ("handbook", NOON, found.score)
    assert (back.counts.documents, back.counts.due) == (2, 1)
    assert [one.path for one in back.report.documents] == ["_data/hours.yml", "index.md"]
    for kept, own in zip(back.report.documents, found.documents, strict=True):
        for name in ("kind", "score", "milestone", "state", "months", "age_from", "action", "due", "reason"):
            assert getattr(kept, name) == getattr(own, name), name
        assert kept.gains == own.gains[:2]
    assert [one.id for one in sure.documents.list_scans("handbook").scans] == [back.id]
    assert sure.documents.list_scans("another").scans == []
    (kept_record,) = sure.ledger.find(model="document", task_id=TASK).decisions
    assert (kept_record.score, kept_record.decision, kept_record.met) == (found.score, "refresh_or_remove", False)


def test_the_reasons_to_open_a_document_are_kept(sure: Sure) -> None:
    wrong = document(
        "a.md", problems=("1 link leads nowhere: x\udcff.md",), hints=("Cart has gained pack",), weight=2.0
    )
    gap = document("b.md", gaps=tuple(f"leaves out {number}" for number in range(9)), weight=1.0)
    back = sure.documents.recorded_scan(record(sure.ledger, report(wrong, gap, document("c.md")), "shop"))
    assert (back.counts.found, back.report.found) == (2, 2)
    files = sure.documents.scan_report(back.id).files
    assert (files[0].problems, files[0].hints) == (("1 link leads nowhere: x?.md",), wrong.hints)
    assert files[1].gaps == gap.gaps[:5] == back.report.documents[1].gaps
    one = operation("documents.record_scan")
    sent = [{"path": "c.md"}, {"path": "a.md", "problems": ["1 link leads nowhere: x.md"]}]
    sent_id = one.call(sure, one.decode({"project": "p", "files": sent}))["id"]
    sent_scan = sure.documents.scan_report(sent_id)
    assert (sent_scan.found, [file.path for file in sent_scan.files]) == (1, ["a.md", "c.md"])


def test_a_part_is_not_recorded_as_the_whole(sure: Sure, tmp_path: Path) -> None:
    from tests.documents.scans import git

    (tmp_path / "a.md").write_text("# A\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    with pytest.raises(InputError, match="looked at changed files only"):
        sure.documents.record(sure.documents.scan(tmp_path, changed="HEAD", cache=False))
    assert sure.documents.list_scans().scans == []


def test_of_very_many_documents_the_most_urgent_are_kept_and_all_are_counted(
    sure: Sure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded, "MAX_DOCUMENTS", 3)
    many = report(*(document(f"{number}.md", score=number / 10, action="review") for number in range(8)))
    back = sure.documents.recorded_scan(record(sure.ledger, many, "big"))
    assert [one.path for one in back.report.documents] == ["0.md", "1.md", "2.md"]
    assert (back.counts.documents, back.counts.due, back.score) == (8, 8, many.score)
    assert len(sure.charts.documents(report=back.report).rows) == 3


def test_unusual_names_are_stored(sure: Sure) -> None:
    odd = hostile()
    back = sure.documents.recorded_scan(record(sure.ledger, odd, "odd"))
    assert len(back.report.documents) == len(odd.documents)
    assert (
        sure.documents.scan_report(back.id).files[0].path == odd.documents[0].path.encode("utf-8", "replace").decode()
    )


def test_an_empty_project_is_one_too(sure: Sure) -> None:
    back = sure.documents.recorded_scan(record(sure.ledger, report(), "empty"))
    assert (back.score, back.counts.documents, back.report.documents) == (None, 0, ())


def test_an_id_of_another_record_is_not_a_scan(sure: Sure) -> None:
    other, _ = sure.models.record("document", {"events": []})
    with pytest.raises(NotFoundError, match="is not a recorded scan"):
        sure.documents.recorded_scan(other)
    with pytest.raises(NotFoundError):
        sure.documents.recorded_scan("a0")


def test_only_scans_are_listed(sure: Sure) -> None:
    kept = record(sure.ledger, report(document("a.md", score=0.5, action="review")), "p")
    with pytest.raises(InputError, match="the task id scan is reserved for scans") as caught:
        sure.models.record("document", {"events": []}, project="p", task_id=TASK)
    assert caught.value.field == "task_id"
    sure.ledger.record(score("document", {"events": []}), sure.ledger.subject(project="p", task_id=TASK))
    assert [one.id for one in sure.documents.list_scans().scans] == [kept]
    found = operation("documents.list_scans")
    (listed,) = found.call(sure, found.decode({}))["scans"]
    whole = encode(sure.documents.scan_report(kept))
    assert listed == {name: value for name, value in whole.items() if name != "files"}


def test_scans_are_listed_page_by_page(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents_api, "SCANS_AT_ONCE", 2)
    kept = [record(sure.ledger, report(at=NOON + number), "p") for number in range(7)][::-1]
    found, cursor = operation("documents.list_scans"), None
    pages: list[list[str]] = []
    while cursor is not None or not pages:
        page = found.call(sure, found.decode({"limit": 3, "cursor": cursor}))
        pages.append([one["id"] for one in page["scans"]])
        cursor = page["cursor"]
    assert pages == [kept[:3], kept[3:6], kept[6:]]


@pytest.mark.parametrize(
    ("files", "field", "words"),
    [
        ([{"path": " "}], "files[0].path", "missing"),
        ([{"path": "a"}, {"path": "b", "due": "2026-02-30"}], "files[1].due", "invalid date"),
        ([{"path": "a", "due": ""}], "files[0].due", "invalid date"),
        ([{"path": "a", "score": 1.5}], "files[0].score", "not between 0 and 1"),
        ([{"path": "a", "state": "LOST"}], "files[0].state", "not one of"),
        ([{"path": "x" * 700}], "files[0].path", "invalid name"),
        ([{"path": "a", "gains": [["x" * 700, 0.1]]}], "files[0].gains", "invalid name"),
        ([{"path": "a", "gaps": ["x" * 700]}], "files[0].gaps", "invalid name"),
    ],
    ids=["path", "due", "no due", "score", "state", "long", "gains", "gaps"],
)
def test_invalid_fields_are_named(sure: Sure, files: list[object], field: str, words: str) -> None:
    one = operation("documents.record_scan")
    with pytest.raises(InputError, match=words) as caught:
        one.decode({"project": "p", "files": files})
    assert caught.value.field == field
    with pytest.raises(InputError) as caught:
        one.call(sure, one.decode({"project": "", "files": []}))
    assert caught.value.field == "project"


def test_a_review_whose_day_has_come_is_due(sure: Sure) -> None:
    files = [ScannedDocument("a.md", due="2000-01-01"), ScannedDocument("b.md", due="2999-01-01")]
    assert sure.documents.record_scan("p", files).due == 1
    (scan,) = sure.documents.list_scans(project="p").scans
    assert [one.action for one in sure.documents.scan_report(scan.id).files] == ["review", "none"]


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "docs/..", ".."])
def test_paths_of_a_recorded_scan_are_below_the_project(path: str) -> None:
    with pytest.raises(InputError, match="is not the path of a document"):
        ScannedDocument(path)


def test_a_document_is_recorded_once(sure: Sure) -> None:
    with pytest.raises(InputError, match=r"files\[1\].path: 'a.md' is there twice"):
        sure.documents.record_scan("p", [ScannedDocument("a.md"), ScannedDocument("a.md")])
