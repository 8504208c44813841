"""Exports can be imported, and an import takes only what could be added."""

from pathlib import Path
from typing import Any

import pytest

from howsure.errors import InputError, StoreError
from howsure.store.claim_tables.source_weights import WeightRow, put
from howsure.store.transfer import backup, restore
from howsure.sure import Sure
from howsure.sure import open as open_store


def test_an_export_can_always_be_imported(sure: Sure, tmp_path: Path) -> None:
    sure.claims.add("for ever", ttl=1e12, source="u:" + "x" * 900)
    with pytest.raises(InputError, match="source"):
        sure.claims.add("too long", source="u:" + "x" * 1500)
    with open_store(str(tmp_path / "other.db")) as other:
        assert other.claims.import_(sure.claims.export()).claims == 1


@pytest.mark.parametrize(
    ("where", "change"),
    [
        ("claim", {"namespace": "a/b/c/d/e/f"}),
        ("claim", {"statement": " "}),
        ("claim", {"id": "%"}),
        ("event", {"detail": "\ud800"}),
        ("relation", {"target": "same"}),
    ],
)
def test_an_import_takes_nothing_that_could_not_be_added(sure: Sure, tmp_path: Path, where: str, change: Any) -> None:
    first, second = (sure.claims.add(text, source="u:a").id or "" for text in ("a", "b"))
    sure.claims.relate(first, "supports", second)
    records = list(sure.claims.export())
    for record in records:
        if where == "claim" and "claim" in record:
            record["claim"] |= change
        if where == "event" and "claim" in record:
            record["claim"]["events"][0] |= change
        if where == "relation" and "relation" in record:
            record["relation"]["target"] = record["relation"]["source"]
    with open_store(str(tmp_path / "other.db")) as other:
        with pytest.raises(InputError, match="line "):
            other.claims.import_(records)
        assert other.claims.find().claims == []


@pytest.mark.parametrize(
    ("field", "value", "limits"),
    [
        ("weight", 1e300, "-50 and 50"),
        ("variance", -1.0, "0 and 1000"),
        ("rights", 0.0, r"0.05 and 1e\+12"),
        ("wrongs", 1e-9, r"0.05 and 1e\+12"),
        ("log_choices", 51.0, "-50 and 50"),
    ],
)
def test_an_import_takes_only_weights_of_sources_that_could_be_given_by_hand(
    sure: Sure, tmp_path: Path, field: str, value: float, limits: str
) -> None:
    sure.claims.add("It rains", source="agent:a")
    with sure.session.write() as transaction:
        put(transaction, [WeightRow("agent", "a", 2.0, 0.1, "", 9.0, 2.0, 0.5)])
    records = list(sure.claims.export())
    (weight,) = (record["source_weight"] for record in records if "source_weight" in record)
    with open_store(str(tmp_path / "other.db")) as other:
        other.claims.import_(records)
        assert other.sources.get("agent:a").source.weight == 2.0
    weight[field] = value
    with open_store(str(tmp_path / "third.db")) as third:
        with pytest.raises(InputError, match=rf"line \d: {field}: .* is not between {limits}"):
            third.claims.import_(records)
        assert third.claims.find().claims == []


def test_a_restore_without_a_folder_for_temporary_files_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **_options: Any) -> None:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    with open_store(str(tmp_path / "one.db")) as one:
        backup(one.session, tmp_path / "backup.db")
    monkeypatch.setattr("tempfile.mkdtemp", fail)
    with (
        open_store(str(tmp_path / "other.db")) as other,
        pytest.raises(StoreError, match="no folder for temporary files can be written to"),
    ):
        restore(other.session, tmp_path / "backup.db")
