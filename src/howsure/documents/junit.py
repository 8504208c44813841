"""Results of tests, as test runners write them, and which files they speak for."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree as ET

from howsure.errors import HowsureError, shown

LARGEST = 200_000_000
_AFFIXES = re.compile(r"^test[_-]|[_-]test$|[._-]spec$|\.test$|_spec$|^tests?$")


def read_junit(path: Path) -> Mapping[str, bool]:
    """Return, for each file that tests speak for, by its stem, whether all of them passed. JUnit XML is read.

    A test speaks for the file it stands in, and for the one it is named after: `test_parser.py`, `parser_test.py` and
    `parser.spec.ts` for `parser`. Tests that were skipped say nothing.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise HowsureError(f"{path} is too large for results of tests", hint=f"at most {LARGEST:,} bytes")
        data = path.read_bytes()
        if b"<!DOCTYPE" in data[:10_000]:
            raise HowsureError(f"{path} is no JUnit XML: it declares a document type")
        root = ET.fromstring(data)  # noqa: S314 - without a document type there are no entities to expand
    except OSError as error:
        raise HowsureError(f"{path} cannot be read: {error.strerror}", field="tests") from None
    except ET.ParseError as error:
        raise HowsureError(f"{path} is no JUnit XML: {error}", field="tests") from None
    if _name(root) not in {"testsuites", "testsuite", "testcase"}:
        raise HowsureError(f"{path} is no JUnit XML: it begins with {shown(_name(root))}", field="tests")
    found: dict[str, bool] = {}
    for case in root.iter():
        told = {_name(part) for part in case} if _name(case) == "testcase" else {"skipped"}
        if "skipped" in told:
            continue
        passed = not told & {"failure", "error"}
        for stem in _stems(case.get("file") or "", case.get("classname") or ""):
            found[stem] = found.get(stem, True) and passed
    return found


def tests_passed(results: Mapping[str, bool], path: str) -> bool | None:
    """Return whether the tests of a file passed; nothing, where none speak for it."""
    name = PurePosixPath(path).name
    return results.get(name.partition(".")[0] if not name.startswith(".") else name)


def _name(element: ET.Element) -> str:
    """Return what an element is called, in whatever namespace."""
    return str(element.tag).rpartition("}")[2]


def _stems(file: str, classname: str) -> set[str]:
    if file:
        name = PurePosixPath(file.replace("\\", "/")).name
        whole = name.rpartition(".")[0] or name
    else:  # a module's name: tests.engine.test_parser.TestRead
        parts = [part for part in classname.split(".") if part and not part[0].isupper()]
        whole = parts[-1] if parts else ""
    bare = _AFFIXES.sub("", whole)
    return {stem for stem in (whole.partition(".")[0], bare.partition(".")[0]) if stem}
