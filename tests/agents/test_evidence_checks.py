"""Only checks that ran and ended count, and only for the code that they checked."""

import pytest

from howsure.agents.evidence import derive_factors, summarize_tool_call

NEVER = [
    ("pytest -q > log.txt 2>&1 &", ""),
    ("nohup pytest -q & echo started", "started"),
    ("pytest >/dev/null 2>&1 || echo '1 passed'", "1 passed"),
    ("pytest -q > x; echo '5 passed in 0.1s'", "5 passed in 0.1s"),
    ("false && pytest; echo OK", "OK"),
    ("true || pytest", ""),
    ("make --dry-run test", "pytest"),
    ("pytest --fixtures", "x"),
    ("ruff rule E501", "line too long"),
]


@pytest.mark.parametrize(("command", "stdout"), NEVER)
def test_a_check_that_did_not_run_or_end_has_not_passed(command: str, stdout: str) -> None:
    assert [
        call
        for call in summarize_tool_call("Bash", {"command": command}, {"stdout": stdout})
        if call["category"] == "verification"
    ] == []


def test_checks_before_an_edit_do_not_count() -> None:
    calls = [
        *summarize_tool_call("Bash", {"command": "pytest"}, "3 passed"),
        *summarize_tool_call("Edit", {"file_path": "a.py"}, "done"),
    ]
    _, code = derive_factors(calls)
    assert code is not None
    assert code.tests_pass is None
    _, broken = derive_factors(
        [
            *summarize_tool_call("Bash", {"command": "pytest"}, "1 failed"),
            *summarize_tool_call("Edit", {"file_path": "a.py"}, "done"),
        ]
    )
    assert broken is not None
    assert broken.tests_pass is False
