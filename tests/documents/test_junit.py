"""Results of tests speak for the files that they are named after."""

from pathlib import Path

import pytest

from howsure.documents.junit import outcome_of_tests, read_junit
from howsure.errors import HowsureError


def results(tmp_path: Path, *cases: str) -> dict[str, bool]:
    path = tmp_path / "junit.xml"
    path.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    return dict(read_junit(path))


def test_a_file_is_tested_by_what_is_named_after_it(tmp_path: Path) -> None:
    found = results(
        tmp_path,
        '<testcase classname="tests.engine.test_parser.TestRead" name="a"/>',
        '<testcase file="web/cart.spec.ts" name="b"/>',
        '<testcase file="tests/test_cache.py" name="c"><failure/></testcase>',
        '<testcase file="tests/test_cache.py" name="d"/>',
        '<testcase file="tests/test_slow.py" name="e"><skipped/></testcase>',
    )
    assert outcome_of_tests(found, "src/parser.py") is True
    assert outcome_of_tests(found, "web/cart.ts") is True
    assert outcome_of_tests(found, "src/cache.py") is False
    assert outcome_of_tests(found, "src/slow.py") is None
    assert outcome_of_tests(found, "tests/test_parser.py") is True
    assert outcome_of_tests(found, "src/other.py") is None


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("<testsuite>", "is not JUnit XML"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>', "declares a document type"),
        ("", "is not JUnit XML"),
    ],
)
def test_invalid_test_results_are_reported(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "junit.xml"
    path.write_text(content)
    with pytest.raises(HowsureError, match=told):
        read_junit(path)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(HowsureError, match="cannot be read"):
        read_junit(tmp_path / "nowhere.xml")


def test_results_in_a_namespace_are_results(tmp_path: Path) -> None:
    path = tmp_path / "junit.xml"
    path.write_text('<testsuite xmlns="urn:x"><testcase file="test_a.py"><failure/></testcase></testsuite>')
    assert read_junit(path) == {"a": False, "test_a": False}


def test_xml_that_is_not_junit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.xml"
    path.write_text("<html></html>")
    with pytest.raises(HowsureError, match="is not JUnit XML: its root element is 'html'"):
        read_junit(path)
