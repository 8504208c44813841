"""What -v tells about the store, the engines and the judge; and that a gate pays nothing for it."""

import subprocess
import sys
from pathlib import Path

import pytest

from howsure.judge import CachedJudge, ChatJudge
from howsure.store.backends.database import log_info, logs_info
from howsure.sure import open as open_store
from tests.conftest import Run
from tests.judge import server as say
from tests.judge.asking import GOOD, QUESTION
from tests.judge.conftest import KEY, judge, judge_server, make_judge  # noqa: F401 - fixtures
from tests.judge.server import JudgeServer


def test_the_store_tells_what_it_does(address: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "howsure"), open_store(address) as sure:
        sure.claims.add("The cache is safe", source="user_input:ann")
    told = [record.getMessage() for record in caplog.records if record.name == "howsure.store"]
    assert any(line.startswith("opened ") and "schema 0 -> 1" in line for line in told)
    assert sum(line.startswith("committed") for line in told) >= 2
    assert "The cache is safe" not in caplog.text


def test_the_command_line_tells_only_if_asked(howsure: Run, tmp_path: Path) -> None:
    (tmp_path / "claims.csv").write_text("id,statement\na,It works\n")
    (tmp_path / "sources.csv").write_text("claim,source_type,source_id,contribution\na,user,ann,0.5\n")
    words = ("bulk", "score", str(tmp_path / "claims.csv"), "--evidence", str(tmp_path / "sources.csv"), "--now", "0")
    told = howsure("-v", *words, "--out", str(tmp_path / "out.csv"))
    assert told.returncode == 0, told.stderr
    for part in (
        b"howsure.bulk.choose: engine duckdb: the tables are small",
        b"howsure.bulk.api: loaded",
        b"scored 1 rows",
    ):
        assert part in told.stderr
    assert b"INFO" not in howsure(*words, "--out", str(tmp_path / "other.csv")).stderr
    gate = ("gate", "--agent", "a", "--knowledge", "0.9", "--store", str(tmp_path / "s.db"))
    assert b"INFO howsure.store: opened" in howsure("-v", *gate).stderr
    assert howsure(*gate).stderr == b""


def test_the_judge_tells_what_it_was_asked_and_no_secret(
    judge: ChatJudge,  # noqa: F811
    judge_server: JudgeServer,  # noqa: F811
    caplog: pytest.LogCaptureFixture,
) -> None:
    judge_server.script(say.status(500))
    judge_server.otherwise = GOOD
    cached = CachedJudge(judge)
    with caplog.at_level("INFO", "howsure"):
        cached.ask(QUESTION)
        cached.ask(QUESTION)
    told = [record.getMessage() for record in caplog.records if record.name.startswith("howsure.judge")]
    assert [line.partition(": ")[2].split(" ")[0] for line in told] == ["request", "answered", "answered"]
    assert told[-1].endswith("answered from the cache")
    assert "100 tokens in, 20 out" in told[1]
    assert KEY not in caplog.text


def test_a_program_without_logging_does_not_load_it() -> None:
    code = (
        "import sys, howsure.store.backends.database as module; module.log_info('a'); print('logging' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_work_for_a_message_can_be_skipped(caplog: pytest.LogCaptureFixture) -> None:
    assert not logs_info()
    with caplog.at_level("INFO", "howsure.store"):
        assert logs_info()
        log_info("%d of %d", 1, 2)
    assert caplog.messages == ["1 of 2"]
