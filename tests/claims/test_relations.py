"""The public methods that relate claims."""

import pytest

from howsure.errors import InputError
from howsure.sure import Sure


def test_a_challenge_is_by_a_claim_or_by_a_statement(sure: Sure) -> None:
    one, two = (sure.claims.add(f"claim {n}", source="u:a").id for n in range(2))
    for given in ({}, {"by": two, "statement": "It is not"}):
        with pytest.raises(InputError, match="by: pass either `by` or `statement`"):
            sure.claims.challenge(one, **given)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="source: an existing claim has its own sources"):
        sure.claims.challenge(one, two, source="u:b")
    assert sure.claims.challenge(one, two).challenger.id == two
