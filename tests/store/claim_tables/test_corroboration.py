"""What corroborating a claim that exists reads and changes."""

from howsure.store.claim_tables.claims import find_same, key_of, statement_key, triple_key
from howsure.store.claim_tables.corroboration import cause_of_status, set_triple
from howsure.sure import Sure


def test_a_triple_that_is_set_later_finds_the_claim(sure: Sure) -> None:
    added = sure.claims.add("Redis listens on 6379", source="a:1", subject="redis")
    with sure.session.write() as transaction:
        key = key_of(transaction, added.id)
        set_triple(transaction, key, {"predicate": "port", "object": "6379"})
        same = find_same(transaction, "default", "", triple_key("redis", "port", "6379"))
    assert same == (key, added.id, "active")


def test_the_same_statement_with_another_triple_comes_last(sure: Sure) -> None:
    sure.claims.add("It is 6379", source="a:1", subject="redis", predicate="port", object="6379")
    db = sure.claims.add("Port 6379 is the db's", source="a:1", subject="db", predicate="port", object="6379")
    with sure.session.database.read() as transaction:
        same = find_same(transaction, "default", statement_key("It is 6379"), triple_key("db", "port", "6379"))
    assert same is not None
    assert same.id == db.id


def test_the_cause_of_a_status_is_its_last_event(sure: Sure) -> None:
    claim = sure.claims.add("The cache is on", source="a:1").id
    for name in ("bob", "eve"):
        sure.claims.refute(claim, source=f"user_input:{name}")
        sure.claims.verify(claim, source="user_input:ann")
    with sure.session.database.read() as transaction:
        key = key_of(transaction, claim)
        assert cause_of_status(transaction, key, "deprecated") == ("refuted", "user_input:eve")
        assert cause_of_status(transaction, key, "forgotten") == ("", "")
