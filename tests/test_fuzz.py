"""Random inputs at every door: howsure answers or refuses, and never fails."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from howsure.bulk.api import Bulk
from howsure.errors import InputError
from howsure.fusion.api import fuse
from howsure.learn.frames import read_score
from howsure.ledger.outcome_reports import read_moment
from howsure.shapes import Amount, decode_as
from howsure.sure import Sure
from tests.conftest import ROOT
from tests.fuzz.__main__ import throw_all

COUNT = int(os.environ.get("HOWSURE_FUZZ", "1000000"))
QUICK = ["http", "mcp", "otlp", "library", "models", "texts", "gate", "hooks", "documents", "traces", "imports"]
"""Doors that need nothing which takes long to load."""


def test_a_few_inputs_at_most_doors_are_answered() -> None:
    tally = throw_all(60, 1, QUICK)
    assert tally.taken.total() >= 60
    assert not tally.bugs


@pytest.mark.soak
def test_no_input_is_a_traceback() -> None:
    command = [sys.executable, "-m", "tests.fuzz", str(COUNT), "1"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stdout.decode()
    assert done.stdout.endswith(b"0 tracebacks\n")


HUGE, LONG = 10**400, "x" * 5000


@pytest.mark.parametrize(
    "call",
    [
        lambda: decode_as(Amount, HUGE, "x"),
        lambda: read_score(HUGE, "x"),
        lambda: read_moment(HUGE),
        lambda: fuse([("a", "b", "c", HUGE)]),
        lambda: fuse([("a", "b", HUGE)]),
        lambda: fuse(LONG),
        lambda: Bulk().score(LONG),
        lambda: Bulk().score([{"id": HUGE}]),
        lambda: Bulk().score(None),
    ],
)
def test_what_the_fuzzer_found_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        call()


@pytest.mark.parametrize("end", ["source", "target"])
def test_a_relation_to_a_claim_that_cannot_be_is_refused(sure: Sure, end: str) -> None:
    first, second = (sure.claims.add(text, source="doc:a").id for text in ("The sky is blue", "The sea is deep"))
    sure.claims.relate(first, "supports", second)
    *others, relation = sure.claims.export()
    relation["relation"][end] = "\ud800"
    with pytest.raises(InputError, match="unknown claim"):
        sure.claims.import_([*others, relation])


def fail() -> None:
    raise KeyError("x")


class TestTheFuzzerItself:
    """A fuzzer that cannot fail would find nothing."""

    def test_reports_an_error_that_is_raised(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tests.fuzz.library.score", lambda *_: fail())
        assert throw_all(3, 1, ["models"]).bugs.total() == 3

    def test_reports_an_internal_error_of_the_server(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("howsure.serve.desk.Desk.run", lambda *_, **__: fail())
        assert throw_all(10, 1, ["http"]).bugs.total() >= 1
