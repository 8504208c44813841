"""Claims that grow large: thousands of sources and relations on one claim do not make each further one dearer."""

import itertools
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from howsure.formulas.claim import RelationKind
from howsure.shapes.encode import encode
from howsure.store import check as upkeep
from howsure.store.backends.sqlite import SqliteDatabase
from howsure.store.claim_tables import claims as table
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW


def _filled(sure: Sure, count: int) -> tuple[str, list[str]]:
    """Add a claim and others; return its id and theirs."""
    target = str(sure.claims.add("target").id)
    sure.claims.learn({"statement": f"claim {number}", "source": "log:a"} for number in range(count))
    with sure.session.database.read() as transaction:
        ids = transaction.rows("SELECT id FROM claims WHERE id <> ? ORDER BY key", [target])
    return target, [row[0] for row in ids]


def _count(steps: "itertools.count[int]") -> int:
    next(steps)
    return 0


def _work(sure: Sure, work: Callable[[int], Any], times: int = 5) -> int:
    """Return how many hundreds of steps SQLite takes for a piece of work, as a rule; nothing is known of PostgreSQL."""
    if not isinstance(sure.session.database, SqliteDatabase):
        work(0)
        return 0
    with sure.session.write():  # after a large write, the first small one opens another connection
        pass
    connection, found = sure.session.database.connection(), []
    for number in range(times):
        steps = itertools.count()
        connection.set_progress_handler(partial(_count, steps), 100)
        work(number)
        connection.set_progress_handler(None, 0)
        found.append(next(steps))
    return int(median(found))


def test_a_claim_of_3000_sources_is_as_quick_to_corroborate_as_a_small_one(sure: Sure) -> None:
    def corroborate(statement: str) -> Callable[[int], Any]:
        return lambda number: sure.claims.add(statement, source=f"late:{number}", contribution=0.01)

    entries = [{"source_type": "log", "source_id": str(n), "contribution": 0.001} for n in range(2960)]
    large = str(sure.claims.add("large", sources=entries).id)
    small = _work(sure, corroborate("small"))
    assert (
        _work(sure, corroborate("large")) < 3 * small + 200
    )  # all that grows is a look through its entries for the type
    assert sure.claims.get(large).sources >= 2961
    assert upkeep.check(sure.session) == []


@pytest.mark.soak
def test_3000_sources_can_be_added_one_by_one(sure: Sure) -> None:
    for number in range(3000):
        claim = sure.claims.add("said by many", source=f"agent:{number}", contribution=0.001).id
    found = sure.claims.get(str(claim))
    assert found.sources == 3000
    assert found.interval.upper == pytest.approx(1 - 0.999**3000)


def _related(sure: Sure, target: str, others: list[str], kinds: list[RelationKind]) -> None:
    insert = "INSERT INTO relations (kind, source, target, strength, recorded_at) VALUES (?, ?, ?, 0.001, ?)"
    with sure.session.write() as transaction:
        keys = {claim: table.key_of(transaction, claim) for claim in (target, *others)}
        transaction.many(insert, [(kind, keys[other], keys[target], NOW) for kind in kinds for other in others])


def test_a_claim_of_10000_relations_can_be_read_and_related(sure: Sure) -> None:
    target, others = _filled(sure, 2500)
    first = _work(sure, lambda number: sure.claims.relate(others[number], "refines", target))
    _related(sure, target, others, ["supports", "contradicts"])
    half = _work(sure, lambda _: sure.claims.get(target), 5)
    _related(sure, target, others, ["refines", "related_to"])
    assert upkeep.stats(sure.session).relations >= 10_001
    assert _work(sure, lambda _: sure.claims.get(target), 5) < 3 * half + 100
    assert _work(sure, lambda number: sure.claims.relate(others[number], "refines", target)) < 3 * first + 100
    assert len(json.dumps(encode(sure.claims.explain(target)))) > 100_000


def _import_work(folder: Path, relations: int) -> int:
    """Return the work of importing a claim with so many relations, ten to each of its neighbours."""
    folder.mkdir()
    with open_store(str(folder / "store.db")) as sure, open_store(str(folder / "copy.db")) as copy:
        target, others = _filled(sure, relations // 10)
        for _ in range(10):
            _related(sure, target, others, ["supports"])
        records = list(sure.claims.export())
        for number, record in enumerate(records):
            if "relation" in record:
                record["relation"]["recorded_at"] = NOW + number
        return _work(copy, lambda _: copy.claims.import_(records), 1)


def test_twice_the_relations_of_a_claim_take_twice_the_work_to_import(tmp_path: Path) -> None:
    few = _import_work(tmp_path / "few", 1000)
    assert few < _import_work(tmp_path / "many", 2000) < 3 * few
