"""Plain denials: "S verbs O" and "S does not verb O"."""

import pytest

from benchmarks.hard_denials import find_denials, make_hard_denials, make_lookalikes
from benchmarks.plain_denials import make_denials
from howsure.text.contradictions import find_conflicts, read_pair
from howsure.text.contradictions.denials import affirm, is_denial
from howsure.text.contradictions.tokens import tokenize


def severity(one: str, other: str) -> float:
    return max((conflict.severity for conflict in find_conflicts([one, other])), default=0.0)


def test_nearly_all_plain_denials_are_found_in_both_orders() -> None:
    pairs = list(make_denials(192, seed=1))
    found = [severity(one, other) >= 0.5 and severity(other, one) >= 0.5 for one, other in pairs]
    assert sum(found) >= 0.98 * len(pairs)


def test_hard_denials_are_found_and_what_looks_like_one_seldom_is() -> None:
    denials = find_denials(list(make_hard_denials(192, seed=192)))
    assert [sum(column) >= 0.98 * 192 for column in zip(*denials, strict=True)] == [True, True]
    others = find_denials(list(make_lookalikes(96, seed=192)))
    assert [sum(column) <= 0.1 * 96 for column in zip(*others, strict=True)] == [True, True]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("She owned a boat.", "She no longer owns a boat."),
        ("They support OAuth.", "They did not support OAuth."),
        ("The robot does retries.", "The robot does not just do retries."),
        ("The nurses keep a diary.", "The nurses never fail to keep a diary."),
        ("The hook runs the tests.", "The hook does not forget to run the tests."),
    ],
)
def test_a_change_and_a_double_negation_are_no_conflict(one: str, other: str) -> None:
    assert severity(one, other) == 0.0
    assert read_pair(one, other).contradiction < 0.5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Version 3 supports Windows.", "Version 3 does not support Windows."),
        ("She likes tea.", "She doesn't like tea."),
        ("He owns a boat.", "He does not own any boat."),
        ("The tool frobnicates files.", "The tool never frobnicates files."),
        ("The router supports IPv6.", "The router no longer supports IPv6."),
    ],
)
def test_a_denial_is_a_contradiction_with_the_denied_word(one: str, other: str) -> None:
    (conflict,) = find_conflicts([one, other])
    assert conflict.kind == "contradiction"
    assert "denied" in conflict.reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Some users pay.", "Some users don't pay."),
        ("She owned a boat.", "She does not own a boat."),
        ("She owned a boat.", "She no longer owns a boat."),
        ("It was open.", "It is not open."),
        ("It can run offline.", "It does not run offline."),
        ("Version 3 supports Windows.", "Version 2 does not support Windows."),
    ],
)
def test_what_may_both_hold_is_no_denial(one: str, other: str) -> None:
    sides = affirm(tokenize(one)), affirm(tokenize(other))
    assert None in sides or not is_denial(*sides)  # type: ignore[arg-type]


def test_two_negations_cancel_each_other_out() -> None:
    one, other = affirm(tokenize("It never doesn't run.")), affirm(tokenize("It runs."))
    assert one is not None
    assert other is not None
    assert not is_denial(one, other)
