"""The gate lets plain right answers through, and stops what nothing supports."""

import random

import pytest

from benchmarks.evaluate_gate import correct, main, share_passed, ungrounded


def test_right_answers_pass_and_ungrounded_ones_do_not() -> None:
    passed, wrongly = share_passed("evidence", list(correct(random.Random(3))))
    assert passed >= 0.95, wrongly
    passed, wrongly = share_passed("evidence", list(ungrounded(random.Random(4))), report=False)
    assert passed <= 0.10, wrongly


def test_the_source_document_blocks_all_of_them() -> None:
    assert share_passed("nlnh", list(correct(random.Random(3), 40)), report=False)[0] == 0.0


def test_the_table_has_every_set(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "| answers | n | passed by evidence | passed by nlnh |"
    assert [row.split(" | ")[1] for row in rows[2:]] == ["160", "160", "80", "80", "160"]
