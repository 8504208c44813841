"""Looking back: sums of hours and exact edges count what counting one by one counts, wherever the window lies."""

import random

import pytest

from howsure.engine.sure import Sure
from howsure.store import ledger
from howsure.store.ledger import HOUR, Entry

START = 500_000 * HOUR


@pytest.mark.parametrize("seed", range(3))
def test_a_window_holds_what_is_in_it(sure: Sure, seed: int) -> None:
    dice = random.Random(seed)
    moments = [START + dice.choice((0.0, 1.0, dice.uniform(0, 8) * HOUR, dice.randrange(8) * HOUR)) for _ in range(60)]
    rows = [(at, dice.random() < 0.7, dice.choice((None, None, "right", "wrong"))) for at in moments]
    with sure.notebook.writing() as transaction:
        transaction.run("INSERT INTO specs (fingerprint, content) VALUES ('x', '{}')")
        about = ("response", "ann", "", "", "", "")
        ledger.write(
            transaction,
            [
                Entry(f"a{n}", at, *about, 0.8, 0.8, "pass" if met else "block", met, "x", None, None, "{}")
                for n, (at, met, _) in enumerate(rows)
            ],
        )
        for number, (_, _, verdict) in enumerate(rows):
            if verdict is not None:
                key = transaction.value("SELECT key FROM assessments WHERE id = ?", [f"a{number}"])
                ledger.add_outcome(transaction, key, START, "right" if verdict == "right" else "wrong", "bob", "")
    with sure.notebook.database.reading() as transaction:
        for _ in range(120):
            since, until = sorted(dice.choice((dice.choice(moments), START + dice.uniform(-1, 9) * HOUR)) for _ in "ab")
            inside = [(met, verdict) for at, met, verdict in rows if since <= at <= until]
            known = [verdict for _, verdict in inside if verdict is not None]
            expected = (sum(met for met, _ in inside), len(inside), known.count("right"), len(known))
            assert ledger.past(transaction, "ann", "response", since, until) == expected, (since, until)
        assert ledger.past(transaction, "bob", "response", START, START + HOUR) == (0, 0, 0, 0)
