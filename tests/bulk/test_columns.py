"""Errors in tables are reported before anything is scored, with file, column, row and value."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from howsure.bulk import api as bulk
from howsure.bulk.choose import EngineName
from howsure.bulk.engines.duckdb import DuckDb
from howsure.errors import HowsureError, InputError
from tests.bulk.worlds import NOW
from tests.conftest import ROOT, hear_ctrl_c

ENGINES = ["duckdb", "arrays"]
CLAIMS = [
    {"id": 1, "tier": "task", "stale_at": NOW, "status": "active"},
    {"id": 2, "tier": "task", "stale_at": None, "status": "active"},
]
SOURCES = [{"claim": 1, "source_type": "user", "source_id": "ann", "contribution": 0.5}]
RELATIONS = [{"kind": "supports", "source": 1, "target": 2, "strength": 0.5}]


def written(folder: Path, name: str, rows: Any) -> str:
    parquet.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")
    return str(folder / f"{name}.parquet")


def refused(engine: EngineName, message: str, **tables: Any) -> None:
    given = {"claims": CLAIMS, "sources": SOURCES, "relations": RELATIONS} | tables
    with pytest.raises(InputError, match=message):
        bulk.score(**given, now=NOW, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        (
            "sources",
            {"contribution": 1.5},
            r"sources.contribution: sources.parquet: row 2: 1.5: not between 0 and 1",
        ),
        ("sources", {"contribution": math.nan}, r"row 2: nan: not between 0 and 1"),
        ("sources", {"contribution": -math.inf}, r"row 2: -inf: not between 0 and 1"),
        ("sources", {"claim": None}, r"sources.claim: .*row 2: must not be empty"),
        ("sources", {"source_id": None}, r"sources.source_id: .*row 2: must not be empty"),
        (
            "claims",
            {"tier": "weekly"},
            r"claims.tier: .*row 2: 'weekly': not one of ephemeral, task, project, persistent",
        ),
        ("claims", {"status": None}, r"claims.status: .*row 2: must not be empty"),
        ("claims", {"stale_at": math.nan}, r"claims.stale_at: .*row 2: nan: not between -1e\+12 and 1e\+12"),
        ("relations", {"kind": "likes"}, r"relations.kind: .*row 2: 'likes': not one of supports, contradicts"),
        ("relations", {"strength": None}, r"relations.strength: .*row 2: must not be empty"),
        ("relations", {"target": 1}, r"relations.target: .*row 2: 1: a claim cannot relate to itself"),
    ],
)
def test_a_row_that_is_wrong_is_named(
    engine: EngineName, table: str, change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    rows = {"claims": CLAIMS[:1], "sources": SOURCES, "relations": RELATIONS}[table]
    new = {"claims": {"id": 3}, "sources": {}, "relations": {}}[table]
    refused(engine, message, **{table: written(tmp_path, table, [*rows, rows[0] | new | change])})


@pytest.mark.parametrize("engine", ENGINES)
def test_a_row_of_a_frame_and_of_a_csv_file_is_named_too(engine: EngineName, tmp_path: Path) -> None:
    wrong = [*SOURCES, SOURCES[0] | {"contribution": 7.0}, SOURCES[0] | {"contribution": 9.0}]
    refused(engine, r"the sources frame: row 2, and 1 more: 7.0: not between 0 and 1", sources=wrong)
    file = tmp_path / "sources.csv"
    file.write_text("claim,source_type,source_id,contribution\n1,user,ann,0.5\n1,user,bob,much\n")
    claims = tmp_path / "claims.csv"
    claims.write_text("id\n1\n2\n")
    refused(engine, r"sources.csv: row 2: 'much': not a number", sources=file, claims=claims, relations=None)


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_that_are_missing_or_of_the_wrong_kind_are_named(engine: EngineName, tmp_path: Path) -> None:
    refused(
        engine,
        r"sources.parquet has no column contribution \(did you mean contributions\?\)",
        sources=written(
            tmp_path, "sources", [{"claim": 1, "source_type": "a", "source_id": "b", "contributions": 0.5}]
        ),
    )
    refused(engine, r"the claims frame has no column id \(it has: name\)", claims=[{"name": 1}])
    refused(engine, r"the column contribution does not hold numbers", sources=[SOURCES[0] | {"contribution": [0.5]}])
    refused(engine, r"the column id does not hold whole numbers or text", claims=[{"id": 1.0}])
    refused(engine, r"the column tier does not hold text", claims=[{"id": 1, "tier": 3}])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("ids", [(5, 6, 5, 7, 7), (5, 9, 5, 7, 7)], ids=["few", "as many as their range"])
def test_ids_that_are_there_twice_are_named(engine: EngineName, text: bool, ids: tuple[int, ...]) -> None:
    twice = [{"id": str(n) if text else n} for n in ids]
    message = r"the claims frame: '?5'? is the id of more than one claim \(and 1 more\)"
    refused(engine, message, claims=twice, sources=None, relations=None)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", [False, True])
def test_unknown_claims_are_reported_ignored_or_refused(engine: EngineName, text: bool) -> None:
    def named(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        ends = ("id", "claim", "source", "target")
        return [{k: str(v) if text and k in ends else v for k, v in row.items()} for row in rows]

    relations = [
        *RELATIONS,
        RELATIONS[0] | {"target": 99},
        {"kind": "refines", "source": 98, "target": 1, "strength": 1.0},
    ]
    given: Any = {
        "claims": named(CLAIMS),
        "sources": named(SOURCES),
        "relations": named(relations),
        "now": NOW,
        "engine": engine,
    }
    found = bulk.score(**given)
    assert (found.counts.unknown_sources, found.counts.unknown_relations) == (0, 2)
    assert bulk.score(**given, unknown="ignore").counts.unknown_relations is None
    with pytest.raises(
        InputError, match=r"relations: the relations frame: 2 rows refer to unknown claims, .* '?9[89]'?"
    ):
        bulk.score(**given, unknown="refuse")
    with pytest.raises(InputError, match="unknown: 'panic' is not one of"):
        bulk.score(**given, unknown="panic")  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ids", [[3, 4, 5], [5, 3], [4], [3, 6]])
def test_unknown_claims_are_counted_with_and_without_gaps_between_ids(engine: EngineName, ids: list[int]) -> None:
    given: Any = {
        "claims": [CLAIMS[0] | {"id": id_} for id_ in ids],
        "sources": [SOURCES[0] | {"claim": claim} for claim in range(1, 8)],
        "relations": [RELATIONS[0] | {"source": n, "target": n + 1} for n in range(1, 8)],
    }
    found = bulk.score(**given, now=NOW, engine=engine).counts
    pairs = [n for n in range(1, 8) if n in ids and n + 1 in ids]
    assert (found.unknown_sources, found.unknown_relations) == (7 - len(ids), 7 - len(pairs))


@pytest.mark.parametrize("engine", ENGINES)
def test_chains_of_inference_that_are_too_long_or_closed_are_refused(engine: EngineName) -> None:
    claims = [{"id": n} for n in range(7)]
    chain = [{"kind": "derived_from", "source": n + 1, "target": n} for n in range(6)]
    refused(
        engine,
        "6 rests on more than 5 inferences in a row, or on itself",
        claims=claims,
        sources=None,
        relations=chain,
    )
    ring = [*chain[:2], {"kind": "derived_from", "source": 0, "target": 2}]
    refused(
        engine, "0 rests on more than 5 inferences in a row, or on itself", claims=claims, sources=None, relations=ring
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_as_of_needs_to_know_when(engine: EngineName) -> None:
    with pytest.raises(InputError, match="has no column recorded_at, which as_of needs"):
        bulk.score(CLAIMS, sources=SOURCES, as_of=NOW, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_files_that_are_broken_are_named(engine: EngineName, tmp_path: Path) -> None:
    whole = Path(written(tmp_path, "claims", CLAIMS * 1)).read_bytes()
    (tmp_path / "start.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "bad.jsonl").write_text('{"id": 1}\n{"id": \n')
    (tmp_path / "bad.arrow").write_bytes(b"ARROW1 or so")
    for name in ("start.parquet", "empty.parquet", "bad.jsonl", "bad.arrow"):
        with pytest.raises(InputError, match=name):
            bulk.score(tmp_path / name, now=NOW, engine=engine)
    for name, message in (
        ("none.parquet", "none.parquet does not exist"),
        ("claims.xls", "unknown file type '.xls'"),
        ("none.duckdb", "names a database, not a table"),
        ("none.duckdb::claims", "none.duckdb"),
    ):
        with pytest.raises(InputError, match=message):
            bulk.score(tmp_path / name, now=NOW, engine=engine)
    with pytest.raises(InputError, match="3 is not a table"):
        bulk.score(3, now=NOW)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id,tier\n1,task\n2,task,3,4\n", "claims: claims.csv: line 3: Expected Number of Columns: 2"),
        (b"id,tier\n1\n", "claims: claims.csv: line 2: Expected Number of Columns: 2"),
        ("id,tier\n1,task\n".encode("utf-16"), "claims: claims.csv is not UTF-8"),
        ("id,tier\n1,t\u00e4sk\n".encode("latin-1"), "claims: claims.csv: line 2: Invalid unicode"),
        (b"", "claims: claims.csv is empty"),
        (b"id\r1\r2", "claims: claims.csv is not valid CSV"),
        (b"id,id\n1,2\n", "claims: claims.csv has more than one column 'id'"),
        (b'id\n"1\n', "claims: claims.csv: line "),
    ],
)
def test_a_csv_file_that_is_wrong_is_named_with_its_line(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "claims.csv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        bulk.score(tmp_path / "claims.csv", now=NOW)


def test_csv_files_of_one_table_have_the_same_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,tier\n1,task\n")
    (tmp_path / "b.csv").write_text("tier,id\ntask,2\n")
    with pytest.raises(InputError, match="a.csv and b.csv have different columns"):
        bulk.score(tmp_path, now=NOW)


def test_parquet_that_breaks_in_the_middle_leaves_no_output(tmp_path: Path) -> None:
    rows = pa.table(
        {
            "claim": list(range(50_000)),
            "source_type": ["a"] * 50_000,
            "source_id": ["b"] * 50_000,
            "contribution": [n / 50_000 for n in range(50_000)],
        }
    )
    parquet.write_table(rows, tmp_path / "sources.parquet", compression="zstd")
    broken = bytearray((tmp_path / "sources.parquet").read_bytes())
    for place in range(1000, len(broken) // 2):
        broken[place] ^= 0xFF
    (tmp_path / "sources.parquet").write_bytes(broken)
    out = tmp_path / "scores.parquet"
    with pytest.raises(HowsureError):
        bulk.score([{"id": n} for n in range(3)], sources=tmp_path / "sources.parquet", now=NOW, out=out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sources.parquet"]


@pytest.mark.parametrize("engine", ENGINES)
def test_invalid_options_are_refused(engine: EngineName, tmp_path: Path) -> None:
    given: Any = {"claims": CLAIMS, "sources": SOURCES, "engine": engine, "now": NOW}
    for options, message in (
        ({"columns": ["id", "lowest"]}, "columns: unknown column 'lowest'"),
        ({"columns": []}, "columns: no columns given"),
        ({"formula": "psychic"}, "there is no claim formula 'psychic'"),
        ({"formula": "response"}, "response is not a claim formula"),
        ({"parameters": {"boost_factor": -1}}, "boost_factor: -1 is not between 0"),
        ({"trust": 2.0}, "trust: 2.0 is not between 0 and 1"),
        ({"now": math.nan}, "now: nan is not a finite number"),
        ({"engine": "abacus"}, "there is no engine 'abacus'"),
        ({"memory": "plenty"}, "memory: 'plenty' is not an amount of memory"),
        ({"out": tmp_path / "scores"}, "scores: unknown file type ''"),
        ({"out": tmp_path / "none" / "scores.csv"}, "the folder .* does not exist"),
        ({"out": 7}, "7 is not an output"),
        ({"engine": "postgres"}, "the engine postgres needs tables in PostgreSQL"),
        ({"partitions": 2, "out": f"{tmp_path}/x.duckdb::t"}, "only files can be written in partitions"),
    ):
        with pytest.raises(InputError, match=message):
            bulk.score(**(given | options))
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_during_spilling_is_reported(tmp_path: Path) -> None:
    size = 300_000
    table = pa.table(
        {
            "claim": list(range(size)),
            "source_type": ["user"] * size,
            "source_id": [f"source-{n}" for n in range(size)],
            "contribution": [0.5] * size,
        }
    )
    parquet.write_table(table, tmp_path / "sources.parquet")
    out = tmp_path / "scores.parquet"
    claims = pa.table({"id": list(range(size))})
    with pytest.raises(HowsureError, match="the disk is full|not enough memory"):
        bulk.score(
            claims,
            sources=tmp_path / "sources.parquet",
            out=out,
            now=NOW,
            engine="duckdb",
            memory="20MB",
            disk="1MB",
            temp=str(tmp_path),
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sources.parquet"]
    done = bulk.score(
        claims,
        sources=tmp_path / "sources.parquet",
        out=out,
        now=NOW,
        engine="duckdb",
        memory="60MB",
        temp=str(tmp_path),
    )
    assert done.rows == size


INTERRUPTED = """
import sys, time
from howsure.bulk import api as bulk

def progress(what, done, total):
    if what == {when!r}:
        print("now", flush=True)
        time.sleep({pause})

options = dict(now=0.0, engine={engine!r}, partitions={parts}, progress=progress)
bulk.score({claims!r}, sources={sources!r}, out={out!r}, **options)
"""


@pytest.mark.parametrize(
    ("engine", "when", "parts"), [("duckdb", "writing", 1), ("duckdb", "folding sources", 1), ("arrays", "scoring", 1)]
)
def test_ctrl_c_leaves_nothing_half_written(engine: EngineName, when: str, parts: int, tmp_path: Path) -> None:
    size = 20_000
    claims, out = tmp_path / "claims.parquet", tmp_path / "scores.parquet"
    parquet.write_table(pa.table({"id": list(range(size))}), claims)
    sources = tmp_path / "sources.parquet"
    parquet.write_table(
        pa.table(
            {
                "claim": list(range(size)),
                "source_type": ["a"] * size,
                "source_id": ["b"] * size,
                "contribution": [0.5] * size,
            }
        ),
        sources,
    )
    code = INTERRUPTED.format(
        claims=str(claims), sources=str(sources), out=str(out), engine=engine, when=when, pause=60, parts=parts
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        preexec_fn=hear_ctrl_c,  # noqa: PLW1509
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"now\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"KeyboardInterrupt" in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["claims.parquet", "sources.parquet", "tmp"]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_query_that_is_interrupted_ends_at_once() -> None:
    engine = DuckDb()
    started = time.monotonic()

    def stop(_what: str, _done: int, _total: int) -> None:
        if time.monotonic() - started > 0.2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.connection.run("SELECT SUM(a.range * b.range) FROM range(1000000) a, range(1000000) b", "counting", stop)
    assert engine.fetch("SELECT 1") == [(1,)]
    engine.close()


class LateInterrupt:
    """A connection of DuckDB whose statements end some time after they are interrupted, as slow readers do."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._interrupted = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def interrupt(self) -> None:
        if not self._interrupted:
            self._interrupted = True
            threading.Timer(0.5, self._connection.interrupt).start()


def test_ctrl_c_while_waiting_for_a_query_waits_for_its_end() -> None:
    def interrupt(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    engine = DuckDb()
    engine.connection.connection = LateInterrupt(engine.connection.connection)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.25)
    try:
        with pytest.raises(KeyboardInterrupt):
            engine.connection.run("SELECT SUM(a.range * b.range) FROM range(1000000) a, range(1000000) b")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    engine.close()  # DuckDB refuses this while a statement runs
