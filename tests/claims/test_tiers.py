"""Promoting claims, and forgetting them."""

from typing import Any

import pytest

from howsure.errors import InputError
from howsure.sure import Sure


def test_forgotten_claims_stay_forgotten(sure: Sure) -> None:
    first = sure.claims.add("the sky is blue", source="u:a").id or ""
    other = sure.claims.add("the sky is green", source="u:a").id or ""
    sure.claims.forget(first)
    again = sure.claims.add("the sky is blue", source="u:b").id or ""
    for refused in (
        lambda: sure.claims.challenge(first, other),
        lambda: sure.claims.challenge(first, again),
        lambda: sure.claims.supersede(first, again),
    ):
        with pytest.raises(InputError, match="is forgotten"):
            refused()
    assert sure.claims.get(first).status == "forgotten"


def test_promotion_to_an_unknown_tier_is_refused(sure: Sure) -> None:
    claim = sure.claims.add("x", source="u:a").id or ""
    moves: tuple[Any, ...] = (sure.claims.promote, sure.claims.demote)
    for move in moves:
        with pytest.raises(InputError, match="to: 'bogus' is not one of"):
            move(claim, "bogus")
