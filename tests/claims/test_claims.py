"""Claims in unusual situations: hostile input, odd moments, and operations that meet each other."""

import base64
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson
import pytest

from howsure.claims import learn as learning
from howsure.claims.learn import BATCH
from howsure.errors import HowsureError, InputError
from howsure.formulas.decay import DAY
from howsure.store import check as upkeep
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock, Run


def many(count: int, **more: Any) -> list[dict[str, Any]]:
    return [{"statement": f"claim {n}", "source": "u:a", **more} for n in range(count)]


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> int:
    """Let a few records be much to learn."""
    monkeypatch.setattr(learning, "BATCH", 50)
    return 50


@pytest.mark.parametrize("formula", ["noisy_or", "subjective_logic", "dempster_shafer", "beta"])
def test_much_is_learned_after_something_was_added(address: str, small_parts: int, formula: str) -> None:
    with open_store(address, formula=formula) as sure:
        sure.claims.add("one claim first", source="u:a")
        assert sure.claims.learn(many(120)).created == 120


def test_records_of_any_kind_are_learned_however_many(sure: Sure, small_parts: int) -> None:
    learned = sure.claims.learn([MappingProxyType(record) for record in many(70)])
    assert (learned.created, learned.failed) == (70, 0)
    assert sure.claims.learn([lambda: None] * 60).failed == 60


def test_learning_runs_nothing_that_lies_in_the_working_folder(tmp_path: Path, howsure: Run, monkeypatch: Any) -> None:
    (tmp_path / "pickle.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    file = tmp_path / "claims.jsonl"
    file.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in many(BATCH)))
    monkeypatch.chdir(tmp_path)
    code = "import sys; sys.path.pop(0); from howsure.cli import main; sys.argv[1:] = sys.argv[2:]; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, "x", "claim", "learn", str(file), "--store", str(tmp_path / "s.db")],
        capture_output=True,
        check=False,
        cwd=tmp_path,
    )
    assert b"created" in done.stdout, done.stderr
    assert not (tmp_path / "ran").exists()


def test_input_that_fails_loses_nothing_that_came_before(sure: Sure, small_parts: int) -> None:
    def failing(count: int) -> Any:
        yield from many(count)
        raise OSError("the network is gone")

    for count in (0, 20, 50, 120):
        with pytest.raises(OSError, match="gone"):
            sure.claims.learn(failing(count))
        assert len(sure.claims.find(limit=None).claims) == count


def test_the_smallest_contributions_do_no_harm(sure: Sure, clock: Clock) -> None:
    sure.claims.add("healthy", source="u:a", contribution=0.9)
    tiny = sure.claims.add("tiny", source="u:b", contribution=1e-300, stale_at=0).id or ""
    sure.claims.add("tiny", source="u:c", contribution=5e-324)
    for formula in ("noisy_or", "subjective_logic", "dempster_shafer", "beta"):
        assert len(sure.claims.find(formula=formula).claims) == 2
        assert sure.claims.get(tiny, formula=formula).interval.lower < 1e-9
    sure.clean(dry_run=True)
    assert upkeep.check(sure.session) == []


def test_what_was_derived_does_not_outlive_its_grounds(sure: Sure, clock: Clock) -> None:
    weak = sure.claims.add("weak", source="u:a", contribution=0.2, stale_at="never", ttl=1e9).id or ""
    derived = sure.claims.derive("derived", [weak], confidence=0.95, stale_at="never", ttl=1e9).id or ""
    sure.claims.forget(weak)
    assert sure.claims.get(derived).interval == (0.0, 0.0)
    clock.now += 40 * DAY
    sure.claims.get(derived)
    assert [action for action in sure.clean() if action.action == "collect"] == []
    assert sure.claims.get(derived).interval == (0.0, 0.0)
    sure.claims.purge(weak)
    assert sure.claims.get(derived).status == "deprecated"
    assert "what it was derived from is gone" in sure.claims.history(derived)[-1].detail


def test_sources_that_look_alike_are_told_apart(sure: Sure, clock: Clock) -> None:
    claim = sure.claims.add(
        "x",
        sources=[
            {"source_type": "a", "source_id": "b:c", "contribution": 0.5},
            {"source_type": "a:b", "source_id": "c", "contribution": 0.5},
        ],
    ).id
    assert sure.claims.get(claim or "").sources == 2
    assert sure.clean() == []
    sure.claims.forget(claim or "")
    clock.now += 31 * DAY
    assert [action.action for action in sure.clean()] == ["collect"]


@pytest.mark.parametrize("column", ["doubt", "strongest", "bucket", "decay_key", "source_types"])
def test_whatever_is_out_of_step_is_told_and_refreshed(sure: Sure, column: str) -> None:
    claim = sure.claims.add("x", source="u:a", contribution=0.9, stale_at="never").id or ""
    with sure.session.write() as transaction:
        transaction.run(f"UPDATE claims SET {column} = 0")
    assert any(claim in problem for problem in upkeep.check(sure.session))
    assert [action.action for action in sure.clean()] == ["refresh"]
    assert upkeep.check(sure.session) == []
    assert len(sure.claims.find(min_lower=0.5).claims) == 1


def test_a_dry_run_knows_what_was_just_read(sure: Sure, clock: Clock) -> None:
    sure.claims.add("old", source="u:a", contribution=0.1, stale_at=NOW, ttl=1e9)
    clock.now += 60 * DAY
    assert len(sure.clean(dry_run=True)) == 1
    sure.claims.find()
    assert sure.clean(dry_run=True) == sure.clean() == []


def test_what_is_forgotten_stays_forgotten(sure: Sure) -> None:
    first = sure.claims.add("the sky is blue", source="u:a").id or ""
    other = sure.claims.add("the sky is green", source="u:a").id or ""
    sure.claims.forget(first)
    again = sure.claims.add("the sky is blue", source="u:b").id or ""
    for refused in (
        lambda: sure.claims.challenge(first, other),
        lambda: sure.claims.challenge(first, again),
        lambda: sure.claims.supersede(first, again),
    ):
        with pytest.raises(InputError, match="is forgotten"):
            refused()
    assert sure.claims.get(first).status == "forgotten"


def test_a_contradiction_that_is_known_can_become_a_challenge(sure: Sure) -> None:
    first = sure.claims.add("sky blue", source="u:a", subject="sky", predicate="color", object="blue").id or ""
    sure.claims.learn(
        [{"statement": "sky green", "source": "u:b", "subject": "sky", "predicate": "color", "object": "green"}]
    )
    (second,) = [c.id for c in sure.claims.find("green").claims]
    before = sure.claims.get(first).interval
    sure.claims.challenge(first, second)
    assert (sure.claims.get(first).status, sure.claims.get(first).interval) == ("challenged", before)
    with pytest.raises(InputError, match="already"):
        sure.claims.challenge(first, second)
    third = sure.claims.add("unrelated", source="u:c").id or ""
    with pytest.raises(InputError, match="does not challenge"):
        sure.claims.resolve(first, third, uphold=True)
    sure.claims.resolve(first, second, uphold=True)
    assert sure.claims.get(first).status == "active"


def test_an_export_can_always_be_imported(sure: Sure, tmp_path: Path) -> None:
    sure.claims.add("for ever", ttl=1e12, source="u:" + "x" * 900)
    with pytest.raises(InputError, match="source"):
        sure.claims.add("too long", source="u:" + "x" * 1500)
    with open_store(str(tmp_path / "other.db")) as other:
        assert other.claims.import_(sure.claims.export()).claims == 1


@pytest.mark.parametrize(
    ("where", "change"),
    [
        ("claim", {"namespace": "a/b/c/d/e/f"}),
        ("claim", {"statement": " "}),
        ("claim", {"id": "%"}),
        ("event", {"detail": "\ud800"}),
        ("relation", {"target": "same"}),
    ],
)
def test_an_import_takes_nothing_that_could_not_be_added(sure: Sure, tmp_path: Path, where: str, change: Any) -> None:
    first, second = (sure.claims.add(text, source="u:a").id or "" for text in ("a", "b"))
    sure.claims.relate(first, "supports", second)
    records = list(sure.claims.export())
    for record in records:
        if where == "claim" and "claim" in record:
            record["claim"] |= change
        if where == "event" and "claim" in record:
            record["claim"]["events"][0] |= change
        if where == "relation" and "relation" in record:
            record["relation"]["target"] = record["relation"]["source"]
    with open_store(str(tmp_path / "other.db")) as other:
        with pytest.raises(InputError, match="line "):
            other.claims.import_(records)
        assert other.claims.find().claims == []


def test_learning_compares_triples_as_adding_does(sure: Sure) -> None:
    sure.claims.add("s1", subject="Sky", predicate="color", object="Blue", source="u:a")
    learned = sure.claims.learn(
        [{"statement": "s2", "subject": "Sky", "predicate": "color", "object": "blue", "source": "u:b"}],
        conflicts="reject",
    )
    assert (learned.rejected, learned.corroborated) == (0, 1)
    twice = [
        {"statement": "grass is green", "subject": "grass", "predicate": "color", "object": "green", "source": "u:a"},
        {"statement": "grass is green", "source": "u:b"},
    ]
    assert (sure.claims.learn(twice).created, sure.claims.find("grass").claims[0].subject) == (1, "grass")
    with pytest.raises(InputError, match="conflicts: 'Reject'"):
        sure.claims.learn([], conflicts="Reject")  # type: ignore[arg-type]
    assert sure.claims.learn([{"statement": "x", "contribution": 0.5}], trust=0.9).failed == 1


def test_many_contradictions_of_one_thing_are_not_all_related(sure: Sure) -> None:
    records = [
        {"statement": f"n{n}", "subject": "x", "predicate": "is", "object": str(n), "source": "u:a"} for n in range(60)
    ]
    assert sure.claims.learn(records).conflicting == 59
    with sure.session.database.read() as transaction:
        assert transaction.value("SELECT COUNT(*) FROM relations") <= 20 * 60


def test_sources_in_cells_may_hold_colons(sure: Sure, tmp_path: Path) -> None:
    file = tmp_path / "claims.csv"
    file.write_text("statement,source_type,source_id,contribution\na,urn:isbn,1,0.8\nb,user,,0.5\n")
    learned = sure.claims.learn(file)
    assert (learned.created, learned.errors) == (1, ["line 3: source_type: a source has a type and an id"])
    (claim,) = sure.claims.find().claims
    assert [(one.source.source_type, one.source.source_id) for one in sure.claims.explain(claim.id).sources] == [
        ("urn:isbn", "1")
    ]


def test_an_explanation_of_a_derived_claim_says_what_reading_it_says(sure: Sure) -> None:
    ground = sure.claims.add("ground", source="u:a", contribution=0.8).id or ""
    derived = sure.claims.derive("derived", [ground], confidence=0.9, by="bob").id or ""
    sure.claims.add("derived", source="u:ann", contribution=0.8)
    for round_ in range(2):
        found = sure.claims.explain(derived)
        assert found.derived is not None
        assert (found.derived["lower"], found.derived["upper"]) == pytest.approx(sure.claims.get(derived).interval)
        assert not any("another independent source" in change.what for change in found.changes)
        assert all(change.upper <= 0.8 + 1e-9 for change in found.changes)
        if round_ == 0:
            sure.claims.invalidate_source("inference", "bob")


def test_before_a_claim_was_made_there_was_none(sure: Sure) -> None:
    claim = sure.claims.add("x", source="u:a").id or ""
    for read in (sure.claims.get, sure.claims.explain):
        with pytest.raises(InputError, match="as_of: the claim .* did not exist yet"):
            read(claim, as_of=NOW - 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("forget", "ID", "--reason", "\udcff"),
        ("find", "\udcff"),
        ("show", "\udcff"),
        ("find", "--limit", "99999999999999999999"),
        ("find", "--namespace", "a/*/99999999999999999999"),
        ("find", "--namespace", "a/*/²"),
        ("find", "--cursor", "x"),
    ],
)
def test_what_cannot_be_understood_is_told_in_one_line(
    howsure: Run, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    store = str(tmp_path / "store.db")
    with open_store(store) as sure:
        claim = sure.claims.add("x", source="u:a").id or ""
    done = howsure("claim", *(claim if word == "ID" else word for word in arguments), "--store", store)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr


def test_promotion_to_a_tier_that_is_none_is_refused(sure: Sure) -> None:
    claim = sure.claims.add("x", source="u:a").id or ""
    moves: tuple[Any, ...] = (sure.claims.promote, sure.claims.demote)
    for move in moves:
        with pytest.raises(InputError, match="to: 'bogus' is not one of"):
            move(claim, "bogus")


@pytest.mark.parametrize(
    "change",
    [
        {"after": [{}, 1]},
        {"after": ["x", 2**63]},
        {"as_of": {}},
        {"trust": 7},
        {"now": 1e13},
        {"formula": {"name": "document", "parameters": {}}},
        {"formula": {"name": "zzz", "parameters": {}}},
        {"selection": 5},
    ],
)
def test_a_forged_cursor_is_refused(sure: Sure, change: dict[str, Any]) -> None:
    sure.claims.add_many(many(3))
    cursor = sure.claims.find(limit=1).cursor or ""
    content = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))) | change
    forged = base64.urlsafe_b64encode(orjson.dumps(content)).decode()
    with pytest.raises(HowsureError, match="invalid cursor"):
        sure.claims.find(limit=1, cursor=forged)


def test_no_status_means_any(sure: Sure) -> None:
    claim = sure.claims.add("x", source="u:a").id or ""
    sure.claims.forget(claim)
    assert [c.id for c in sure.claims.find(statuses=[]).claims] == [claim]


def test_a_source_that_repeats_itself_costs_no_more_than_a_new_one(sure: Sure) -> None:
    entries = [{"source_type": "log", "source_id": str(n), "contribution": 0.3} for n in range(300)]
    claim = sure.claims.add("large", sources=entries).id or ""
    before = sure.claims.get(claim)
    sure.claims.add("large", sources=entries[:50])
    sure.claims.add("large", sources=[{**entries[0], "contribution": 0.1}, {**entries[0], "contribution": 0.2}])
    assert sure.claims.get(claim).interval == before.interval
    sure.claims.add("large", source="log:0", contribution=0.9)
    assert sure.claims.get(claim).interval.lower > before.interval.lower
    assert upkeep.check(sure.session) == []
