"""What is left of a purged claim's id in the history of others, and what a purge reads to find it."""

import json
from typing import Any

import pytest

from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import mentions
from howsure.sure import Sure
from tests.conftest import NOW


@pytest.mark.parametrize("imported", [False, True])
def test_a_purge_finds_the_id_in_relations_notes_reasons_and_sources(sure: Sure, imported: bool) -> None:
    claims = sure.claims
    private, *others = (str(claims.add(f"Fact {number} holds", source="doc:a").id) for number in range(9))
    claims.relate(others[0], "supports", private)
    claims.challenge(others[1], private)
    claims.challenge(others[2], others[3])
    claims.resolve(others[2], uphold=True, note=f"see {private}.")
    claims.supersede(private, others[4])
    claims.forget(others[5], reason=f"says the same as ({private})")
    claims.verify(others[6], source=f"human:{private}")
    claims.add("Fact 8 holds", source=f"claim:{private}")
    derived = claims.derive("Fact 10 holds", [private, others[7]], confidence=0.5).id
    if imported:
        records = json.loads(json.dumps(list(claims.export())))
        for claim in (private, derived, *others):
            claims.purge(claim)
        claims.import_(records)
    before = [
        record for record in claims.export() if "claim" in record and private in json.dumps(record["claim"]["events"])
    ]
    assert len(before) == 8
    claims.purge(private)
    for record in claims.export():
        for event in record.get("claim", {}).get("events", ()):
            assert private not in event["detail"]


def test_a_purge_does_not_read_the_events_of_all_claims(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    claims = [str(sure.claims.add(f"Fact {number} holds", source="doc:a").id) for number in range(20)]
    sure.claims.relate(claims[1], "supports", claims[0])
    asked: list[tuple[str, Any]] = []
    with sure.session.database.read() as transaction:
        kind = type(transaction)
    rows = kind.rows

    def watch(self: Transaction, query: str, values: Any = ()) -> list[Any]:
        asked.append((query, values))
        return rows(self, query, values)

    monkeypatch.setattr(kind, "rows", watch)
    sure.claims.purge(claims[0])
    reads = [query for query, _ in asked if "FROM events" in query and "detail LIKE" in query]
    assert len(reads) == 1
    assert reads[0].endswith("AND claim = ?")


def test_a_claim_with_an_id_of_another_form_is_found_by_reading_everything(sure: Sure) -> None:
    other = sure.claims.add("Fact 1 holds", source="doc:a").id
    with sure.session.write() as transaction:
        key = transaction.value("SELECT key FROM claims WHERE id = ?", [other])
        transaction.run(
            "INSERT INTO events (claim, at, actor, action, detail) VALUES (?, ?, ?, ?, ?)",
            [key, NOW, "ann", "forgotten", "as imported7 says"],
        )
        mentions.hide(transaction, "imported7", [])
    assert sure.claims.history(other)[-1].detail == "(purged)"
