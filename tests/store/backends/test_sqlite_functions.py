"""A SQLite without mathematical functions gets them from Python, and gives the same intervals."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from howsure.store.backends.sqlite import prepare
from howsure.store.backends.sqlite_functions import FUNCTIONS
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW


def test_functions_that_sqlite_lacks_come_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address, real = str(tmp_path / "store.db"), sqlite3.connect
    intervals: dict[tuple[str, float], list[float]] = {}

    def lacking(*arguments: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = real(*arguments, **named)
        for name, arity in {"POWER": 2, "EXP": 1, "LN": 1, "LOG2": 1, "SQRT": 1}.items():
            connection.create_function(name, arity, None)
        with pytest.raises(sqlite3.OperationalError):
            connection.execute("SELECT POWER(2.0, 3.0)")
        return connection

    for way in (real, lacking):
        monkeypatch.setattr(sqlite3, "connect", way)
        with open_store(address, clock=lambda: NOW) as sure:
            if not sure.claims.find().claims:
                _variety(sure)
            for formula in ("noisy_or", "subjective_logic", "dempster_shafer", "beta"):
                for now in (NOW, NOW + 40 * 86400.0, 9.9e11):
                    page = sure.claims.find(formula=formula, now=now, limit=None, order="statement")
                    found = [bound for claim in page.claims for bound in claim.interval]
                    assert found == pytest.approx(intervals.setdefault((formula, now), found), abs=1e-12)
    assert len(intervals) == 12


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_single_function_that_is_missing_is_noticed(name: str) -> None:
    arity, function = FUNCTIONS[name]
    call = f"SELECT {name}({', '.join('?' * arity)})"
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.create_function(name, arity, None)
        with pytest.raises(sqlite3.OperationalError):
            connection.execute(call, [2.5] * arity)
        prepare(connection)
        assert connection.execute(call, [2.5] * arity).fetchone() == (function(*[2.5] * arity),)
        assert connection.execute(call, [None] * arity).fetchone() == (None,)


def _variety(sure: Sure) -> None:
    ids = []
    for number, share in enumerate((0.0, 1e-9, 0.1, 0.5, 0.95, 1.0)):
        entries = [{"source_type": f"t{n}", "source_id": "a", "contribution": share} for n in range(number % 3 + 1)]
        added = sure.claims.add(f"claim {number}", sources=entries, stale_at=NOW if number % 2 else "never")
        ids.append(str(added.id))
    sure.claims.relate(ids[4], "supports", ids[3], strength=0.7)
    sure.claims.relate(ids[5], "contradicts", ids[3])
    sure.claims.derive("so", ids[3:], confidence=0.9)
