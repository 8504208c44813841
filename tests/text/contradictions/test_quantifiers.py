"""Negations, and the share of cases in which a clause holds."""

import pytest

from howsure.text.contradictions.parser import parse_statement


def test_a_denial_says_what_it_denies() -> None:
    for text in (
        "It does not scale.",
        "It never scales.",
        "It fails to scale.",
        "It can't scale.",
        "It is unable to scale.",
    ):
        (clause,) = parse_statement(text)
        assert [negation.target for negation in clause.negations] == ["scal"], text
        assert clause.share == (0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("All tests pass.", (1.0, 1.0)),
        ("Not all tests pass.", (0.0, 0.99)),
        ("Some tests pass.", (0.01, 1.0)),
        ("Some tests do not pass.", (0.0, 0.99)),
        ("Most tests pass.", (0.51, 1.0)),
        ("Few tests pass.", (0.01, 0.3)),
        ("No test passes.", (0.0, 0.0)),
        ("None of the tests pass.", (0.0, 0.0)),
        ("The test passes.", (1.0, 1.0)),
        ("Tests pass.", (0.51, 1.0)),
        ("The test always passes.", (1.0, 1.0)),
        ("The test sometimes passes.", (0.01, 1.0)),
        ("The test can pass.", (0.01, 1.0)),
        ("The test cannot pass.", (0.0, 0.0)),
    ],
)
def test_a_quantifier_says_in_how_many_cases_it_holds(text: str, share: tuple[float, float]) -> None:
    assert parse_statement(text)[0].share == pytest.approx(share)


def test_a_denial_of_the_whole_counts() -> None:
    assert len(parse_statement("It is not true that the cache is not full.")[0].negations) == 2


def test_without_denies_what_follows_it_only() -> None:
    assert not parse_statement("Without it the server is slow.")[0].negations
    assert [negation.target for negation in parse_statement("It runs without root.")[0].negations] == ["root"]
