"""Whether test runs, builds and linters passed, by their output. The texts are as the tools write them, shortened."""

from typing import Any

import pytest

from howsure.agents.evidence import summarize_tool_call
from howsure.agents.tool_calls import DID_NOT_END
from howsure.formulas.tool_calls import ToolCall
from tests.agents.calls import read_calls

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
def test_checks_passed_failed_or_are_unknown(command: str, text: str, expected: bool | str | None) -> None:
    (found,) = read_calls("Bash", {"command": command}, text)
    assert outcome(found) == expected
    noted = [call["ok"] for call in summarize_tool_call("Bash", {"command": command}, text)]
    assert noted == ([expected] if isinstance(expected, bool) else [])


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
def test_the_output_decides_whether_a_check_passed(command: str, returned: Any, expected: bool | None) -> None:
    calls = summarize_tool_call("Bash", {"command": command}, returned)
    assert [call["ok"] for call in calls] == ([] if expected is None else [expected])


def test_of_several_checks_only_the_named_one_failed() -> None:
    given_ = {"command": "ruff check . && pytest -q"}
    kinds = {
        text: {
            call["kind"]: call["ok"] for call in summarize_tool_call("Bash", given_, {"stdout": text, "exit_code": 1})
        }
        for text in ("All checks passed!\n1 failed", "Found 2 errors.")
    }
    assert list(kinds.values()) == [{"test": False}, {"syntax": False}]
    passed = summarize_tool_call("Bash", given_, "All checks passed!\n3 passed")
    assert [call["ok"] for call in passed] == [True, True]


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
def test_checks_in_one_command_line_are_judged_separately(
    command: str, returned: Any, expected: dict[str, Any]
) -> None:
    found = {call.tool: call.passed for call in read_calls("Bash", {"command": command}, returned)}
    assert found == expected
