"""Investigations: how sure, while tools are still at work."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from howsure.engine.calls import model
from howsure.engine.investigations import Inquiry
from howsure.engine.sure import Sure
from howsure.errors import InputError
from howsure.models.investigation import Case
from howsure.models.tally import Call

STRONG = [
    ("find", "MemoryManager"),
    ("read", "MemoryManager.h"),
    ("grep", "MemoryManager"),
    ("read", "MemoryManager.cpp"),
]
SIMPLE = [("find", "Config"), ("read", "settings.py")]


@pytest.fixture
def inquiry(sure: Sure) -> Inquiry:
    return sure.investigations.start("Where is the leak?", agent="a", trace_id="t")


def test_the_profile_of_the_source_document(sure: Sure) -> None:
    scores, bands, recover = [], [], 0
    for profile, count in ((STRONG, 38), (SIMPLE, 11), ([], 1)):
        for _ in range(count):
            with sure.investigations.start("q", agent="a") as one:
                for tool, target in profile:
                    one.record(tool, target=target, results=1)
            scores.append(one.score["score"])
            bands.append(one.score["band"])
            recover += one.score["recover"]
    assert 0.76 <= sum(scores) / 50 <= 0.82
    assert {band: bands.count(band) for band in set(bands)} == {"strong": 38, "adequate": 11, "failed": 1}
    assert recover / 50 <= 0.20
    assert sure.stats(model="investigation").all.total == 50


def test_it_answers_at_any_time(inquiry: Inquiry) -> None:
    assert (inquiry.score["score"], inquiry.score["decision"]) == (0.0, "stop")
    inquiry.record("Grep", {"pattern": "class Parser"}, {"filenames": ["parser.py"], "numFiles": 1})
    inquiry.record("Read", {"file_path": "src/parser.py"}, "class Parser: ...")
    found = inquiry.record("Bash", {"command": "cd app && uv run pytest -q"}, "2 failed, 3 passed")
    assert (found["converging_target"], found["through"], found["decision"]) == ("parser", [1, 2], "proceed")
    assert found["warnings"] == ["the latest tests failed: pytest"]
    assert found["categories"].keys() == {"search", "read", "verification"}
    better = inquiry.record("Bash", {"command": "pytest"}, "5 passed")
    assert better["score"] > found["score"]
    assert better["warnings"] == []


@pytest.mark.parametrize(
    "nothing",
    [
        "",
        [],
        {},
        "No matches found",
        "No files found",
        {"numFiles": 0, "filenames": []},
        "grep: x: No such file or directory",
        0,
    ],
)
def test_some_output_is_no_evidence(inquiry: Inquiry, nothing: Any) -> None:
    found = inquiry.record("Grep", {"pattern": "x"}, nothing)
    assert found["categories"] == {"search": 0.0}


def test_an_overview_counts_by_what_it_shows(inquiry: Inquiry) -> None:
    found = inquiry.record("Bash", {"command": "ls -la"}, "README.md\npyproject.toml\nsrc\ntests\n")
    assert (found["categories"], found["score"]) == ({"discovery": 0.85}, 0.54)
    named = inquiry.record("discovery", factors=["build system", "tests"])
    assert named["categories"] == {"discovery": 0.85}


def test_recovery_is_told_apart(inquiry: Inquiry) -> None:
    before = inquiry.record("grep", target="x", results=0)["score"]
    found = inquiry.record("find", target="x", results=2, recovery=True)
    assert found["recovery_change"] == pytest.approx(found["score"] - before)
    assert (found["recovery_change"] > 0, found["recoveries"]) == (True, 1)
    again = inquiry.record("find", target="y", results=0, recovery=True)
    assert (again["score"], again["recoveries"]) == (found["score"], 2)
    failed = inquiry.record("ctest", passed=False, recovery=True)
    assert failed["score"] < found["score"]


def test_it_is_written_down_once(sure: Sure, inquiry: Inquiry) -> None:
    with inquiry:
        inquiry.record("find", target="x", results=1)
    inquiry.close()
    (record,) = sure.ledger.find()
    assert (record.id, record.model, record.agent, record.trace_id, record.content) == (
        inquiry.id,
        "investigation",
        "a",
        "t",
        "Where is the leak?",
    )
    assert record.detail["answer"]["recoveries"] == 0
    with pytest.raises(RuntimeError), sure.investigations.start("q"):
        raise RuntimeError
    assert len(sure.ledger.find()) == 1


def test_it_says_what_would_help_most(inquiry: Inquiry) -> None:
    inquiry.record("grep", target="Parser", results=3)
    advice = inquiry.advice()
    assert [one.what for one in advice[:2]] == ["search for parser in another way", "read what was found for parser"]
    assert [one.gain for one in advice] == sorted((one.gain for one in advice), reverse=True)
    inquiry.record("read", target="Parser.py", results=1)
    assert inquiry.score["score"] == pytest.approx(advice[1].score)
    assert inquiry.as_dict()["advice"][0]["gain"] > 0


def test_it_goes_on_until_it_is_sure_enough(sure: Sure) -> None:
    used = []

    def vain(one: Inquiry) -> None:
        used.append("vain")
        one.record("grep", target="x", results=0)

    def broken(_: Inquiry) -> None:
        used.append("broken")
        raise OSError("no network")

    def finds(one: Inquiry) -> None:
        used.append("finds")
        one.record("find", target="x", results=1)
        one.record("read", target="x.py", results=1)

    one = sure.investigations.start("q")
    found = one.investigate_until(0.5, [vain, broken, finds, vain])
    assert used == ["vain", "broken", "finds"]
    assert (found["decision"], one.recoveries, one.failures) == ("proceed", 2, ["broken: no network"])
    other = sure.investigations.start("q")
    assert other.investigate_until(lambda score: score["band"] == "strong", [vain] * 9)["score"] == 0.0
    assert len(other.calls) == 4
    with pytest.raises(InputError, match="tools"):
        other.investigate_until(0.5, [])


def test_own_tools_get_a_category_by_settings(sure: Sure) -> None:
    own = model({"get_reservation": "read", "check": "verification.test"})
    one = sure.investigations.start("q", model=own)
    one.record("get_reservation", {"id": "R1"}, {"content": "Ann, two seats"})
    found = one.record("check", None, "3 passed")
    assert found["categories"] == {"read": 0.55, "verification": 0.8}
    with pytest.raises(InputError, match="tools"):
        model({"x": "magic"})
    with pytest.raises(InputError, match="'unheard of' is not known"):
        one.record("unheard of", target="x", results=1)


tools = st.sampled_from(["find", "grep", "references", "read", "git", "gh", "cmake", "ctest", "discovery"])
steps = st.builds(
    Call,
    tool=tools,
    target=st.sampled_from(["", "a", "b.py", "src/a.h"]),
    results=st.integers(0, 2),
    passed=st.sampled_from([None, True, False]),
    factors=st.sampled_from([None, 0, 2, 4]),
    error=st.sampled_from([None, None, "x"]),
    recovery=st.booleans(),
)


@hypothesis_settings(deadline=None)
@given(st.lists(steps, max_size=25))
def test_call_by_call_gives_what_all_at_once_gives(calls: list[Call]) -> None:
    one = Inquiry("q", None, None, model())  # type: ignore[arg-type]
    for number, call in enumerate(calls, start=1):
        one.add(call)
        whole = one.model.score(Case(tuple(calls[:number])))
        found = one.score
        assert {name: found[name] for name in whole.answer} == whole.answer
        assert found.row == whole.row


def test_a_thousand_steps_cost_a_thousand_times_one(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    from howsure.models.tally import Tally

    added = itertools.count()
    plain = Tally.add

    def counting(self: Tally, call: Call) -> None:
        next(added)
        plain(self, call)

    monkeypatch.setattr(Tally, "add", counting)
    one = sure.investigations.start("q")
    for number in range(1000):
        one.record("grep", target=f"t{number}", results=1)
    assert next(added) == 2000
