"""Search among vectors: exactly, and by signs first, against a plain comparison with all."""

import numpy as np
import pytest

from howsure.claims import nearest
from howsure.claims.nearest import NearestClaims
from howsure.store.claim_tables import vectors
from howsure.sure import Sure

WIDTH = 96


@pytest.mark.parametrize("exact", [1000, 0])
def test_the_nearest_are_found_also_after_more_were_added(
    sure: Sure, exact: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "_BLOCK", 16)
    dice = np.random.default_rng(3)
    stored = dice.normal(size=(60, WIDTH)).astype(np.float32)
    stored /= np.linalg.norm(stored, axis=1, keepdims=True)
    records = [
        {"statement": f"Claim about {number}", "source": "user:ann", "namespace": f"n/{number % 2}"}
        for number in range(60)
    ]
    assert sure.claims.learn(records).created == 60
    search = NearestClaims("e 1", exact)
    for count in (0, 1, 37, 60):
        with sure.session.write() as transaction:
            rows = [(place + 1, stored[place].astype("<f2").tobytes()) for place in range(count)]
            vectors.insert(transaction, "e 1", rows)
        with sure.session.database.read() as transaction:
            wanted = stored[5] + 0.1 * stored[7]
            wanted /= np.linalg.norm(wanted)
            cosines = stored[:count].astype(np.float16).astype(np.float32) @ wanted
            found = search.search(transaction, wanted, 10)
            assert [one.claim for one in found] == [int(place) + 1 for place in np.argsort(-cosines)[:10]]
            assert np.allclose([one.cosine for one in found], np.sort(cosines)[::-1][:10], atol=1e-5)
            even = search.search(transaction, wanted, 100, "n/0")
            assert sorted(one.claim for one in even) == [place + 1 for place in range(count) if place % 2 == 0]
            names = ["n/0", "n/1", "none"]
            each = search.search_each(transaction, np.stack([wanted] * 3), names, 7)
            singly = [search.search(transaction, wanted, 7, name) for name in names]
            assert [[one.claim for one in some] for some in each] == [[one.claim for one in some] for some in singly]
    with sure.session.database.read() as transaction:
        assert search.count(transaction) == 60


def test_a_damaged_vector_is_left_out(sure: Sure) -> None:
    for number in range(3):
        sure.claims.add(f"Claim about {number}", source="user:ann")
    good = np.ones(8, dtype="<f2").tobytes()
    with sure.session.write() as transaction:
        vectors.insert(transaction, "e 1", [(1, good), (2, b"abc"), (3, good)])
    with sure.session.database.read() as transaction:
        found = NearestClaims("e 1").search(transaction, np.ones(8, dtype=np.float32), 5)
    assert [one.claim for one in found] == [1, 3]


def test_a_damaged_vector_is_left_out_also_if_it_is_new(sure: Sure) -> None:
    for number in range(2):
        sure.claims.add(f"Claim about {number}", source="user:ann")
    search, vector = NearestClaims("e 1"), np.ones(8, dtype=np.float32)
    for claim, stored in ((1, np.ones(8, dtype="<f2").tobytes()), (2, b"abcd")):
        with sure.session.write() as transaction:
            vectors.insert(transaction, "e 1", [(claim, stored)])
        with sure.session.database.read() as transaction:
            assert [one.claim for one in search.search(transaction, vector, 5)] == [1]
