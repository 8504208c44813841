"""Preparing many claims, here and in a process beside this one."""

import marshal
from http import HTTPMethod
from pathlib import Path
from typing import Any

import orjson
import pytest

from howsure.claims.learn import BATCH
from howsure.claims.prepare import Preparation, ProcessWorker, Worker, start_worker
from howsure.formulas.beta import Beta
from howsure.formulas.decay import HalfLives
from howsure.formulas.noisy_or import NoisyOr
from howsure.sure import Sure
from tests.conftest import NOW

GIVEN = [
    (1, {"statement": "The sky is blue", "source": "user:ann", "contribution": 0.8}),
    (2, b'{"statement": "Grass is green", "provenance": [{"source_type": "a", "source_id": "b"}]}'),
    (3, {"statement": ""}),
    (4, b"{"),
]


def plain(ready: Any) -> Any:
    """Return what was prepared without the id, which is never the same twice."""
    return [one if isinstance(one, str) else (one[0][1:], one[1]) for one in ready]


def test_a_helper_process_prepares_the_same_claims() -> None:
    preparation = Preparation(NoisyOr(), 0.5)
    with ProcessWorker(preparation) as desk, Worker(preparation) as here:
        for given in (GIVEN, GIVEN[:1], []):
            desk.submit(given, NOW)
            here.submit(given, NOW)
            assert plain(desk.results()) == plain(here.results())
    assert here.preparation.rows(GIVEN[2:], NOW) == [
        "line 3: statement: the statement is empty",
        "line 4: not JSON: unexpected end of data at position 1 (one object per line)",
    ]


def test_text_of_another_class_passes_between_the_processes() -> None:
    given = [(1, {"statement": HTTPMethod.GET, "source": "user:ann"})]
    preparation = Preparation(NoisyOr())
    with pytest.raises(ValueError, match="unmarshallable"):  # the quicker way
        marshal.dumps(preparation.rows(given, NOW))
    with ProcessWorker(preparation) as desk:
        desk.submit(given, NOW)
        assert plain(desk.results()) == plain(preparation.rows(given, NOW))
        assert desk._process.poll() is None


def test_work_of_a_failed_process_is_finished_here() -> None:
    preparation = Preparation(NoisyOr())
    with ProcessWorker(preparation) as desk:
        desk._process.kill()
        desk._process.wait()
        for _ in range(2):
            desk.submit(GIVEN, NOW)
            assert plain(desk.results()) == plain(preparation.rows(GIVEN, NOW))


def test_a_formula_that_only_this_process_knows_is_prepared_here() -> None:
    class Own(NoisyOr):
        """A formula of a script."""

    Own.__module__ = "__main__"
    assert type(start_worker(Preparation(Own()), large=True)) is Worker
    assert type(start_worker(Preparation(NoisyOr()), large=False)) is Worker


def test_large_loads_give_the_same_as_small_ones(sure: Sure, tmp_path: Path) -> None:
    count = BATCH + 500
    records = [
        {"statement": f"claim {n % (count - 3)}", "source": f"t{n % 3}:s{n}", "contribution": (n % 9) / 10}
        for n in range(count)
    ]
    file = tmp_path / "claims.jsonl"
    file.write_bytes(b"".join(orjson.dumps(r, option=orjson.OPT_APPEND_NEWLINE) for r in records) + b"\n{broken\n")
    learned = sure.claims.learn(file)
    assert (learned.read, learned.created, learned.corroborated, learned.failed) == (count + 1, count - 3, 3, 1)
    assert learned.errors[0].startswith(f"line {count + 2}: not JSON")
    found = {claim.statement: claim for claim in sure.claims.find(limit=None).claims}
    for n in (7, 4999, 5000, 5400):
        assert found[f"claim {n}"].interval.upper == pytest.approx((n % 9) / 10)
    assert found["claim 1"].sources == 2


def test_a_file_that_is_open_is_learned_line_by_line(sure: Sure, tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    file.write_bytes(b'\xef\xbb\xbf\n{"statement": "a"}\n\n{"statement": 5}\n')
    with file.open("rb") as lines:
        learned = sure.claims.learn(lines)
    assert (learned.created, learned.errors) == (1, ["line 4: statement: 5 is not a text (in quotes)"])


def test_a_store_fills_in_by_its_own_formula(sure: Sure) -> None:
    sure.session.formula = formula = Beta(half_life=HalfLives(task=50.0))
    added = sure.claims.add("The sky is blue", source="user:ann", contribution=0.8)
    claim = sure.claims.get(added.id or "")
    assert claim.stale_at == NOW + 50.0
    assert claim.base == pytest.approx(claim.interval)
    assert claim.base == pytest.approx(formula.alone(0.8))
