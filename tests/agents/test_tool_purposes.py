"""What tools and shell commands are used for."""

import pytest

from howsure.agents.tool_purposes import find_purposes

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
    (purpose,) = find_purposes(name, {key: value})
    assert (purpose.category, purpose.kind, purpose.target, purpose.path) == TOOLS[tool]


def test_unknown_tools_have_no_purpose() -> None:
    assert all(
        find_purposes(tool, {"path": "a.py"}) == [] for tool in ("TodoWrite", "Task", "", "mcp__x__", "BashOutput")
    )
    assert find_purposes("Bash", {"command": "pytest", "run_in_background": True}) == []
    assert find_purposes("Read", None)[0].path == ""


def test_a_patch_edits_each_file_that_it_names() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: tests/test_a.py\n+z\n*** End Patch\n"
    for arguments in (patch, {"command": patch}, {"input": patch}):
        purposes = find_purposes("apply_patch", arguments)
        assert [(one.category, one.path) for one in purposes] == [("edit", "src/a.py"), ("edit", "tests/test_a.py")]


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
    "echo pytest": "echo.echo pytest",
    "echo 'a && pytest; mypy'": "echo.echo a && pytest; mypy",
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
    purposes = find_purposes("Bash", {"command": command})
    found = [f"{one.category}.{one.kind} {one.target}".strip() for one in purposes]
    assert ", ".join(found) == COMMANDS[command]


def test_commands_may_come_as_words() -> None:
    assert find_purposes("shell", {"command": ["bash", "-lc", "cd a && pytest"]})[0].kind == "test"
    assert find_purposes("shell", {"command": ["pytest", "-q", 5]})[0].kind == "test"
    assert find_purposes("Bash", {"command": 5}) == []


def test_a_long_line_of_commands_takes_no_longer() -> None:
    for line in ("a" * 10**6, "'" * 10**6, "<<A " * 10**5, "&&" * 10**6, "\\" * 10**6, "grep " + "(" * 10**6):
        assert len(find_purposes("Bash", {"command": line})) <= 1
