"""Read test results in JUnit XML, and find those of a file."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree as ET

from howsure.errors import HowsureError, shown

LARGEST = 200_000_000
# What makes the name of a tested file into the name of its test.
_AFFIXES = re.compile(r"^test[_-]|[_-]test$|[._-]spec$|\.test$|_spec$|^tests?$")


def read_junit(path: Path) -> Mapping[str, bool]:
    """Return whether all tests of a file passed, by the stem of the file.

    A test counts for its own file and for the one it is named after: `test_parser.py`, `parser_test.py` and
    `parser.spec.ts` count for `parser`. Skipped tests do not count.

    Raises:
        HowsureError: if the file cannot be read, is too large or is not JUnit XML.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise HowsureError(f"{path} is too large for test results", hint=f"at most {LARGEST:,} bytes")
        data = path.read_bytes()
        if b"<!DOCTYPE" in data[:10_000]:
            raise HowsureError(f"{path} is not JUnit XML: it declares a document type")
        root = ET.fromstring(data)  # noqa: S314 - without a document type there are no entities to expand
    except OSError as error:
        raise HowsureError(f"{path} cannot be read: {error.strerror}", field="tests") from None
    except ET.ParseError as error:
        raise HowsureError(f"{path} is not JUnit XML: {error}", field="tests") from None
    if _name(root) not in {"testsuites", "testsuite", "testcase"}:
        raise HowsureError(f"{path} is not JUnit XML: its root element is {shown(_name(root))}", field="tests")
    passed_by_stem: dict[str, bool] = {}
    for case in root.iter():
        results = {_name(part) for part in case} if _name(case) == "testcase" else {"skipped"}
        if "skipped" in results:
            continue
        passed = not results & {"failure", "error"}
        for stem in _stems(case.get("file") or "", case.get("classname") or ""):
            passed_by_stem[stem] = passed_by_stem.get(stem, True) and passed
    return passed_by_stem


def outcome_of_tests(results: Mapping[str, bool], path: str) -> bool | None:
    """Return whether the tests of a file passed; None if there are none."""
    name = PurePosixPath(path).name
    return results.get(name.partition(".")[0] if not name.startswith(".") else name)


def _name(element: ET.Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def _stems(file: str, classname: str) -> set[str]:
    if file:
        name = PurePosixPath(file.replace("\\", "/")).name
        stem = name.rpartition(".")[0] or name
    else:  # the name of a module or class, such as tests.engine.test_parser.TestRead
        parts = [part for part in classname.split(".") if part and not part[0].isupper()]
        stem = parts[-1] if parts else ""
    bare = _AFFIXES.sub("", stem)
    return {name for name in (stem.partition(".")[0], bare.partition(".")[0]) if name}
