"""Received spans: what is stored of them."""

import pytest

from howsure.errors import InputError
from howsure.investigations import span_calls
from howsure.sure import Sure
from tests.agents.runs import RUNS, SPANS, TRACE


def test_messages_tell_what_the_spans_of_tools_do_not(sure: Sure) -> None:
    recorded = sure.investigations.record_spans(RUNS["spans without content"])
    assert (recorded.spans, recorded.calls, recorded.rejected) == (3, 2, 0)
    assert sure.investigations.steps(TRACE).steps[0].target == "Parser"


def test_too_many_spans_are_refused(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(span_calls, "MOST_SPANS", 3)
    with pytest.raises(InputError, match="more than 3 spans"):
        sure.investigations.record_spans(SPANS)
