"""Learning many claims from records and files."""

import subprocess
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson
import pytest

from howsure.claims import learn as learning
from howsure.claims.learn import BATCH
from howsure.errors import InputError
from howsure.store.claim_tables.claim_formulas import last_used
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Run


def many(count: int, **more: Any) -> list[dict[str, Any]]:
    return [{"statement": f"claim {n}", "source": "u:a", **more} for n in range(count)]


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> int:
    """Let a few records be much to learn."""
    monkeypatch.setattr(learning, "BATCH", 50)
    return 50


@pytest.mark.parametrize("formula", ["noisy_or", "subjective_logic", "dempster_shafer", "beta"])
def test_a_bulk_load_works_after_single_additions(address: str, small_parts: int, formula: str) -> None:
    with open_store(address, formula=formula) as sure:
        sure.claims.add("one claim first", source="u:a")
        assert sure.claims.learn(many(120)).created == 120


def test_records_of_any_kind_are_learned_however_many(sure: Sure, small_parts: int) -> None:
    learned = sure.claims.learn([MappingProxyType(record) for record in many(70)])
    assert (learned.created, learned.failed) == (70, 0)
    assert sure.claims.learn([lambda: None] * 60).failed == 60


def test_learning_executes_no_code_of_the_working_folder(tmp_path: Path, howsure: Run, monkeypatch: Any) -> None:
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


def test_a_failing_input_keeps_what_was_read_before(sure: Sure, small_parts: int) -> None:
    def failing(count: int) -> Any:
        yield from many(count)
        raise OSError("the network is gone")

    for count in (0, 20, 50, 120):
        with pytest.raises(OSError, match="gone"):
            sure.claims.learn(failing(count))
        assert len(sure.claims.find(limit=None).claims) == count


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


def test_the_formula_of_a_bulk_load_is_noted(sure: Sure) -> None:
    sure.claims.learn(many(3))
    with sure.session.database.read() as transaction:
        assert last_used(transaction) == sure.session.formula.spec
