"""Evidence: what tool calls show, what is written down of them, and what they say about an answer."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.agents import evidence
from howsure.agents.outputs.tool_output import reply
from howsure.agents.tools import uses
from howsure.formulas.response import Code
from howsure.sure import Sure
from tests.conftest import NOW, Clock

TOOLS: dict[tuple[str, str, str], tuple[str, str, str, str]] = {
    ("Grep", "pattern", r"class\s+Parser\b"): ("search", "grep", "Parser", ""),
    ("Glob", "pattern", "src/**/parser*.py"): ("search", "find", "parser", ""),
    ("WebSearch", "query", "python parser"): ("search", "web", "python parser", ""),
    ("LSP", "symbol", "Parser.parse"): ("search", "references", "Parser", ""),
    ("mcp__ide__find_references", "symbol", "Parser"): ("search", "references", "Parser", ""),
    ("Read", "file_path", "src/parser.py"): ("read", "read", "src/parser.py", "src/parser.py"),
    ("NotebookRead", "notebook_path", "a.ipynb"): ("read", "read", "a.ipynb", "a.ipynb"),
    ("WebFetch", "url", "https://example.org/x.py"): ("read", "read", "https://example.org/x.py", ""),
    ("Edit", "file_path", "a.py"): ("edit", "edit", "a.py", "a.py"),
    ("MultiEdit", "file_path", "a.py"): ("edit", "edit", "a.py", "a.py"),
    ("Write", "file_path", "a.py"): ("edit", "edit", "a.py", "a.py"),
    ("NotebookEdit", "notebook_path", "a.ipynb"): ("edit", "edit", "a.ipynb", "a.ipynb"),
}


@pytest.mark.parametrize("tool", TOOLS, ids=[tool for tool, *_ in TOOLS])
def test_each_tool_is_for_something(tool: tuple[str, str, str]) -> None:
    name, key, value = tool
    (use,) = uses(name, {key: value})
    assert (use.category, use.kind, use.target, use.path) == TOOLS[tool]


def test_other_tools_are_for_nothing() -> None:
    assert all(uses(tool, {"path": "a.py"}) == [] for tool in ("TodoWrite", "Task", "", "mcp__x__", "BashOutput"))
    assert uses("Bash", {"command": "pytest", "run_in_background": True}) == []
    assert uses("Read", None)[0].path == ""


COMMANDS = {
    "grep -rn 'def main' src": "search.grep main",
    "rg -n parse_config": "search.grep parse_config",
    "git grep Parser": "search.grep Parser",
    "find . -name 'parser*.py' -type f": "search.find parser",
    "fd parser": "search.find parser",
    "ag x | head": "search.grep x",
    "cat src/a.py": "read.read src/a.py",
    "sed -n '1,20p' src/a.py": "read.read src/a.py",
    "head -n 20 src/a.py 2>/dev/null": "read.read src/a.py",
    "tail -5 log.txt; less b.py": "read.read log.txt, read.read b.py",
    "git log --oneline -- src/a.py": "git.git src/a.py",
    "git -C web blame a.py": "git.git a.py",
    "git status": "git.git",
    "git commit -m 'pytest passes'": "",
    "git add -A && git push": "",
    "gh run view 17": "ci.ci",
    "gh pr create --title x": "",
    "pytest": "verification.test",
    "python -m pytest -q tests/a.py": "verification.test",
    ".venv/bin/python3.11 -W error -m unittest": "verification.test",
    "cd web && npm test": "verification.test",
    "npm run test:unit": "verification.test",
    "yarn test --watch=false": "verification.test",
    "pnpm --dir web run test": "verification.test",
    "cargo test --all": "verification.test",
    "cargo +nightly test": "verification.test",
    "go test ./...": "verification.test",
    "make test": "verification.test",
    "make -C core check": "verification.test",
    "npx jest": "verification.test",
    "npx -y vitest run": "verification.test",
    "tox -e py311": "verification.test",
    "nox": "verification.test",
    "ctest -V": "verification.test",
    "X=1 Y='a b' timeout 60 uv run pytest": "verification.test",
    "bash -lc 'cd a && pytest -q'": "verification.test",
    "(cd a && pytest)": "verification.test",
    "mypy src": "verification.types",
    "npx tsc --noEmit": "verification.types",
    "pyright": "verification.types",
    "ruff check .": "verification.syntax",
    "ruff format .": "",
    "flake8": "verification.syntax",
    "./node_modules/.bin/eslint src": "verification.syntax",
    "python -m py_compile a.py": "verification.syntax",
    "make": "verification.build",
    "make -j 4 all": "verification.build",
    "cmake --build build": "verification.build",
    "cargo build": "verification.build",
    "npm run build": "verification.build",
    "go build ./...": "verification.build",
    "ruff check . && mypy src && pytest": "verification.syntax, verification.types, verification.test",
    "pytest --version": "",
    "pytest --collect-only": "",
    "echo pytest": "said.said pytest",
    "echo 'a && pytest; mypy'": "said.said a && pytest; mypy",
    "ls -la": "",
    "cd src": "",
    "npm install": "",
    "cat > a.py <<'EOF'\npytest\ngrep x\nEOF\nmypy a.py": "edit.edit a.py, verification.types",
    "sed -i s/a/b/ a.py": "edit.edit a.py",
    "pytest \\\n  -q": "verification.test",
    "'unclosed": "",
    "": "",
    ";;; && | ||": "",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_is_for_something(command: str) -> None:
    found = [f"{use.category}.{use.kind} {use.target}".strip() for use in uses("Bash", {"command": command})]
    assert ", ".join(found) == COMMANDS[command]


def test_commands_may_come_as_words() -> None:
    assert uses("shell", {"command": ["bash", "-lc", "cd a && pytest"]})[0].kind == "test"
    assert uses("shell", {"command": ["pytest", "-q", 5]})[0].kind == "test"
    assert uses("Bash", {"command": 5}) == []


def test_a_long_line_of_commands_takes_no_longer() -> None:
    for line in ("a" * 10**6, "'" * 10**6, "<<A " * 10**5, "&&" * 10**6, "\\" * 10**6, "grep " + "(" * 10**6):
        assert len(uses("Bash", {"command": line})) <= 1


NO_RESULTS: list[Any] = [
    None,
    "",
    " \n",
    [],
    {},
    5,
    True,
    "No matches found",
    "No files found",
    "no files found\n",
    "0 matches",
    "Found 0 files",
    "[]",
    "null",
    "bash: rg: command not found",
    "cat: a.py: No such file or directory",
    "Error: File does not exist.",
    "<tool_use_error>File does not exist.</tool_use_error>",
    "fatal: not a git repository",
    "usage: grep [OPTION]",
    "Exit code 2\nsomething",
    "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>",
    "(Bash completed with no output)",
    {"numFiles": 0, "filenames": []},
    {"numFiles": 0, "filenames": [], "content": "No matches found"},
    {"matches": [], "output": "looked at 500 files"},
    {"results": ["", None]},
    {"stdout": "", "stderr": "grep: x: No such file or directory", "interrupted": False},
    {"stdout": "a.py:1: x", "exit_code": 2},
    {"stdout": "a.py:1: x", "exitCode": "1"},
    {"stdout": "a.py:1: x", "interrupted": True},
    {"content": [{"type": "text", "text": "a hit"}], "isError": True},
    [{"type": "text", "text": "a hit", "is_error": True}],
    [{"type": "text", "text": "No results found."}],
    {"bytes": 10, "code": 404, "result": "Page not found"},
    {"status": "error", "text": "a hit"},
    {"success": False, "content": "a hit"},
    {"file": {"filePath": "a.py", "content": ""}},
    {"type": "text", "unknown": "a hit"},
]


@pytest.mark.parametrize("returned", NO_RESULTS, ids=repr)
def test_what_shows_nothing_is_no_result(returned: Any) -> None:
    for tool, given_ in (
        ("Grep", {"pattern": "x"}),
        ("Read", {"file_path": "a.py"}),
        ("Bash", {"command": "cat a.py"}),
    ):
        calls = evidence.seen(tool, given_, returned)
        assert [call["results"] for call in calls] == [0]
        knowledge, code = evidence.factors(calls)
        assert (knowledge, code) == (0.0, None)


RESULTS: list[tuple[Any, int]] = [
    ("a.py\nb.py\n", 2),
    ("Found 2 files\na.py\nb.py", 3),
    ({"mode": "files_with_matches", "filenames": ["a.py", "b.py"], "numFiles": 2}, 2),
    ({"mode": "content", "filenames": [], "numFiles": 0, "content": "a.py:1:x\n", "numLines": 1}, 1),
    ({"mode": "content", "filenames": [], "numFiles": 0, "content": "a.py:1:x\na.py:2:x"}, 2),
    ({"type": "text", "file": {"filePath": "a.py", "content": "Error: x\n", "numLines": 1}}, 1),
    ({"type": "image", "file": {"base64": "aGk="}}, 1),
    ({"stdout": "a\nb\n\nc", "stderr": "", "interrupted": False, "exit_code": 0}, 3),
    ({"stdout": "grep: b: Permission denied\na:1: x", "exitCode": "0"}, 1),
    ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], 2),
    ({"content": [{"type": "text", "text": "one"}], "isError": False}, 1),
    ({"code": 200, "codeText": "OK", "result": "# Title\n\nText"}, 2),
    ({"query": "x", "results": [{"content": [{"title": "a"}]}, "words"]}, 2),
    ({"count": 10**30, "total": -(10**30)}, 1_000_000),
    ({"operation": "findReferences", "result": "Found 3 references", "resultCount": 3}, 3),
]


@pytest.mark.parametrize(("returned", "expected"), RESULTS, ids=repr)
def test_results_are_counted_by_what_is_there(returned: Any, expected: int) -> None:
    assert reply(returned).results() == expected


def test_what_a_command_says_by_itself_is_no_result() -> None:
    (call,) = evidence.seen("Bash", {"command": "echo '== hits'; grep -rn x ."}, {"stdout": "== hits\n"})
    assert call["results"] == 0


PASSED: list[tuple[str, Any, bool | None]] = [
    ("pytest -q", {"stdout": "3 passed in 0.1s", "stderr": ""}, True),
    ("pytest -q", "3 passed, 2 xfailed in 0.1s", True),
    ("pytest -q", "1 failed, 3 passed in 0.1s", False),
    ("pytest -q", "1 error in 0.10s", False),
    ("pytest -v", "tests/a.py::test_x FAILED", False),
    ("pytest -q | tail -3", {"stdout": "1 failed, 3 passed in 0.1s"}, False),
    ("pytest -q | tail -3", {"stdout": "3 passed in 0.1s"}, True),
    ("pytest -q | grep slow", {"stdout": "slow"}, None),
    ("pytest -q || true", {"stdout": ""}, None),
    ("pytest -q; echo done", {"stdout": "done"}, None),
    ("pytest -q", {"stdout": "3 passed", "exit_code": 1}, False),
    ("pytest -q", {"stdout": "3 passed", "interrupted": True}, None),
    ("pytest -q", {"stdout": "no tests ran in 0.01s", "exit_code": 5}, None),
    ("pytest -q", "bash: pytest: command not found", None),
    ("python -m pytest", {"stderr": "No module named pytest", "exit_code": 1}, None),
    ("cargo test", "test result: ok. 5 passed; 0 failed; 0 ignored", True),
    ("cargo test", "test result: FAILED. 4 passed; 1 failed", False),
    ("go test ./...", "ok  \texample.org/a\t0.01s", True),
    ("go test ./...", "--- FAIL: TestX (0.00s)\nFAIL", False),
    ("npm test", "Tests:       1 failed, 4 passed, 5 total", False),
    ("dotnet test", "Passed!  - Failed:     0, Passed:     3", True),
    ("dotnet test", "Failed!  - Failed:     1, Passed:     3", False),
    ("mypy src", "Success: no issues found in 3 source files", True),
    ("mypy src", "a.py:1: error: Name 'x' is not defined  [name-defined]\nFound 1 error in 1 file", False),
    ("npx tsc --noEmit", "", True),
    ("npx tsc --noEmit", "a.ts(1,1): error TS2322: Type", False),
    ("ruff check .", "All checks passed!", True),
    ("ruff check .", "Found 2 errors.", False),
    ("ruff check --fix .", "Found 2 errors (2 fixed, 0 remaining).", True),
    ("npx eslint .", "3 problems (0 errors, 3 warnings)", True),
    ("npx eslint .", "2 problems (1 error, 1 warning)", False),
    ("python -m py_compile a.py", "", True),
    ("python -m py_compile a.py", "SyntaxError: invalid syntax", False),
    ("make", "gcc a.c\na.c:1:1: error: expected ';'\nmake: *** [a.o] Error 1", False),
    ("make", "gcc a.c", True),
]


@pytest.mark.parametrize(("command", "returned", "expected"), PASSED, ids=repr)
def test_a_check_passed_or_failed_by_what_it_says(command: str, returned: Any, expected: bool | None) -> None:
    calls = evidence.seen("Bash", {"command": command}, returned)
    assert [call["ok"] for call in calls] == ([] if expected is None else [expected])


def test_of_checks_that_ran_together_the_one_that_is_named_has_failed() -> None:
    given_ = {"command": "ruff check . && pytest -q"}
    kinds = {
        text: {call["kind"]: call["ok"] for call in evidence.seen("Bash", given_, {"stdout": text, "exit_code": 1})}
        for text in ("All checks passed!\n1 failed", "Found 2 errors.")
    }
    assert list(kinds.values()) == [{"test": False}, {"syntax": False}]
    passed = evidence.seen("Bash", given_, "All checks passed!\n3 passed")
    assert [call["ok"] for call in passed] == [True, True]


def shown(*calls: tuple[str, dict[str, Any], Any]) -> list[dict[str, Any]]:
    """Return what calls show, one after the other."""
    return [found for call in calls for found in evidence.seen(*call, folder="/srv/app")]


def bash(command: str, stdout: str = "") -> tuple[str, dict[str, Any], Any]:
    return "Bash", {"command": command}, {"stdout": stdout, "stderr": "", "interrupted": False}


GREP = ("Grep", {"pattern": "Parser"}, {"filenames": ["parser.py"], "numFiles": 1})
GLOB = ("Glob", {"pattern": "**/parser.py"}, {"filenames": ["parser.py"], "numFiles": 1})
READ = ("Read", {"file_path": "/srv/app/src/parser.py"}, {"file": {"content": "class Parser:\n"}})


def test_knowledge_is_the_score_of_the_investigation() -> None:
    assert evidence.factors(shown(GREP))[0] == pytest.approx(0.65)
    assert evidence.factors(shown(GREP, bash("rg -n Parser", "x")))[0] == pytest.approx(0.65), "of the same kind"
    assert evidence.factors(shown(GREP, GLOB))[0] == pytest.approx(0.80)
    assert evidence.factors(shown(GREP, GLOB, READ))[0] == pytest.approx(0.83)
    more = shown(GREP, GLOB, READ, bash("git log -p src/parser.py", "commit"), bash("gh run view", "ok"))
    assert evidence.factors(more)[0] == pytest.approx(0.7933333 + 0.25 * (1 - 0.7933333))
    assert evidence.factors(more + shown(bash("pytest", "1 failed")))[0] == evidence.factors(more)[0]
    assert evidence.factors(shown(bash("pytest", "1 passed")))[0] is None
    assert evidence.factors([]) == (None, None)


def test_code_is_what_the_session_has_checked() -> None:
    def code(*calls: tuple[str, dict[str, Any], Any]) -> Code | None:
        return evidence.factors(shown(*calls))[1]

    assert code(GREP, ("Read", {"file_path": "README.md"}, "text")) is None
    assert code(READ) == Code(exists=True)
    assert code(("Read", {"file_path": "a.py"}, "Error: File does not exist.")) is None
    assert code(("Write", {"file_path": "A.PY", "content": "x"}, {"type": "create"})) == Code(exists=True)
    assert code(("Edit", {"file_path": "tests/test_a.py"}, "done")) == Code(exists=True, tests_exist=True)
    assert code(("Edit", {"file_path": "a.py"}, {"error": "no such text"})) is None
    assert code(bash("pytest", "1 passed")) == Code(tests_exist=True, tests_pass=True)
    assert code(bash("cat a.py", "x"), bash("make", ""), bash("mypy .", "Found 1 error in 1 file")) == Code(
        exists=True, syntax_valid=True, types_valid=False
    )


def test_a_folder_of_tests_above_the_project_makes_no_tests() -> None:
    call = ("Read", {"file_path": "/srv/tests/app/a.py"}, "x = 1")
    assert evidence.checks(evidence.seen(*call, folder="/srv/tests/app")) == Code(exists=True)
    assert evidence.checks(evidence.seen(*call)) == Code(exists=True, tests_exist=True)


def test_the_latest_run_of_each_kind_counts() -> None:
    runs = [bash("pytest", "1 failed"), bash("make", "x"), bash("ruff check .", "Found 1 error."), bash("mypy .", "")]
    assert evidence.checks(shown(*runs)) == Code(
        syntax_valid=False, types_valid=True, tests_exist=True, tests_pass=False
    )
    later = evidence.checks(shown(*runs, bash("pytest", "9 passed"), bash("ruff check .", "All checks passed!")))
    assert later == Code(syntax_valid=True, types_valid=True, tests_exist=True, tests_pass=True)


def test_calls_are_kept_by_session_and_in_order(sure: Sure, clock: Clock) -> None:
    for trace, target in (("one", "a.py"), ("two", "b.py"), ("one", "c.py")):
        evidence.note(sure.session, trace, evidence.seen("Read", {"file_path": target}, "text")[0], clock.now)
    assert [call["target"] for call in evidence.calls_of(sure.session, "one")] == ["a.py", "c.py"]
    assert evidence.calls_of(sure.session, "two")[0] == {
        "tool": "Read", "category": "read", "kind": "read", "target": "b.py", "path": "b.py", "results": 1, "ok": True,
    }  # fmt: skip
    assert evidence.calls_of(sure.session, "three") == []
    with sure.session.database.read() as transaction:
        assert transaction.rows("SELECT DISTINCT at FROM tool_calls") == [(NOW,)]
    sure.ledger.purge(trace_id="one")
    assert evidence.calls_of(sure.session, "one") == []


def test_what_a_tool_put_out_is_never_kept(sure: Sure) -> None:
    target = "x" * 1000 + "\x00\ud800"
    call = evidence.seen("Grep", {"pattern": target}, "the secret is 42")[0]
    evidence.note_all(sure.session, "s", [call | {"output": "the secret is 42"}, {"target": "token=abcdef123456"}])
    first, second = evidence.calls_of(sure.session, "s")
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
    calls = evidence.seen(tool, given_, returned)
    knowledge, _ = evidence.factors(calls)
    assert knowledge is None or 0 <= knowledge <= 1


@given(st.text(), st.sampled_from(sorted(COMMANDS)), ANYTHING)
def test_any_command_may_be_run(text: str, command: str, returned: Any) -> None:
    for line in (text, command + text, text + command):
        for call in evidence.seen("Bash", {"command": line}, returned):
            assert set(call) <= set(evidence.FIELDS)
