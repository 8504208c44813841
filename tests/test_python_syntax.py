"""Parsing Python in threads."""

import ast
import threading

import pytest

from howsure import python_syntax

CODE = "\n".join(f"def f{n}(a, b=[{{1: (2, 3)}}]):\n    return [x for x in a if x > (b or {n})]" for n in range(150))


def test_valid_code_parses_in_many_threads() -> None:
    """With `ast.parse` itself, some of these threads get a SystemError on CPython 3.11."""
    expected, found, problems = ast.dump(ast.parse(CODE)), set(), []

    def work() -> None:
        try:
            for _ in range(3):
                found.add(ast.dump(python_syntax.parse(CODE)))
                assert python_syntax.literal("{'a': [1, (2, None)]}") == {"a": [1, (2, None)]}
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells
            problems.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert found == {expected}


def test_a_disturbed_attempt_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = []

    def disturbed(text: str) -> str:
        attempts.append(text)
        if len(attempts) < 3:
            raise SystemError("AST constructor recursion depth mismatch (before=88, after=86)")
        return "tree"

    monkeypatch.setattr(ast, "parse", disturbed)
    assert python_syntax.parse("x = 1") == "tree"  # type: ignore[comparison-overlap]

    def always(_: str) -> None:
        raise SystemError

    monkeypatch.setattr(ast, "parse", always)
    with pytest.raises(SystemError):
        python_syntax.parse("x = 1")


def test_wrong_code_and_warnings() -> None:
    with pytest.raises(SyntaxError):
        python_syntax.parse("def (")
    with pytest.raises(ValueError, match="malformed"):
        python_syntax.literal("print(1)")
    python_syntax.parse("x = '\\d'")  # a warning would be an error
