"""What is kept of tool calls, and what they say about a response."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.agents.evidence import (
    FIELDS,
    derive_code_checks,
    derive_factors,
    load_tool_calls,
    record_tool_calls,
    summarize_tool_call,
)
from howsure.formulas.response_case import CodeChecks
from howsure.sure import Sure
from tests.agents.test_tool_purposes import COMMANDS
from tests.conftest import NOW, Clock


def shown(*calls: tuple[str, dict[str, Any], Any]) -> list[dict[str, Any]]:
    """Return what calls show, one after the other."""
    return [found for call in calls for found in summarize_tool_call(*call, folder="/srv/app")]


def bash(command: str, stdout: str = "") -> tuple[str, dict[str, Any], Any]:
    return "Bash", {"command": command}, {"stdout": stdout, "stderr": "", "interrupted": False}


GREP = ("Grep", {"pattern": "Parser"}, {"filenames": ["parser.py"], "numFiles": 1})
GLOB = ("Glob", {"pattern": "**/parser.py"}, {"filenames": ["parser.py"], "numFiles": 1})
READ = ("Read", {"file_path": "/srv/app/src/parser.py"}, {"file": {"content": "class Parser:\n"}})


def test_knowledge_is_the_score_of_the_investigation() -> None:
    assert derive_factors(shown(GREP))[0] == pytest.approx(0.65)
    assert derive_factors(shown(GREP, bash("rg -n Parser", "x")))[0] == pytest.approx(0.65), "of the same kind"
    assert derive_factors(shown(GREP, GLOB))[0] == pytest.approx(0.80)
    assert derive_factors(shown(GREP, GLOB, READ))[0] == pytest.approx(0.83)
    more = shown(GREP, GLOB, READ, bash("git log -p src/parser.py", "commit"), bash("gh run view", "ok"))
    assert derive_factors(more)[0] == pytest.approx(0.7933333 + 0.25 * (1 - 0.7933333))
    assert derive_factors(more + shown(bash("pytest", "1 failed")))[0] == derive_factors(more)[0]
    assert derive_factors(shown(bash("pytest", "1 passed")))[0] is None
    assert derive_factors([]) == (None, None)


def test_code_is_what_the_session_has_checked() -> None:
    def code(*calls: tuple[str, dict[str, Any], Any]) -> CodeChecks | None:
        return derive_factors(shown(*calls))[1]

    assert code(GREP, ("Read", {"file_path": "README.md"}, "text")) is None
    assert code(READ) == CodeChecks(exists=True)
    assert code(("Read", {"file_path": "a.py"}, "Error: File does not exist.")) is None
    assert code(("Write", {"file_path": "A.PY", "content": "x"}, {"type": "create"})) == CodeChecks(exists=True)
    assert code(("Edit", {"file_path": "tests/test_a.py"}, "done")) == CodeChecks(exists=True, tests_exist=True)
    assert code(("Edit", {"file_path": "a.py"}, {"error": "no such text"})) is None
    assert code(bash("pytest", "1 passed")) == CodeChecks(tests_exist=True, tests_pass=True)
    assert code(bash("cat a.py", "x"), bash("make", ""), bash("mypy .", "Found 1 error in 1 file")) == CodeChecks(
        exists=True, syntax_valid=True, types_valid=False
    )


def test_a_folder_of_tests_above_the_project_makes_no_tests() -> None:
    call = ("Read", {"file_path": "/srv/tests/app/a.py"}, "x = 1")
    assert derive_code_checks(summarize_tool_call(*call, folder="/srv/tests/app")) == CodeChecks(exists=True)
    assert derive_code_checks(summarize_tool_call(*call)) == CodeChecks(exists=True, tests_exist=True)


def test_the_latest_run_of_each_kind_counts() -> None:
    runs = [bash("pytest", "1 failed"), bash("make", "x"), bash("ruff check .", "Found 1 error."), bash("mypy .", "")]
    assert derive_code_checks(shown(*runs)) == CodeChecks(
        syntax_valid=False, types_valid=True, tests_exist=True, tests_pass=False
    )
    later = derive_code_checks(shown(*runs, bash("pytest", "9 passed"), bash("ruff check .", "All checks passed!")))
    assert later == CodeChecks(syntax_valid=True, types_valid=True, tests_exist=True, tests_pass=True)


def test_a_pass_of_one_tool_does_not_erase_the_failure_of_another() -> None:
    def code(*calls: tuple[str, dict[str, Any], Any]) -> CodeChecks:
        checks = derive_code_checks(shown(*calls))
        assert checks is not None
        return checks

    failed = bash("pytest -q", "1 failed, 4 passed in 0.1s")
    for other in (bash("npm test", "Tests: 3 passed, 3 total"), bash("cargo test", "test result: ok. 3 passed")):
        assert code(failed, other).tests_pass is False
        assert code(failed, other, bash("python -m pytest", "5 passed in 0.1s")).tests_pass is True
        assert code(other, failed).tests_pass is False
    assert code(bash("mypy .", "Found 1 error in 1 file"), bash("tsc --noEmit", "")).types_valid is False
    assert code(bash("ruff check .", "Found 1 error."), bash("make", "ok")).syntax_valid is False


@pytest.mark.parametrize(
    "part", ["-k parser", "--deselect tests/test_a.py::test_x", "--ignore=tests/slow", "tests/test_a.py::test_y"]
)
def test_a_run_of_some_tests_does_not_erase_the_failure_of_all(part: str) -> None:
    whole, some = bash("pytest -q", "1 failed, 4 passed in 0.1s"), f"pytest -q {part}"
    passed = derive_code_checks(shown(whole, bash(some, "4 passed in 0.1s")))
    assert passed is not None
    assert passed.tests_pass is False
    again = derive_code_checks(shown(bash(some, "1 failed"), bash(some, "4 passed in 0.1s")))
    assert again is not None
    assert again.tests_pass is True
    later = derive_code_checks(shown(bash(some, "1 failed"), bash("pytest -q", "5 passed in 0.1s")))
    assert later is not None
    assert later.tests_pass is True


def test_calls_are_kept_by_session_and_in_order(sure: Sure, clock: Clock) -> None:
    for trace, target in (("one", "a.py"), ("two", "b.py"), ("one", "c.py")):
        record_tool_calls(sure.session, trace, summarize_tool_call("Read", {"file_path": target}, "text"), clock.now)
    assert [call["target"] for call in load_tool_calls(sure.session, "one")] == ["a.py", "c.py"]
    assert load_tool_calls(sure.session, "two")[0] == {
        "tool": "Read", "category": "read", "kind": "read", "target": "b.py", "path": "b.py", "results": 1, "ok": True,
    }  # fmt: skip
    assert load_tool_calls(sure.session, "three") == []
    with sure.session.database.read() as transaction:
        assert transaction.rows("SELECT DISTINCT at FROM tool_calls") == [(NOW,)]
    sure.ledger.purge(trace_id="one")
    assert load_tool_calls(sure.session, "one") == []


def test_tool_output_is_not_stored(sure: Sure) -> None:
    target = "x" * 1000 + "\x00\ud800"
    call = summarize_tool_call("Grep", {"pattern": target}, "the secret is 42")[0]
    record_tool_calls(sure.session, "s", [call | {"output": "the secret is 42"}, {"target": "token=abcdef123456"}])
    first, second = load_tool_calls(sure.session, "s")
    assert len(first["target"]) == 500
    assert second == {"target": "[redacted]"}
    with sure.session.database.read() as transaction:
        assert "secret" not in str(transaction.rows("SELECT content FROM tool_calls"))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=3)
            | st.sampled_from(
                ("stdout", "content", "file", "exit_code", "isError", "results", "code", "command", "status")
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(("Grep", "Read", "Bash", "Edit", "LSP", "WebSearch")) | st.text(), ANYTHING, ANYTHING)
def test_any_value_may_come_from_a_tool(tool: str, given_: Any, returned: Any) -> None:
    calls = summarize_tool_call(tool, given_, returned)
    knowledge, _ = derive_factors(calls)
    assert knowledge is None or 0 <= knowledge <= 1


@given(st.text(), st.sampled_from(sorted(COMMANDS)), ANYTHING)
def test_any_command_may_be_run(text: str, command: str, returned: Any) -> None:
    for line in (text, command + text, text + command):
        for call in summarize_tool_call("Bash", {"command": line}, returned):
            assert set(call) <= set(FIELDS)
