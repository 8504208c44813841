"""The tables of claims."""

from howsure.store.claims import key_of, words_of
from howsure.sure import Sure


def test_has_the_same_words_as_the_claim(sure: Sure) -> None:
    added = sure.claims.add("The cache is safe", source="doc:a", subject="cache", predicate="is", object="safe")
    with sure.session.database.read() as transaction:
        words = words_of(transaction, key_of(transaction, added.id))
    claim = sure.claims.get(added.id)
    assert words == tuple(getattr(claim, name) for name in words._fields)
