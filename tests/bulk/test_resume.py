"""Partitions: the output appears when all are written, and an interrupted run continues where it stopped."""

import errno
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from howsure.bulk import api as bulk
from howsure.bulk.choose import EngineChoice, EngineName
from howsure.bulk.engines.base import Tables
from howsure.bulk.inputs import parse_input
from howsure.bulk.outputs import Output, move_into_place
from howsure.formulas.noisy_or import NoisyOr
from tests.bulk.worlds import NOW, differences, world

MADE = world(9, derived=True)
EXPECTED = MADE.expected(NoisyOr())


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Any]:
    found = {}
    for name in ("claims", "sources", "relations"):
        parquet.write_table(pa.Table.from_pylist(getattr(MADE, name)), tmp_path / f"{name}.parquet")
        found[name] = tmp_path / f"{name}.parquet"
    return found


class Stopped(Exception):  # noqa: N818 - not an error
    """Stands for anything that may end a run."""


def stop_at(number: int) -> Any:
    def progress(what: str, _done: int, _total: int) -> None:
        if what.startswith(f"part {number} "):
            raise Stopped

    return progress


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_run_goes_on_where_it_was(engine: EngineName, kind: str, places: Any, tmp_path: Path) -> None:
    out, work = tmp_path / f"scores.{kind}", tmp_path / f".scores.{kind}.parts"
    given: Any = {**places, "out": out, "engine": engine, "partitions": 4}
    with pytest.raises(Stopped):
        bulk.Bulk(clock=lambda: NOW).score(**given, progress=stop_at(3))
    assert not out.exists()
    assert sorted(path.name for path in work.glob("part-*")) == [f"part-0000{n}.{kind}" for n in range(2)]
    first = (work / f"part-00000.{kind}").stat().st_mtime_ns
    told: list[str] = []
    found = bulk.Bulk(clock=lambda: NOW + 1e6).score(**given, progress=lambda what, _done, _total: told.append(what))
    assert (found.rows, found.now) == (len(MADE.claims), NOW)  # the moment is that of the first run
    assert [what for what in told if what.startswith("part ")] == ["part 3 of 4", "part 4 of 4"]
    assert not work.exists()
    assert (out / f"part-00000.{kind}").stat().st_mtime_ns == first
    assert sorted(path.name for path in out.iterdir()) == [f"part-0000{n}.{kind}" for n in range(4)]
    if kind == "parquet":
        assert not differences(parquet.read_table(out), EXPECTED)


def test_another_run_starts_anew(places: Any, tmp_path: Path) -> None:
    given: Any = {**places, "out": tmp_path / "scores.parquet", "partitions": 3}
    with pytest.raises(Stopped):
        bulk.score(**given, now=NOW, progress=stop_at(2))
    told: list[str] = []
    bulk.score(**given, now=NOW, trust=0.5, progress=lambda what, _done, _total: told.append(what))
    assert "part 1 of 3" in told
    with pytest.raises(Exception, match="already exists"):
        bulk.score(**given, now=NOW)
    bulk.score(**given, now=NOW, replace=True)
    assert not differences(parquet.read_table(tmp_path / "scores.parquet"), EXPECTED)


def test_tables_that_changed_start_anew(places: Any, tmp_path: Path) -> None:
    given: Any = {**places, "out": tmp_path / "scores.parquet", "partitions": 3, "now": NOW}
    with pytest.raises(Stopped):
        bulk.score(**given, progress=stop_at(3))
    parquet.write_table(pa.Table.from_pylist(MADE.sources[:-1]), places["sources"])
    told: list[str] = []
    bulk.score(**given, progress=lambda what, _done, _total: told.append(what))
    assert "part 1 of 3" in told


def test_a_state_that_cannot_be_read_starts_anew(places: Any, tmp_path: Path) -> None:
    work = tmp_path / ".scores.parquet.parts"
    work.mkdir()
    (work / "state.json").write_text("{")
    found = bulk.score(**places, out=tmp_path / "scores.parquet", partitions=2, now=NOW)
    assert found.rows == len(MADE.claims)


def test_bad_tables_leave_nothing_behind(places: Any, tmp_path: Path) -> None:
    parquet.write_table(pa.Table.from_pylist([*MADE.claims, MADE.claims[0]]), places["claims"])
    with pytest.raises(Exception, match="is the id of more than one claim"):
        bulk.score(**places, out=tmp_path / "scores.parquet", partitions=2, now=NOW)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_more_parts_than_claims(tmp_path: Path) -> None:
    for engine in ("duckdb", "arrays"):
        out = tmp_path / f"{engine}.jsonl"
        found = bulk.score([{"id": 1}, {"id": 2}], out=out, partitions=5, now=NOW, engine=engine)
        assert found.rows == 2
        lines = [json.loads(line) for file in sorted(out.iterdir()) for line in file.read_text().splitlines()]
        assert sorted(line["id"] for line in lines) == [1, 2]


def test_a_folder_takes_the_place_of_a_file_and_a_file_that_of_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "scores.parquet"
    for parts in (1, 2, 1, 1, 2, 2):
        bulk.score([{"id": 1}, {"id": 2}], out=out, partitions=parts, now=NOW, replace=True)
        assert out.is_dir() == (parts > 1)
        assert parquet.read_table(out).num_rows == 2
    assert [path.name for path in tmp_path.iterdir()] == ["scores.parquet"]


def test_a_part_has_a_name_of_its_own() -> None:
    assert Output("csv", "x.csv").part_in(Path("folder"), 7).place == "folder/part-00007.csv"


def test_a_folder_that_cannot_be_replaced_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = tmp_path / "scores.parquet", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "part").write_text(folder.name)
    rename = Path.rename

    def fail(part: Path, target: Path) -> Path:
        if part == new:
            raise OSError(errno.EIO, "Input/output error")
        return rename(part, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="Input/output error"):
        move_into_place(new, old, replace=True)
    assert (old / "part").read_text() == "scores.parquet"


def test_parts_of_arrays_have_the_same_claims_in_every_run(tmp_path: Path) -> None:
    size = 300_000  # DuckDB reads so many in parallel, and gives them in any order unless it is told to keep theirs
    parquet.write_table(pa.table({"id": range(size)}), tmp_path / "claims.parquet", row_group_size=10_000)
    tables = Tables(parse_input(tmp_path / "claims.parquet", "claims"))
    with EngineChoice("arrays", "").open(scratch=tmp_path) as engine:
        engine.load(tables)
        assert engine.arrays.ids.to_pylist() == list(range(size))  # type: ignore[attr-defined]
