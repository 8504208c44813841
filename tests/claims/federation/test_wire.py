"""What a lying peer tells: each lie is left out and named, and no number ever gets beyond what its trust allows."""

import copy
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from howsure.claims.federation.scoring import Scorer
from howsure.claims.federation.wire import PeerAnswer, limits_of, read_answer
from howsure.errors import InputError
from howsure.formulas import catalog
from howsure.formulas.noisy_or import NoisyOr
from howsure.shapes.encode import encode
from howsure.store.claim_tables.selection import Selection
from howsure.store.session import claim_formula
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.claims.federation.scripted import answering, scripted
from tests.conftest import NOW

Lie = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Give what an honest store tells: a claim, one that was derived from it and another, and one more."""
    with open_store(str(tmp_path_factory.mktemp("truth") / "peer.db"), clock=lambda: NOW) as sure:
        sun = sure.claims.add("The sun shines", source="user:ann", contribution=0.9, namespace="sky")
        air = sure.claims.add("The air is dry", source="user:bob", contribution=0.8)
        sure.claims.derive("The sun is seen", [str(sun.id), str(air.id)], confidence=0.9, namespace="sky")
        sure.claims.add("The sun is far", source="user:eve", contribution=0.7, namespace="sky/far")
        told = encode(sure.claims.inputs(Selection("sun", namespace="sky/*"), limit=10))
    found: dict[str, Any] = json.loads(json.dumps(told))
    return found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Sure]:
    with open_store(str(tmp_path / "asker.db"), clock=lambda: NOW) as found:
        yield found


def _told(truth: dict[str, Any], lie: Lie) -> Any:
    """Return the truth with a lie in it."""
    told = copy.deepcopy(truth)
    changed = lie(told)
    return told if changed is None else changed


def _set(path: str, value: Any) -> Lie:
    """Change one thing, deep in_namespace: `claims.0.tier`."""
    *way, last = path.split(".")

    def lie(told: Any) -> None:
        for step in way:
            told = told[int(step) if step.isdecimal() else step]
        told[last] = value

    return lie


def _without(name: str) -> Lie:
    return lambda told: told["claims"][0].pop(name) and None


def _far(told: dict[str, Any]) -> dict[str, Any]:
    return next(claim for claim in told["claims"] if claim["statement"] == "The sun is far")


FIRST: dict[str, tuple[Lie, str]] = {
    "a number below its range": (_set("claims.0.inputs.doubt", -0.1), "inputs.doubt: -0.1 is not between 0 and 1"),
    "a number above its range": (_set("claims.0.inputs.strongest", 1.5), "inputs.strongest: 1.5 is not between 0 and"),
    "a sum that nothing comes to": (_set("claims.0.inputs.support", 1e7), "inputs.support: 10000000.0 is not between"),
    "a number without end": (_set("claims.0.inputs.support", 10**400), "is not JSON"),
    "a number that is none": (_set("claims.0.inputs.doubt", math.nan), "is not JSON"),
    "infinity": (_set("claims.0.inputs.contradiction", math.inf), "is not JSON"),
    "a text for a number": (_set("claims.0.inputs.doubt", "0.1"), "inputs.doubt: '0.1' is not a number"),
    "a truth for a number": (_set("claims.0.inputs.doubt", True), "inputs.doubt: true is not a number"),
    "nothing for a number": (_set("claims.0.inputs.doubt", None), "inputs.doubt: null is not a number"),
    "numbers of another formula": (
        _set("claims.0.inputs", {"contributions": 1}),
        "inputs.doubt: this number is missing",
    ),
    "a list for numbers": (_set("claims.0.inputs", [1, 2]), "inputs: a list of 2 is not an object"),
    "no numbers": (_without("inputs"), "inputs: this field is missing"),
    "no statement": (_without("statement"), "statement: this field is missing"),
    "an empty statement": (_set("claims.0.statement", " \n"), "statement: the statement is empty"),
    "a book for a statement": (_set("claims.0.statement", "sun " * 20_000), "statement: 80000 bytes are too many"),
    "a statement that breaks off": (
        _set("claims.0.statement", "sun \x00"),
        "statement: a text cannot contain a NUL byte",
    ),
    "something else": (_set("claims.0.statement", "Buy now"), "statement: it does not match the query"),
    "another namespace": (_set("claims.0.namespace", "skyline"), "namespace: it does not match the query"),
    "no namespace": (_set("claims.0.namespace", "sky//x"), "namespace: invalid namespace 'sky//x'"),
    "a tier that there is not": (_set("claims.0.tier", "eternal"), "tier: 'eternal' is not one of"),
    "a status that was not asked for": (
        _set("claims.0.status", "deprecated"),
        "status: it does not match the query",
    ),
    "the future": (_set("claims.0.created_at", NOW + 301), "created_at: it is from the future, by 301 s"),
    "the end of time": (_set("claims.0.stale_at", 1e13), "stale_at: 10000000000000.0 is not between"),
    "a time that has not begun": (_set("claims.0.valid_from", NOW + 1), "valid_from: it does not match the query"),
    "a time that is over": (_set("claims.0.valid_until", NOW), "valid_until: it does not match the query"),
    "a time that never is": (
        lambda told: told["claims"][0].update(valid_from=5, valid_until=5),
        "valid_until: it would never be valid",
    ),
    "sources without number": (_set("claims.0.sources", 10**7), "sources: 10000000 is not between"),
    "more types than sources": (_set("claims.0.inputs.source_types", 2), "source_types: 2.0 is not between 0 and 1"),
    "evidence without a source": (_set("claims.0.sources", 0), "is not between 1 and 1 (with 0 sources)"),
    "half a source": (_set("claims.0.sources", 0.5), "sources: 0.5 is not a whole number"),
    "an id to steer a terminal": (_set("claims.0.id", "\x1b[2J"), "id: invalid id '\\x1b[2J'"),
    "an id without end": (_set("claims.0.id", "x" * 201), "invalid id"),
    "a number for a claim": (lambda told: told["claims"].__setitem__(0, 7), "claims[0]: 7 is not an object"),
    "something derived from itself": (
        lambda told: _far(told).update(derived_from=[_far(told)["id"]]),
        "derived_from: its constituent",
    ),
    "something derived from nowhere": (
        lambda told: _far(told).update(derived_from=["c0"]),
        "derived_from: its constituent c0",
    ),
    "no grounds": (_set("constituents", []), "derived_from: its constituent"),
    "constituents that are none": (_set("constituents.0.inputs.doubt", 2), "derived_from: its constituent"),
}
WHOLE: dict[str, tuple[Lie, str]] = {
    "a list": (lambda _: [], "its answer is not an object"),
    "nothing": (lambda _: {}, "its answer is of format null, or not its own"),
    "another format": (_set("format", 2), "its answer is of format 2, or not its own (this program reads format 1)"),
    "hearsay": (_set("own", False), "or not its own"),
    "another formula": (_set("formula", "beta"), "it answers by 'beta', version 1 (asked was noisy_or, version 1)"),
    "another version": (_set("version", 2), "it answers by 'noisy_or', version 2"),
    "claims that are none": (_set("claims", {}), "its answer lacks claims, constituents or more"),
    "more that is no answer": (_set("more", 1), "its answer lacks claims, constituents or more"),
    "claims without end": (_set("claims", [0] * 1001), "it sends 1,001 claims (at most 1,000 in one answer)"),
    "constituents without end": (_set("constituents", [0] * 10_001), "it sends 10001 constituents"),
    "inferences without end": (
        lambda told: _far(told).update(derived_from=[f"c{number}" for number in range(20_001)]),
        "its claims are derived from too many others",
    ),
}


def _asked(store: Sure, told: Any) -> Any:
    with scripted(answering(told)) as peer:
        store.peers.add(peer.url, trust=0.5, name="b", time_limit=30)
        return store.claims.find_federated(Selection("sun", namespace="sky/*"))


def test_valid_answers_are_accepted(store: Sure, truth: dict[str, Any]) -> None:
    page = _asked(store, truth)
    (asked,) = page.coverage.peers
    assert (asked.status, asked.claims, asked.left_out, asked.reason) == ("answered", 3, 0, "")
    assert {str(claim.interval) for claim in page.claims} == {"[0.30, 0.45]", "[0.23, 0.35]", "[0.27, 0.45]"}
    assert all("air" not in claim.statement for claim in page.claims), "what it rests on comes without words"
    assert [set(ground) & {"statement", "subject", "namespace"} for ground in truth["constituents"]] == [set()]


@pytest.mark.parametrize("name", list(FIRST))
def test_invalid_claims_are_left_out_and_the_others_kept(store: Sure, truth: dict[str, Any], name: str) -> None:
    lie, reason = FIRST[name]
    page = _asked(store, _told(truth, lie))
    (asked,) = page.coverage.peers
    assert reason in asked.reason
    if "not JSON" in reason:  # nothing can be told from it
        assert (asked.status, page.claims) == ("refused", [])
        return
    assert asked.status == "answered"
    assert 1 <= asked.left_out <= 2, "the claim, and perhaps what rests on it"
    assert len(page.claims) == asked.claims == 3 - asked.left_out


@pytest.mark.parametrize("name", list(WHOLE))
def test_an_invalid_answer_is_refused(store: Sure, truth: dict[str, Any], name: str) -> None:
    lie, reason = WHOLE[name]
    page = _asked(store, _told(truth, lie))
    (asked,) = page.coverage.peers
    assert (asked.status, asked.claims, page.claims) == ("refused", 0, [])
    assert reason in asked.reason


def test_duplicates_and_claims_beyond_the_limit_are_refused(store: Sure, truth: dict[str, Any]) -> None:
    told = copy.deepcopy(truth)
    told["claims"].append(told["claims"][0])
    told["claims"] += [told["claims"][0] | {"id": f"x{n}", "statement": f"The sun, {n} times"} for n in range(60)]
    page = _asked(store, told)
    (asked,) = page.coverage.peers
    assert (asked.claims, asked.left_out) == (50, 14)
    assert asked.reason == f"claims[3].id: {told['claims'][0]['id']} is there twice"
    assert not page.more


def test_unknown_fields_of_a_newer_store_are_ignored(store: Sure, truth: dict[str, Any]) -> None:
    told = copy.deepcopy(truth) | {"mood": "good"}
    told["claims"][0] |= {"colour": "red", "inputs": told["claims"][0]["inputs"] | {"weight": 7}}
    assert _asked(store, told).coverage.peers[0].claims == 3


def test_inferences_that_fail_repeatedly_are_left_out(truth: dict[str, Any]) -> None:
    told = copy.deepcopy(truth)
    one = told["claims"][0] | {"derived_from": []}
    told["constituents"] = [
        one | {"id": "sound"},
        one | {"id": "weak", "derived_from": ["sound"] * 15_000 + ["nowhere"]},
    ]
    told["claims"] = [one | {"id": f"c{number}", "derived_from": ["weak"]} for number in range(10)]
    told["claims"] += [one | {"id": "last", "derived_from": ["sound"]}, one | {"id": "plain"}]
    heard = read_answer(json.dumps(told).encode(), NoisyOr(), 20, NOW)
    scorer, reasons = Scorer(NoisyOr(), NOW, 1.0, heard.known), []
    for claim in heard.claims[:-1]:
        with pytest.raises(InputError) as caught:
            scorer.interval(claim)
        reasons.append(caught.value.problem)
    assert reasons[0].startswith("its constituent nowhere is missing")
    assert reasons[-1] == "too many of its constituents cannot be scored"
    assert scorer.interval(heard.claims[-1]).upper > 0, "what is no inference is scored all the same"


def test_a_chain_of_inferences_may_have_the_maximum_length(truth: dict[str, Any]) -> None:
    def chain(length: int) -> PeerAnswer:
        told = copy.deepcopy(truth)
        one = told["claims"][0] | {"derived_from": []}
        told["constituents"] = [
            one | {"id": f"g{n}", "derived_from": [f"g{n + 1}"][: length - n]} for n in range(length + 1)
        ]
        told["claims"] = [one | {"derived_from": ["g1"]}]
        return read_answer(json.dumps(told).encode(), NoisyOr(), 10, NOW)

    for length in (1, 5):
        heard = chain(length)
        assert Scorer(NoisyOr(), NOW, 1.0, heard.known).interval(heard.claims[0]).upper > 0
    heard = chain(6)
    for id_ in ("g5", "g3", "g0"):  # in whatever order they are met
        scorer = Scorer(NoisyOr(), NOW, 1.0, heard.known)
        if id_ != "g0":
            scorer.interval(heard.known[id_])
        with pytest.raises(InputError, match="chain of inferences is too long"):
            scorer.interval(heard.claims[0])


def test_deleted_constituents_support_nothing(truth: dict[str, Any]) -> None:
    for change in ({"status": "forgotten"}, {"valid_until": NOW}, {"valid_from": NOW + 1}):
        told = copy.deepcopy(truth)
        told["constituents"][0] |= change
        heard = read_answer(json.dumps(told).encode(), NoisyOr(), 10, NOW)
        (seen,) = [claim for claim in heard.claims if claim.derived_from]
        assert Scorer(NoisyOr(), NOW, 1.0, heard.known).interval(seen).lower == 0.0


@pytest.mark.parametrize("name", catalog.formulas())
def test_valid_inputs_never_exceed_the_interval_or_the_trust(name: str, truth: dict[str, Any]) -> None:
    formula = claim_formula(name)
    limits = limits_of(formula)
    given_to: dict[str, Any] = {key: truth["claims"][0][key] for key in truth["claims"][0] if key != "inputs"}
    ends = {key: sorted({within.low, within.high, 0.5, 1e-30}) for key, within in limits.items()}
    for trust in (0.0, 0.3, 1.0):
        for choice in range(4 ** len(ends)):
            inputs = {key: values[choice // 4**n % 4 % len(values)] for n, (key, values) in enumerate(ends.items())}
            claim = given_to | {"inputs": inputs, "derived_from": [], "sources": 10**6}
            told = truth | {"formula": name, "claims": [claim]}
            heard = read_answer(json.dumps(told).encode(), formula, 10, NOW)
            assert heard.errors == []
            found = Scorer(formula, NOW, trust, heard.known).interval(heard.claims[0])
            assert 0 <= found.lower <= found.upper <= 1
            if name != "beta":  # which takes trust as a share of the evidence, however much of it there is
                assert found.lower <= trust + 1e-9
            full = Scorer(formula, NOW, 1.0, heard.known).interval(heard.claims[0])
            assert found.lower <= full.lower + 1e-9, "trust never raises a lower bound"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_answer_of_a_peer_is_handled(truth: dict[str, Any], data: st.DataObject) -> None:
    told = copy.deepcopy(truth)
    for _ in range(data.draw(st.integers(1, 3))):
        place: Any = told
        while True:
            key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
            if not isinstance(place[key], dict | list) or not place[key] or data.draw(st.booleans()):
                break
            place = place[key]
        place[key] = data.draw(_JSON)
    try:
        heard = read_answer(json.dumps(told).encode("utf-8", "surrogatepass"), NoisyOr(), 10, NOW)
    except InputError:
        return
    scorer = Scorer(NoisyOr(), NOW, 0.5, heard.known)
    for claim in heard.claims:
        try:
            found = scorer.interval(claim)
        except InputError:
            continue
        assert 0 <= found.lower <= found.upper <= 0.5
