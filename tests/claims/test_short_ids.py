"""A claim is named by its id, by a unique start of it, or as the last one."""

import json
from pathlib import Path

import pytest

from howsure.errors import InputError, NotFoundError
from howsure.sure import Sure
from tests.conftest import Run


def test_a_unique_start_names_a_claim_wherever_an_id_is_taken(sure: Sure) -> None:
    one, two = (sure.claims.add(text, source="user_input:ann", contribution=0.9).id for text in ("a sky", "b sea"))
    short, other = one[:20], two[:20]
    claims = sure.claims
    assert claims.get(short).id == claims.explain(short).claim.id == claims.verify(short, source="a:b").id == one
    assert claims.relate(short, "supports", other).target == two
    made = claims.challenge(short, other)
    assert (made.claim.id, made.challenger.id) == (one, two)
    assert "challenge" in {source.source.source_type for source in claims.explain(one).sources}
    assert {source.source.source_id for source in claims.explain(one).sources} >= {two}, "the whole id is stored"
    assert claims.resolve(short, other, uphold=True).status == "active"
    assert claims.promote(short).tier == "project"
    assert claims.demote(short).id == one
    derived = claims.derive("c both", [short, one, other])
    assert claims.history(derived.id)[-1].detail == f"{one}, {two}"
    assert claims.supersede(other, short).id == two
    assert claims.history(short)[-1].detail == two
    assert claims.forget(short)
    claims.purge(short)
    with pytest.raises(NotFoundError):
        claims.get(one)
    assert all(one not in event.detail for event in claims.history(two))


def test_a_start_of_several_ids_is_refused(sure: Sure) -> None:
    first, second = (sure.claims.add(statement).id for statement in ("a", "b"))
    assert first[:8] == second[:8]
    with pytest.raises(InputError, match=f"several claims start with '{first[:8]}'"):
        sure.claims.get(first[:8])
    sure.claims.purge(second)
    assert sure.claims.get(first[:6]).id == first
    for wrong in ("", first[:5], "c_", "c%", "C0", "zz", "@first", "c\x00"):
        with pytest.raises(NotFoundError):
            sure.claims.get(wrong)


def test_last_is_the_claim_that_was_added_or_changed_last(sure: Sure) -> None:
    with pytest.raises(NotFoundError):
        sure.claims.get("@last")
    first, second = (sure.claims.add(text).id for text in ("a", "b"))
    assert sure.claims.get("@last").id == second
    sure.claims.verify(first, source="user_input:ann")
    assert sure.claims.get("@last").id == first


def test_no_evidence_is_neither_zero_nor_weak(sure: Sure) -> None:
    sure.claims.add("nothing is known of this")
    sure.claims.add("doubtful", source="user_input:ann", contribution=0.2)
    counts = sure.claims.count()
    assert (counts.total, counts.unknown, counts.weak, counts.strong, counts.uncertain) == (2, 1, 1, 0, 0)


def test_the_command_line_shows_what_people_need(howsure: Run, tmp_path: Path) -> None:
    store = {"HOWSURE_STORE": str(tmp_path / "x.db")}
    added = howsure("claim", "add", "Payments are idempotent", **store).stdout.decode()
    assert added.endswith("no evidence\n")
    found = howsure("claim", "find", "payment", **store).stdout.decode()
    assert "no evidence" in found
    assert "0.00" not in found
    shown = json.loads(howsure("claim", "show", "@last", "--json", **store).stdout)
    assert json.loads(howsure("claim", "show", shown["id"][:18], "--json", **store).stdout)["id"] == shown["id"]
    howsure("claim", "add", "Carts survive", "--source", "a:b", **store)
    page = howsure("claim", "find", "--limit", "1", **store).stdout.decode()
    assert "raise --limit" in page
    assert max(map(len, page.split())) < 60
    assert "cursor" in json.loads(howsure("claim", "find", "--limit", "1", "--json", **store).stdout.splitlines()[-1])
