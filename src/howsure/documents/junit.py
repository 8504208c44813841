"""Read test results in JUnit XML, and find those of a file."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from xml.parsers import expat

from howsure.errors import HowsureError, shown

LARGEST = 200_000_000
# What makes the name of a tested file into the name of its test.
_AFFIXES = re.compile(r"^test[_-]|[_-]test$|[._-]spec$|\.test$|_spec$|^tests?$")
_CHUNK = 1 << 16
_DEEPEST = 100
"""Levels of elements. Suites are nested a few levels deep; a file of nothing but start tags would fill the memory."""
_ROOTS = {"testsuites", "testsuite", "testcase"}


class RunCounts(NamedTuple):
    """How the tests of a run ended."""

    passed: int
    failed: int
    """Failures and errors."""
    skipped: int


class _Case(NamedTuple):
    """One test, or a suite, with the names of the elements in it."""

    name: str
    attributes: Mapping[str, str]
    results: frozenset[str]


def read_junit(path: Path) -> Mapping[str, bool]:
    """Return whether all tests of a file passed, by the stem of the file.

    A test counts for its own file and for the one it is named after: `test_parser.py`, `parser_test.py` and
    `parser.spec.ts` count for `parser`. Skipped tests do not count.

    Raises:
        HowsureError: if the file cannot be read, is too large or is not JUnit XML.
    """
    passed_by_stem: dict[str, bool] = {}
    for case in _read_cases(path):
        if case.name != "testcase" or "skipped" in case.results:
            continue
        passed = not case.results & {"failure", "error"}
        for stem in _stems(case.attributes.get("file") or "", case.attributes.get("classname") or ""):
            passed_by_stem[stem] = passed_by_stem.get(stem, True) and passed
    return passed_by_stem


def count_tests(path: Path) -> RunCounts:
    """Return how the tests of a run ended.

    A suite that failed without naming a test, such as one that could not be set up, counts as a failed test.

    Raises:
        HowsureError: if the file cannot be read, is too large or is not JUnit XML.
    """
    passed = failed = skipped = of_suites = 0
    for case in _read_cases(path):
        if case.name == "testcase":
            bad = bool(case.results & {"failure", "error"})
            ignored = "skipped" in case.results and not bad
            failed, skipped, passed = failed + bad, skipped + ignored, passed + (not bad and not ignored)
        else:
            own = sum(_number(case.attributes.get(name)) for name in ("failures", "errors"))
            of_suites = max(of_suites, own, int(bool(case.results & {"failure", "error"})))
    return RunCounts(passed, failed or of_suites, skipped)


def outcome_of_tests(results: Mapping[str, bool], path: str) -> bool | None:
    """Return whether the tests of a file passed; None if there are none."""
    name = PurePosixPath(path).name
    return results.get(name.partition(".")[0] if not name.startswith(".") else name)


class _Reader:
    """Collects tests and suites while a file is parsed."""

    def __init__(self, path: Path) -> None:
        self.ended: list[_Case] = []
        self._path = path
        self._open: list[tuple[str, dict[str, str], set[str]]] = []
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._doctype

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2]
        if not self._open and name not in _ROOTS:
            raise self._error(f"its root element is {shown(name)}")
        if len(self._open) > _DEEPEST:
            raise self._error("its elements are nested too deep")
        if self._open:
            self._open[-1][2].add(name)
        self._open.append((name, attributes if name in _ROOTS else {}, set()))

    def _end(self, _: str) -> None:
        name, attributes, results = self._open.pop()
        if name in _ROOTS:
            self.ended.append(_Case(name, attributes, frozenset(results)))

    def _doctype(self, *_: object) -> None:
        raise self._error("it declares a document type")  # without one there are no entities to expand

    def _error(self, problem: str) -> HowsureError:
        return HowsureError(f"{self._path} is not JUnit XML: {problem}", field="tests")


def _read_cases(path: Path) -> Iterator[_Case]:
    """Yield tests and suites as they end. The file is parsed in chunks."""
    reader = _Reader(path)
    try:
        if path.stat().st_size > LARGEST:
            raise HowsureError(f"{path} is too large for test results", hint=f"at most {LARGEST:,} bytes")
        with path.open("rb") as file:
            more = True
            while more:
                chunk = file.read(_CHUNK)
                more = bool(chunk)
                reader.parser.Parse(chunk, not more)
                yield from reader.ended
                reader.ended.clear()
    except OSError as error:
        raise HowsureError(f"{path} cannot be read: {error.strerror}", field="tests") from None
    except (expat.ExpatError, ValueError, LookupError) as error:  # the latter for an unknown encoding
        raise HowsureError(f"{path} is not JUnit XML: {error}", field="tests") from None


def _number(text: str | None) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() else 0


def _stems(file: str, classname: str) -> set[str]:
    if file:
        name = PurePosixPath(file.replace("\\", "/")).name
        stem = name.rpartition(".")[0] or name
    else:  # the name of a module or class, such as tests.engine.test_parser.TestRead
        parts = [part for part in classname.split(".") if part and not part[0].isupper()]
        stem = parts[-1] if parts else ""
    bare = _AFFIXES.sub("", stem)
    return {name for name in (stem.partition(".")[0], bare.partition(".")[0]) if name}
