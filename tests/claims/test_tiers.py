"""Promoting claims, and forgetting them."""

from pathlib import Path
from typing import Any

import pytest

from howsure.claims.api import Claims
from howsure.claims.claim import Claim
from howsure.claims.tiers import ClaimPromotion
from howsure.errors import InputError
from howsure.formulas.decay import Tier
from howsure.sure import Sure
from howsure.sure import open as open_store


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


@pytest.mark.parametrize("contribution", [7.0, -0.1, float("nan"), "much"])
def test_a_verification_contributes_a_number_from_0_to_1(sure: Sure, contribution: Any) -> None:
    claim = sure.claims.add("The sky is blue", source="u:a")
    with pytest.raises(InputError, match="contribution"):
        sure.claims.verify(claim.id, source="u:b", contribution=contribution)
    assert sure.claims.get(claim.id).interval == claim.claim.interval


def test_the_result_has_the_tier_of_the_claim_whatever_the_gatekeeper_says(sure: Sure) -> None:
    claim = sure.claims.add("The sky is blue", source="u:a").id

    def refuse(claim: Claim, tier: Tier) -> ClaimPromotion:
        return ClaimPromotion("rejected", ["no"], "persistent")

    assert Claims(sure.session, refuse).promote(claim).tier == sure.claims.get(claim).tier == "task"


def test_dates_of_a_promoted_claim_can_be_imported(sure: Sure, tmp_path: Path) -> None:
    late = 1e12 - 10
    sources = [{"source_type": kind, "source_id": "ann", "contribution": 0.9} for kind in ("user_input", "test")]
    claim = sure.claims.add("The sky is blue", sources=sources, now=late).id
    assert sure.claims.promote(claim, "project", now=late).outcome == "promoted"
    moved = sure.claims.get(claim, now=late)
    assert (moved.stale_at, moved.expires_at) == (1e12, 1e12)
    with open_store(str(tmp_path / "other.db")) as other:
        assert other.claims.import_(sure.claims.export()).claims == 1
