"""Events and scores of documents through an open store."""

from pathlib import Path
from typing import Any

import pytest

from howsure.errors import HowsureError, InputError
from howsure.sure import Sure
from tests.documents.scans import NOW


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
def test_an_invalid_event_is_refused(sure: Sure, site: Path, given: dict[str, Any], told: str) -> None:
    event = {"path": str(site / "index.md"), "symbol": "visit"} | given
    with pytest.raises(InputError, match=told):
        sure.documents.event(event.pop("path"), event.pop("symbol"), **event)
    assert sure.documents.events(site / "index.md") == []


def test_only_documents_can_be_shown(sure: Sure, site: Path) -> None:
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


def test_a_document_is_the_same_whichever_link_leads_to_it(sure: Sure, site: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(site)
    sure.documents.event(tmp_path / "link" / "index.md", "visit", by="ann", now=NOW)
    assert [one.symbol for one in sure.documents.events(site / "index.md")] == ["visit"]
    changed = site / "index.md"
    changed.write_text("# Changed\n")
    report = sure.documents.scan(tmp_path / "link", changed="HEAD", cache=False, now=NOW).report()
    assert [(one.path, one.state) for one in report.documents] == [("index.md", "OBSERVE")]


def test_a_folder_is_not_a_document(sure: Sure, site: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        sure.documents.event(site, "visit")
    with pytest.raises(InputError, match="is a folder"):
        sure.documents.show(site / "docs")
