"""How long claims live: what expires, what is forgotten, and what is left of a deleted claim."""

from howsure.store.claim_tables import claim_lifetime as lifetime
from howsure.store.claim_tables import claims as table
from howsure.sure import Sure


def test_a_claim_expires_is_forgotten_and_is_deleted_with_every_mention(sure: Sure) -> None:
    first, second = (str(sure.claims.add(f"Fact {number} holds", source="doc:a").id) for number in (1, 2))
    with sure.session.write() as transaction:
        key, other = table.key_of(transaction, first), table.key_of(transaction, second)
        lifetime.set_dates(transaction, key, {"expires_at": 50.0})
        assert lifetime.dates_of(transaction, key).expires_at == 50.0
        assert lifetime.find_expired(transaction, 49.0) == []
        assert lifetime.find_expired(transaction, 50.0) == [(key, first, 50.0)]
        table.record_event(transaction, key, 60.0, "ann", "forget", status="forgotten")
        assert lifetime.find_expired(transaction, 50.0) == []
        assert lifetime.find_forgotten(transaction, 59.0) == []
        assert lifetime.find_forgotten(transaction, 60.0) == [(key, first, 60.0)]
        table.record_event(transaction, other, 61.0, "ann", "challenge", f"by {first}")
        lifetime.purge(transaction, key, first)
        assert transaction.rows("SELECT id, key FROM claims") == [(second, other)]
        assert table.events_of(transaction, other)[-1][4] == "(purged)"
