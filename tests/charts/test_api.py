"""The numbers of every chart equal those that the library returns."""

import math
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import howsure
from howsure.agents.traces import Trace, parse_traces
from howsure.charts.life import BETWEEN, EVENTS, Span, moments
from howsure.charts.reliability import wilson
from howsure.charts.vega import day as howsure_day
from howsure.charts.vega import milliseconds
from howsure.charts.waterfall import MAX_SOURCES, steps_of
from howsure.errors import InputError, NotFoundError
from howsure.formulas import catalog
from howsure.formulas.claim import independent
from howsure.formulas.decay import DAY
from howsure.formulas.interval import Interval
from howsure.ledger.distribution import BINS, By, distribution
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.charts.story import CALLS, ODD, RESULTS, Opened, tell
from tests.conftest import NOW, Clock
from tests.documents.factory import document, many, report


def _values(spec: dict[str, Any], style: str) -> list[dict[str, Any]]:
    """Return the data of the layers that have a style."""
    found, waiting = [], list(spec["layer"])
    for layer in waiting:
        if "layer" in layer:
            waiting += layer["layer"]
        elif layer["mark"]["style"] == style:
            found += spec["datasets"][layer["data"]["name"]] if "data" in layer else spec["data"]["values"]
    return found


def test_claims_are_those_that_are_found(opened: Opened) -> None:
    sure, _ = opened
    chart = sure.charts.claims("lock", namespace="team/*", order="upper")
    found = sure.claims.find("lock", namespace="team/*", order="upper").claims
    assert len(found) == 2
    assert [(row["id"], row["statement"], row["lower"], row["upper"], row["sources"]) for row in chart.rows] == [
        (one.id, one.statement, one.interval.lower, one.interval.upper, one.sources) for one in found
    ]
    drawn = _values(chart.spec, "bar")
    assert [(one["lower"], one["midpoint"], one["upper"]) for one in drawn] == [
        (one.interval.lower, one.interval.midpoint, one.interval.upper) for one in found
    ]
    everything = sure.charts.claims(limit=3)
    assert len(everything.rows) == 3
    assert everything.about.endswith("More claims match.")
    unknown = next(one for one in _values(sure.charts.claims().spec, "bar") if one["label"] == "Nobody says this")
    assert (unknown["band"], unknown["note"]) == ("unknown", "no sources [0.00, 0.00]")


def test_a_chart_of_claims_asks_neither_a_judge_nor_others(opened: Opened) -> None:
    asked: list[dict[str, Any]] = [{"deliberate": True}, {"federated": True}]
    for wanted in asked:
        with pytest.raises(TypeError, match="unexpected keyword argument"):
            opened[0].charts.claims(**wanted)


@pytest.mark.parametrize("formula", catalog.formulas())
def test_steps_lead_from_the_first_source_to_how_the_claim_stands(opened: Opened, formula: str) -> None:
    sure, told = opened
    for claim in (told.claim, told.derived, told.supporter, told.challenger):
        chart = sure.charts.waterfall(claim, formula)
        end = sure.claims.get(claim, formula=formula)
        last = chart.rows[-1]
        assert (last["lower"], last["upper"]) == pytest.approx(end.interval, abs=1e-9)
        for before, after in zip(chart.rows, chart.rows[1:], strict=False):
            assert after["lower"] == pytest.approx(before["lower"] + after["lower_change"])
            assert after["upper"] == pytest.approx(before["upper"] + after["upper_change"])
    explained = sure.claims.explain(told.claim, formula=formula)
    entries = [
        {"source_type": source.source_type, "source_id": source.source_id, "contribution": source.contribution}
        for source in (one.source for one in explained.sources)
        if source.contribution
    ]
    cases: list[dict[str, Any]] = [{"now": 0.0, "provenance": entries[:1]}, {"now": 0.0, "provenance": entries}]
    cases.append({"now": NOW, "provenance": entries, "tier": "project", "stale_at": explained.claim.stale_at})
    rows = sure.charts.waterfall(told.claim, formula).rows
    assert len(rows) == 5
    for row, case in zip(rows, cases, strict=False):
        found = howsure.score(formula, case)
        assert (row["lower"], row["upper"]) == pytest.approx((found["lower"], found["upper"]))


def test_many_sources_are_drawn_together(sure: Sure) -> None:
    for number in range(MAX_SOURCES + 3):
        added = sure.claims.add("It rains", source=f"agent:{number:02}", contribution=0.1 + number / 100)
    claim = str(added.id)
    found = steps_of(sure.claims.explain(claim), sure.session.formula)
    assert [stage.what for stage in found[-2:]] == [f"agent:{MAX_SOURCES - 1:02} says 0.17", "3 more sources"]
    assert found[-1].interval == pytest.approx(sure.claims.get(claim).interval)
    assert len(independent(sure.claims.explain(claim).evidence.sources)) == MAX_SOURCES + 3


def test_a_claim_that_nobody_states_has_one_step(sure: Sure) -> None:
    claim = str(sure.claims.add("Nobody says this").id)
    assert [row["what"] for row in sure.charts.waterfall(claim).rows] == ["no source counts"]


def test_every_formula_reads_the_claim_as_the_library_does(opened: Opened) -> None:
    sure, told = opened
    moment = NOW - 20 * DAY
    readings: list[dict[str, float]] = [{}, {"now": NOW + DAY}, {"as_of": moment}, {"as_of": moment, "now": NOW}]
    for reading in readings:
        chart = sure.charts.formulas(told.claim, **reading)
        assert {row["formula"]: (row["lower"], row["upper"]) for row in chart.rows} == {
            name: tuple(sure.claims.get(told.claim, formula=name, **reading).interval) for name in catalog.formulas()
        }


def test_relations_are_all_there_is_within_reach(sure: Sure) -> None:
    ids = [str(sure.claims.add(f"Fact {name}", source="a:b", contribution=0.5).id) for name in "abcdef"]
    a, b, c, d, e, f = ids
    kinds: tuple[tuple[str, Any, str, float], ...] = (
        (b, "supports", a, 0.4),
        (b, "supports", a, 0.9),
        (a, "contradicts", c, 0.5),
        (c, "refines", d, 1.0),
        (d, "supports", e, 1.0),
        (e, "related_to", f, 1.0),
    )
    for source, kind, target, strength in kinds:
        sure.claims.relate(source, kind, target, strength=strength)

    def drawn(depth: int, **given: Any) -> list[tuple[Any, ...]]:
        rows = sure.charts.relations(a, depth, **given).rows
        return [(row["source_id"], row["kind"], row["target_id"], row["strength"]) for row in rows]

    near = [(b, "supports", a, 0.9), (a, "contradicts", c, 0.5)]
    assert drawn(1) == near
    assert drawn(2) == [*near, (c, "refines", d, 1.0)]
    assert drawn(4) == [*near, *kinds[3:]]
    labels = {one["label"]: one["note"] for one in _values(sure.charts.relations(a, 2).spec, "node")}
    assert set(labels) == {"Fact a", "Fact b", "Fact c", "Fact d"}
    assert labels["Fact b"].startswith("supports 0.90 [")
    heads = {style: len(_values(sure.charts.relations(a, 4).spec, f"{style}-head")) for style in ("supports", "other")}
    assert heads == {"supports": 2, "other": 2}
    assert len(_values(sure.charts.relations(a).spec, "contradicts-head")) == 2, "it acts on both ends"
    sure.claims.forget(b)
    assert drawn(1) == near[1:]


def test_relations_are_as_they_were(sure: Sure, clock: Clock) -> None:
    a, b, c = (str(sure.claims.add(f"Fact {name}", source="a:b", contribution=0.5).id) for name in "abc")
    clock.now += 10
    sure.claims.relate(b, "supports", a)
    clock.now += 10
    sure.claims.challenge(a, c)
    clock.now += 10
    sure.claims.resolve(a, c, uphold=True)

    def drawn(at: float) -> list[str]:
        return [str(row["kind"]) for row in sure.charts.relations(a, as_of=at).rows]

    assert [drawn(NOW + at) for at in (5, 15, 25, 35)] == [[], ["supports"], ["supports", "contradicts"], ["supports"]]
    assert len(sure.charts.relations(a).rows) == 1


def test_too_many_neighbours_are_left_out_and_told(opened: Opened) -> None:
    sure, told = opened
    chart = sure.charts.relations(told.claim, 1, limit=3)
    assert len(_values(chart.spec, "node")) == 3
    assert chart.about.endswith("2 claims are left out.")
    wrong: list[dict[str, Any]] = [{"depth": 0}, {"depth": 5}, {"limit": 0}, {"limit": 201}, {"depth": True}]
    for limits in wrong:
        with pytest.raises(InputError) as caught:
            sure.charts.relations(told.claim, **limits)
        assert caught.value.field in limits


def test_a_life_is_read_as_it_was_known_and_as_it_will_age(opened: Opened) -> None:
    sure, told = opened
    chart = sure.charts.life(told.claim, future=30 * DAY)
    past = [row for row in chart.rows if row["when"] == "past"]
    ahead = [row for row in chart.rows if row["when"] == "future"]
    claim = sure.claims.get(told.claim)
    assert (past[0]["at"], past[-1]["at"], ahead[0]["at"], ahead[-1]["at"]) == (
        claim.created_at,
        NOW,
        NOW,
        NOW + 30 * DAY,
    )
    for row in past[::7]:
        found = sure.claims.get(told.claim, now=row["at"], as_of=row["at"]).interval
        assert (row["lower"], row["upper"]) == tuple(found)
    for row in ahead[::7]:
        assert (row["lower"], row["upper"]) == tuple(sure.claims.get(told.claim, now=row["at"]).interval)
    assert {event.at for event in sure.claims.history(told.claim)} <= {row["at"] for row in past}
    assert claim.stale_at in {row["at"] for row in chart.rows}, "where it turns"
    marks = {one["what"]: one["at"] for one in _values(chart.spec, "event")}
    assert marks["created"] == milliseconds(claim.created_at)
    short = sure.charts.life(told.claim, past=5 * DAY).rows
    assert min(row["at"] for row in short) == NOW - 5 * DAY
    with pytest.raises(InputError, match="did not exist yet") as caught:
        sure.charts.life(told.claim, now=claim.created_at - 1)
    assert caught.value.field == "now"
    wrong: list[dict[str, Any]] = [{"past": -1.0}, {"future": 0.0}]
    for stretch in wrong:
        with pytest.raises(InputError) as caught:
            sure.charts.life(told.claim, **stretch)
        assert caught.value.field in stretch


@given(st.lists(st.floats(0, 1e9), max_size=100), st.floats(0, 1e9), st.floats(1e-3, 1e9))
def test_moments_of_a_life_are_in_order_and_not_too_many(events: list[float], past: float, future: float) -> None:
    span = Span(5e8 - past / 2, 5e8, 5e8 + future)
    back, ahead = moments(span, events)
    assert back == sorted(set(back))
    assert (back[0], back[-1], ahead[0], ahead[-1]) == (span.start, span.now, span.now, span.end)
    assert len(back) <= 2 * EVENTS + BETWEEN + 1
    inside = [at for at in events if span.start < at <= span.now]
    assert not inside or max(inside) in back


def test_a_claim_with_many_changes_still_has_a_life(sure: Sure, clock: Clock) -> None:
    for number in range(80):
        clock.now = NOW + 60 * number
        added = sure.claims.add("It rains", source=f"agent:{number}", contribution=0.01)
    chart = sure.charts.life(str(added.id))
    assert chart.rows[-1]["when"] == "future"
    assert len(chart.rows) < 250


def test_decisions_are_counted_as_the_ledger_tells_them(sure: Sure, clock: Clock, tmp_path: Path) -> None:
    tell(sure, clock, tmp_path)
    everything = sure.ledger.find(limit=None, model="response")
    for agent in (None, "agent-1"):
        chart = sure.charts.decisions(agent)
        records = [one for one in everything if agent in (None, one.agent)]
        days = Counter(int(one.at // DAY) for one in records)
        assert [row["total"] for row in chart.rows] == [days[day] for day in sorted(days)]
        for name, decision in (("passed", "pass"), ("to_review", "review"), ("blocked", "block")):
            assert sum(row[name] for row in chart.rows) == sum(one.decision == decision for one in records)
        for row, day in zip(chart.rows, sorted(days), strict=True):
            own = [one.score for one in records if int(one.at // DAY) == day]
            assert row["mean_confidence"] == pytest.approx(math.fsum(own) / len(own))
        bars = _values(chart.spec, "stack")
        assert sum(one["count"] for one in bars) == len(records)
        assert _values(chart.spec, "guide")[0]["mean"] == 0.75
    assert {row["blocked"] > 0 for row in chart.rows} == {True, False}
    investigations = sure.charts.decisions(model="investigation")
    assert investigations.rows == []
    sure.investigations.start("Where?", agent="a").close()
    (row,) = sure.charts.decisions(model="investigation").rows
    assert (row["passed"], row["to_review"], row["blocked"]) == (0, 0, 1)


def test_one_of_a_kind_is_called_one(sure: Sure) -> None:
    answer = sure.responses.check("It works.", agent="a")
    sure.ledger.outcome(str(answer.id), "right")
    (trace,) = parse_traces(b'{"tool": "grep", "target": "a", "results": 1}\n', "mine")
    merged = sure.syntheses.combine("Why?", [{"id": "a", "confidence": 0.9, "content": "So."}])
    abouts = [
        sure.charts.decisions().about,
        sure.charts.reliability().about,
        sure.charts.scores().about,
        sure.charts.investigation(trace).about,
        sure.charts.synthesis(merged).about,
    ]
    nouns = ("decision from", "response with", "score from", "step: ", "sub-result with")
    assert [about.startswith(f"1 {noun}") for about, noun in zip(abouts, nouns, strict=True)] == [True] * 5, abouts


def test_days_far_apart_are_drawn_with_a_gap_and_whatever_their_year(sure: Sure) -> None:
    for at in (-6e10, 0.0, DAY, NOW):
        sure.responses.check("It works.", agent="a", now=at)
    chart = sure.charts.decisions(since=-6e10)
    assert [row["day"] for row in chart.rows] == ["0068-09-03", "1970-01-01", "1970-01-02", howsure_day(NOW)]
    line = [(one["day"], one["mean"] is None) for one in _values(chart.spec, "trend")]
    assert [day for day, gap in line if gap] == ["0068-09-04", "1970-01-03"]
    assert line == sorted(line)
    for at in (-1e12, 1e12):  # years that no calendar has
        sure.responses.check("It works.", agent="b", now=at)
    assert [day.day for day in sure.stats(agent="b", since=-1e12, until=1e12).days] == ["0001-01-01", "9999-12-31"]


def test_reliability_is_what_became_of_answers(opened: Opened) -> None:
    sure, _ = opened
    chart = sure.charts.reliability()
    known = [one for one in sure.ledger.find(limit=None) if one.outcome]
    assert sum(row["outcomes"] for row in chart.rows) == len(known)
    error, squares = 0.0, sum((one.score - (one.outcome == "right")) ** 2 for one in known) / len(known)
    for row in chart.rows:
        own = [one for one in known if row["from"] <= one.score < row["to"]]
        right = sum(one.outcome == "right" for one in own)
        assert (row["outcomes"], row["right"]) == (len(own), right)
        assert row["mean_confidence"] == pytest.approx(sum(one.score for one in own) / len(own))
        assert (row["lower"], row["upper"]) == tuple(wilson(right, len(own)))
        error += abs(sum(one.score for one in own) - right) / len(known)
    assert f"Calibration error {error:.3f}, Brier score {squares:.3f}" in chart.about
    assert f"(calibration error {error:.3f}, Brier {squares:.3f})" in chart.title


def test_wilson_bounds_are_those_of_the_books() -> None:
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=1e-3)
    assert wilson(0, 10) == pytest.approx((0.0, 0.278), abs=1e-3)
    assert wilson(0, 0) == Interval(0.0, 1.0)


@given(st.integers(1, 10**6), st.data())
def test_wilson_bounds_hold_the_share(of: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, of))
    lower, upper = wilson(right, of)
    assert 0.0 <= lower <= right / of + 1e-12
    assert right / of - 1e-12 <= upper <= 1.0


def test_an_investigation_is_scored_after_each_step(opened: Opened) -> None:
    sure, told = opened
    chart = sure.charts.investigation(told.trace)
    assert [row["tool"] for row in chart.rows] == [call["tool"] for call in CALLS]
    assert [row["recovery"] for row in chart.rows] == [bool(call.get("recovery")) for call in CALLS]
    assert [row["category"] for row in chart.rows] == ["search", "search", "read", "verification", "verification"]
    tools = dict(sure.investigations.model.tools)
    for row in chart.rows:
        found = howsure.score("investigation", {"steps": list(CALLS[: row["number"]])}, tools=tools)
        assert (row["score"], row["band"], row["decision"]) == (found["score"], found["band"], found["decision"])
    guides = {one["text"]: one["score"] for one in _values(chart.spec, "base")}
    assert guides == {"strong": 0.75, "adequate": 0.55, "weak": 0.25}
    assert len(_values(chart.spec, "ring")) == len(chart.rows)


def test_a_run_and_a_record_of_the_ledger_are_drawn_too(sure: Sure) -> None:
    lines = b'{"tool": "grep", "target": "a", "results": 1}\n{"tool": "read", "target": "a", "results": 1}\n'
    (trace,) = parse_traces(lines, "mine")
    assert [row["tool"] for row in sure.charts.investigation(trace).rows] == ["grep", "read"]
    long = Trace("long", "How many?", [trace.calls[place % 2] for place in range(40)])
    assert len(sure.charts.investigation(long).rows) == 40
    chart = sure.charts.investigation(Trace("endless", "", [trace.calls[place % 2] for place in range(1234)]))
    drawn = [one["number"] for one in chart.spec["data"]["values"]]
    assert (len(chart.rows), len(drawn), drawn[0], drawn[-1]) == (1234, 500, 1, 1234)
    assert sorted(set(drawn)) == drawn
    inquiry = sure.investigations.start("Where?", agent="a")
    inquiry.record("grep", target="a", results=1)
    inquiry.close()
    alone = sure.charts.investigation(str(inquiry.id))
    assert (alone.rows, "No step of this investigation was recorded" in alone.about) == ([], True)
    with pytest.raises(NotFoundError, match="there is no assessment 'nothing'"):
        sure.charts.investigation("nothing")
    answer = sure.responses.check("It works.", agent="a", knowledge=0.9)
    with pytest.raises(InputError, match="a decision of the model response, not an investigation"):
        sure.charts.investigation(str(answer.id))


def test_a_synthesis_is_drawn_from_the_ledger_as_from_itself(sure: Sure) -> None:
    found = sure.syntheses.combine("What does it return?", RESULTS)
    chart, kept = sure.charts.synthesis(found), sure.charts.synthesis(str(found.id))
    assert chart == kept
    assert {row["id"]: row["confidence"] for row in chart.rows} == {one.id: one.confidence for one in found.results}
    assert sum(row["weight"] for row in chart.rows) == pytest.approx(1.0)
    assert sum(row["weight"] * row["confidence"] for row in chart.rows) == pytest.approx(found.overall)
    assert {row["id"] for row in chart.rows if not row["kept"]} == {"forum", "guess"}
    assert {row["id"]: row["conflicts"] for row in chart.rows if row["conflicts"]} == {"code": 1, "docs": 1}
    assert len(_values(chart.spec, "contradicts-head")) == 2
    assert {one["overall"] for one in _values(chart.spec, "middle")} == {found.overall}


def test_of_many_conflicts_the_gravest_are_drawn(sure: Sure) -> None:
    parts = [{"id": f"worker\n{number}", "content": f"The function returns {number}."} for number in range(9)]
    found = sure.syntheses.combine("What does it return?", parts)
    assert len(found.conflicts) > 20
    chart = sure.charts.synthesis(str(found.id))
    assert "with at least 20 conflicts" in chart.about
    assert sum(row["conflicts"] for row in chart.rows) == 40
    assert chart == sure.charts.synthesis(found)


def test_a_synthesis_of_which_the_ledger_keeps_no_numbers_says_so(sure: Sure) -> None:
    id_, _ = sure.assess("overall", {"results": [{"confidence": 0.5, "content": "a"}]})
    assert sure.charts.synthesis(id_).rows == []
    nothing = sure.charts.synthesis(sure.syntheses.combine("Anything?", []))
    assert (nothing.rows, "There were no sub-results" in nothing.about) == ([], True)
    silent = sure.syntheses.combine("Anything?", [{"id": "a", "confidence": 0.5}, {"id": "b", "confidence": 0.7}])
    assert [row["weight"] for row in sure.charts.synthesis(silent).rows] == [0.5, 0.5]
    answer = sure.responses.check("It works.", agent="a", knowledge=0.9)
    with pytest.raises(InputError, match="a decision of the model response, not a synthesis"):
        sure.charts.synthesis(str(answer.id))
    with pytest.raises(NotFoundError):
        sure.charts.synthesis("nothing")


def test_documents_lie_on_the_map_by_their_score(opened: Opened) -> None:
    sure, told = opened
    scanned = sure.documents.scan(told.folder, cache=False).report()
    chart = sure.charts.documents(told.folder, cache=False)
    assert {row["path"]: row["score"] for row in chart.rows} == {one.path: one.score for one in scanned.documents}
    large = sure.charts.documents(report=many(400))
    tiles = _values(large.spec, "tile-area")
    assert len(large.rows) == 400
    assert 50 < len(tiles) <= 400
    assert all(0 <= one["x"] < one["right"] <= 720 and 0 <= one["y"] < one["bottom"] <= 420 for one in tiles)
    unknown = sure.charts.documents(report=report(document("a.md", score=None)))
    assert _values(unknown.spec, "tile-area")[0]["value"] == "unknown"


def test_scores_are_counted_as_the_ledger_tells_them(sure: Sure, clock: Clock, tmp_path: Path) -> None:
    tell(sure, clock, tmp_path)
    records = sure.ledger.find(limit=None, model="response")
    for by in (None, *get_args(By)):
        chart = sure.charts.scores(by=by)
        assert by == "day" or sum(row["count"] for row in chart.rows) == len(records)
        for row in chart.rows:
            assert row["from"] + 1 / BINS == pytest.approx(row["to"])
    agents = Counter((one.agent, min(int(one.score * BINS), BINS - 1)) for one in records)
    counted = {(row["agent"], round(row["from"] * BINS)): row["count"] for row in sure.charts.scores().rows}
    assert counted == dict(agents)
    days = sure.charts.scores(by="day")
    assert len({row["day"] for row in days.rows}) == 8
    assert days.about.endswith("more are left out.")
    found = distribution(sure.ledger, by="day", model="response")
    assert found.total == len(records)
    assert [spread.name for spread in found.spreads] == sorted({spread.name for spread in found.spreads})
    own = [one.score for one in records if one.agent == "agent-0"]
    (alone,) = distribution(sure.ledger, agent="agent-0").spreads
    assert alone.total == len(own)
    assert alone.mean == pytest.approx(sum(own) / len(own))
    with pytest.raises(InputError, match="'colour' is nothing to tell apart by"):
        sure.charts.scores(by="colour")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        sure.charts.scores(colour="red")  # type: ignore[call-arg]


def test_where_there_is_nothing_a_chart_says_what_to_do(sure: Sure, tmp_path: Path) -> None:
    alone = str(sure.claims.add("It rains", source="a:b", namespace="elsewhere").id)
    (tmp_path / "empty").mkdir()
    charts = [
        sure.charts.claims("nothing"),
        sure.charts.relations(alone),
        sure.charts.decisions(),
        sure.charts.decisions("nobody"),
        sure.charts.reliability(),
        sure.charts.scores(),
        sure.charts.documents(tmp_path / "empty", cache=False),
    ]
    for chart in charts:
        assert list(chart.rows) == []
        assert "sure." in chart.about
        assert ET.fromstring(chart.svg(width=360)) is not None  # noqa: S314


@pytest.mark.parametrize("place", range(len(ODD)))
def test_odd_texts_are_drawn_as_texts(tmp_path: Path, place: int) -> None:
    odd, clock = ODD[place], Clock()
    with open_store(str(tmp_path / "odd.db"), clock=clock) as sure:
        told = tell(sure, clock, tmp_path, odd)
        name = odd[:100].replace("\x07", "")
        sure.claims.add("It rains", source=f"agent:{name.strip()}", contribution=0.5)
        sure.responses.check("It works.", agent=name, knowledge=0.9)
        combined = sure.syntheses.combine(odd, [{"id": odd, "content": odd}, {"id": "b", "content": "It is so."}])
        run = Trace(odd, odd, next(iter(parse_traces(b'{"tool": "grep", "target": "a", "results": 1}', "x"))).calls)
        charts = [
            sure.charts.claims(),
            sure.charts.waterfall(told.claim),
            sure.charts.relations(told.claim),
            sure.charts.life(told.claim),
            sure.charts.scores(name),
            sure.charts.synthesis(combined),
            sure.charts.investigation(run),
            sure.charts.documents(report=report(document(f"{name}/{name}.md"), document("b.md"))),
        ]
    for chart in charts:
        assert len(chart.title) < 200
        assert len(chart.about) < 3000
        svg = chart.svg(width=360)
        root = ET.fromstring(svg)  # noqa: S314
        assert {one.tag.rpartition("}")[2] for one in root.iter()} <= {
            "svg",
            "g",
            "line",
            "path",
            "rect",
            "text",
            "tspan",
        }
        assert not any(name.lower().startswith("on") for one in root.iter() for name in one.attrib)
        assert "\u202e" not in svg


def test_a_gate_and_a_chart_load_no_more_than_they_need(tmp_path: Path) -> None:
    script = (
        "import sys; from howsure.sure import open\n"
        f"sure = open({str(tmp_path / 'a.db')!r})\n"
        "sure.responses.check('It works.', agent='a', knowledge=0.9)\n"
        "assert not [name for name in sys.modules if name.startswith('howsure.charts')]\n"
        "sure.charts.claims().standalone()\n"
        "assert 'vl_convert' not in sys.modules and 'rich' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
