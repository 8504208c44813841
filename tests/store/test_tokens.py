"""The table of tokens."""

from howsure.store import tokens
from howsure.store.tokens import Token
from howsure.sure import Sure
from tests.conftest import NOW


def test_a_token_is_revoked_once_and_still_found(sure: Sure) -> None:
    old, new = (Token(name, name, "read", NOW + age, None, None, None) for name, age in (("z", 0), ("a", 5)))
    with sure.session.write() as transaction:
        tokens.insert(transaction, new, "digest of new")
        tokens.insert(transaction, old, "digest of old")
        assert tokens.list_all(transaction) == [old, new]
        assert tokens.find_by_digest(transaction, "digest of old") == old
        assert tokens.find_by_digest(transaction, "digest") is None
        tokens.revoke(transaction, "z", NOW + 10)
        tokens.revoke(transaction, "z", NOW + 20)
        tokens.set_used_at(transaction, {"z": NOW + 7})
        assert tokens.find_by_digest(transaction, "digest of old") == old._replace(revoked_at=NOW + 10, used_at=NOW + 7)
        assert tokens.find_by_digest(transaction, "digest of new") == new
