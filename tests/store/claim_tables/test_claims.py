"""The tables of claims."""

from pathlib import Path

import pytest

from howsure.errors import InputError
from howsure.store.claim_tables.claims import former_key, key_of, words_of
from howsure.sure import Sure
from howsure.sure import open as open_store


def test_has_the_same_words_as_the_claim(sure: Sure) -> None:
    added = sure.claims.add("The cache is safe", source="doc:a", subject="cache", predicate="is", object="safe")
    with sure.session.database.read() as transaction:
        words = words_of(transaction, key_of(transaction, added.id))
    claim = sure.claims.get(added.id)
    assert words == tuple(getattr(claim, name) for name in words._fields)


PRINTED = {
    "The cache doesn't expire": "The cache doesn\u2019t expire",
    'The flag is "fast"': "The flag is \u201cfast\u201d.",
    "It takes 5-10 ms": "It takes 5\u201310\u00a0ms",
    "It is -5 or less - at most": "It is \u22125 or less \u2014 at most",
    "Threads reuse it": "Th\u00adreads\u200b reuse it",
}


@pytest.mark.parametrize("typed", PRINTED)
def test_a_statement_is_one_claim_typed_or_printed(sure: Sure, typed: str) -> None:
    printed = PRINTED[typed]
    first = sure.claims.add(typed, source="u:a")
    assert [sure.claims.add(text, source="u:b").id for text in (printed, typed)] == [first.id] * 2
    assert sure.claims.learn([{"statement": text, "source": "u:c"} for text in (printed, typed)]).corroborated == 2
    other = sure.claims.add(printed, source="u:a", namespace="other")
    assert sure.claims.add(typed, source="u:b", namespace="other").id == other.id
    assert (sure.claims.count().total, sure.claims.get(first.id).statement) == (2, typed)


def test_a_statement_and_a_triple_of_two_claims_find_the_same_one_typed_or_printed(sure: Sure) -> None:
    for number, (typed, printed) in enumerate(PRINTED.items()):
        namespace = f"n{number}"
        first = sure.claims.add(typed, source="u:a", namespace=namespace)
        for text in ("The cache stays", typed, printed):
            found = sure.claims.add(
                text, source="u:b", namespace=namespace, subject="cache", predicate="expires", object="never"
            )
        assert found.id == first.id


@pytest.mark.parametrize("first", [False, True])
def test_a_store_that_holds_a_statement_typed_and_printed_keeps_both(sure: Sure, tmp_path: Path, first: bool) -> None:
    """Older versions had another key for a statement with printed marks."""
    typed, printed = next(iter(PRINTED.items()))
    old = sure.claims.add(printed, source="u:a")
    with sure.session.write() as transaction:
        transaction.run("UPDATE claims SET statement_key = ?", [former_key(printed)])
    for _ in range(2):
        assert sure.claims.add(printed, source="u:b").id == old.id
        assert sure.claims.learn([{"statement": printed, "source": "u:c"}]).corroborated == 1
    twin = sure.claims.add(typed, source="u:a")
    assert (twin.outcome, [one.id for one in twin.similar]) == ("created", [old.id])
    ids = {printed: old.id, typed: twin.id}
    assert {text: sure.claims.add(text, source="u:d").id for text in ids} == ids

    head, *records = sure.claims.export()
    with open_store(str(tmp_path / "other.db")) as other:
        assert other.claims.import_([head, *(reversed(records) if first else records)]).claims == 2
        assert {text: other.claims.add(text, source="u:e").id for text in ids} == ids
        for record in records:
            record["claim"]["id"] += "0"
        with pytest.raises(InputError, match="under another id"):
            other.claims.import_([head, *records])
