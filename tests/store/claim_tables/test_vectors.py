"""The table of vectors of claims, in both databases."""

from howsure.store import transfer
from howsure.store.check import check, repair, stats
from howsure.store.claim_tables import vectors
from howsure.sure import Sure


def test_vectors_are_kept_read_and_deleted_with_their_claim(sure: Sure) -> None:
    ids = [sure.claims.add(f"The {word} is here", source="user:ann").id for word in ("cat", "dog", "cow")]
    with sure.session.write() as transaction:
        vectors.insert(transaction, "e 1", [(1, b"aa"), (2, b"bb"), (99, b"zz")])
        vectors.insert(transaction, "e 1", [(2, b"xx")])
        vectors.insert(transaction, "other", [(1, b"cc")])
    with sure.session.database.read() as transaction:
        rows = list(vectors.read_since(transaction, "e 1", 0))
        assert [(row.claim, row.vector) for row in rows] == [(1, b"aa"), (2, b"bb")]
        assert {row.namespace for row in rows} == {"default"}
        assert [row.claim for row in vectors.read_since(transaction, "e 1", rows[0].key)] == [2]
        assert vectors.get(transaction, "e 1", [1, 3]) == {1: b"aa"}
        assert vectors.count_missing(transaction, "e 1") == 1
        assert vectors.find_missing(transaction, "e 1", -1, 9) == [(3, "The cow is here")]
        assert {row[0] for row in vectors.read_statements(transaction, [1, 2, 3])} == {1, 2, 3}
    assert stats(sure.session).vectors == 3
    sure.claims.purge(ids[0])
    sure.claims.forget(ids[1])
    with sure.session.write() as transaction:
        assert vectors.get(transaction, "e 1", [1, 2]) == {2: b"bb"}
        assert list(vectors.read_since(transaction, "e 1", 0)) == []
        assert [row[0] for row in vectors.read_statements(transaction, [1, 2, 3])] == [3]
        vectors.insert(transaction, "other", [(3, b"cc")])
        assert vectors.delete_others(transaction, "e 1") == 1
    records = list(transfer.export(sure.session.database))
    assert not [record for record in records if "vector" in str(record)]


def test_a_damaged_vector_is_reported_and_repaired(sure: Sure) -> None:
    for word in ("cat", "dog", "cow"):
        sure.claims.add(f"The {word} is here", source="user:ann")
    with sure.session.write() as transaction:
        vectors.insert(transaction, "e 1", [(1, b"aabb"), (2, b"bbcc"), (3, b"a")])
    assert check(sure.session) == ["1 vectors of e 1 have another size than the rest (--repair deletes them)"]
    assert repair(sure.session) == ["deleted 1 damaged vectors (howsure store embed makes them again)"]
    assert check(sure.session) == []


def test_vectors_of_a_size_that_none_can_have_are_not_taken_for_the_rest(sure: Sure) -> None:
    for word in ("cat", "dog", "cow"):
        sure.claims.add(f"The {word} is here", source="user:ann")
    with sure.session.write() as transaction:
        vectors.insert(transaction, "e 1", [(1, b""), (2, b""), (3, b"aabb")])
    assert repair(sure.session) == ["deleted 2 damaged vectors (howsure store embed makes them again)"]
    with sure.session.database.read() as transaction:
        assert vectors.get(transaction, "e 1", [1, 2, 3]) == {3: b"aabb"}
