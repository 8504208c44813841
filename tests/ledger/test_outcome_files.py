"""Outcomes from files: every format, streaming, idempotent, with a report of what was wrong."""

import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.ledger import outcome_files
from howsure.store.check import check
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock


def decide(sure: Sure, **about: str) -> str:
    return sure.responses.check("It works.", agent="ann", knowledge=0.9, **about).id  # type: ignore[arg-type]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".csv":
        names = list(dict.fromkeys(name for row in rows for name in row))
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".parquet":
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet"])
def test_every_format_is_read(sure: Sure, clock: Clock, tmp_path: Path, kind: str) -> None:
    one, two, three = decide(sure), decide(sure, task_id="k"), decide(sure, trace_id="t")
    clock.now = NOW + 5000
    rows: list[dict[str, Any]] = [
        {"id": one, "task_id": None, "trace_id": None, "outcome": "right", "at": str(NOW + 60), "by": "bob"},
        {"id": None, "task_id": "k", "trace_id": None, "outcome": "0", "at": "2027-01-15T08:30:00Z", "by": None},
        {"id": None, "task_id": None, "trace_id": "t", "outcome": "corrected", "at": None, "by": None},
        {"id": "a0", "task_id": None, "trace_id": None, "outcome": "up", "at": None, "by": None},
        {"id": one, "task_id": None, "trace_id": None, "outcome": "maybe", "at": None, "by": None},
    ]
    path = write(tmp_path / f"outcomes{kind}", rows)
    report = sure.ledger.import_outcomes(path)
    assert (report.recorded, report.unchanged, report.unmatched, report.invalid) == (3, 0, 1, 1)
    lines = [4, 5] if kind != ".csv" else [5, 6]
    assert [error.partition(":")[0] for error in report.errors] == [f"line {line}" for line in lines]
    decisions = [sure.ledger.get(id_) for id_ in (one, two, three)]
    assert [decision.outcome for decision in decisions] == ["right", "wrong", "corrected"]
    assert [decision.outcome_at for decision in decisions] == [NOW + 60, NOW + 1800, NOW + 5000]
    assert [decision.outcome_by for decision in decisions] == ["bob", "tester", "tester"]
    assert {decision.outcome_source for decision in decisions} == {"file"}
    clock.now = NOW + 9000
    again = sure.ledger.import_outcomes(str(path))
    assert (again.recorded, again.unchanged, again.failed) == (0, 3, 2)
    assert [sure.ledger.get(id_) for id_ in (one, two, three)] == decisions
    assert check(sure.session) == []


def test_parquet_has_its_own_types(tmp_path: Path, clock: Clock) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    with open_store(str(tmp_path / "s.db"), clock=clock) as sure:
        ids = [decide(sure) for _ in range(3)]
        clock.now = NOW + 5000
        moments = [datetime.fromtimestamp(NOW + number, UTC) for number in range(3)]
        table = pa.table({"decision_id": ids, "outcome": [1, 0, 1], "at": moments})
        parquet.write_table(table, tmp_path / "o.parquet")
        assert sure.ledger.import_outcomes(tmp_path / "o.parquet").recorded == 3
        assert [sure.ledger.get(id_).outcome_at for id_ in ids] == [NOW, NOW + 1, NOW + 2]
        flags = pa.table({"id": ids, "outcome": [False, None, True]})
        parquet.write_table(flags, tmp_path / "f.parquet")
        report = sure.ledger.import_outcomes(tmp_path / "f.parquet")
        assert (report.recorded, report.unchanged, report.invalid) == (2, 0, 1)


def test_unread_columns_are_reported(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s.db")) as sure:
        one = decide(sure)
        path = write(tmp_path / "o.csv", [{"id": one, "outcom": "right", "score": "0.3"}])
        report = sure.ledger.import_outcomes(path)
        assert (report.recorded, report.invalid) == (0, 1)
        assert "outcome" in report.errors[0]
        assert [name.partition(" ")[0] for name in report.ignored] == ["outcom", "score"]
        assert "did you mean outcome?" in report.ignored[0]


def test_other_columns_may_hold_anything(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s.db")) as sure:
        row = {"id": decide(sure), "outcome": "right", "source_id": "7", "valid_from": "yesterday"}
        report = sure.ledger.import_outcomes(write(tmp_path / "o.csv", [row]))
        assert (report.recorded, report.invalid, len(report.ignored)) == (1, 0, 2)
        path = tmp_path / "wide.csv"
        path.write_text(f"id,outcome\n{row['id']},right,so\n")
        assert "more cells than columns" in sure.ledger.import_outcomes(path).errors[0]


def test_errors_are_counted_and_the_first_are_listed(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s.db")) as sure:
        path = write(tmp_path / "o.jsonl", [{"id": f"a{number}", "outcome": "up"} for number in range(2500)])
        report = sure.ledger.import_outcomes(path)
        assert (report.unmatched, len(report.errors)) == (2500, 100)


def test_a_file_is_written_in_whole_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome_files, "PART", 3)
    with open_store(str(tmp_path / "s.db")) as sure:
        ids = [decide(sure) for _ in range(8)]
        path = write(tmp_path / "o.jsonl", [{"id": id_, "outcome": "up"} for id_ in ids])

        def stop(_stage: str, done: int, _total: int) -> None:
            if done == 6:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            sure.ledger.import_outcomes(path, progress=stop)
        assert [sure.ledger.get(id_).outcome is not None for id_ in ids] == [True] * 6 + [False] * 2
        report = sure.ledger.import_outcomes(path)
        assert (report.recorded, report.unchanged) == (2, 6)


def test_a_file_that_breaks_off_is_imported_up_to_there(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s.db")) as sure:
        one = decide(sure)
        lines = [f"id,outcome\n{one},right\n", *(f"b{number},wrong\n" for number in range(20_000))]
        (tmp_path / "o.csv").write_bytes("".join(lines).encode() + b"\xff\xfe,wrong\n")
        report = sure.ledger.import_outcomes(tmp_path / "o.csv")
        assert (report.recorded, report.invalid) == (1, 1)
        assert report.unmatched > 10_000
        (tmp_path / "o.csv").write_bytes(b"id,outcome\n\xff\xfe,wrong\n")
        with pytest.raises(InputError, match=r"o.csv is not a CSV file in UTF-8"):
            sure.ledger.import_outcomes(tmp_path / "o.csv")
        (tmp_path / "p.parquet").write_bytes(b"PAR1 nothing")
        with pytest.raises(InputError, match=r"p.parquet is not a Parquet file"):
            sure.ledger.import_outcomes(tmp_path / "p.parquet")
        with pytest.raises(InputError, match=r"cannot read .*nowhere.csv: No such file"):
            sure.ledger.import_outcomes(tmp_path / "nowhere.csv")


reports = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["right", "wrong", "corrected"]), st.integers(0, 5) | st.none())
)


@hypothesis_settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(lines=reports, part=st.integers(1, 4))
def test_importing_again_adds_nothing_and_the_last_line_counts(lines: Any, part: int, tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("files")
    moments = iter(range(10_000))
    with pytest.MonkeyPatch.context() as patch, open_store(str(folder / "s.db"), clock=lambda: NOW + 100) as sure:
        patch.setattr(outcome_files, "PART", part)
        ids = [sure.responses.check("x", agent="ann", knowledge=0.5, now=NOW - 100).id for _ in range(3)]
        rows = [
            {"id": ids[who], "outcome": outcome} | ({} if at is None else {"at": NOW + at})
            for who, outcome, at in lines
        ]
        path = write(folder / "o.jsonl", rows)
        first = sure.ledger.import_outcomes(path, now=NOW + 100 + next(moments))
        state = [sure.ledger.explain(id_) for id_ in ids]
        again = sure.ledger.import_outcomes(path, now=NOW + 100 + next(moments))
        assert [sure.ledger.explain(id_) for id_ in ids] == state
        assert (again.recorded, again.unchanged) == (0, first.recorded + first.unchanged)
        for who, id_ in enumerate(ids):
            # By hand: what was known last counts; without a time, the moment of the import is after all others.
            own = [(NOW + 100 if at is None else NOW + at, outcome) for one, outcome, at in lines if one == who]
            expected = None
            for place, (at, outcome) in enumerate(own):
                latest = max((earlier for earlier, _ in own[:place]), default=at)
                if at >= latest:
                    expected = outcome
            assert sure.ledger.get(id_).outcome == expected
        assert check(sure.session) == []
