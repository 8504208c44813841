"""Parse Python code: one thread at a time, and again if the interpreter was disturbed.

CPython 3.11 and 3.12 count the depth of a syntax tree in a place that all threads share. If two threads parse at the
same time, one of them may get "SystemError: AST constructor recursion depth mismatch" for code that is right.
"""

import ast
import warnings
from threading import Lock
from typing import Any

_LOCK = Lock()
_ATTEMPTS = 5
"""A parser outside of this module, which does not take the lock, may disturb an attempt."""


def parse(code: str) -> ast.Module:
    """Return the syntax tree of Python code, as `ast.parse` does, but safely in threads and without warnings."""
    tree: ast.Module = _guarded(ast.parse, code)
    return tree


def literal(text: str) -> Any:
    """Return the value of a Python literal, as `ast.literal_eval` does, but safely in threads and without warnings."""
    return _guarded(ast.literal_eval, text)


def _guarded(function: Any, text: str) -> Any:
    for attempt in range(_ATTEMPTS):
        try:
            with _LOCK, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return function(text)
        except SystemError:
            if attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")
