"""Evaluation of hedges on labelled sentences."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.evaluate_wording import main


def _write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_the_table_has_every_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentences = [("It may fail.", True), ("It fails.", False)]
    _write(
        tmp_path / "hedge_conll2010_wiki" / "all.jsonl",
        [{"id": 2 * place, "text": text, "uncertain": label} for place, (text, label) in enumerate(sentences * 2)],
    )
    findings = [
        ("It may fail.", 2.0, "Uncertain"),
        ("It fails.", 6.0, "Certain"),
        ("Maybe it fails.", 3.0, "Uncertain"),
    ]
    _write(
        tmp_path / "hedge_science_certainty" / "sentence.jsonl",
        [
            {"finding": text, "sentence-level-certainty": certainty, "split": split}
            for split in ("train", "val")
            for text, certainty, _ in findings
        ],
    )
    _write(
        tmp_path / "hedge_science_certainty" / "aspect.jsonl",
        [
            {"finding": f"{start}{text}", "aspect-level-certainty": {"Probability": label}}
            for start in ("", "Now: ")  # weights were fitted to the first ones, which are left out
            for text, _, label in findings
        ],
    )
    main(str(tmp_path))
    rows = capsys.readouterr().out.splitlines()
    assert rows[2] == "| hedge_conll2010_wiki, all | 4 | F1 | 0.000 | 1.000 |"
    assert rows[-1] == "| hedge_science_certainty, probability | 3 | AUROC | 0.750 | 1.000 |"


def test_a_folder_without_sets_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no sets"):
        main(str(tmp_path))
