"""Replies: what real tools put out, and what that shows. The texts are as the tools write them, shortened."""

from typing import Any

import pytest

from howsure.agents.evidence import seen
from howsure.agents.outputs.tool_output import reply
from howsure.agents.tool_calls import DID_NOT_END, calls, investigation_tools
from howsure.formulas.tool_calls import ToolCall

KNOWN = investigation_tools()
CUT = DID_NOT_END

CHECKS: list[tuple[str, str, bool | str | None]] = [
    # pytest
    ("pytest", "============ 12 passed, 2 skipped, 1 xfailed in 3.21s ============", True),
    ("pytest -q", "......                                                    [100%]\n6 passed in 0.05s", True),
    ("pytest -qq", "..s...                                                    [100%]", True),
    ("pytest -qq", "..F...                                                    [100%]", False),
    ("pytest", "tests/a.py ..F [100%]\n\nFAILED tests/a.py::test_x - assert 1 == 2\n1 failed, 2 passed", False),
    ("pytest", "ERROR tests/a.py - ImportError: no foo\n!!! Interrupted: 1 error during collection !!!", False),
    ("pytest", "ERROR collecting a.py\nE   ModuleNotFoundError: No module named 'x'\n1 error in 0.1s", False),
    ("pytest", "3 passed in 0.1s\n\nFAIL Required test coverage of 90% not reached. Total coverage: 71.00%", False),
    ("pytest", "run-last-failure: rerun previous 1 failure\n1 passed in 0.01s", True),
    ("pytest", "WARNING: Error: something was logged\n3 passed, 1 warning in 0.10s", True),
    ("pytest", "collected 0 items\n\n============ no tests ran in 0.01s ============", None),
    ("pytest tests/x.py", "ERROR: file or directory not found: tests/x.py\n\nno tests ran in 0.00s", None),
    ("pytest -x", "!!!!! KeyboardInterrupt !!!!!\n/lib/threading.py:1: KeyboardInterrupt\n2 passed in 9.1s", CUT),
    ("pytest", "INTERNALERROR> Traceback (most recent call last):\nINTERNALERROR> KeyError: 1", CUT),
    ("pytest", "Fatal Python error: Segmentation fault\n\nCurrent thread 0x0 (most recent call first):", False),
    ("pytest", "bash: line 1:  4711 Killed                  pytest", CUT),
    ("pytest", "ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --foo", None),
    ("python -m pytest", "/usr/bin/python: No module named pytest", None),
    ("pytest", "ImportError while loading conftest '/srv/conftest.py'.\nE   ImportError: no name 'x'", False),
    ("pytest", "Exit code 1\n.F", False),
    ("pytest", "Exit code: 0\nWall time: 0.4 seconds\nOutput:\n", True),
    ("pytest", "<returncode>1</returncode>\n<output>\n</output>", False),
    ("pytest", "[The command completed with exit code 0.]\n[Current working directory: /srv]", True),
    ("pytest", '{"output": "all good", "metadata": {"exit_code": 0, "duration_seconds": 0.4}}', True),
    ("pytest", "\x1b[32m\x1b[1m3 passed\x1b[0m\x1b[32m in 0.01s\x1b[0m", True),
    ("pytest", "Command timed out after 2m 0.0s", CUT),
    ("pytest", "The user doesn't want to proceed with this tool use. The tool use was rejected.", CUT),
    ("pytest", "I will now run the tests.", None),
    # unittest
    ("python -m unittest", "...\n----------\nRan 3 tests in 0.001s\n\nOK", True),
    ("python -m unittest", "...\nRan 3 tests in 0.001s\n\nOK (skipped=1)", True),
    ("python -m unittest", "FAIL: test_x (a.B.test_x)\nRan 3 tests in 0.0s\n\nFAILED (failures=1, errors=1)", False),
    ("python -m unittest", "\n----------\nRan 0 tests in 0.000s\n\nOK", None),
    ("python -m unittest", "\n----------\nRan 0 tests in 0.000s\n\nNO TESTS RAN", None),
    ("python manage.py test", "System check identified no issues (0 silenced).\nRan 3 tests in 1.1s\n\nOK", True),
    # cargo, go
    ("cargo test", "running 2 tests\ntest a ... ok\ntest result: ok. 2 passed; 0 failed\n\nrunning 0 tests", True),
    ("cargo test", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored", None),
    ("cargo test", "test a ... FAILED\ntest result: FAILED. 1 passed; 1 failed\nerror: test failed", False),
    ("cargo test", "error[E0425]: cannot find value `x` in this scope\nerror: could not compile `a` (lib test)", False),
    ("cargo nextest run", "     Summary [   0.012s] 3 tests run: 3 passed, 0 skipped", True),
    ("cargo build", "   Compiling a v0.1.0\n    Finished `dev` profile [unoptimized] target(s) in 0.3s", True),
    ("cargo build", "error: could not find `Cargo.toml` in `/srv` or any parent directory", None),
    ("cargo build", "error[E0308]: mismatched types\nerror: could not compile `a` (bin)", False),
    ("go test ./...", "?   \texample.org/a\t[no test files]\nok  \texample.org/b\t0.012s", True),
    ("go test ./...", "?   \texample.org/a\t[no test files]", None),
    ("go test ./...", "ok  \texample.org/b\t0.012s [no tests to run]", None),
    ("go test ./...", "ok  \texample.org/b\t(cached)", True),
    ("go test ./...", "--- FAIL: TestX (0.00s)\n    x_test.go:9: got 1\nFAIL\texample.org/a\t0.01s", False),
    ("go test ./...", "# example.org/a\n./a.go:3:2: undefined: foo\nFAIL\texample.org/a [build failed]", False),
    ("go test ./...", "panic: runtime error: index out of range\ngoroutine 1 [running]:", False),
    ("go test ./...", "go: go.mod file not found in current directory or any parent directory", None),
    ("go build ./...", "# example.org/a\n./main.go:5:2: undefined: foo", False),
    ("go build ./...", "", True),
    # JavaScript
    ("npm test", "> a@1.0.0 test\n> jest\n\nPASS src/a.test.js\nTests: 3 passed, 3 total\nSnapshots:   0 total", True),
    ("npx jest", "FAIL src/a.test.js\n  ● adds\nTests:       1 failed, 2 passed, 3 total", False),
    ("npx jest", "No tests found, exiting with code 1", None),
    ("npx jest", "  ● Test suite failed to run\n    Cannot find module 'x'\nTests:       0 total", False),
    ("npx jest", "console.error\n    Error: boundary caught it\nTests:       9 passed, 9 total", True),
    ("npx vitest run", " ✓ src/a.test.ts (3 tests) 4ms\n Test Files  1 passed (1)\n      Tests  3 passed (3)", True),
    ("npx vitest run", " Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)", False),
    ("npx vitest run", "No test files found, exiting with code 1", None),
    ("npx mocha", "  adds\n    ✔ works\n\n  3 passing (10ms)", True),
    ("npx mocha", "  2 passing (10ms)\n  1 failing\n\n  1) adds", False),
    ("npm test", "TAP version 13\nnot ok 1 - adds\n# tests 1\n# pass 0\n# fail 1", False),
    ("npm test", "TAP version 13\nok 1 - adds\nnot ok 2 - later # TODO\n# tests 2\n# pass 1\n# fail 0", True),
    ("node --test", "\u2139 tests 3\n\u2139 pass 3\n\u2139 fail 0\n\u2139 cancelled 0", True),
    ("node --test", "\u2139 tests 3\n\u2139 pass 2\n\u2139 fail 1", False),
    ("npm test", "Error: no test specified\nnpm error Lifecycle script `test` failed with error:", False),
    ("npm test", 'npm error Missing script: "test"', None),
    ("npm test", "npm error code ENOENT\nnpm error enoent Could not read package.json", None),
    ("npx playwright test", "Running 3 tests using 1 worker\n  3 passed (4.2s)", True),
    ("npx playwright test", "  1 failed\n    [chromium] a.spec.ts:3:1 adds\n  2 passed (4.2s)", False),
    ("npm run build", "vite v5 building for production...\n✓ 34 modules transformed.\n✓ built in 812ms", True),
    ("npm run build", 'error during build:\nRollupError: Could not resolve "./x"', False),
    ("npx tsc", "src/a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.", False),
    ("npx tsc", "", True),
    ("deno test", "ok | 3 passed | 0 failed (12ms)", True),
    ("deno test", "FAILED | 2 passed | 1 failed (12ms)", False),
    # JVM
    ("mvn -q clean test", "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS", True),
    ("mvn test", "[ERROR] Tests run: 5, Failures: 1, Errors: 0\n[INFO] BUILD FAILURE", False),
    ("mvn test", "[INFO] No tests to run.\n[INFO] BUILD SUCCESS", None),
    ("mvn compile", "[ERROR] COMPILATION ERROR :\n[ERROR] /A.java:[3,1] cannot find symbol", False),
    ("./gradlew test", "> Task :processTestResources NO-SOURCE\n> Task :test\n\nBUILD SUCCESSFUL in 3s", True),
    ("./gradlew :app:test", "> Task :app:test FAILED\n3 tests completed, 1 failed\nBUILD FAILED in 3s", False),
    ("./gradlew test", "> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s", None),
    ("./gradlew build", "e: A.kt:3:1 Unresolved reference: x\nFAILURE: Build failed with an exception.", False),
    # C and C++
    ("ctest", "100% tests passed, 0 tests failed out of 4\n\nTotal Test time (real) =   0.02 sec", True),
    ("ctest", "50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  2 - b (SEGFAULT)", False),
    ("ctest", "1/1 Test #1: a ................***Timeout   5.00 sec\n\nErrors while running CTest", False),
    ("ctest", "No tests were found!!!", None),
    ("./a && ctest", "[==========] 3 tests ran.\n[  PASSED  ] 3 tests.", True),
    ("ctest -V", "[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:\n\n 1 FAILED TEST", False),
    ("make", "[ 50%] Building C object a.o\n[100%] Built target a", True),
    ("make", "make: Nothing to be done for 'all'.", True),
    ("make", "make: *** No targets specified and no makefile found.  Stop.", None),
    ("make nonsense.o", "make: *** No rule to make target 'nonsense.o'.  Stop.", None),
    ("make", "make: *** No rule to make target 'b.c', needed by 'b.o'.  Stop.", False),
    ("make", "ld: a.o: in function `main': undefined reference to `f'\ncollect2: error: ld returned 1", False),
    ("make", "gcc -Werror -o a a.c\na.c:3:1: warning: unused variable 'error'", True),
    ("make check", "# TOTAL: 3\n# PASS:  3\n# FAIL:  0\n# ERROR: 0", True),
    ("make check", "# TOTAL: 3\n# PASS:  2\n# FAIL:  1\n# ERROR: 0", False),
    ("make test", "python -m pytest\n3 passed in 0.1s", True),
    ("make test", "1 passed in 0.1s\nmake: *** [Makefile:3: test] Error 1", False),
    ("cmake ..", "-- Configuring done\n-- Generating done\n-- Build files have been written to: /srv/build", True),
    ("cmake ..", "CMake Error at CMakeLists.txt:3 (find_package):\n-- Configuring incomplete, errors occurred!", False),
    ("cmake --build build", "ninja: error: build.ninja:3: unknown target\nninja: build stopped.", False),
    ("cmake --build build --target test", "100% tests passed, 0 tests failed out of 1", True),
    ("ninja", "[3/3] Linking CXX executable a", True),
    ("ninja", "FAILED: a.o\nninja: build stopped: subcommand failed.", False),
    # others
    ("vendor/bin/phpunit", "PHPUnit 10.5\n\n...    3 / 3 (100%)\n\nOK (3 tests, 5 assertions)", True),
    ("vendor/bin/phpunit", "FAILURES!\nTests: 3, Assertions: 3, Failures: 1.", False),
    ("vendor/bin/phpunit", "ERRORS!\nTests: 3, Assertions: 2, Errors: 1.", False),
    ("vendor/bin/phpunit", "No tests executed!", None),
    ("bundle exec rspec", "Finished in 0.01 seconds\n3 examples, 0 failures", True),
    ("bundle exec rspec", "3 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/a_spec.rb:3", False),
    ("bundle exec rspec", "0 examples, 0 failures, 1 error occurred outside of examples", False),
    ("bundle exec rspec", "No examples found.\n\n0 examples, 0 failures", None),
    ("bin/rails test", "3 runs, 5 assertions, 0 failures, 0 errors, 0 skips", True),
    ("bin/rails test", "3 runs, 5 assertions, 0 failures, 1 errors, 0 skips", False),
    ("mix test", "Finished in 0.03 seconds\n5 doctests, 3 tests, 0 failures", True),
    ("dotnet test", "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3", True),
    ("dotnet test", "Test summary: total: 3, failed: 1, succeeded: 2, skipped: 0", False),
    ("dotnet build", "Build succeeded.\n    0 Warning(s)\n    0 Error(s)", True),
    ("dotnet build", "A.cs(3,1): error CS0103: The name 'x' does not exist\nBuild FAILED.\n    1 Error(s)", False),
    ("swift test", "Executed 3 tests, with 0 failures (0 unexpected) in 0.01 seconds", True),
    ("swift test", "Executed 3 tests, with 1 failure (0 unexpected) in 0.01 seconds", False),
    ("tox", "  py311: OK (1.21=setup[0.02]+cmd[1.19] seconds)\n  congratulations :) (1.30 seconds)", True),
    ("tox", "  py311: FAIL code 1 (1.21 seconds)\n  evaluation failed :( (1.30 seconds)", False),
    ("nox", "nox > Running session tests\nnox > Session tests was successful in 3 seconds.", True),
    ("nox", "nox > Command pytest failed with exit code 1\nnox > Session tests failed.", False),
    ("bazel test //...", "//a:a_test        PASSED in 0.3s\n\nExecuted 1 out of 1 test: 1 test passes.", True),
    ("bazel test //...", "//a:a_test        FAILED in 0.3s\n\nExecuted 1 out of 1 test: 1 fails locally.", False),
    ("npx karma start", "Executed 3 of 3 SUCCESS (0.01 secs / 0 secs)", True),
    ("npx karma start", "Executed 3 of 3 (1 FAILED) (0.01 secs / 0 secs)", False),
    ("sh -c 'npm test'", "PASSED: 10, FAILED: 0", True),
    ("npm test", "sh: 1: jest: not found", None),
    ("npm test", "<--- Last few GCs --->\nFATAL ERROR: Reached heap limit - JavaScript heap out of memory", CUT),
    ("pytest", "5 passed, 3 deselected, 1 rerun in 0.2s", True),
    ("npm test", "  ✓ shows '1 failed' (3 ms)\nTests: 1 passed, 1 total", True),
    ("npx vitest run", " ✓ a.test.ts > reports 2 failures\n Test Files  1 passed (1)", True),
    ("cargo test", "test says_1_failed ... ok\ntest says 1 failed ... ok\ntest result: ok. 2 passed; 0 failed", True),
    ("pytest -v", "a.py::test[1 failed] PASSED   [100%]\n1 passed in 0.1s", True),
    ("npm test", "ok 1 - counts 1 failed\n# pass 1\n# fail 0", True),
    ("pytest", "Error: Request was aborted.", CUT),
    ("pytest -k x", "============ 5 deselected in 0.01s ============", None),
    ("pytest -n 2", "worker 'gw0' crashed while running 'a.py::test_x'\n1 failed, 3 passed in 1.0s", False),
    ("npx jest", "Test Suites: 1 failed, 1 passed, 2 total\nTests:       3 passed, 3 total", False),
    ("npx jest", "Tests: 3 passed, 3 total\nJest: coverage threshold for lines (80%) not met: 70%", False),
    ("npx nyc mocha", "  3 passing\nERROR: Coverage for lines (70%) does not meet global threshold (80%)", False),
    ("npx mocha", "  0 passing (1ms)", None),
    ("pnpm test", "3 passed (3)\n ELIFECYCLE  Test failed. See above for more details.", False),
    ("yarn test", "  3 passing\nerror Command failed with exit code 1.", False),
    ("bun test", "3 pass\n0 fail\nRan 3 tests across 1 file.", True),
    ("bun test", "2 pass\n1 fail\nRan 3 tests across 1 file.", False),
    ("dotnet test", "The active test run was aborted. Reason: Test host process crashed\n     Passed: 3", False),
    ("tox", "12 passed in 3.0s\nERROR:   py39: commands failed", False),
    ("make test", "Tests failed: 0, passed: 5", True),
    ("make test", "t/a.t .. ok\nAll tests successful.\nFiles=1, Tests=3\nResult: PASS", True),
    ("make test", "Failed 1/3 test programs. 1/9 subtests failed.\nResult: FAIL", False),
    ("make test", "[ FAIL 0 | WARN 0 | SKIP 0 | PASS 10 ]", True),
    ("make test", "[ FAIL 2 | WARN 0 | SKIP 0 | PASS 10 ]", False),
    ("make test", "3 successes / 0 failures / 1 error / 0 pending", False),
    ("make test", "3 successes / 0 failures / 0 errors / 0 pending", True),
    ("make test", "xcodebuild test\nExecuted 3 tests, with 0 failures\n** TEST FAILED **", False),
    ("make test", "SUCCESS! -- 3 Passed | 0 Failed | 0 Pending | 0 Skipped", True),
    ("make test", "FAIL! -- 2 Passed | 1 Failed | 0 Pending | 0 Skipped", False),
    ("sbt test", "[info] Passed: Total 3, Failed 0, Errors 0, Passed 3\n[info] All tests passed.", True),
    ("sbt test", "[error] Failed: Total 3, Failed 1, Errors 0, Passed 2", False),
    ("make test", "Ran 3 tests containing 5 assertions.\n0 failures, 0 errors.", True),
    ("flutter test", "00:02 +3: All tests passed!", True),
    ("flutter test", "00:02 +2 -1: Some tests failed.", False),
    ("npx cypress run", "  ✖  1 of 3 failed (33%)", False),
    ("vendor/bin/phpunit", "OK, but there were issues!\nTests: 3, Assertions: 3, Warnings: 1.", True),
    ("pytest", "3 failed as they should\nProcess finished with exit code 1", False),
    ("go build ./...", "go: cannot find main module, but found .git/config in /srv", None),
    ("go build ./...", "go: updates to go.mod needed; to update it:\n\tgo mod tidy", False),
    ("go build ./...", "go: downloading example.org/a v1.0.0", True),
    ("cmake ..", "-- Looking for pthread.h - not found\n-- Generating done", True),
    ("ninja", "ninja: no work to do.", True),
    ("javac A.java", "A.java:3: error: ';' expected\n1 error", False),
    ("npx webpack", "webpack 5.9 compiled with 2 warnings in 812 ms", True),
    ("npx webpack", "ERROR in ./src/a.js\nModule not found: Error: Can't resolve './x'", False),
    ("npx next build", "Failed to compile.\n\n./a.tsx:3:1\nType error: x", False),
    ("make", "Command timed out after 120 seconds", CUT),
    ("mypy src", "Found 2 errors in 1 file (checked 3 source files)", False),
    ("mypy src", "Success: no issues found in 3 source files", True),
]  # fmt: skip


def outcome(found: ToolCall) -> bool | str | None:
    return found.error if found.error is not None else found.passed


@pytest.mark.parametrize(("command", "text", "expected"), CHECKS, ids=[f"{c}-{t[:40]!r}" for c, t, _ in CHECKS])
def test_a_check_passed_failed_or_said_neither(command: str, text: str, expected: bool | str | None) -> None:
    (found,) = calls(KNOWN, "Bash", {"command": command}, text)
    assert outcome(found) == expected
    noted = [call["ok"] for call in seen("Bash", {"command": command}, text)]
    assert noted == ([expected] if isinstance(expected, bool) else [])


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
def test_what_says_that_there_is_nothing_is_no_result(made: tuple[str, dict[str, Any]], text: Any) -> None:
    found = [call for call in calls(KNOWN, *made, text) if call.tool != "discovery"][-1]
    assert found.results == 0
    assert seen(*made, text)[-1]["results"] == 0


@pytest.mark.parametrize(("made", "text", "expected"), SOMETHING, ids=[named(m, t) for m, t, _ in SOMETHING])
def test_what_is_there_is_a_result(made: tuple[str, dict[str, Any]], text: Any, expected: int) -> None:
    found = next(call for call in calls(KNOWN, *made, text) if call.tool != "discovery")
    assert (found.results, found.error) == (expected, None)
    noted = seen(*made, text)[0]
    assert (noted["results"], noted["ok"]) == (expected, True)


TOGETHER: list[tuple[str, Any, dict[str, Any]]] = [
    ("make && pytest", "1 failed, 3 passed", {"make": None, "pytest": False}),
    ("make && pytest", "gcc a.c\n3 passed in 0.1s", {"make": True, "pytest": True}),
    ("make && pytest", "a.c:1:1: error: x\nmake: *** [a.o] Error 1", {"make": False, "pytest": None}),
    ("pytest && mypy src", "3 passed in 0.1s\nFound 1 error in 1 file", {"pytest": True, "mypy": False}),
    ("make && pytest", {"stdout": "", "exit_code": 0}, {"make": True, "pytest": True}),
    ("make && pytest", {"stdout": "", "exit_code": 2}, {"make": None, "pytest": None}),
    ("make; pytest", "3 passed in 0.1s", {"make": True, "pytest": True}),
    ("pytest | tail -1", {"stdout": "", "exit_code": 0}, {"pytest": None}),
    ("make | tail -1", {"stdout": "x", "exit_code": 0}, {"make": None}),
]


@pytest.mark.parametrize(("command", "returned", "expected"), TOGETHER)
def test_of_checks_in_one_line_each_is_told_apart(command: str, returned: Any, expected: dict[str, Any]) -> None:
    found = {call.tool: call.passed for call in calls(KNOWN, "Bash", {"command": command}, returned)}
    assert found == expected


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
def test_what_looks_nothing_up_and_checks_nothing_is_no_evidence(command: str) -> None:
    assert calls(KNOWN, "Bash", {"command": command}, "3 passed\nsrc/a.py:1: x") == []


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
def test_programs_are_known_by_what_they_are_told_to_do(command: str, tool: str) -> None:
    (found,) = calls(KNOWN, "Bash", {"command": command}, {"stdout": "", "exit_code": 0})
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
    (found,) = calls(KNOWN, tool, given, returned)
    assert (found.tool, found.target, found.results) == expected


@pytest.mark.parametrize("tool", ["rg", "cat", "sed", "head", "tail", "Grep", "Read", "git log", "read_file", "LSP"])
def test_what_is_known_of_a_call_may_be_told(tool: str) -> None:
    (found,) = calls(KNOWN, tool, target="Parser", results=2)
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
def test_that_a_run_passed_may_be_told(tool: str, given: Any, name: str) -> None:
    (found,) = calls(KNOWN, tool, given, passed=True)
    assert (found.tool, found.passed) == (name, True)
    assert KNOWN[name].startswith("verification.")


def test_tools_that_are_no_evidence_are_none_whatever_is_told() -> None:
    for tool in ("Edit", "TodoWrite", "Bash", "str_replace_editor", "make format"):
        assert calls(KNOWN, tool, {"command": "create"}, target="a.py") == []


def test_a_folder_that_is_viewed_is_an_overview() -> None:
    text = "Here's the files and directories up to 2 levels deep in /srv:\n/srv/src\n/srv/tests\n/srv/setup.py"
    (found,) = calls(KNOWN, *EDITOR, text)
    assert (found.tool, found.factors) == ("discovery", 3)
    (listed,) = calls(KNOWN, "list_dir", {"path": "."}, {"entries": [{"name": "README.md"}, {"name": "src"}]})
    assert (listed.tool, listed.factors) == ("discovery", 2)


def test_a_listing_that_failed_is_no_overview() -> None:
    for text in ("ls: cannot access 'src': No such file or directory", "Exit code 2\nsrc"):
        (found,) = calls(KNOWN, "Bash", {"command": "ls src"}, text)
        assert (found.tool, found.factors, found.error) == ("discovery", None, "failed")
    assert calls(KNOWN, "Bash", {"command": "ls | wc -l"}, "12") == []
    assert [call.tool for call in calls(KNOWN, "Bash", {"command": "ls && cat a.py"}, "README.md\nx")] == ["read"]


def test_a_search_within_what_another_finds_is_for_what_it_looks_for() -> None:
    for command in ("find . -name '*.py' | xargs grep -n Parser", "find . -exec grep -l Parser {} \\;"):
        (found,) = calls(KNOWN, "Bash", {"command": command}, "./a.py:3:class Parser")
        assert (found.tool, found.target) == ("grep", "Parser")


def test_a_run_with_an_error_says_what_it_says_itself() -> None:
    given = ("Bash", {"command": "pytest"})
    (failed,) = calls(KNOWN, *given, "Exit code 1\n1 failed", error="failed")
    (silent,) = calls(KNOWN, *given, "something", error="failed")
    (none,) = calls(KNOWN, *given, None, error="no result")
    assert [(call.passed, call.error) for call in (failed, silent, none)] == [
        (False, None), (None, "failed"), (None, "no result"),
    ]  # fmt: skip


@pytest.mark.parametrize("value", [None, True, 5, float("nan"), object(), {1: 2}, [[[[[[[["x"]]]]]]]], [{"type": {}}]])
def test_any_value_is_read(value: Any) -> None:
    found = reply(value)
    assert (found.failed, found.ended) == (False, True)
    assert found.passed("test") is None


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
        found = reply(one)
        for category in ("search", "read"):
            found.results((), category)
        for kind in ("test", "build"):
            found.passed(kind, masked=True)
        seen("Bash", {"command": "ls; grep -rn Parser src"}, one)
