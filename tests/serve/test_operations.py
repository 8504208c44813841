"""Operations: every public method is one or is left out for a reason, and each does what it describes."""

import inspect
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import orjson
import pytest

from howsure.errors import InputError, NotFoundError, UnknownNameError
from howsure.operation import Tool
from howsure.serve.operations import FACADES, OPERATIONS, Operation, operation
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Clock
from tests.serve.story import judge, tell

_PYTHON = "it is for Python code only; servers offer claims.add, responses.check, investigations.record and so on"
_PART = "it is a part of other operations"
_FILES = "it reads or writes files of the server, which only its own users should do"
_PEERS = "which peers a server calls is set on the command line, by those who can open the store"

LEFT_OUT = {
    "claims.import_": "the operation is called claims.import",
    "claims.embed": "it may take minutes; who runs the server calls howsure store embed",
    "responses.guard": _PYTHON,
    "responses.gate": _PYTHON,
    "responses.require": _PYTHON,
    "responses.ground_stream": _PYTHON,
    "investigations.start": "an open investigation is an object in Python; investigations.record keeps it in the store",
    "syntheses.judged": "it is the field `judge` of syntheses.combine",
    "ledger.subject": _PART,
    "ledger.record": f"{_PART}; models.record scores and records",
    "ledger.committed": _PART,
    "ledger.keep": _PART,
    "ledger.redact": _PART,
    "ledger.row": _PART,
    "ledger.write": _PART,
    "ledger.import_outcomes": f"{_FILES}; ledger.outcomes takes the same as JSON Lines",
    "ledger.outcomes_from_ci": f"{_FILES}; ledger.ci_result takes the status of a run",
    "ledger.outcomes_from_git": f"{_FILES}; howsure outcome from-git does it on the machine of the repository",
    "ledger.export": f"{_FILES}; ledger.stream gives the same",
    "ledger.import_": f"{_FILES}; claims.import takes a whole export, the ledger included",
    "documents.scan": f"{_FILES}; howsure scan does it on the machine of the files",
    "documents.show": f"{_FILES}; howsure document does it on the machine of the files",
    "documents.event": f"{_FILES}; documents.record_event takes names instead of a file",
    "documents.events": f"{_FILES}; documents.project_events takes names instead of a file",
    "documents.record": f"{_FILES}; documents.record_scan takes what a scan elsewhere found",
    "documents.recorded_scan": "documents.scan_report returns the same without the report object of Python",
    "documents.project": _PART,
    "documents.place": _PART,
    "documents.events_by_path": _PART,
    "peers.add": f"{_PEERS}, and never by a request",
    "peers.all": f"{_PEERS}; claims.find_federated names them without their addresses",
    "peers.get": f"{_PEERS}",
    "peers.remove": _PEERS,
    "peers.test": f"{_PEERS}; claims.find_federated says which ones answered",
    "peers.with_tokens": _PART,
    "peers.note": _PART,
    "fits.check": f"{_PART}; howsure store check does it on the machine of the store",
    "investigations.record_spans": "POST /v1/traces receives spans in OTLP's own forms and answers in them",
    "investigations.replay": f"{_PART}; investigations.get and investigations.steps return what it holds",
    "close": "a server closes its store when it stops",
}
"""Public methods that are not operations, and why."""

each = pytest.mark.parametrize("one", OPERATIONS, ids=[one.name for one in OPERATIONS])


@pytest.fixture
def judged(address: str, clock: Clock) -> Iterator[Sure]:
    with open_store(address, actor="tester", clock=clock, judge=judge()) as found:
        yield found


def _public_methods() -> Iterator[str]:
    """Yield the public methods of every facade, without their async versions."""
    for noun, facade in FACADES.items():
        methods = {name for name, _ in inspect.getmembers(facade, inspect.isfunction) if not name.startswith("_")}
        for name in sorted(methods):
            if not (name[0] == "a" and name[1:] in methods):
                yield f"{noun}.{name}" if noun else name


def test_every_public_method_is_an_operation_or_left_out_for_a_reason() -> None:
    names = {one.name for one in OPERATIONS}
    methods = set(_public_methods())
    assert len(methods) > 50
    assert [name for name in sorted(methods) if name not in names and name not in LEFT_OUT] == []
    assert not names & set(LEFT_OUT)
    assert set(LEFT_OUT) <= methods, "a reason for something that is not there"
    assert all(len(reason) > 20 for reason in LEFT_OUT.values())


def test_names_and_routes_are_unique() -> None:
    assert len({one.name for one in OPERATIONS}) == len(OPERATIONS)
    assert len({(one.method, one.path) for one in OPERATIONS}) == len(OPERATIONS)
    assert operation("claims.add").path == "/v1/claims"
    with pytest.raises(UnknownNameError, match="did you mean claims.find?"):
        operation("claims.fnd")


@each
def test_operations_have_a_summary_route_and_scope(one: Operation) -> None:
    assert one.path.startswith("/v1/")
    assert one.summary
    assert one.summary[0].isupper()
    properties = one.input_schema["properties"]
    assert set(re.findall(r"{(\w+)}", one.path)) <= set(properties)
    assert all(field.get("description") for field in properties.values()), "a field that means nothing"
    assert one.method != "GET" or one.scope == "read" or one.streams
    assert one.changes or one.method in ("GET", "POST")
    assert not one.lines or one.lines in properties
    for schema in (one.input_schema, one.output_schema):
        jsonschema.Draft202012Validator.check_schema(schema)


@each
def test_examples_are_valid_arguments(one: Operation) -> None:
    jsonschema.validate(one.example, one.input_schema)
    one.decode(one.example)


@each
def test_unknown_missing_and_wrong_arguments_are_named(one: Operation, tmp_path: Path) -> None:
    def read(data: Any) -> object:
        if not one.route.decodes:
            return one.decode(data)
        with open_store(f"{tmp_path}/store.db") as sure:
            return one.call(sure, one.decode(data))

    with pytest.raises(InputError, match="unknown field 'nonsense'"):
        one.decode({**one.example, "nonsense": 1})
    for name in one.input_schema.get("required", ()):
        with pytest.raises(InputError) as caught:
            one.decode({key: value for key, value in one.example.items() if key != name})
        assert caught.value.field == name
    for name, schema in one.input_schema["properties"].items():
        wrong: Any = object()
        if schema.keys() & {"type", "anyOf", "enum"}:
            with pytest.raises(InputError) as caught:
                read({**one.example, name: wrong})
            assert caught.value.field.startswith(name)


def test_the_whole_story(judged: Sure) -> None:
    def do(name: str, given: dict[str, Any]) -> Any:
        one = operation(name)
        found = one.call(judged, one.decode(given))
        answers = orjson.loads(orjson.dumps(list(found) if one.streams else [found]))
        for answer in answers:
            jsonschema.validate(answer, one.output_schema)
        return answers if one.streams else answers[0]

    tell(do)


def test_pages_of_the_ledger_continue(sure: Sure, clock: Clock) -> None:
    for number in range(7):
        clock.now += number % 2  # some at the same moment
        sure.responses.check(agent=f"a{number}", knowledge=0.9)
    find = operation("ledger.find")
    seen, cursor = [], None
    while True:
        page = find.call(sure, find.decode({"limit": 2, "cursor": cursor, "model": "response"}))
        seen += [record["agent"] for record in page["decisions"]]
        cursor = page["cursor"]
        if cursor is None:
            break
        sure.responses.check(agent="later", knowledge=0.9)
    assert seen == [f"a{number}" for number in range(6, -1, -1)]
    for wrong in ("nonsense", "W10", "WzEsMl0x", "", "é"):
        with pytest.raises(InputError, match="invalid cursor"):
            find.call(sure, find.decode({"cursor": wrong}))


def test_evidence_of_hooks_and_of_the_api_is_one_investigation(sure: Sure) -> None:
    from howsure.agents.evidence import record_tool_calls, summarize_tool_call

    record_tool_calls(sure.session, "s", summarize_tool_call("Grep", {"pattern": "Parser"}, {"numFiles": 2}))
    record_tool_calls(sure.session, "s", summarize_tool_call("Edit", {"file_path": "a.py"}, "done"))
    record_tool_calls(sure.session, "s", summarize_tool_call("Bash", {"command": "pytest -q"}, "3 passed in 0.1s"))
    record, get = operation("investigations.record"), operation("investigations.get")
    found = record.call(sure, record.decode({"trace_id": "s", "tool": "find", "target": "Parser", "results": 1}))
    assert set(found["categories"]) == {"search", "verification"}
    assert found["calls"] == 3
    assert get.call(sure, get.decode({"trace_id": "s"})) == found
    check = operation("responses.check")
    given = {"text": "It works.", "trace_id": "s", "from_trace": True}
    decided = check.call(sure, check.decode(given | {"policy": "nlnh"}))
    assert decided["factors"][0]["score"] == pytest.approx(0.8)
    assert "tests pass: yes" in decided["factors"][1]["why"]
    decided = check.call(sure, check.decode(given))
    assert decided["factors"][0]["score"] == pytest.approx(1 / (1 + math.exp((0.5 - 0.8) / 0.1)))
    assert "tests pass: yes" in decided["factors"][1]["why"]


def test_a_call_without_evidence_is_reported_and_secrets_are_not_stored(sure: Sure) -> None:
    record = operation("investigations.record")
    found = record.call(sure, record.decode({"trace_id": "s", "tool": "frobnicate", "results": 3}))
    assert found["warnings"] == ["calls of 'frobnicate' are no evidence"]
    given = {"trace_id": "s", "tool": "grep", "arguments": {"pattern": "api_key=abcdefgh12345"}, "results": 1}
    record.call(sure, record.decode(given | {"error": "password: hunter22"}))
    with sure.session.database.read() as transaction:
        kept = str(transaction.rows("SELECT content FROM tool_calls"))
    assert "abcdefgh" not in kept
    assert "hunter22" not in kept


def test_an_unknown_model_is_not_found(sure: Sure) -> None:
    score = operation("models.score")
    with pytest.raises(NotFoundError, match="did you mean response?"):
        score.call(sure, score.decode({"model": "respons", "data": {}}))


def test_agents_have_about_ten_tools_and_the_rest_has_a_reason() -> None:
    tools = [one.tool for one in OPERATIONS if isinstance(one.tool, Tool)]
    assert len(tools) == len({tool.name for tool in tools}) == 14
    assert all(len(tool.description) > 100 for tool in tools)
    for one in OPERATIONS:
        if isinstance(one.tool, Tool):
            assert set(one.tool.omit) <= set(one.output_schema["properties"])
