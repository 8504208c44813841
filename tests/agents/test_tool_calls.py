"""Tool calls are read as the investigation model counts them."""

from typing import Any

import pytest

from tests.agents.calls import KNOWN, read_calls

EDITOR: tuple[str, dict[str, Any]] = ("str_replace_editor", {"command": "view", "path": "/srv/a.py"})


@pytest.mark.parametrize(
    "command",
    [
        "make format", "make run", "make install", "make deploy", "make clean", "make help", "make -n", "npm install",
        "npm run dev", "npm run format", "yarn add x", "cargo fmt", "cargo install x", "go mod tidy", "mvn site:run",
        "./gradlew bootRun", "cmake --install build", "cmake -E make_directory x", "ctest -N", "cargo test --no-run",
        "pytest --co", "rg --version", "git --version", "grep --help", "git version", "grep -v x a.py", "grep -L x a",
        "just deploy", "ninja install", "gh --version", "find --help", "tox --listenvs",
    ],
)  # fmt: skip
def test_tools_that_neither_read_nor_check_give_no_evidence(command: str) -> None:
    assert read_calls("Bash", {"command": command}, "3 passed\nsrc/a.py:1: x") == []


@pytest.mark.parametrize(
    ("command", "tool"),
    {
        "make test-unit": "make test", "make all": "make", "make -j4 CC=clang": "make", "make lib/a.o": "make",
        "make type-check": "make types", "npm run test:unit": "npm test", "npm t": "npm test",
        "yarn workspace a test": "npm test",
        "pnpm --filter web build": "npm build", "bun test": "npm test", "npm run typecheck": "npm types",
        "mvn -B clean verify": "mvn test", "mvn -DskipTests verify": "mvn build", "mvn install": "mvn build",
        "./mvnw test": "mvn test", "./gradlew assembleDebug": "gradle build", "gradle check": "gradle test",
        "gradle :app:testDebugUnitTest": "gradle test", "just test": "just test", "ninja -C build test": "ninja test",
        "coverage run -m pytest": "pytest", "npx nyc mocha": "mocha", "php artisan test": "artisan test",
        "uvx pytest": "pytest", "g++ a.cpp": "g++",
    }.items(),
)  # fmt: skip
def test_programs_are_classified_by_their_arguments(command: str, tool: str) -> None:
    (found,) = read_calls("Bash", {"command": command}, {"stdout": "", "exit_code": 0})
    assert (found.tool, found.passed) == (tool, True)


MADE: list[tuple[str, Any, Any, tuple[str, str, int]]] = [
    ("rg", "-n Parser src", "src/a.py:1: Parser", ("grep", "Parser", 1)),
    ("rg", {"pattern": "Parser"}, ["a.py"], ("rg", "Parser", 1)),
    ("grep", "Parser", ["a.py"], ("grep", "Parser", 1)),
    ("grep", ["-rn", "Parser", "src"], "src/a.py:1: Parser", ("grep", "Parser", 1)),
    ("find", "MemoryManager", ["a.cpp"], ("find", "MemoryManager", 1)),
    ("find", {"pattern": "src/**/parser*.py"}, ["src/parser.py"], ("find", "parser", 1)),
    ("cat", "src/a.py", "x = 1", ("read", "src/a.py", 1)),
    ("cat", {"path": "src/a.py"}, "x = 1", ("cat", "src/a.py", 1)),
    ("sed", "-n 1,5p src/a.py", "x = 1", ("read", "src/a.py", 1)),
    ("head", "src/a.py", "x = 1", ("read", "src/a.py", 1)),
    ("git log", "src/a.py", "commit a1b2c3d", ("git", "src/a.py", 1)),
    ("git", "log -p src/a.py", "commit a1b2c3d", ("git", "src/a.py", 1)),
    ("git", {"path": "src/a.py"}, "commit a1b2c3d", ("git", "src/a.py", 1)),
    ("gh", "run list", "completed", ("gh", "", 1)),
    ("bash", "grep -rn Parser src", "src/a.py:1: Parser", ("grep", "Parser", 1)),
    ("execute_bash", {"command": "cat a.py"}, "x", ("read", "a.py", 1)),
    ("execute_command", {"command": "cat a.py"}, "x", ("read", "a.py", 1)),
    ("run_command", {"command": "cat a.py"}, "x", ("read", "a.py", 1)),
    ("functions.exec_command", {"cmd": "cat a.py"}, "x", ("read", "a.py", 1)),
    ("bash", {"command": "str_replace_editor view /srv/a.py --view_range 1 50"}, "x", ("read", "/srv/a.py", 1)),
    ("str_replace_editor", {"command": "view", "path": "/srv/a.py"}, "x", ("read", "/srv/a.py", 1)),
    ("str_replace_based_edit_tool", {"command": "view", "path": "/srv/a.py"}, "x", ("read", "/srv/a.py", 1)),
    ("Read", "src/a.py", "x", ("read", "src/a.py", 1)),
]


@pytest.mark.parametrize(("tool", "given", "returned", "expected"), MADE)
def test_commands_and_tools_are_known_in_the_ways_they_are_called(
    tool: str, given: Any, returned: Any, expected: tuple[str, str, int]
) -> None:
    (found,) = read_calls(tool, given, returned)
    assert (found.tool, found.target, found.results) == expected


@pytest.mark.parametrize("tool", ["rg", "cat", "sed", "head", "tail", "Grep", "Read", "git log", "read_file", "LSP"])
def test_fields_of_a_call_can_be_given(tool: str) -> None:
    (found,) = read_calls(tool, output=2, target="Parser")
    assert (found.target, found.results) == ("Parser", 2)
    assert found.tool in KNOWN


@pytest.mark.parametrize(
    ("tool", "given", "name"),
    [
        ("cargo", None, "cargo"), ("npm", None, "npm"), ("cargo", "test", "cargo test"), ("npm", ["test"], "npm test"),
        ("npm test", None, "npm test"), ("Bash", {"command": "pytest -q"}, "pytest"), ("run_tests", None, "runtests"),
        ("yarn test", None, "npm test"), ("make", None, "make"), ("make test", None, "make test"),
    ],
)  # fmt: skip
def test_the_result_of_a_run_can_be_given(tool: str, given: Any, name: str) -> None:
    (found,) = read_calls(tool, given, passed=True)
    assert (found.tool, found.passed) == (name, True)
    assert KNOWN[name].startswith("verification.")


def test_irrelevant_tools_give_no_evidence_whatever_fields_are_given() -> None:
    for tool in ("Edit", "TodoWrite", "Bash", "str_replace_editor", "make format"):
        assert read_calls(tool, {"command": "create"}, target="a.py") == []


def test_a_folder_that_is_viewed_is_an_overview() -> None:
    text = "Here's the files and directories up to 2 levels deep in /srv:\n/srv/src\n/srv/tests\n/srv/setup.py"
    (found,) = read_calls(*EDITOR, text)
    assert (found.tool, found.factors) == ("discovery", 3)
    (listed,) = read_calls("list_dir", {"path": "."}, {"entries": [{"name": "README.md"}, {"name": "src"}]})
    assert (listed.tool, listed.factors) == ("discovery", 2)


def test_a_failed_listing_is_not_discovery() -> None:
    for text in ("ls: cannot access 'src': No such file or directory", "Exit code 2\nsrc"):
        (found,) = read_calls("Bash", {"command": "ls src"}, text)
        assert (found.tool, found.factors, found.error) == ("discovery", None, "failed")
    assert read_calls("Bash", {"command": "ls | wc -l"}, "12") == []
    assert [call.tool for call in read_calls("Bash", {"command": "ls && cat a.py"}, "README.md\nx")] == ["read"]


def test_a_search_within_what_another_finds_is_for_what_it_looks_for() -> None:
    for command in ("find . -name '*.py' | xargs grep -n Parser", "find . -exec grep -l Parser {} \\;"):
        (found,) = read_calls("Bash", {"command": command}, "./a.py:3:class Parser")
        assert (found.tool, found.target) == ("grep", "Parser")


def test_a_run_with_an_error_says_what_it_says_itself() -> None:
    given = ("Bash", {"command": "pytest"})
    (failed,) = read_calls(*given, "Exit code 1\n1 failed", error="failed")
    (silent,) = read_calls(*given, "something", error="failed")
    (none,) = read_calls(*given, None, error="no result")
    assert [(call.passed, call.error) for call in (failed, silent, none)] == [
        (False, None), (None, "failed"), (None, "no result"),
    ]  # fmt: skip
