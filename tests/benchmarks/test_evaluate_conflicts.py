"""Evaluation of conflict detection on labelled pairs."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.evaluate_conflicts import main, measure, read_sets


def _write(path: Path, lines: list[dict[str, str]]) -> None:
    path.parent.mkdir(exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    one = {"premise": "The cache is on.", "hypothesis": "The cache is off.", "label": "contradiction"}
    two = {"premise": "The cache is on.", "hypothesis": "The cache is full.", "label": "neutral"}
    _write(tmp_path / "nli_small" / "dev.jsonl.gz", [one, two])
    _write(tmp_path / "fc_small" / "claims.jsonl", [{"claim_id": "7", "claim": "It is red.", "claim_label": "REFUTES"}])
    _write(tmp_path / "fc_small" / "evidence.jsonl", [{"claim_id": "7", "evidence": "It is blue.", "label": "REFUTES"}])
    return tmp_path


def test_pairs_are_read_from_both_kinds_of_set(folder: Path) -> None:
    found = dict(read_sets(folder))
    assert list(found) == ["fc_small/evidence", "nli_small/dev"]
    assert found["fc_small/evidence"] == [("It is blue.", "It is red.", True)]
    assert [pair.against for pair in found["nli_small/dev"]] == [True, False]


def test_a_set_is_measured(folder: Path) -> None:
    assert measure("small", dict(read_sets(folder))["nli_small/dev"]) == ("small", 2, (1.0, 1.0, 1.0), 1.0)


def test_the_table_names_the_worst_set(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(str(folder))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| set | pairs | precision | recall | F1 | AUROC |"
    assert lines[-1].startswith("| worst: ")


def test_an_empty_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no sets nli_"):
        main(str(tmp_path))
