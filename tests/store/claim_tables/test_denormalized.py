"""Denormalized columns are the same however the sources of a claim came to be."""

from typing import Any

import pytest

from howsure.formulas.claim import Source
from howsure.store.claim_tables.claims import add_sources, key_of
from howsure.store.claim_tables.denormalized import DenormalizedColumns, denormalized_columns, outdated_claims, refresh
from howsure.sure import Sure
from tests.conftest import NOW

SOURCES = (
    Source("user", "ann", 0.4),
    Source("user", "ann", 0.7),
    Source("log", "build", 0.9),
    Source("agent", "7", 0.0),
    Source("agent", "8", None),
    Source("user", "bob", 1.0),
)


def _check_same(stored: Any, expected: DenormalizedColumns) -> None:
    """Check that columns are the same; the last two have no value as long as nothing was learned about a source."""
    assert stored[:-2] == pytest.approx(expected[:-2], rel=1e-12)
    assert stored[-2:] == expected[-2:] == (None, None)


def test_single_bulk_and_repeated_additions_give_the_same_columns(sure: Sure) -> None:
    claim = str(sure.claims.add("It rains", stale_at=NOW + 60).id)
    expected = denormalized_columns(SOURCES, "task", NOW + 60)
    with sure.session.write() as transaction:
        key = key_of(transaction, claim)
        query = f"SELECT {', '.join(DenormalizedColumns._fields)} FROM claims WHERE key = ?"
        for source in SOURCES:
            add_sources(transaction, key, [source], NOW)
        _check_same(transaction.one(query, [key]), expected)
        refresh(transaction, key)
        _check_same(transaction.one(query, [key]), expected)
        assert list(outdated_claims(transaction)) == []
        transaction.run("UPDATE claims SET doubt = doubt + 0.5 WHERE key = ?", [key])
        assert list(outdated_claims(transaction)) == [(key, claim)]
    assert (expected.sources, expected.source_types, expected.strongest) == (3, 2.0, 1.0)
