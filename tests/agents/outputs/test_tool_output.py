"""Outputs of any form and size are read."""

from typing import Any

import pytest

from howsure.agents.evidence import summarize_tool_call
from howsure.agents.outputs.tool_output import read_output


@pytest.mark.parametrize("value", [None, True, 5, float("nan"), object(), {1: 2}, [[[[[[[["x"]]]]]]]], [{"type": {}}]])
def test_any_value_is_read(value: Any) -> None:
    found = read_output(value)
    assert (found.failed, found.ended) == (False, True)
    assert found.judge_check("test") is None


@pytest.mark.parametrize(
    "text",
    [
        "1 errors " * 8000 + "0 remaining", "FAIL" * 15_000, "[" * 50_000, "{" * 50_000, "<system-reminder>" * 3000,
        "x@y:" * 12_000, "\x1b]" * 20_000, ".sxF" * 12_000, "make: *** No rule " * 3000, "ok " * 15_000, "0 no " * 9000,
        "Exit code " * 5000, "/" * 50_000, "a/" * 25_000, "Error " * 8000, "not ok " * 8000, "\n[" * 20_000,
        "(/bin" * 10_000, "/bin" * 12_000 + "/grep", "a.b:" * 12_000, "no such a thing " * 3000,
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_no_reply_takes_more_than_linear_time(text: str) -> None:
    for one in (text, text.replace(" ", "\n")):
        found = read_output(one)
        for category in ("search", "read"):
            found.count_results((), category)
        for kind in ("test", "build"):
            found.judge_check(kind, masked=True)
        summarize_tool_call("Bash", {"command": "ls; grep -rn Parser src"}, one)
