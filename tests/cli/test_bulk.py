"""howsure bulk, as a process of its own."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

NOW = "1800000000"


@pytest.fixture
def places(tmp_path: Path) -> list[str]:
    """Give three small tables, as the command line takes them."""
    (tmp_path / "claims.csv").write_text("id,tier,stale_at\nsky,project,\nsea,task,1799900000\nmoon,task,\n")
    (tmp_path / "evidence.csv").write_text(
        "claim,source_type,source_id,contribution\nsky,user_input,ann,0.8\nsky,extraction,book,0.6\n"
        "sky,extraction,book,0.4\nsea,user_input,bob,0.7\nmoon,agent,7,\n"
    )
    (tmp_path / "relations.jsonl").write_text(
        '{"kind": "supports", "source": "sea", "target": "sky", "strength": 0.5}\n'
        '{"kind": "contradicts", "source": "sky", "target": "mars", "strength": 1.0}\n'
    )
    options = ["-e", str(tmp_path / "evidence.csv"), "-r", str(tmp_path / "relations.jsonl"), "--now", NOW]
    return [str(tmp_path / "claims.csv"), *options]


def rows(path: Path) -> dict[str, dict[str, str]]:
    with path.open() as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def test_score(howsure: Run, places: list[str], tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    done = howsure("bulk", "score", *places, "-o", str(out))
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode().splitlines()
    assert said[0].startswith(f"3 claims by noisy_or into {out}, in ")
    assert said[1] == "engine duckdb: the tables are small"
    assert done.stderr.decode() == ("howsure: left out 1 row of relations that refers to unknown claims\n")
    found = rows(out)
    assert list(found["sky"]) == "id sources diversity staleness influence boost penalty upper lower".split()  # noqa: SIM905
    assert float(found["sky"]["upper"]) == pytest.approx(0.92 * (1 + 0.1 * 0.5 * float(found["sea"]["influence"])))
    assert (found["sky"]["sources"], found["moon"]["sources"], found["moon"]["upper"]) == ("2", "0", "0.0")


def test_score_by_another_formula_with_chosen_columns_as_json(howsure: Run, places: list[str], tmp_path: Path) -> None:
    out = tmp_path / "scores.jsonl"
    options = ["-f", "beta", "-s", "z=2", "-s", "half_life.task=3600", "--columns", "id,lower", "--trust", "0.5"]
    done = howsure("bulk", "score", *places, "-o", str(out), *options, "--json", "--engine", "arrays")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["rows"], told["engine"], told["why"], told["now"]) == (3, "arrays", "requested", float(NOW))
    assert (told["spec"]["parameters"]["z"], told["counts"]["unknown_relations"]) == (2.0, 1)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert {frozenset(line) for line in lines} == {frozenset({"id", "lower"})}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--unknown", "refuse"], "relations: relations.jsonl: 1 row refers to unknown claims, such as 'mars'"),
        (["--formula", "psychic"], "there is no model 'psychic'"),
        (["--engine", "abacus"], "there is no engine 'abacus'"),
        (["--now", "soon"], "now: 'soon' is not a time"),
        (["--columns", "id,lowest"], "columns: unknown column 'lowest'"),
        (["--set", "boost_factor"], "set: 'boost_factor' is not NAME=VALUE"),
    ],
)
def test_errors_are_one_line(howsure: Run, places: list[str], tmp_path: Path, options: Any, message: str) -> None:
    out = tmp_path / "scores.parquet"
    done = howsure("bulk", "score", *places, "-o", str(out), *options)
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert len(done.stderr.decode().splitlines()) == 1
    assert not out.exists()


def test_output_in_parts_is_replaced_only_if_asked(howsure: Run, places: list[str], tmp_path: Path) -> None:
    command = ["bulk", "score", *places, "-o", str(tmp_path / "scores.parquet"), "--partitions", "2"]
    assert howsure(*command).returncode == 0
    assert sorted(path.name for path in (tmp_path / "scores.parquet").iterdir()) == [
        "part-00000.parquet",
        "part-00001.parquet",
    ]
    refused = howsure(*command)
    assert (refused.returncode, b"already exists" in refused.stderr) == (2, True)
    assert howsure(*command, "--replace").returncode == 0


def test_a_folder_of_partitions_needs_the_name_of_its_type(howsure: Run, places: list[str], tmp_path: Path) -> None:
    refused = howsure("bulk", "score", *places, "-o", str(tmp_path / "parts"), "--partitions", "2")
    assert refused.returncode == 2
    assert b"has no suffix (its suffix names the type of its files: parts.parquet)" in refused.stderr


def test_sweep(howsure: Run, places: list[str], tmp_path: Path) -> None:
    picture = tmp_path / "sweep.svg"
    options = ["-f", "noisy_or", "-f", "beta", "--vary", "boost_factor=0.1,2", "--threshold", "0.9", "--bound", "upper"]
    done = howsure("bulk", "sweep", *places, *options, "--picture", str(picture))
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode()
    assert "3 claims, upper at least 0.9" in said
    assert "noisy_or, boost_factor 2" in said
    assert "user_input:ann" in said
    assert picture.read_text().startswith("<svg")
    told = json.loads(howsure("bulk", "sweep", *places, *options, "--leave-out", "0", "--json").stdout)
    assert [variant["name"] for variant in told["variants"]][-1] == "beta"
    assert told["sources"] == []
    wrong = howsure("bulk", "sweep", *places, "--vary", "boost_factor=much")
    assert (wrong.returncode, b"'much' are not numbers" in wrong.stderr) == (2, True)


def test_responses_with_their_context_agree_with_the_gate(howsure: Run, tmp_path: Path) -> None:
    table, out, store = tmp_path / "answers.csv", tmp_path / "scores.jsonl", str(tmp_path / "s.db")
    table.write_text("id,text,source\n1,The port is 8443.,The port is 8443.\n", encoding="utf-8")
    (tmp_path / "source.txt").write_text("The port is 8443.", encoding="utf-8")
    options = ("--context", "source", "--out", str(out), "--replace")
    done = howsure("bulk", "texts", str(table), "evidence", *options)
    assert (done.returncode, done.stderr) == (0, b"")
    scored = json.loads(out.read_text(encoding="utf-8"))
    gate = ("gate", "--json", "--context", str(tmp_path / "source.txt"), "--store", store, "-")
    decision = json.loads(howsure(*gate, stdin=b"The port is 8443.").stdout)
    assert (decision["policy"], decision["decision"]) == ("evidence", "pass")
    assert scored["composite"] == decision["composite"]
    done = howsure("bulk", "texts", str(table), "response", *options)
    assert done.returncode == 0
    assert b"composite of response, the gate's policy nlnh, takes no account of the context" in done.stderr


def test_texts(howsure: Run, tmp_path: Path) -> None:
    table, out = tmp_path / "answers.csv", tmp_path / "scores.csv"
    table.write_text('id,answer,agent_type\n1,"It is definitely tested.",planner\n2,"I think it might be",clerk\n')
    options = ["--column", "answer", "--columns", "certainty,needed"]
    done = howsure("bulk", "texts", str(table), "response", "-o", str(out), *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().startswith(f"2 texts by response into {out}")
    found = rows(out)
    assert [(found[name]["certainty"], found[name]["needed"]) for name in ("1", "2")] == [
        ("0.7", "0.75"),
        ("0.2", "0.7"),
    ]
