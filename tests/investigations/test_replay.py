"""A trace is scored after each of its steps."""

import pytest

from howsure.agents.traces import parse_traces
from howsure.errors import InputError
from howsure.investigations.inquiry import Inquiry
from howsure.investigations.replay import replay

LINES = b"""{"tool": "grep", "target": "a.py", "results": 3}
{"tool": "nothing_known", "target": "a.py"}
{"tool": "read", "target": "a.py", "results": 1}
"""


def test_each_step_has_the_score_of_the_calls_so_far() -> None:
    (trace,) = parse_traces(LINES, "run")
    replayed = replay(trace, Inquiry("Where?"))
    assert [step.number for step in replayed.steps] == [1, 2, 3]
    assert [step.evidence for step in replayed.steps] == [True, False, True]
    assert replayed.unknown == 1
    for count, step in enumerate(replayed.steps, start=1):
        inquiry = Inquiry("Where?")
        for call in trace.calls[:count]:
            inquiry.record(
                call.tool, call.arguments, call.output, **{k: v for k, v in call.fields.items() if v is not None}
            )
        assert step.score == inquiry.score["score"]
    assert replayed.score["score"] == replayed.steps[-1].score
    assert replayed.recover_at is None


def test_recovery_is_due_after_the_first_step_that_is_not_sure_enough() -> None:
    (trace,) = parse_traces(b'{"tool": "grep", "target": "a", "results": 0}\n' + LINES, "run")
    assert replay(trace, Inquiry("Where?")).recover_at == 1


def test_an_invalid_step_is_named_with_its_trace() -> None:
    (trace,) = parse_traces(b'{"tool": "grep", "target": "a", "results": 1}\n{"tool": "grep", "complete": 7}\n', "run")
    with pytest.raises(InputError, match="run, step 2"):
        replay(trace, Inquiry("Where?"))
