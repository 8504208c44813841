"""Received spans: what is stored of them."""

from pathlib import Path
from typing import Any

import pytest

from howsure.datafiles import number_lines
from howsure.errors import InputError
from howsure.investigations import span_calls
from howsure.store.transfer import backup, import_records
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.agents.runs import RUNS, SPANS, TRACE


def _request(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def _span(target: str, **fields: Any) -> dict[str, Any]:
    said = {"gen_ai.tool.name": "grep", "gen_ai.tool.call.arguments": f'{{"pattern": "{target}"}}'}
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in said.items()]
    return {"traceId": TRACE, "spanId": "a1", "attributes": attributes} | fields


def _targets(sure: Sure) -> list[str]:
    return [step.target for step in sure.investigations.steps(TRACE).steps]


@pytest.mark.parametrize(
    "times",
    [{}, {"startTimeUnixNano": "5"}, {"endTimeUnixNano": "9" * 19}, {"spanId": ""}, {"spanId": "0" * 16}],
    ids=["no time", "no end", "an end in the future", "no id", "an id of zeros"],
)
def test_a_span_that_is_sent_again_is_stored_once(sure: Sure, times: dict[str, Any]) -> None:
    """The time of its arrival was taken for its own, so that it was another call each time."""
    for _ in range(2):
        assert sure.investigations.record_spans(_request(_span("Parser", **times))).calls == 1
        assert _targets(sure) == ["Parser"]


def test_a_span_that_ends_later_replaces_what_was_stored_of_it(sure: Sure) -> None:
    sure.investigations.record_spans(_request(_span("Pars"), _span("Lexer", spanId="b2")))
    sure.investigations.record_spans(_request(_span("Parser", endTimeUnixNano="5")))
    assert _targets(sure) == ["Lexer", "Parser"]
    sure.investigations.record_spans(_request(_span("Parser", spanId="x" * 5000)))
    assert _targets(sure) == ["Lexer", "Parser"]


def test_calls_of_spans_survive_an_export_and_are_imported_once(sure: Sure, tmp_path: Path) -> None:
    request = _request(_span("Parser"))
    sure.investigations.record_spans(request)
    backup(sure.session, tmp_path / "backup.jsonl")
    with open_store(str(tmp_path / "other.db")) as other:
        for _ in range(2):
            with (tmp_path / "backup.jsonl").open("rb") as lines, other.session.write() as transaction:
                import_records(transaction, number_lines(lines))
            other.investigations.record_spans(request)
            assert _targets(other) == ["Parser"]


def test_messages_tell_what_the_spans_of_tools_do_not(sure: Sure) -> None:
    recorded = sure.investigations.record_spans(RUNS["spans without content"])
    assert (recorded.spans, recorded.calls, recorded.rejected) == (3, 2, 0)
    assert sure.investigations.steps(TRACE).steps[0].target == "Parser"


def test_too_many_spans_are_refused(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(span_calls, "MOST_SPANS", 3)
    with pytest.raises(InputError, match="more than 3 spans"):
        sure.investigations.record_spans(SPANS)


def test_a_trace_takes_a_bounded_number_of_calls(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them are read to judge it: a million took a minute of every page, check and further call."""
    monkeypatch.setattr(span_calls, "MOST_CALLS", 2)
    recorded = sure.investigations.record_spans(_request(*(_span(f"t{n}", spanId=f"a{n}") for n in range(5))))
    assert (recorded.calls, recorded.rejected) == (2, 3)
    assert recorded.problem.startswith("the trace has 2 tool calls")
    assert len(_targets(sure)) == 2
    stored = sure.investigations.record_spans(_request(_span("t0", spanId="a0"), _span("other", spanId="a1")))
    assert (stored.calls, stored.rejected) == (2, 0)  # sent again, and replaced
    assert _targets(sure) == ["t0", "other"]
    with pytest.raises(InputError, match="this trace has 2 tool calls, and takes no more"):
        sure.investigations.record(TRACE, "grep", {"pattern": "x"}, 1)
