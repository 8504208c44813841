"""The quality gate: each check, on real files, with real commands."""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from howsure.errors import InputError
from howsure.responses.quality import LARGEST_REPORT, Check, quality_gate, read_coverage
from howsure.settings import POLICIES, Settings
from howsure.shapes.encode import encode
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock

RULES = ["TESTS_EXIST", "TESTS_PASS", "COVERAGE", "CONFIDENCE_REQUIREMENTS"]
CODE = "def sold(n):\n    return n + 1\n\n\ndef bought(n):\n    n = n - 1\n    return n\n"
TEST = "import shop\n\nfound = shop.sold(1)\nassert found == 2\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Give a folder with a module and a test of half of it."""
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    (folder / "shop.py").write_text(CODE)
    (folder / "tests" / "test_shop.py").write_text(TEST)
    return folder


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Sure]:
    """Give a store in a file, where it does not matter which."""
    given = Settings({}, (("howsure.toml", {"code.time_limit": 20.0}),))
    with open_store(str(tmp_path / "quality.db"), clock=clock, settings=given) as found:
        yield found


def check(sure: Sure, rule: str, folder: Path, **given: Any) -> Check:
    """Run the gate and return one check of it."""
    return {found.rule: found for found in quality_gate(sure, folder=folder, **given).checks}[rule]


def python(code: str) -> str:
    return shlex.join([sys.executable, "-c", code])


def json_report(folder: Path, percent: Any, **more: Any) -> Path:
    path = folder / "coverage.json"
    path.write_bytes(orjson.dumps({"totals": {"percent_covered": percent} | more}))
    return path


def measured(folder: Path, kind: str) -> None:
    """Measure the coverage of a project's test, and report it in one of three ways."""
    for arguments in (["run", "tests/test_shop.py"], [kind, "-q"]):
        command = [sys.executable, "-m", "coverage", *arguments]
        environment = os.environ | {"PYTHONPATH": str(folder), "COVERAGE_FILE": str(folder / ".coverage")}
        subprocess.run(command, cwd=folder, env=environment, check=True)


def test_the_checks_come_in_order_and_as_data(store: Sure, project: Path) -> None:
    found = quality_gate(store, folder=project)
    assert [one.rule for one in found.checks] == RULES
    assert [one.status for one in found.checks] == ["PASSED", "SKIPPED", "WARNING", "SKIPPED"]
    assert found.passed
    plain = orjson.loads(orjson.dumps(encode(found)))
    assert (plain["passed"], plain["folder"], plain["agent"], plain["at"]) == (True, str(project), "", NOW)
    assert plain["checks"][0] == {
        "rule": "TESTS_EXIST",
        "status": "PASSED",
        "message": "1 of 2 code files are tests",
    }


def test_one_failure_fails_the_gate(store: Sure, project: Path) -> None:
    found = quality_gate(store, folder=project, test_command=python("raise SystemExit(1)"))
    assert not found.passed
    assert encode(found)["passed"] is False


@pytest.mark.parametrize("name", ["tests/__init__.py", "conftest.py", "tests/golden.json", "latest.py"])
def test_not_everything_near_tests_is_a_test(store: Sure, tmp_path: Path, name: str) -> None:
    for file in ("empty/shop.py", f"empty/{name}"):
        (tmp_path / file).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / file).write_text("")
    found = check(store, "TESTS_EXIST", tmp_path / "empty")
    assert found.status == "FAILED"
    assert "code files is a test: write some" in found.message


@pytest.mark.parametrize("name", ["test_shop.py", "shop.test.ts", "shop_test.go", "spec/shop_spec.rb"])
def test_tests_are_known_by_their_names(store: Sure, tmp_path: Path, name: str) -> None:
    path = tmp_path / "code" / name
    path.parent.mkdir(parents=True)
    path.write_text("")
    assert check(store, "TESTS_EXIST", tmp_path / "code").status == "PASSED"


def test_a_folder_without_code_may_be_the_wrong_one(store: Sure, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = check(store, "TESTS_EXIST", tmp_path / "empty")
    assert (found.status, found.message) == (
        "FAILED",
        f"no code in {tmp_path / 'empty'}: is it the right folder?",
    )
    with pytest.raises(InputError, match="folder: folder .* does not exist"):
        quality_gate(store, folder=tmp_path / "nowhere")


def test_tests_are_run_in_the_folder_only_if_asked(store: Sure, project: Path) -> None:
    command = python("import pathlib; pathlib.Path('ran').touch()")
    assert check(store, "TESTS_PASS", project).status == "SKIPPED"
    assert not (project / "ran").exists()
    found = check(store, "TESTS_PASS", project, test_command=command)
    assert found.status == "PASSED"
    assert " succeeded in " in found.message
    assert (project / "ran").exists()


def test_failing_tests_are_reported(store: Sure, project: Path) -> None:
    found = check(store, "TESTS_PASS", project, test_command=python("assert 1 == 2"))
    assert found.status == "FAILED"
    assert "seconds: run it to see why" in found.message


def test_tests_have_a_time_limit(tmp_path: Path, project: Path) -> None:
    given = Settings({}, (("howsure.toml", {"code.time_limit": 0.5}),))
    with open_store(str(tmp_path / "quick.db"), settings=given) as sure:
        start = time.monotonic()
        found = check(sure, "TESTS_PASS", project, test_command=python("import time; time.sleep(300)"))
    assert time.monotonic() - start < 60
    assert found.status == "FAILED"
    assert "did not end within 0.5 seconds: make the tests faster, or set code.time_limit higher" in found.message


@pytest.mark.parametrize("command", ["/no/such/command", "'", " "])
def test_an_unknown_command_is_an_error(store: Sure, project: Path, command: str) -> None:
    with pytest.raises(InputError, match="command"):
        quality_gate(store, folder=project, test_command=command)


@pytest.mark.parametrize("kind", ["json", "xml", "lcov"])
def test_reports_of_coverage_are_read(store: Sure, project: Path, kind: str) -> None:
    measured(project, kind)
    (report,) = [path for path in project.iterdir() if path.name in ("coverage.json", "coverage.xml", "coverage.lcov")]
    assert read_coverage(report) == 6 / 8
    if kind == "lcov":
        report = report.rename(project / "lcov.info")
    assert check(store, "COVERAGE", project, min_coverage=0.7).status == "PASSED"
    found = check(store, "COVERAGE", project, min_coverage=0.8)
    assert found == Check(
        "COVERAGE",
        "FAILED",
        f"75.00% is covered according to {report}, and at least 80.00% is needed: add tests for what is not covered",
    )


def test_a_test_run_can_write_the_report(store: Sure, project: Path) -> None:
    write = "import pathlib; pathlib.Path('coverage.json').write_text('{\"totals\": {\"percent_covered\": 91}}')"
    found = check(store, "COVERAGE", project, test_command=python(write))
    assert found.status == "PASSED"
    assert found.message.startswith("91.00% is covered")


def test_a_test_run_may_take_code_away(store: Sure, project: Path) -> None:
    json_report(project, 95)
    remove = python("import os; os.remove('shop.py'); os.remove('tests/test_shop.py')")
    assert check(store, "COVERAGE", project, test_command=remove).status == "PASSED"


@pytest.mark.parametrize(
    ("percent", "status"), [(80.0, "PASSED"), (79.999999999, "PASSED"), (79.9999, "FAILED"), (100, "PASSED")]
)
def test_exactly_the_required_coverage_passes(store: Sure, project: Path, percent: float, status: str) -> None:
    json_report(project, percent)
    assert check(store, "COVERAGE", project).status == status


def test_without_a_report_there_is_a_warning(store: Sure, project: Path) -> None:
    found = check(store, "COVERAGE", project)
    assert found.status == "WARNING"
    assert found.message == "no coverage report: write one of coverage.json, coverage.xml, lcov.info"


def test_a_report_that_is_older_than_the_code_is_a_warning(store: Sure, project: Path) -> None:
    report = json_report(project, 95)
    os.utime(project / "shop.py", (NOW, NOW))
    os.utime(report, (NOW - 1, NOW - 1))
    found = check(store, "COVERAGE", project)
    assert found.status == "WARNING"
    assert "but shop.py is newer than the report: run the tests with coverage again" in found.message
    found = check(store, "COVERAGE", project, min_coverage=0.96)
    assert found.status == "FAILED"
    assert "shop.py is newer than the report" in found.message


def test_files_of_a_report_do_not_count_as_newer_code(store: Sure, project: Path) -> None:
    json_report(project, 95)
    for name in ("htmlcov/page.js", "coverage/lcov-report/sorter.js", "data.json", "__pycache__/x.py"):
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
        os.utime(path, (NOW, NOW))
    assert check(store, "COVERAGE", project).status == "PASSED"


def test_of_several_reports_the_newest_counts(store: Sure, project: Path) -> None:
    json_report(project, 10)
    (project / "coverage").mkdir()
    lcov = project / "coverage" / "lcov.info"
    lcov.write_text("TN:\nSF:a.js\nLF:10\nLH:9\nend_of_record\nSF:b.js\nLF:10\nLH:8\nend_of_record\n")
    os.utime(lcov, (NOW, NOW))
    found = check(store, "COVERAGE", project)
    assert found.status == "PASSED"
    assert found.message.startswith("85.00% is covered")


def test_a_report_may_lie_elsewhere_under_any_name(store: Sure, project: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.txt"
    report.write_bytes(b'\xef\xbb\xbf  {"totals": {"percent_covered": 83}}')
    os.utime(report, (NOW, NOW))
    assert check(store, "COVERAGE", project, coverage=report).status == "PASSED"
    found = check(store, "COVERAGE", project, coverage=tmp_path / "none.xml")
    assert found.status == "FAILED"
    assert "none.xml: the file does not exist; write it again" in found.message
    assert "the file does not exist" in check(store, "COVERAGE", project, coverage=tmp_path).message


def test_a_cobertura_doctype_is_accepted(tmp_path: Path) -> None:
    report = tmp_path / "coverage.xml"
    report.write_text(
        '<?xml version="1.0"?>\n<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">\n'
        '<coverage line-rate="0.87" lines-valid="100"><packages><package line-rate="0.1"/></packages></coverage>'
    )
    assert read_coverage(report) == 0.87


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BOMB = f'<?xml version="1.0"?><!DOCTYPE coverage [<!ENTITY l0 "lol">{LAUGHS}]><coverage line-rate="1">&l9;</coverage>'
OUTSIDE = '<!DOCTYPE coverage [<!ENTITY x SYSTEM "file:///etc/passwd">]><coverage line-rate="1">&x;</coverage>'
DEFAULT = '<!DOCTYPE coverage [<!ATTLIST coverage line-rate CDATA "1">]><coverage/>'
OWN = "it declares entities or an inline document type, which no report needs"
BROKEN = {
    "bomb": (BOMB, OWN),
    "outside": (OUTSIDE, OWN),
    "default": (DEFAULT, OWN),
    "undeclared": ('<coverage line-rate="1">&x;</coverage>', "not XML: undefined entity"),
    "cut XML": ('<coverage line-rate="1"><packages>', "not XML: no element found"),
    "encoding": ('<?xml version="1.0" encoding="klingon"?><coverage line-rate="1"/>', "not XML: unknown encoding"),
    "other XML": ('<report><counter type="LINE" missed="1" covered="9"/></report>', "it has no line-rate"),
    "clover": ('<coverage generated="1"/>', "it has no line-rate"),
    "rate": ('<coverage line-rate="lots"/>', "line-rate: not a number"),
    "nan": ('<coverage line-rate="nan"/>', "line-rate: nan is not a finite number"),
    "high": ('<coverage line-rate="1.5"/>', "line-rate: 1.5 is not between 0 and 1"),
    "no lines": ('<coverage line-rate="1" lines-valid="0"/>', "nothing was measured"),
    "cut JSON": ('{"totals": {"percent_covered": 9', "not JSON"),
    "deep": ("[" * 100_000, "not JSON"),
    "list": ("[1]", "it has no totals.percent_covered"),
    "no totals": ("{}", "it has no totals.percent_covered"),
    "totals": ('{"totals": 5}', "it has no totals.percent_covered"),
    "text": ('{"totals": {"percent_covered": "90"}}', "totals.percent_covered: '90' is not a number"),
    "flag": ('{"totals": {"percent_covered": true}}', "totals.percent_covered: true is not a number"),
    "more": ('{"totals": {"percent_covered": 100.1}}', "100.1 is not between 0 and 100"),
    "no statements": ('{"totals": {"percent_covered": 100, "num_statements": 0}}', "nothing was measured"),
    "empty": ("", "it is neither JSON nor XML nor lcov"),
    "prose": ("All is covered.", "it is neither JSON nor XML nor lcov"),
    "cut lcov": ("SF:a\nLF:1\nLH:1\n", "it ends early"),
    "no count": ("SF:a\nLF:one\nLH:1\nend_of_record\n", "invalid count of lines 'LF:one'"),
    "negative": ("SF:a\nLF:-1\nLH:1\nend_of_record\n", "invalid count of lines 'LF:-1'"),
    "digits": (f"SF:a\nLF:{'9' * 9999}\nLH:1\nend_of_record\n", "invalid count of lines"),
    "hits": ("SF:a\nLF:1\nLH:2\nend_of_record\n", "covered: 2.0 is not between 0 and 1"),
    "nothing": ("SF:a\nLF:0\nLH:0\nend_of_record\n", "nothing was measured"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_report_fails_and_says_why(store: Sure, project: Path, kind: str) -> None:
    content, why = BROKEN[kind]
    report = project / "coverage.xml"
    report.write_text(content)
    start = time.process_time()
    found = check(store, "COVERAGE", project)
    assert time.process_time() - start < 5
    assert found.status == "FAILED"
    assert f"invalid coverage report {report}: " in found.message
    assert why in found.message


def test_a_huge_report_is_not_read(store: Sure, project: Path) -> None:
    with (project / "coverage.xml").open("wb") as file:
        file.truncate(LARGEST_REPORT + 1)
    found = check(store, "COVERAGE", project)
    assert (found.status, "it is larger than 50,000,000 bytes" in found.message) == ("FAILED", True)


def test_a_report_that_cannot_be_read_fails(store: Sure, project: Path) -> None:
    (project / "coverage.json").symlink_to("/proc/self/mem")  # a file that is there, and fails when it is read
    found = check(store, "COVERAGE", project)
    assert (found.status, "cannot read it: Input/output error" in found.message) == ("FAILED", True)


CONFIDENCE = "CONFIDENCE_REQUIREMENTS"


def test_without_an_agent_confidence_is_skipped(store: Sure, project: Path) -> None:
    assert check(store, CONFIDENCE, project).status == "SKIPPED"


def test_an_agent_that_was_never_judged_is_a_warning(sure: Sure, project: Path) -> None:
    sure.responses.check(agent="other", knowledge=0.1)
    sure.models.record("derived", {"constituents": [[0.5, 1.0]], "assessed_upper": 0.8}, agent="ann")
    found = check(sure, CONFIDENCE, project, agent="ann")
    assert found.status == "WARNING"
    todo = "check one with `howsure gate --agent ann`"
    assert found.message == f"no response of ann was checked in the last 24 hours: {todo}"


def test_the_latest_answer_decides(sure: Sure, project: Path, clock: Clock) -> None:
    sure.responses.check(agent="ann", knowledge=0.2, code=0.2)
    clock.now += 60
    good = sure.responses.check(agent="ann", knowledge=1.0, code=1.0, history=1.0)
    found = check(sure, CONFIDENCE, project, agent="ann")
    assert found == (CONFIDENCE, "PASSED", f"the latest response of ann, {good.id}, passed: {good.reason}")
    clock.now += 60
    for policy in POLICIES:
        bad = sure.responses.check(agent="ann", knowledge=0.7, code=0.9, certainty=0.7, history=0.7, policy=policy)
        found = check(sure, CONFIDENCE, project, agent="ann")
        assert found.status == "FAILED"
        assert f"ann, {bad.id}, was blocked: {bad.reason}; what would help: {bad.lifts[0].words}" in found.message
    assert check(sure, CONFIDENCE, project, agent="ann", now=clock.now - 60).status == "PASSED"


def test_wording_alone_fails_the_gate(sure: Sure, project: Path) -> None:
    held = sure.responses.check("Definitely verified.", agent="ann", history=1.0, threshold=0.5)
    found = check(sure, CONFIDENCE, project, agent="ann")
    assert found.status == "FAILED"
    assert f"{held.id}, is held for review: " in found.message
    assert "nothing supports the response" in found.message
    assert all(lift.words in found.message for lift in held.lifts)


def test_if_no_single_factor_suffices_that_is_stated(store: Sure, project: Path) -> None:
    store.responses.check(agent="ann", knowledge=0.0, code=0.0, certainty=0.0, history=0.0)
    found = check(store, CONFIDENCE, project, agent="ann")
    assert found.message.endswith("what would help: look up knowledge, check the code, and check the response again")


def test_an_old_answer_does_not_count(sure: Sure, project: Path, clock: Clock) -> None:
    sure.responses.check(agent="ann", knowledge=0.2, code=0.2)
    clock.now += 2 * 3600
    assert check(sure, CONFIDENCE, project, agent="ann", max_age_hours=2).status == "FAILED"
    assert check(sure, CONFIDENCE, project, agent="ann", max_age_hours=1.9).status == "WARNING"


def test_thresholds_differ_by_agent_type(sure: Sure, project: Path) -> None:
    given: dict[str, Any] = {"knowledge": 0.9, "code": 0.7, "certainty": 0.6, "history": 0.6, "policy": "nlnh"}
    done = sure.responses.check(agent="ann", agent_type="clerk", **given)
    assert done.decision == "pass"
    assert done.composite == pytest.approx(0.72)
    for kind in ("", "clerk", " Clerk"):
        assert check(sure, CONFIDENCE, project, agent="ann", agent_type=kind).status == "PASSED"
    found = check(sure, CONFIDENCE, project, agent="ann", agent_type="patcher")
    assert found.status == "FAILED"
    assert "passed with 0.72 as clerk; as patcher it needs 0.80: check it with that type" in found.message
    sure.responses.check(agent="bob", knowledge=1.0, code=1.0, history=1.0)
    assert check(sure, CONFIDENCE, project, agent="bob", agent_type="validator").status == "PASSED"


def test_imported_answers_count_as_well(store: Sure, project: Path, tmp_path: Path) -> None:
    line: dict[str, Any] = {
        "timestamp": "2027-01-15T07:59:00Z",
        "agent_name": "ann",
        "agent_type": "patcher",
        "composite_confidence": 0.3,
        "agent_threshold": 0.8,
        "threshold_met": False,
        "should_block": True,
    }
    path = tmp_path / "confidences-2027-01-15.jsonl"
    path.write_bytes(orjson.dumps(line))
    assert store.ledger.import_(path) == (1, [])
    found = check(store, CONFIDENCE, project, agent="ann")
    assert found.status == "FAILED"
    assert "was blocked: its confidence was 0.30; what would help: " in found.message


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"min_coverage": 80}, "min_coverage: 80 is not between 0 and 1"),
        ({"max_age_hours": -1}, "max_age_hours: -1 is not between"),
        ({"agent": "a\x00"}, "agent: "),
        ({"now": float("nan")}, "now: "),
    ],
)
def test_failing_to_judge_is_an_error(store: Sure, project: Path, given: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        quality_gate(store, folder=project, **given)
