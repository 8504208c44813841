"""The commands `howsure fits`, and `howsure learn` from the store."""

from pathlib import Path

import orjson
import pytest

from howsure.store.ledger_tables import fits as table
from howsure.sure import open as open_store
from tests.conftest import Run
from tests.learn.simulation import World


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Return a store with 120 outcomes."""
    address = str(tmp_path / "store.db")
    with open_store(address) as sure:
        World(sure).live(120)
    return address


def test_learn_apply_show_and_roll_back(howsure: Run, store: str, tmp_path: Path) -> None:
    at = ("--store", store)
    assert b"Nothing was learned yet" in howsure("fits", *at).stdout
    learned = howsure("learn", *at, "--json")
    assert learned.returncode == 0, learned.stderr
    fit = orjson.loads(learned.stdout)
    assert (fit["status"], fit["outcomes"], fit["better"]) == ("candidate", 120, True)
    shown = howsure("fits", "show", fit["id"], *at).stdout.decode()
    for part in ("better beyond noise", "without a fit", "rerank", "writer / ann", f"howsure fits apply {fit['id']}"):
        assert part in shown
    assert howsure("fits", "show", "@last", *at).stdout.decode() == shown
    assert howsure("fits", "apply", fit["id"], *at).stdout.decode() == f"{fit['id']} is active\n"
    listed = howsure("fits", *at, COLUMNS="130").stdout.decode()
    assert "active" in listed
    assert "before" in listed
    stats = howsure("stats", *at).stdout.decode()
    assert f"Probabilities come from the fit {fit['id']}" in stats
    again = howsure("learn", "--apply", *at).stdout.decode()
    assert "not better beyond noise" in again
    assert "--force makes it active" in again
    refused = howsure(
        "fits", "apply", orjson.loads(howsure("fits", "list", *at, "--json").stdout.splitlines()[0])["id"], *at
    )
    assert (refused.returncode, b"not better beyond noise" in refused.stderr) == (2, True)
    assert b"no fit is active now" in howsure("fits", "rollback", *at).stdout


def test_a_withdrawn_promise_is_shown_everywhere(howsure: Run, store: str) -> None:
    with open_store(store) as sure:
        fit = sure.fits.learn(apply=True)
        with sure.session.write() as transaction:
            watch = [{"risk": 0.05, "outcomes": 9, "wrong": 7, "highest": 100.0}]
            table.set_watch(transaction, fit.id, orjson.dumps(watch).decode(), 0.05)
    doctor = howsure("doctor", HOWSURE_STORE=store, COLUMNS="300")
    assert doctor.returncode == 2
    assert b"the promise of at most 0.05 wrong was withdrawn: 7 of 9 were wrong" in doctor.stdout
    assert b"WITHDRAWN" in howsure("stats", "--store", store).stdout
    assert b"promise withdrawn" in howsure("fits", "--store", store, COLUMNS="130").stdout
    assert b"WITHDRAWN, 7 of 9" in howsure("fits", "show", fit.id, "--store", store).stdout


def test_options_of_files_and_of_the_store_do_not_mix(howsure: Run, store: str, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("s,y\n0.5,1\n")
    for arguments, message in (
        (("learn", "--score", "s", "--store", store), b"--score is about a FILE"),
        (("learn", str(file), "--apply"), b"--apply is about the store"),
        (("learn", str(file), "--score", "s"), b"the column of outcomes is missing"),
        (("learn", "--kind", "x", "--store", store), b"'x' is not one of response, investigation"),
        (("learn", "--kind", "investigation", "--store", store), b"no investigation with a known outcome"),
    ):
        done = howsure(*arguments)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert howsure("learn", "--since", "2000-01-01", "--store", store).returncode == 0
