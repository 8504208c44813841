"""What several stores tell alike becomes one claim, and nobody can make others speak for its words."""

from typing import Any, get_args

from howsure.claims.federation.merge import merge, sort_matching
from howsure.claims.federation.page import ClaimOrigin
from howsure.formulas.interval import Interval
from howsure.shapes.encode import encode
from howsure.store.claim_tables.selection import Order, Selection
from howsure.sure import Sure
from tests.conftest import NOW


def _origin(peer: str | None, statement: str, lower: float = 0.5, upper: float = 0.9, **given: Any) -> ClaimOrigin:
    about: dict[str, Any] = {"subject": None, "predicate": None, "object": None, "namespace": "default"}
    about |= {"tier": "task", "status": "active", "created_at": NOW, "stale_at": None}
    about |= {"valid_from": None, "valid_until": None, "sources": 1, "trust": 1.0, "id": f"{peer}-{statement}"}
    return ClaimOrigin(peer=peer, statement=statement, interval=Interval(lower, upper), **(about | given))


def test_the_interval_is_of_the_surest_origin_and_the_text_of_the_local_one() -> None:
    own = _origin(None, "The sky is blue.", 0.4, 0.8, sources=2)
    theirs = [_origin("b", "the sky  is BLUE", 0.6, 0.7, sources=5), _origin("c", "The sky is blue!", 0.6, 0.65)]
    (claim,) = merge([own], theirs)
    assert [origin.peer for origin in claim.origins] == ["b", "c", None]
    assert (claim.interval, claim.sources) == (Interval(0.6, 0.7), 5)
    assert (claim.id, claim.peer, claim.statement) == (own.id, None, "The sky is blue.")
    told = encode(claim)
    assert (told["lower"], told["peer"], told["id"], len(told["origins"])) == (0.6, None, own.id, 3)


def test_repeated_origins_neither_raise_nor_lower_the_interval() -> None:
    own = _origin(None, "x", 0.5, 0.9)
    (claim,) = merge([own], [_origin(name, "x", 0.49, 0.95) for name in "bcdefgh"])
    assert claim.interval == own.interval
    (claim,) = merge([own], [_origin("b", "x", 0.0, 0.0)])
    assert claim.interval == own.interval


def test_equal_origins_have_a_fixed_order() -> None:
    given = [
        _origin("b", "x", trust=0.5),
        _origin(None, "x"),
        _origin("c", "x", trust=0.7),
        _origin("a", "x", trust=0.5),
    ]
    for theirs in (given, given[::-1]):
        (claim,) = merge([one for one in theirs if one.peer is None], [one for one in theirs if one.peer])
        assert [origin.peer for origin in claim.origins] == [None, "c", "a", "b"]


def test_namespaces_keep_claims_apart() -> None:
    assert len(merge([_origin(None, "x")], [_origin("b", "x", namespace="other")])) == 2


TRIPLE: dict[str, Any] = {"subject": "sky", "predicate": "is", "object": "blue"}


def test_a_triple_merges_into_our_own_claim_but_lets_no_peer_speak_for_another() -> None:
    ours, theirs = _origin(None, "The sky is blue", **TRIPLE), _origin("b", "Blue is the sky", **TRIPLE)
    (claim,) = merge([ours], [theirs])
    assert [origin.statement for origin in claim.origins] == ["The sky is blue", "Blue is the sky"]
    liar = _origin("c", "Send money", 0.1, 0.2, **TRIPLE)
    assert {claim.statement for claim in merge([], [liar, theirs])} == {"Send money", "Blue is the sky"}
    bridge = _origin("d", "The sea is wet", 0.9, 0.9, **TRIPLE)
    other = _origin(None, "The sea is wet")
    found = merge([ours, other], [bridge])
    assert {claim.statement: len(claim.origins) for claim in found} == {"The sky is blue": 1, "The sea is wet": 2}
    half: dict[str, Any] = {"subject": "sky", "predicate": "is"}
    assert len(merge([_origin(None, "x", **half)], [_origin("b", "y", **half)])) == 2


def test_the_local_claim_is_found_if_a_peers_origin_matches(sure: Sure) -> None:
    """A peer is surer of what we hold, too: by a bound that only the peer's claim reaches, both are told."""
    from howsure.claims.federation.find import _select_same

    own = sure.claims.add("The sky is blue", source="user:ann", contribution=0.2, **TRIPLE)
    sure.claims.forget(str(sure.claims.add("The sea is wet", source="user:ann").id))
    reading, wanted = sure.session.read_options(), Selection(text="azure", min_lower=0.5)

    def alike(*theirs: ClaimOrigin, **changed: Any) -> list[Any]:
        with sure.session.database.read() as transaction:
            return [
                row[0]
                for row in _select_same(
                    transaction, reading, Selection(**changed) if changed else wanted, theirs, set()
                )
            ]

    assert alike(_origin("b", "the sky is blue!"), _origin("b", "The sea is wet"), _origin("b", "New")) == [own.id]
    assert alike(_origin("b", "The sky is azure", **TRIPLE)) == [own.id]
    assert alike(_origin("b", "The sky is blue"), tiers=("project",)) == []
    assert alike(*(_origin("b", f"Fact {number}") for number in range(600)), _origin("b", "The sky is blue")) == [
        own.id
    ]


def test_every_order_is_total() -> None:
    claims = merge(
        [],
        [
            _origin("b", "x", 0.1, 0.9, sources=3, created_at=1.0, stale_at=5.0),
            _origin("b", "y", 0.5, 0.6, sources=1, created_at=3.0, stale_at=None),
            _origin("c", "z", 0.3, 0.95, sources=2, created_at=2.0, stale_at=7.0),
        ],
    )
    found = {
        order: "".join(one.statement for one in sort_matching(claims, Selection(order=order, ascending=True)))
        for order in get_args(Order)
    }
    assert found == {
        "lower": "xzy",
        "upper": "yxz",
        "width": "yzx",
        "midpoint": "xyz",
        "created_at": "xzy",
        "stale_at": "xzy",
        "sources": "yzx",
        "statement": "xyz",
    }
    assert [one.statement for one in sort_matching(claims, Selection())] == ["y", "z", "x"]
