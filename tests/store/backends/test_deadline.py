"""Reads are cancelled when their time is over."""

import time

import pytest

from howsure.errors import StoreError
from howsure.store.backends.deadline import (
    deadline,
    is_over,
    parts_with_breaks,
    seconds_left,
    take_break,
    yield_with_breaks,
)
from howsure.sure import Sure

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000) SELECT COUNT(*) FROM n"


def test_a_query_is_cancelled_while_it_runs(sure: Sure) -> None:
    database = sure.session.database
    with deadline(time.monotonic() + 0.3), pytest.raises(StoreError), database.read() as transaction:
        transaction.value(ENDLESS)
    with database.read() as transaction:  # the connection is as good as before, and has no deadline any more
        assert transaction.value("SELECT 1") == 1
    assert seconds_left() is None


def test_no_read_begins_after_the_deadline(sure: Sure) -> None:
    with deadline(time.monotonic() - 1):
        assert is_over()
        with pytest.raises(StoreError, match="took too long"):
            sure.claims.find()
        with deadline(None):
            assert not is_over()
            assert sure.claims.find().claims == []
    assert not is_over()


def test_writes_are_not_cancelled(sure: Sure) -> None:
    with deadline(time.monotonic() - 1), sure.session.write() as transaction:
        assert is_over()
        transaction.run("DELETE FROM requests")


def test_long_work_gives_way_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.store.backends.deadline.BREAK", 0.0)
    turns: list[None] = []
    with deadline(None, lambda: turns.append(None)):
        take_break()
        assert sum(yield_with_breaks([1, 2, 3])) == 6
    take_break()  # without anything more urgent, it goes on
    assert sum(yield_with_breaks([1, 2, 3])) == 6
    assert len(turns) == 4


def test_long_lists_and_many_rows_give_way_between_parts(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.store.backends.deadline.BREAK", 0.0)
    turns: list[None] = []
    query = ENDLESS.replace("COUNT(*) FROM n", "i FROM n LIMIT 1100")
    with sure.session.database.read() as transaction, deadline(None, lambda: turns.append(None)):
        assert list(parts_with_breaks([1, 2, 3, 4, 5], 2)) == [[1, 2], [3, 4], [5]]
        assert len(turns) == 3
        assert transaction.rows(query) == [(number,) for number in range(1, 1101)]
    assert transaction.dialect.name != "sqlite" or len(turns) == 6
