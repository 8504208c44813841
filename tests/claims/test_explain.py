"""An explanation gives the interval that reading the claim gives."""

import pytest

from howsure.sure import Sure


def test_explaining_and_reading_a_derived_claim_agree(sure: Sure) -> None:
    ground = sure.claims.add("ground", source="u:a", contribution=0.8).id or ""
    derived = sure.claims.derive("derived", [ground], confidence=0.9, by="bob").id or ""
    sure.claims.add("derived", source="u:ann", contribution=0.8)
    for round_ in range(2):
        found = sure.claims.explain(derived)
        assert found.derived is not None
        assert (found.derived["lower"], found.derived["upper"]) == pytest.approx(sure.claims.get(derived).interval)
        assert not any("another independent source" in change.what for change in found.changes)
        assert "It was derived from 1 claim:" in found.words
        assert all(change.upper <= 0.8 + 1e-9 for change in found.changes)
        if round_ == 0:
            sure.claims.invalidate_source("inference", "bob")
