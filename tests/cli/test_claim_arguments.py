"""Arguments of `howsure claim` that cannot be understood are reported in one line."""

from pathlib import Path

import pytest

from howsure.sure import open as open_store
from tests.conftest import Run


@pytest.mark.parametrize(
    "arguments",
    [
        ("forget", "ID", "--reason", "\udcff"),
        ("find", "\udcff"),
        ("show", "\udcff"),
        ("find", "--limit", "99999999999999999999"),
        ("find", "--namespace", "a/*/99999999999999999999"),
        ("find", "--namespace", "a/*/²"),
        ("find", "--cursor", "x"),
        ("find", "x", "--federated", "--cursor", "x"),
        ("find", "x", "--federated", "--meaning"),
        ("find", "x", "--federated", "--trust", "0.1"),
    ],
)
def test_invalid_arguments_are_reported_in_one_line(howsure: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    store = str(tmp_path / "store.db")
    with open_store(store) as sure:
        claim = sure.claims.add("x", source="u:a").id or ""
    done = howsure("claim", *(claim if word == "ID" else word for word in arguments), "--store", store)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
