"""The table of fits."""

from pathlib import Path

from howsure.store.ledger_tables import fits
from howsure.store.ledger_tables.fits import FitRow
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW


def _row(name: str, **other: object) -> FitRow:
    fit = FitRow(name, "response", "candidate", NOW, None, None, "ann", '{"n": 1}')
    return fit._replace(**other)  # type: ignore[arg-type]


def test_one_fit_of_a_kind_is_active(sure: Sure) -> None:
    with sure.session.write() as transaction:
        for fit in (_row("f1"), _row("f2"), _row("f3", kind="investigation")):
            fits.insert(transaction, fit)
        assert fits.active_id(transaction, "response") is None
        assert fits.get_active(transaction, "response") is None
        fits.activate(transaction, _row("f1"), NOW + 1)
        fits.activate(transaction, _row("f3", kind="investigation"), NOW + 1)
        fits.set_watch(transaction, "f1", '{"outcomes": 3}')
        fits.activate(transaction, _row("f2"), NOW + 2)
        first = _row("f1", status="retired", activated_at=NOW + 1, retired_at=NOW + 2, watch='{"outcomes": 3}')
        assert fits.get(transaction, "f1") == first
        assert fits.active_id(transaction, "response") == "f2"
        fits.activate(transaction, _row("f1"), NOW + 3)
        assert fits.get_active(transaction, "response") == _row(
            "f1", status="active", activated_at=NOW + 3, replaces="f2"
        )
        assert fits.latest(transaction, "response") == fits.get(transaction, "f2")
        fits.set_watch(transaction, "f1", "[]", 0.05)
        assert fits.read_active(transaction, "response") == ("f1", 0.05)
        fits.retire(transaction, "response", NOW + 4)
        assert fits.active_id(transaction, "response") is None
        assert fits.active_id(transaction, "investigation") == "f3"
        assert [fit.id for fit in fits.list_all(transaction)] == ["f3", "f2", "f1"]
        assert [fit.id for fit in fits.list_all(transaction, "response")] == ["f2", "f1"]
        assert fits.get(transaction, "f4") is None


def test_an_import_keeps_fits_but_does_not_replace_the_active_one(sure: Sure, tmp_path: Path) -> None:
    with sure.session.write() as transaction:
        fits.insert(transaction, _row("f1"))
        fits.activate(transaction, _row("f1"), NOW + 1)
    with open_store(str(tmp_path / "other.db")) as other, open_store(str(tmp_path / "third.db")) as third:
        with third.session.write() as transaction:
            fits.insert(transaction, _row("own", status="active"))
        for store in (other, third, third):
            store.claims.import_(sure.claims.export())
        with other.session.database.read() as transaction:
            assert fits.get_active(transaction, "response") == _row("f1", status="active", activated_at=NOW + 1)
        with third.session.database.read() as transaction:
            assert fits.active_id(transaction, "response") == "own"
            assert [fit.status for fit in fits.list_all(transaction)] == ["retired", "active"]
