"""The quality gate after an implementation: tests exist, pass and cover enough, and the agent was sure."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Protocol

from howsure.errors import InputError
from howsure.formulas.ops import at_least
from howsure.formulas.response_case import agent_kind
from howsure.ledger.recorder import Subject
from howsure.responses.code_checks import SOURCES, TEST_FILE, code_files, succeeds
from howsure.responses.policy import MODEL
from howsure.settings import TIME_LIMIT
from howsure.shapes import HOUR, Amount, Unit, Within, decode_as
from howsure.shapes.types import json_property

if TYPE_CHECKING:
    from howsure.ledger.api import Ledger
    from howsure.responses.api import Responses
    from howsure.settings import Settings
    from howsure.store.session import Session

Status = Literal["PASSED", "FAILED", "WARNING", "SKIPPED"]
"""The result of a check. WARNING: it could not be decided; SKIPPED: it was not asked for."""
REPORTS = ("coverage.json", "coverage.xml", "lcov.info", "coverage/lcov.info")
"""Files of a folder that may be its coverage report; the newest one is used."""
LARGEST_REPORT = 50_000_000
"""Bytes of the largest coverage report that is read."""
_BOM = b"\xef\xbb\xbf"
_GENERATED = {"htmlcov", "coverage", "lcov-report"}
_NO_TESTS = {"__init__.py", "conftest.py"}
_CODE = ("", "python")
Percent = Annotated[float, Within(0.0, 100.0)]


class Check(NamedTuple):
    """The result of one check."""

    rule: str
    status: Status
    message: str
    """What is the case, and what to do about it."""


@dataclass(frozen=True)
class QualityReport:
    """The results of all checks."""

    folder: str
    agent: str
    agent_type: str
    at: float
    checks: tuple[Check, ...]

    @json_property
    def passed(self) -> bool:
        """Whether no check failed. A warning does not fail."""
        return all(check.status != "FAILED" for check in self.checks)


class OpenStore(Protocol):
    """The parts of an open store that the quality gate uses."""

    @property
    def session(self) -> "Session":
        """The session."""
        ...

    @property
    def settings(self) -> "Settings":
        """The settings."""
        ...

    @property
    def ledger(self) -> "Ledger":
        """The decisions."""
        ...

    @property
    def responses(self) -> "Responses":
        """The gate."""
        ...


def quality_gate(
    sure: "OpenStore",
    *,
    folder: Path,
    agent: str = "",
    agent_type: str = "",
    test_command: str = "",
    coverage: Path | None = None,
    min_coverage: float = 0.8,
    max_age_hours: float = 24.0,
    now: float | None = None,
) -> QualityReport:
    """Check an implementation in a folder, and the confidence of the agent that made it.

    Args:
        folder: The folder that was worked in.
        agent: The agent whose latest response must have passed the gate; not checked if empty.
        agent_type: The type of the agent, if it should be judged by another threshold than then.
        test_command: Run in the folder as its tests; not run if empty.
        coverage: A coverage report; by default one is looked for in the folder.
        min_coverage: The share that must be covered.
        max_age_hours: Responses older than this do not count.

    Raises:
        InputError: if the folder does not exist, or the command cannot be run.
    """
    if not folder.is_dir():
        raise InputError(f"folder {folder} does not exist", field="folder")
    subject = sure.ledger.subject(agent=agent, agent_type=agent_type)
    needed: float = decode_as(Unit, min_coverage, "min_coverage")
    hours: float = decode_as(Amount, max_age_hours, "max_age_hours")
    at = sure.session.at(now)
    sources = [file for file in code_files(folder) if SOURCES[file.suffix.lower()] in _CODE]
    checks = (
        _tests_exist(folder, sources),
        _tests_pass(folder, test_command, sure.settings.value(TIME_LIMIT)),
        _coverage(folder, coverage, needed, sources),
        _confidence(sure, subject, hours, at),
    )
    return QualityReport(str(folder), subject.agent, subject.agent_type, at, checks)


def _tests_exist(folder: Path, sources: Sequence[Path]) -> Check:
    rule = "TESTS_EXIST"
    tests = [file for file in sources if file.name not in _NO_TESTS and TEST_FILE.search(_within(folder, file))]
    if tests:
        return Check(rule, "PASSED", f"{len(tests):,} of {len(sources):,} code files are tests")
    if not sources:
        return Check(rule, "FAILED", f"no code in {folder}: is it the right folder?")
    return Check(rule, "FAILED", f"none of {len(sources):,} code files is a test: write some, like tests/test_it.py")


def _within(folder: Path, file: Path) -> str:
    return file.relative_to(folder).as_posix()


def _tests_pass(folder: Path, command: str, time_limit: float) -> Check:
    rule = "TESTS_PASS"
    if not command:
        return Check(rule, "SKIPPED", "no test command given: pass one to run the tests")
    start = time.monotonic()
    passed = succeeds(command, folder, time_limit)
    took = time.monotonic() - start
    if passed:
        return Check(rule, "PASSED", f"`{command}` succeeded in {took:.1f} seconds")
    if took >= time_limit:
        todo = "make the tests faster, or set code.time_limit higher"
        return Check(rule, "FAILED", f"`{command}` did not end within {time_limit:g} seconds: {todo}")
    return Check(rule, "FAILED", f"`{command}` failed after {took:.1f} seconds: run it to see why")


def _coverage(folder: Path, given: Path | None, needed: float, sources: Sequence[Path]) -> Check:
    rule = "COVERAGE"
    report = given or _newest([path for name in REPORTS if (path := folder / name).is_file()])
    if report is None:
        return Check(rule, "WARNING", f"no coverage report: write one of {', '.join(REPORTS[:3])}")
    try:
        share = read_coverage(report)
    except InputError as error:
        return Check(rule, "FAILED", f"invalid coverage report {report}: {error}; write it again")
    words = f"{share:.2%} is covered according to {report}, and at least {needed:.2%} is needed"
    newer = _newer(folder, sources, report)
    again = f"{newer} is newer than the report: run the tests with coverage again"
    if not at_least(share, needed):
        return Check(rule, "FAILED", f"{words}: {again if newer else 'add tests for what is not covered'}")
    return Check(rule, "WARNING", f"{words}, but {again}") if newer else Check(rule, "PASSED", words)


def _newer(folder: Path, sources: Sequence[Path], report: Path) -> str:
    """Return the newest code file if it is newer than the report, else ""; files of HTML reports do not count."""
    newest = _newest([file for file in sources if not _GENERATED & set(file.relative_to(folder).parts[:-1])])
    return _within(folder, newest) if newest and _changed(newest) > _changed(report) else ""


def _newest(files: Sequence[Path]) -> Path | None:
    return max(files, key=_changed, default=None)


def _changed(file: Path) -> int:
    """Return when a file was last changed, in nanoseconds; 0 if it is gone."""
    with suppress(OSError):
        return file.stat().st_mtime_ns
    return 0


def read_coverage(report: Path) -> float:
    """Return the covered share of a report: JSON of coverage.py, Cobertura XML, or lcov.

    Raises:
        InputError: if it cannot be read.
    """
    if not report.is_file():
        raise InputError("the file does not exist")
    try:
        with report.open("rb") as file:
            content = file.read(LARGEST_REPORT + 1).removeprefix(_BOM)
    except OSError as error:
        raise InputError(f"cannot read it: {error.strerror}") from error
    if len(content) > LARGEST_REPORT:
        raise InputError(f"it is larger than {LARGEST_REPORT:,} bytes")
    return _READERS.get(content.lstrip()[:1], _from_lcov)(content)


def _share(hit: float, total: float) -> float:
    if total <= 0:
        raise InputError("nothing was measured")
    return float(decode_as(Unit, hit / total, "covered"))


def _from_json(content: bytes) -> float:
    import orjson

    try:
        totals = orjson.loads(content)["totals"]
        percent, statements = totals["percent_covered"], totals.get("num_statements", 1)
    except orjson.JSONDecodeError as error:
        raise InputError(f"not JSON: {error}") from None
    except (KeyError, TypeError):
        raise InputError("it has no totals.percent_covered", hint="`coverage json` writes it") from None
    if statements == 0:
        raise InputError("nothing was measured")
    return float(decode_as(Percent, percent, "totals.percent_covered")) / 100


def _from_xml(content: bytes) -> float:
    """Return the line rate of the root element. Entities are refused: they could expand without end."""
    from xml.parsers import expat

    parser = expat.ParserCreate()
    root: dict[str, str] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        root.update({"": name} | attributes)
        parser.StartElementHandler = None

    def refuse(*_: Any) -> None:
        raise InputError("it declares entities or an inline document type, which no report needs")

    def doctype(_name: str, _system: str | None, _public: str | None, inner: bool) -> None:
        if inner:  # naming Cobertura's document type is harmless: it is never fetched
            refuse()

    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise InputError(f"not XML: {error}") from None
    if root[""] != "coverage" or "line-rate" not in root:
        raise InputError("it has no line-rate", hint="`coverage xml` writes it")
    if root.get("lines-valid") == "0":
        raise InputError("nothing was measured")
    try:
        rate = float(root["line-rate"])
    except ValueError:
        raise InputError("not a number", field="line-rate") from None
    return float(decode_as(Unit, rate, "line-rate"))


def _from_lcov(content: bytes) -> float:
    lines = [line.strip() for line in content.splitlines()]
    starts = sum(line.startswith(b"SF:") for line in lines)
    if not starts:
        raise InputError("it is neither JSON nor XML nor lcov")
    if lines.count(b"end_of_record") != starts:
        raise InputError("it ends early")
    hit, total = (sum(_count(line) for line in lines if line.startswith(name)) for name in (b"LH:", b"LF:"))
    return _share(hit, total)


def _count(line: bytes) -> int:
    match = re.fullmatch(rb"L[FH]:[ \t]*(\d{1,15})", line)
    if match is None:
        raise InputError(f"invalid count of lines {line[:30].decode('utf-8', 'replace')!r}")
    return int(match[1])


_READERS: Mapping[bytes, Callable[[bytes], float]] = {b"{": _from_json, b"[": _from_json, b"<": _from_xml}


def _confidence(sure: "OpenStore", subject: Subject, hours: float, at: float) -> Check:
    rule = "CONFIDENCE_REQUIREMENTS"
    agent = subject.agent
    if not agent:
        return Check(rule, "SKIPPED", "no agent given: pass one to check its confidence")
    latest = sure.ledger.find(agent=agent, model=MODEL, since=at - hours * HOUR, until=at, limit=1).decisions
    if not latest:
        todo = f"check one with `howsure gate --agent {agent}`"
        return Check(rule, "WARNING", f"no response of {agent} was checked in the last {hours:g} hours: {todo}")
    (decision,) = latest
    what = f"the latest response of {agent}, {decision.id},"
    reason = decision.answer.get("reason") or f"its confidence was {decision.score:.2f}"
    if decision.decision != "pass":
        done = {"block": "was blocked", "review": "is held for review"}.get(decision.decision, "did not pass")
        if decision.shadow:
            return Check(rule, "WARNING", f"{what} {done}, in shadow mode: {reason}")
        return Check(rule, "FAILED", f"{what} {done}: {reason}; what would help: {_help(sure, decision.id)}")
    if agent_kind(subject.agent_type) not in ("", agent_kind(decision.agent_type)):
        needed = sure.responses.thresholds.resolve(subject, sure.responses.model).threshold
        if not at_least(decision.score, needed):
            short = f"passed with {decision.score:.2f} as {decision.agent_type or 'an agent of no type'}"
            todo = f"as {subject.agent_type} it needs {needed:.2f}: check it with that type"
            return Check(rule, "FAILED", f"{what} {short}; {todo}")
    return Check(rule, "PASSED", f"{what} passed: {reason}")


def _help(sure: "OpenStore", decision_id: str) -> str:
    """Return what would bring a stored response to its threshold, by what was stored of it."""
    words = [lift.words for lift in sure.ledger.explain(decision_id).lifts]
    return "; or ".join(words) or "look up knowledge, check the code, and check the response again"
