"""Relations between claims: depth of derived claims, contradictions, and what held in the past."""

import pytest

from howsure.errors import InputError
from howsure.formulas.derived import DEEPEST
from howsure.store.claim_tables.claims import key_of
from howsure.store.claim_tables.relations import (
    constituents_of,
    dependents_of,
    end_contradictions,
    is_contradicted,
    relate,
    relations_among,
    strength_of,
    strongest_ends,
)
from howsure.sure import Sure
from tests.conftest import NOW


def _keys(sure: Sure, count: int) -> list[int]:
    ids = [str(sure.claims.add(f"claim {number}", source="user:ann").id) for number in range(count)]
    with sure.session.database.read() as transaction:
        return [key_of(transaction, claim) for claim in ids]


def test_a_new_ground_deepens_every_claim_that_rests_on_it(sure: Sure) -> None:
    keys = _keys(sure, 4)
    with sure.session.write() as transaction:
        relate(transaction, "derived_from", keys[2], keys[1], 1.0, NOW)
        relate(transaction, "derived_from", keys[3], keys[2], 1.0, NOW)
        relate(transaction, "derived_from", keys[1], keys[0], 1.0, NOW)
        depths = {row[0]: row[1] for row in transaction.rows("SELECT key, depth FROM claims")}
        assert [depths[key] for key in keys] == [0, 1, 2, 3]
        assert constituents_of(transaction, keys[3]) == {keys[2]}
        assert dependents_of(transaction, keys[1]) == [keys[2]]


@pytest.mark.parametrize("length", [2, DEEPEST + 1])
def test_cycles_and_too_long_chains_are_refused(sure: Sure, length: int) -> None:
    keys = _keys(sure, length + 1)
    with sure.session.write() as transaction:
        for derived, ground in zip(keys[1:length], keys, strict=False):
            relate(transaction, "derived_from", derived, ground, 1.0, NOW)
    last = (keys[0], keys[length - 1]) if length == 2 else (keys[length], keys[length - 1])
    with pytest.raises(InputError, match="too long, or a circle"), sure.session.write() as transaction:
        relate(transaction, "derived_from", *last, 1.0, NOW)


def test_contradictions_end_and_are_still_known_in_the_past(sure: Sure) -> None:
    first, second, third = _keys(sure, 3)
    with sure.session.write() as transaction:
        relate(transaction, "contradicts", first, second, 0.5, NOW)
        relate(transaction, "contradicts", third, second, 1.0, NOW + 1)
        assert strength_of(transaction, "contradicts", second, first) is not None
        assert strength_of(transaction, "contradicts", first, third) is None
        assert end_contradictions(transaction, second, first, NOW + 10) == 1
        assert is_contradicted(transaction, second)
        assert relations_among(transaction, [first, second]) == []
        assert relations_among(transaction, [first, second], as_of=NOW + 5) == [(first, "contradicts", second, 0.5)]
        assert relations_among(transaction, [first, second], as_of=NOW - 1) == []
        assert end_contradictions(transaction, second, None, NOW + 11) == 1
        assert not is_contradicted(transaction, second)
        assert strongest_ends(transaction, [first], NOW + 5, 10) == ([second], 1)
        assert strongest_ends(transaction, [first], None, 10) == ([], 0)


def test_the_strongest_of_many_relations_are_chosen_by_the_database(sure: Sure) -> None:
    hub = str(sure.claims.add("The hub is connected", source="a:b").id)
    others = [str(sure.claims.add(f"Spoke {number} holds", source="a:b").id) for number in range(9)]
    for number, other in enumerate(others):
        sure.claims.relate(other, "supports", hub, strength=0.1 + number / 10)
        sure.claims.relate(hub, "supports", other, strength=0.05)
    with sure.session.database.read() as transaction:
        keys = {claim: key_of(transaction, claim) for claim in (hub, *others)}
        ends, total = strongest_ends(transaction, [keys[hub]], None, 3)
        assert ends == [keys[other] for other in others[:-4:-1]]
        assert total == 9
        assert len(relations_among(transaction, [keys[hub], *ends])) == 6
        assert len(relations_among(transaction, list(keys.values()) * 30)) == 18
