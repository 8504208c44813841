"""What is believed of a clock."""

from howsure.shapes import DAY
from howsure.store.clock_checks import PLAUSIBLE, compare_clock, last_check, note_clock
from howsure.sure import Sure
from tests.conftest import NOW


def test_a_clock_is_believed_step_by_step(sure: Sure) -> None:
    with sure.session.write() as transaction:
        assert compare_clock(transaction, NOW) == (NOW, 0.0, NOW), "an empty store knows no better"
        assert last_check(transaction) is None
        note_clock(transaction, compare_clock(transaction, NOW))
        assert compare_clock(transaction, NOW + PLAUSIBLE).reached == NOW + PLAUSIBLE
        jumped = compare_clock(transaction, NOW + 80 * DAY)
        assert jumped == (NOW, 80 * DAY, NOW + 10 * DAY)
        note_clock(transaction, jumped)
        assert last_check(transaction) == NOW + 10 * DAY
        back = compare_clock(transaction, NOW - 9 * DAY)
        assert back == (NOW - 9 * DAY, 0.0, NOW + 10 * DAY), "a clock that went back deletes nothing more"


def test_without_a_check_the_newest_row_counts(sure: Sure) -> None:
    sure.claims.add("x", source="a:b", now=NOW - 30 * DAY)
    with sure.session.write() as transaction:
        assert compare_clock(transaction, NOW).ahead == 30 * DAY
    sure.responses.check(agent="a", knowledge=1.0, now=NOW - DAY)
    with sure.session.write() as transaction:
        transaction.run("DELETE FROM done")
        assert compare_clock(transaction, NOW).ahead == 0.0
