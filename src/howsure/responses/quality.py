"""The quality gate after implementation: do tests exist, do they pass and cover enough, and was the agent sure?"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from howsure.errors import InputError
from howsure.formulas.ops import at_least
from howsure.formulas.response import FACTORS, ResponseCase, agent_kind
from howsure.responses.code_checks import SOURCES, TEST_FILE, code_files, succeeds
from howsure.responses.gate import lifts
from howsure.settings import TIME_LIMIT
from howsure.shapes import Amount, Unit, Within, decode, decode_as
from howsure.store.decisions import HOUR

if TYPE_CHECKING:
    from howsure.ledger.api import About
    from howsure.ledger.decision import Record
    from howsure.sure import Sure

Status = Literal["PASSED", "FAILED", "WARNING", "SKIPPED"]
"""What came of a check: it holds, it does not, it could not be settled, or it was not asked for."""
REPORTS = ("coverage.json", "coverage.xml", "lcov.info", "coverage/lcov.info")
"""Where a coverage report is looked for in a folder; of several, the newest counts."""
LARGEST_REPORT = 50_000_000
"""Bytes of a coverage report that is still read."""
_BOM = b"\xef\xbb\xbf"
_GENERATED = {"htmlcov", "coverage", "lcov-report"}
_NO_TESTS = {"__init__.py", "conftest.py"}
_CODE = ("", "python")
Percent = Annotated[float, Within(0.0, 100.0)]


class Check(NamedTuple):
    """One check of the gate."""

    rule: str
    status: Status
    message: str
    """What was found, in words, and what to do about it."""


@dataclass(frozen=True)
class Gate:
    """What came of all checks."""

    folder: str
    agent: str
    agent_type: str
    at: float
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed. A warning does not fail."""
        return all(check.status != "FAILED" for check in self.checks)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return vars(self) | {"passed": self.passed, "checks": [check._asdict() for check in self.checks]}


def quality_gate(
    sure: "Sure",
    *,
    folder: Path,
    agent: str = "",
    agent_type: str = "",
    test_command: str = "",
    coverage: Path | None = None,
    min_coverage: float = 0.8,
    max_age_hours: float = 24.0,
    now: float | None = None,
) -> Gate:
    """Check what was implemented in a folder, and how sure the agent was that did it.

    `test_command` is run in the folder, only if given. `coverage` is a report; by default one is looked for. The
    agent's latest judged answer counts, unless it is older than `max_age_hours`.
    """
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}", field="folder")
    about = sure.ledger.about(agent=agent, agent_type=agent_type)
    needed: float = decode_as(Unit, min_coverage, "min_coverage")
    hours: float = decode_as(Amount, max_age_hours, "max_age_hours")
    at = sure.session.at(now)
    sources = [file for file in code_files(folder) if SOURCES[file.suffix.lower()] in _CODE]
    checks = (
        _tests_exist(folder, sources),
        _tests_pass(folder, test_command, sure.settings.value(TIME_LIMIT)),
        _coverage(folder, coverage, needed, sources),
        _confidence(sure, about, hours, at),
    )
    return Gate(str(folder), about.agent, about.agent_type, at, checks)


def _tests_exist(folder: Path, sources: Sequence[Path]) -> Check:
    rule = "TESTS_EXIST"
    tests = [file for file in sources if file.name not in _NO_TESTS and TEST_FILE.search(_within(folder, file))]
    if tests:
        return Check(rule, "PASSED", f"{len(tests):,} of {len(sources):,} files of code are tests")
    if not sources:
        return Check(rule, "FAILED", f"there is no code in {folder}: is it the right folder?")
    return Check(rule, "FAILED", f"none of {len(sources):,} files of code is a test: write some, like tests/test_it.py")


def _within(folder: Path, file: Path) -> str:
    return file.relative_to(folder).as_posix()


def _tests_pass(folder: Path, command: str, time_limit: float) -> Check:
    rule = "TESTS_PASS"
    if not command:
        return Check(rule, "SKIPPED", "no test command is given: name one to have the tests run")
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
        return Check(rule, "WARNING", f"there is no coverage report: write one of {', '.join(REPORTS[:3])}")
    try:
        share = covered(report)
    except InputError as error:
        return Check(rule, "FAILED", f"the coverage report {report} is broken: {error}; write it again")
    words = f"{share:.2%} is covered according to {report}, and at least {needed:.2%} is needed"
    newer = _newer(folder, sources, report)
    again = f"{newer} is newer than the report: run the tests with coverage again"
    if not at_least(share, needed):
        return Check(rule, "FAILED", f"{words}: {again if newer else 'add tests for what is not covered'}")
    return Check(rule, "WARNING", f"{words}, but {again}") if newer else Check(rule, "PASSED", words)


def _newer(folder: Path, sources: Sequence[Path], report: Path) -> str:
    """Return the file of code that was changed last, if that was after the report; what reports bring is no code."""
    newest = _newest([file for file in sources if not _GENERATED & set(file.relative_to(folder).parts[:-1])])
    return _within(folder, newest) if newest and _changed(newest) > _changed(report) else ""


def _newest(files: Sequence[Path]) -> Path | None:
    return max(files, key=_changed, default=None)


def _changed(file: Path) -> int:
    """Return when a file was last changed; long ago, if it is gone."""
    with suppress(OSError):
        return file.stat().st_mtime_ns
    return 0


def covered(report: Path) -> float:
    """Return the share that a report says is covered: JSON of coverage.py, XML of Cobertura, or lcov."""
    if not report.is_file():
        raise InputError("there is no such file")
    try:
        with report.open("rb") as file:
            content = file.read(LARGEST_REPORT + 1).removeprefix(_BOM)
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}") from error
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
        raise InputError(f"it is no JSON: {error}") from None
    except (KeyError, TypeError):
        raise InputError("it has no totals.percent_covered", hint="`coverage json` writes it") from None
    if statements == 0:
        raise InputError("nothing was measured")
    return float(decode_as(Percent, percent, "totals.percent_covered")) / 100


def _from_xml(content: bytes) -> float:
    """Return the line rate of the outermost element. Nothing that a document declares of its own is let in."""
    from xml.parsers import expat

    parser = expat.ParserCreate()
    found: dict[str, str] = {}

    def start(name: str, attributes: dict[str, str]) -> None:
        found.update({"": name} | attributes)
        parser.StartElementHandler = None

    def refuse(*_: Any) -> None:
        raise InputError("it declares entities or a document type of its own, which no report needs")

    def doctype(_name: str, _system: str | None, _public: str | None, inner: bool) -> None:
        if inner:  # naming Cobertura's document type is harmless, since it is never fetched
            refuse()

    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise InputError(f"it is no XML: {error}") from None
    if found[""] != "coverage" or "line-rate" not in found:
        raise InputError("it has no line-rate", hint="`coverage xml` writes it")
    if found.get("lines-valid") == "0":
        raise InputError("nothing was measured")
    try:
        rate = float(found["line-rate"])
    except ValueError:
        raise InputError("this is no number", field="line-rate") from None
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
    found = re.fullmatch(rb"L[FH]:[ \t]*(\d{1,15})", line)
    if found is None:
        raise InputError(f"{line[:30].decode('utf-8', 'replace')!r} is no count of lines")
    return int(found[1])


_READERS: Mapping[bytes, Callable[[bytes], float]] = {b"{": _from_json, b"[": _from_json, b"<": _from_xml}


def _confidence(sure: "Sure", about: "About", hours: float, at: float) -> Check:
    rule = "CONFIDENCE_REQUIREMENTS"
    if not about.agent:
        return Check(rule, "SKIPPED", "no agent is given: name one to ask how sure it was")
    model = sure.responses.model.name
    found = sure.ledger.find(agent=about.agent, model=model, since=at - hours * HOUR, until=at, limit=1)
    if not found:
        todo = f"have one judged by `howsure gate --agent {about.agent}`"
        return Check(rule, "WARNING", f"no answer of {about.agent} was judged in the last {hours:g} hours: {todo}")
    (record,) = found
    who = f"the latest answer of {about.agent}, {record.id},"
    reason = _kept(record).get("reason") or f"its confidence was {record.score:.2f}"
    if record.decision != "pass":
        done = {"block": "was blocked", "review": "is held for review"}.get(record.decision, "did not pass")
        return Check(rule, "FAILED", f"{who} {done}: {reason}; what would help: {_help(sure, record)}")
    if agent_kind(about.agent_type) not in ("", agent_kind(record.agent_type)):
        needed = _threshold(sure, about)
        if not at_least(record.score, needed):
            short = f"passed with {record.score:.2f} as {record.agent_type or 'an agent of no type'}"
            todo = f"as {about.agent_type} it needs {needed:.2f}: have it judged so"
            return Check(rule, "FAILED", f"{who} {short}; {todo}")
    return Check(rule, "PASSED", f"{who} passed: {reason}")


def _kept(record: "Record") -> Mapping[str, Any]:
    """Return what the model said then; of an imported answer that may be nothing."""
    found = record.detail.get("answer")
    return found if isinstance(found, Mapping) else {}


def _threshold(sure: "Sure", about: "About") -> float:
    found, _ = sure.responses.threshold(about)
    return sure.responses.model.threshold(ResponseCase(about.agent_type)) if found is None else found


def _help(sure: "Sure", record: "Record") -> str:
    """Return what would lift an answer over its threshold, by the numbers that are kept of it."""
    given = {name: _kept(record).get(name) for name in FACTORS} | {"threshold": record.threshold}
    answer = decode(ResponseCase, given | {"agent_type": record.agent_type})
    score = sure.responses.model.score(answer)
    return (
        "; or ".join(lift.words for lift in lifts(sure.responses.model, score))
        or "look at knowledge and code, and judge again"
    )
