"""What a program says when it fails is no answer."""

import pytest

from howsure.syntheses.error_texts import find_error, remove_stack_traces

PYTHON = """Traceback (most recent call last):
  File "/a/b.py", line 3, in <module>
    run()
    ~~~^^
  File "/a/c.py", line 9, in run
    raise ValueError("the port is not open")
ValueError: the port is not open
"""
CHAINED = f"{PYTHON}\nDuring handling of the above exception, another exception occurred:\n\n{PYTHON}"
JAVA = 'Exception in thread "main" java.lang.IllegalStateException: it is shut\n\tat a.B.c(B.java:1)\n\t... 3 more'
NODE = "TypeError: x is not a function\n    at f (/a/b.js:3:4)\n    at node:internal/main:3"
GO = "panic: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/x.go:8 +0x1d\nexit status 2"
LINES = [
    "Error: connection refused.",
    "error: the server could not be reached",
    "fatal: not a git repository",
    "error[E0308]: mismatched types",
    "Error executing tool: timeout",
    "HTTPError 404: no such page",
    "java.io.IOException: the disk is full",
]
ANSWERS = [
    "",
    "The server answers with an error: the port is closed.",
    "Error handling is done by the caller: it retries.",
    "Exception safety: strong. It never throws.",
    "Errors are logged.\nThe log is in /var/log.",
    "Error: it fails.\nThe cause is a closed port.",
    "Error: " + "it fails and fails. " * 30,
    "The panic: nobody expected it.",
]


@pytest.mark.parametrize("content", [PYTHON, CHAINED, JAVA, NODE, GO, *LINES])
def test_an_error_is_recognised(content: str) -> None:
    assert find_error(content)
    assert "\n" not in find_error(content)


@pytest.mark.parametrize("content", ANSWERS)
def test_an_ordinary_answer_is_not_an_error_text(content: str) -> None:
    assert find_error(content) == ""
    assert remove_stack_traces(content) == content


@pytest.mark.parametrize("trace", [PYTHON.rstrip(), CHAINED.rstrip(), JAVA, NODE, GO])
def test_text_around_a_stack_trace_is_kept(trace: str) -> None:
    said = f"I ran it.\n\n{trace}\n\nThe port is not open."
    assert find_error(said) == ""
    assert remove_stack_traces(said).split() == ["I", "ran", "it.", "The", "port", "is", "not", "open."]
