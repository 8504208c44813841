"""The formulas that claims were added under: noted once, carried by exports, and warned of."""

import logging
from pathlib import Path

import pytest

import howsure
from howsure.formulas.beta import Beta
from howsure.formulas.noisy_or import NoisyOr
from howsure.store import transfer
from howsure.store.claim_tables import claim_formulas
from howsure.sure import Sure

OTHER = NoisyOr(boost_factor=0.2)


def notes(sure: Sure) -> int:
    with sure.session.database.read() as transaction:
        return int(transaction.value("SELECT COUNT(*) FROM claim_formulas"))


def last(sure: Sure) -> str | None:
    with sure.session.database.read() as transaction:
        spec = claim_formulas.last_used(transaction)
    return None if spec is None else f"{spec.name} {spec.parameters.get('boost_factor')}"


def test_a_store_notes_the_formula_that_claims_are_added_under(tmp_path: Path) -> None:
    path = str(tmp_path / "x.db")
    for formula, expected, count in (
        (NoisyOr(), "noisy_or 0.1", 1),
        (OTHER, "noisy_or 0.2", 2),
        (Beta(), "beta None", 3),
    ):
        with howsure.open(path, formula=formula) as sure:
            for number in range(3):
                sure.claims.add(f"{formula.spec.fingerprint} {number}")
            assert (last(sure), notes(sure)) == (expected, count)
    with howsure.open(path) as sure:
        sure.claims.add("again under the first")
        assert (last(sure), notes(sure)) == ("noisy_or 0.1", 3)


def test_opening_with_other_parameters_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = str(tmp_path / "x.db")
    with howsure.open(path, formula=OTHER) as sure:
        assert last(sure) is None
        sure.claims.add("The sky is blue")
    with caplog.at_level(logging.WARNING), howsure.open(path, formula=OTHER) as sure:
        sure.claims.find("sky")
        assert not caplog.messages
    with caplog.at_level(logging.WARNING), howsure.open(path) as sure:
        sure.responses.check("A gate needs no formula of claims.", agent="a")
        assert not caplog.messages
        sure.claims.find("sky")
        (message,) = caplog.messages
    assert "added under noisy_or (boost_factor 0.2), and are read under noisy_or (boost_factor 0.1)" in message
    assert "[models.noisy_or]" in message


def test_an_export_carries_the_formula_and_a_store_with_claims_keeps_its_own(tmp_path: Path) -> None:
    with howsure.open(str(tmp_path / "a.db"), formula=OTHER) as sure:
        sure.claims.add("The sky is blue")
        records = list(enumerate(transfer.export(sure.session.database), start=1))
    with howsure.open(str(tmp_path / "b.db")) as sure:
        with sure.session.write() as transaction:
            transfer.import_records(transaction, records)
        assert last(sure) == "noisy_or 0.2"
    with howsure.open(str(tmp_path / "c.db")) as sure:
        sure.claims.add("The sea is deep")
        with sure.session.write() as transaction:
            transfer.import_records(transaction, records)
        assert last(sure) == "noisy_or 0.1"
