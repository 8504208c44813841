"""Looking back: sums of hours and exact edges count what counting one by one counts, wherever the window lies."""

import random
from contextlib import suppress
from math import inf
from pathlib import Path

import pytest

from howsure.shapes import HOUR
from howsure.store.ledger_tables import decisions as ledger
from howsure.store.ledger_tables.decisions import DecisionRow
from howsure.store.ledger_tables.history_window import Window, WindowCounts, count_window
from howsure.sure import Sure
from howsure.sure import open as open_store

START = 500_000 * HOUR


@pytest.mark.parametrize("seed", range(3))
def test_a_window_holds_what_is_in_it(sure: Sure, seed: int) -> None:
    dice = random.Random(seed)
    moments = [START + dice.choice((0.0, 1.0, dice.uniform(0, 8) * HOUR, dice.randrange(8) * HOUR)) for _ in range(60)]
    rows = [(at, dice.random() < 0.7, dice.choice((None, None, "right", "wrong"))) for at in moments]
    with sure.session.write() as transaction:
        transaction.run("INSERT INTO specs (fingerprint, content) VALUES ('x', '{}')")
        about = ("response", "ann", "", "", "", "")
        ledger.insert(
            transaction,
            [
                DecisionRow(f"a{n}", at, *about, 0.8, 0.8, "pass" if met else "block", met, "x", None, None, "{}")
                for n, (at, met, _) in enumerate(rows)
            ],
        )
        for number, (_, _, outcome) in enumerate(rows):
            if outcome is not None:
                key = transaction.value("SELECT key FROM decisions WHERE id = ?", [f"a{number}"])
                ledger.add_outcome(transaction, key, START, "right" if outcome == "right" else "wrong", "bob", "")
    with sure.session.database.read() as transaction:
        for _ in range(120):
            since, until = sorted(dice.choice((dice.choice(moments), START + dice.uniform(-1, 9) * HOUR)) for _ in "ab")
            inside = [(met, outcome) for at, met, outcome in rows if since <= at <= until]
            known = [outcome for _, outcome in inside if outcome is not None]
            expected = (sum(met for met, _ in inside), len(inside), known.count("right"), len(known))
            assert count_window(transaction, "ann", "response", since, until) == expected, (since, until)
        assert count_window(transaction, "bob", "response", START, START + HOUR) == (0, 0, 0, 0)


class _Book:
    """A ledger written by two processes' worth of connections, and the same counts by going through everything."""

    def __init__(self, mine: Sure, other: Sure, dice: random.Random) -> None:
        self.mine, self.other, self.dice = mine, other, dice
        self.now = START
        self.made = 0
        with mine.session.write() as transaction:
            transaction.run("INSERT INTO specs (fingerprint, content) VALUES ('x', '{}')")

    def entry(self) -> DecisionRow:
        late = self.dice.choice((0.0, 0.0, 0.0, self.dice.uniform(-3, 1) * HOUR))
        self.made += 1
        met = self.dice.random() < 0.6
        about = ("response", self.dice.choice(("ann", "bob")), "", "", "", "")
        decision = "pass" if met else "block"
        return DecisionRow(f"a{self.made}", self.now + late, *about, 0.5, 0.8, decision, met, "x", None, None, "{}")

    def write(self) -> None:
        book = self.mine if self.dice.random() < 0.95 else self.other
        with book.session.write() as transaction:
            ledger.insert(transaction, [self.entry() for _ in range(self.dice.choice((1, 1, 1, 3)))])

    def fail(self) -> None:
        with suppress(KeyError), self.mine.session.write() as transaction:
            count_window(transaction, "ann", "response", self.now - 2 * HOUR, self.now)
            ledger.insert(transaction, [self.entry()])
            raise KeyError

    def fail_in_part(self) -> None:
        with self.mine.session.write() as transaction:
            count_window(transaction, "ann", "response", self.now - 2 * HOUR, self.now)
            with suppress(KeyError), transaction.savepoint():
                ledger.insert(transaction, [self.entry()])
                raise KeyError

    def judge(self) -> None:
        if self.made:
            book = self.dice.choice((self.mine, self.other))
            with book.session.write() as transaction:
                name = f"a{self.dice.randint(1, self.made)}"
                key = transaction.value("SELECT key FROM decisions WHERE id = ?", [name])
                if key is not None:
                    ledger.add_outcome(transaction, key, self.now, self.dice.choice(("right", "wrong")), "eve", "")

    def remove(self) -> None:
        with self.dice.choice((self.mine, self.other)).session.write() as transaction:
            keys = [key for (key,) in transaction.rows("SELECT key FROM decisions ORDER BY key")]
            ledger.delete(transaction, self.dice.sample(keys, min(len(keys), 2)))

    def look(self) -> None:
        agent = self.dice.choice(("ann", "bob", "eve"))
        since = self.now - 2 * HOUR + self.dice.choice((0.0, 0.0, self.dice.uniform(-1, 1) * HOUR))
        until = max(since, self.now + self.dice.choice((0.0, 0.0, -0.5 * HOUR)))
        with self.mine.session.write() as transaction:
            rows = transaction.rows(
                "SELECT a.met, (SELECT outcome FROM outcomes WHERE decision = a.key ORDER BY key DESC LIMIT 1) "
                "FROM decisions a WHERE agent = ? AND at >= ? AND at <= ?",
                [agent, since, until],
            )
            known = [outcome for _, outcome in rows if outcome is not None]
            expected = (sum(met for met, _ in rows), len(rows), known.count("right"), len(known))
            assert count_window(transaction, agent, "response", since, until) == expected


@pytest.mark.parametrize("seed", range(3))
def test_a_window_that_is_kept_is_the_one_that_would_be_counted(
    sure: Sure, address: str, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr("howsure.store.ledger_tables.history_window._MOST_AHEAD", 3 * seed + 1)
    with open_store(address) as other:
        book = _Book(sure, other, random.Random(seed))
        acts = [book.write] * 12 + [book.look] * 30 + [book.judge, book.remove, book.fail, book.fail_in_part]
        for _ in range(600):
            book.dice.choice(acts)()
            book.now += book.dice.choice((0.0, 1.0, book.dice.uniform(0, 0.1) * HOUR))


def test_a_window_is_moved_on_without_looking_into_the_tables(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s.db"), clock=lambda: START) as sure:
        book = _Book(sure, sure, random.Random(1))
        for _ in range(40):
            book.write()
        with sure.session.write() as transaction:
            count_window(transaction, "ann", "response", START - HOUR, START)
            before = dict(transaction.cache or {})
            ledger.insert(transaction, [book.entry()])
            assert count_window(transaction, "ann", "response", START - HOUR, START) == before["ann", "response"].counts
            assert transaction.cache == before


def test_a_window_keeps_a_bounded_number_of_decisions_ahead() -> None:
    window = Window(0.0, -1.0, WindowCounts())
    window.end = inf
    for number in range(1000):
        assert window.add(float(number), met=True)
    assert len(window.ahead) <= 256
    assert (window.total, window.end) == (1000, window.ahead[-1][0])
