"""How many results a tool returned. The texts are as real tools write them, shortened."""

from typing import Any

import pytest

from howsure.agents.evidence import derive_factors, summarize_tool_call
from howsure.agents.outputs.tool_output import read_output
from tests.agents.calls import read_calls

GREP: tuple[str, dict[str, Any]] = ("Grep", {"pattern": "Parser"})
READ: tuple[str, dict[str, Any]] = ("Read", {"file_path": "src/parser.py"})


def bash(command: str) -> tuple[str, dict[str, Any]]:
    return "Bash", {"command": command}


LOG = bash("git log --oneline -3")
RUNS = bash("gh run list")
SYMBOL: tuple[str, dict[str, Any]] = ("find_symbol", {"name_path": "Parser"})
EDITOR: tuple[str, dict[str, Any]] = ("str_replace_editor", {"command": "view", "path": "/srv/a.py"})

EMPTY: list[Any] = [
    '{"results": [], "total": 0}', '{"error": "not found"}', '{"success": false, "data": null}', "[]", "{}", "null",
    '{"isError": true, "content": [{"type": "text", "text": "a hit"}]}', '{"matches": null, "count": 0}',
    '{"status": "error", "message": "index missing"}', {"data": []}, {"data": None}, {"result": None}, b"", (),
    {"jsonrpc": "2.0", "id": 1, "result": []}, {"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "x"}},
    [{"type": "text", "text": '{"results": []}'}], [{"type": "text", "text": "Exit code 2\nhits"}], [[]], [{}],
    [None], set(),
    {"content": "Error: no such index"}, {"result": "No symbols found matching 'Parser'"},
]  # fmt: skip
NOTHING: list[tuple[tuple[str, dict[str, Any]], Any]] = [
    # in words
    *((GREP, text) for text in (
        "No occurrences found.", "Search returned no results", "Your search returned 0 results.",
        "There are no matches.", "No usages found", "No matching files found", "[no results]", "0", "zero hits",
        "None found.", "(empty)", "N/A",
        'No matches found for "Parser" in /srv', "Found 0 matches in 0 files", "0 matches found across 12 files",
        "Searched 12 files, no matches", "Found no references to Parser", "I couldn't find any matches.",
        "Pattern not found", "Nothing matched your query.", "The search did not return any results.", "no rows",
        "Found 0 total occurrences across 0 files.", "Your command ran successfully and did not produce any output.",
        "Tool ran without output or errors", "<no output>", "No results.\n\nTry another query.",
    )),
    # what went wrong
    *((GREP, text) for text in (
        "The file src/x.py does not exist.", "Permission denied", "cat: src: Is a directory", "find: 'a': No such file",
        "zsh: no matches found: *.foo", "bash: line 1: rg: command not found", "zsh:1: command not found: rg",
        "/bin/sh: 1: ag: not found",
        "TypeError: x is not a function\n    at Object.<anonymous> (/a.js:1:1)\n    at b\n    at c\n    at d\n    at e",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    x()\nKeyError: 'x'",
        "Error executing tool: timeout", "Command timed out after 120s", "MCP error -32603: Internal error",
        "rg: regex parse error:\n    (foo\n    ^\nerror: unclosed group", "[Request interrupted by user for tool use]",
        "grep: unrecognized option '--notes'\nUsage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help'.",
        "Error: Language server not initialized", "java.lang.IllegalStateException: index not ready",
        "Exit code 1\nsrc/a.py:1: Parser", "Exit code: 1\nWall time: 0.1 seconds\nOutput:\n", "HTTP 401: x",
        "<tool_use_error>Invalid pattern</tool_use_error>", "The user doesn't want to proceed with this tool use.",
        "<returncode>0</returncode>\n<output>\n</output>", "[The command completed with exit code 1.]",
    )),
    *((GREP, text) for text in (
        "<error>File not found</error>", "<results></results>", "<search_results/>", "Symbol `parse()` not found.",
        "Pattern 'foo(' not found", "No hover information available", "LSP server manager not initialized",
        "Error performing findReferences: No LSP server available for file type: .py", "Links: []",
        "results: []\ntotal: 0",
        "The system cannot find the file specified.", "Access is denied.", "Segmentation fault (core dumped)", "Killed",
        "'rg' is not recognized as an internal or external command,\noperable program or batch file.",
        "Select-String : Cannot find path 'x' because it does not exist.\nAt line:1 char:1\n+ a\n+ b\n+ c\n+ d",
        "node:internal/modules/cjs/loader:1080\n  throw err;\n  ^\n\nError: Cannot find module '/x'\n  at a\n  at b",
        'Exception in thread "main" java.lang.NullPointerException\n\tat a.B.c(B.java:3)\n\tat a\n\tat b\n\tat c',
        "thread 'main' panicked at src/main.rs:3:5:\nindex out of bounds\nnote: run with RUST_BACKTRACE=1",
        "rg: No files were searched, which means ripgrep probably applied a filter.\nRunning with --debug helps.",
        "error: The following required arguments were not provided:\n  <pattern>\n\nUsage: fd [OPTIONS] <pattern>",
        "[grep for 'x'] Result:\nThe tool execution failed with the following error:\n<error>x</error>",
        "{'results': [], 'total': 0}", "{'error': 'not found'}", "['']", "[]\n",
    )),
    # as data
    *((GREP, value) for value in EMPTY),
    (SYMBOL, "Symbol 'Parser' not found in workspace"),
    (SYMBOL, "No definition found for 'Parser'"),
    (READ, "File not found: src/parser.py"),
    (READ, "The file src/parser.py does not exist."),
    (READ, "EISDIR: illegal operation on a directory, read"),
    (READ, "ENOENT: no such file or directory, open 'src/parser.py'"),
    (READ, "File content (28375 tokens) exceeds maximum allowed tokens (25000)."),
    (READ, '{"error": "File not found", "path": "src/parser.py"}'),
    (READ, "Traceback (most recent call last):\n" + '  File "a.py", line 1\n' * 20 + "PermissionError: no"),
    (READ, "<system-reminder>The file exists but is empty.</system-reminder>"),
    (READ, {"type": "text", "file": {"filePath": "a.py", "content": ""}}),
    (EDITOR, "ERROR:\nThe path /srv/a.py does not exist. Please provide a valid path."),
    (bash("cat a.py"), "cat: a.py: Permission denied"),
    (bash("open a.py"), "File a.py not found"),
    (bash("search_dir Parser lib"), "Directory lib not found"),
    (bash("head -5 a.py"), "head: cannot open 'a.py' for reading: No such file or directory"),
    (LOG, "fatal: not a git repository (or any of the parent directories): .git"),
    (LOG, "fatal: your current branch 'main' does not have any commits yet"),
    (LOG, ""),
    (LOG, "fatal: ambiguous argument 'x': unknown revision or path.\nUse '--' to separate paths from revisions"),
    (LOG, "git: 'lgo' is not a git command. See 'git --help'.\n\nThe most similar command is\n\tlog"),
    (RUNS, "GraphQL: Could not resolve to a Repository with the name 'x/y'. (repository)"),
    (RUNS, "error connecting to api.github.com\ncheck your internet connection or https://githubstatus.com"),
    (bash("find . -name '*.py' | xargs grep -n Parser"), ""),
    (RUNS, "no runs found"),
    (RUNS, "To get started with GitHub CLI, please run:  gh auth login"),
    (RUNS, "gh: Not Found (HTTP 404)"),
    (bash("gh api repos/a/b/actions/runs"), '{"total_count": 0, "workflow_runs": []}'),
    (bash("find . -name '*.py' -exec grep -l Parser {} +"), ""),
    (bash("gh pr list"), "no pull requests match your search in a/b"),
    (bash("gh pr checks"), "no checks reported on the 'x' branch"),
    (bash("grep -rn Parser src | wc -l"), "0\n"),
    (bash("grep -c Parser a.py"), "0"),
    (bash("grep -rc Parser src"), "src/a.py:0\nsrc/b.py:0"),
    (bash("grep -rn Parser src || echo 'nothing here'"), "nothing here"),
    (bash("echo '== hits'; grep -rn Parser src"), "== hits"),
    (bash("printf 'hits:\\n'; grep -rn Parser src"), "hits:"),
    (bash("ls && grep -rn Parser src"), "README.md\nsrc\ntests"),
    (bash("cat notes.txt; grep -rn Parser src"), "Some notes about the Parser.\nMore of them."),
    (bash("ls; find . -name 'parser*'"), "parser.py\nREADME.md"),
]  # fmt: skip

SOMETHING: list[tuple[tuple[str, dict[str, Any]], Any, int]] = [
    # what merely sounds like nothing
    (GREP, "src/a.py:12: raise ValueError('no results')", 1),
    (GREP, "src/a.py:12:    # not found: try again", 1),
    (GREP, "src/a.py: the file does not exist yet", 1),
    (GREP, "Found 3 matches (0 files skipped)", 1),
    (GREP, "src/no_results.py", 1),
    (GREP, "docs/faq.md:3:bash: rg: command not found", 1),
    (GREP, "src/a.py:9:    # raised: not found", 1),
    (GREP, 'Found 2 matches for "skip is not allowed" in /srv:\n/srv/src/a.py (1 matches)', 2),
    (GREP, "Showing 1 result for 'file not found'", 1),
    (GREP, 'raise LookupError("no matches")', 1),
    (GREP, "ParserError\nParserWarning", 2),
    (GREP, "grep: b: Permission denied\na.py:1: Parser", 1),
    (GREP, 'More than 129 files matched for "autodoc" in /srv. Please narrow your search.', 1),
    (READ, "error: str = ''", 1),
    (READ, "error: str = ''\nclass Parser:\n    pass", 3),
    (READ, "Error: handling\n" + "text\n" * 10, 10),
    (READ, "Traceback (most recent call last):\n" + "  more\n" * 9 + "and then it went on", 10),
    (READ, '{"name": "app", "scripts": {"test": "jest"}, "error": "x", "a": 1}', 1),
    (READ, '{"hello": "Hallo", "error": "Fehler", "ok": "gut"}', 1),
    (READ, "     1→class Parser:\n     2→    pass", 2),
    (READ, {"type": "text", "file": {"filePath": "a.py", "content": "Error: x\n", "numLines": 1}}, 1),
    (LOG, "a1b2c3d Fix crash when the file is not found", 1),
    (LOG, "a1b2c3d No results is no error\nb1b2c3d Failed to parse", 2),
    (RUNS, "completed\tfailure\tfailed to parse\tCI\tmain\tpush\t123\t1m\t2025-01-01", 1),
    # as data
    (SYMBOL, [{"uri": "file:///a.py", "range": {"start": {"line": 0}}}], 1),
    (SYMBOL, [{"path": "a.py", "line": 3}, {"path": "b.py", "line": 4}], 2),
    (SYMBOL, ("a.py", "b.py"), 2),
    (SYMBOL, {"a.py", "b.py"}, 2),
    (SYMBOL, frozenset({"a.py"}), 1),
    (SYMBOL, {"a.py": ["l1"]}, 1),
    (SYMBOL, {"a.py": ["l1", "l2"], "b.py": ["l3"]}, 3),
    (SYMBOL, {"result": [{"uri": "file:///a.py"}]}, 1),
    (SYMBOL, {"result": {"uri": "file:///a.py", "range": {}}}, 1),
    (SYMBOL, {"data": [{"id": 1}, {"id": 2}]}, 2),
    (SYMBOL, {"data": "a.py:1: Parser"}, 1),
    (SYMBOL, b"a.py:1: Parser\nb.py:2: Parser", 2),
    (SYMBOL, '[{"uri": "file:///a.py"}, {"uri": "file:///b.py"}]', 2),
    (SYMBOL, '{"results": [{"name": "Parser"}], "total": 1}', 1),
    (SYMBOL, '{"user": "ann", "status": "cancelled", "code": 500}', 1),
    (SYMBOL, [{"type": "text", "text": '["a.py", "b.py"]'}], 2),
    (SYMBOL, [["a.py", 3], ["b.py", 4]], 2),
    (SYMBOL, [12, 40], 2),
    (SYMBOL, [{"type": "image", "source": {"data": "aGk="}}], 1),
    (SYMBOL, {"contents": {"kind": "markdown", "value": "class Parser"}}, 1),
    (SYMBOL, "['a.py', 'b.py']", 2),
    (SYMBOL, "{'name': 'Parser', 'line': 3}", 1),
    (SYMBOL, "{'a': '\\d'}", 1),
    (SYMBOL, "Found 2 references:\n  src/a.py:3\n  src/b.py:4", 3),
    (GREP, "Binary file a.bin matches", 1),
    (GREP, "src/a.py\n12:class Parser:\n", 2),
    # in what agents put around it
    (GREP, "<returncode>0</returncode>\n<output>\na.py:1: Parser\n</output>", 1),
    (GREP, "Exit code: 0\nWall time: 0.1 seconds\nOutput:\na.py:1: Parser\n", 1),
    (GREP, "a.py:1: Parser\n[The command completed with exit code 0.]\n[Current working directory: /srv]", 1),
    (GREP, "a.py:1: Parser\n(Open file: n/a)\n(Current directory: /srv)\nbash-$", 1),
    (GREP, "a.py:1: Parser\n<system-reminder>Mind the style.</system-reminder>", 1),
    (GREP, '{"output": "a.py:1: Parser\\nb.py:2: Parser\\n", "metadata": {"exit_code": 0}}', 2),
    # of several commands
    (bash("grep -rn Parser src | wc -l"), "12\n", 12),
    (bash("grep -rc Parser src"), "src/a.py:3\nsrc/b.py:0", 3),
    (bash("cd src && grep -rn Parser ."), "./a.py:1:Parser", 1),
    (bash("ls && grep -rn Parser src"), "README.md\nsrc\nsrc/a.py:3:class Parser", 1),
    (bash("grep -n Parser a.py; sed -n 1,5p b.py"), "3:class Parser\nimport re\nx = 1", 1),
    (bash("ls; find . -name 'parser*'"), "README.md\n./src/parser.py", 1),
    (bash("find . -name '*.py' | xargs grep -n Parser"), "./a.py:3:class Parser", 1),
    (bash("grep -rn Parser a 2>/dev/null | head; echo ---; grep -rn Lexer b"), "a.py:1:Parser\n---\nb.py:2:Lexer", 1),
    (bash("rg -t py -g '*.py' Parser src | head -3"), "src/a.py:3:class Parser", 1),
    (bash("search_file Parser a.py"), 'Found 1 matches for "Parser" in /srv/a.py:\nLine 3:class Parser:', 2),
    (EDITOR, "Here's the result of running `cat -n` on /srv/a.py:\n     1\tclass Parser:", 2),
]  # fmt: skip


def named(made: Any, output: Any) -> str:
    """Return a name for a case that is the same in every process: sets have no order."""
    return f"{made[0]}-{str(sorted(output) if isinstance(output, set) else output)[:40]!r}"


@pytest.mark.parametrize(("made", "text"), NOTHING, ids=[named(m, t) for m, t in NOTHING])
def test_messages_about_no_results_count_as_none(made: tuple[str, dict[str, Any]], text: Any) -> None:
    found = [call for call in read_calls(*made, text) if call.tool != "discovery"][-1]
    assert found.results == 0
    assert summarize_tool_call(*made, text)[-1]["results"] == 0


@pytest.mark.parametrize(("made", "text", "expected"), SOMETHING, ids=[named(m, t) for m, t, _ in SOMETHING])
def test_listed_results_are_counted(made: tuple[str, dict[str, Any]], text: Any, expected: int) -> None:
    found = next(call for call in read_calls(*made, text) if call.tool != "discovery")
    assert (found.results, found.error) == (expected, None)
    noted = summarize_tool_call(*made, text)[0]
    assert (noted["results"], noted["ok"]) == (expected, True)


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
def test_output_without_results_counts_as_none(returned: Any) -> None:
    for tool, given_ in (
        ("Grep", {"pattern": "x"}),
        ("Read", {"file_path": "a.py"}),
        ("Bash", {"command": "cat a.py"}),
    ):
        calls = summarize_tool_call(tool, given_, returned)
        assert [call["results"] for call in calls] == [0]
        knowledge, code = derive_factors(calls)
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
    assert read_output(returned).count_results() == expected


def test_echoed_text_does_not_count_as_a_result() -> None:
    (call,) = summarize_tool_call("Bash", {"command": "echo '== hits'; grep -rn x ."}, {"stdout": "== hits\n"})
    assert call["results"] == 0
