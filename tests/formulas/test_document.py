"""Documents: compounding, what counts once, and what is due when."""

import pytest

from howsure.errors import InputError
from howsure.formulas.automaton import Automaton
from howsure.formulas.document import Document
from howsure.formulas.patterns import Patterns
from howsure.formulas.subresult import Subresult


def test_compounding_settles_where_the_formula_says_not_where_the_seed_does() -> None:
    found = Document().score({"milestone": "M1", "observations": [[1.0, 1.0]] * 500})
    assert found["compound"] == pytest.approx(0.638, abs=1e-3)


def test_validation_adds_only_what_confirming_has_not_earned() -> None:
    events = [["visit", 1.0], ["confirm", 0.5]]
    plain = Document().score({"milestone": "M2", "events": events})
    validated = Document().score({"milestone": "M2", "events": events, "modifiers": {"validated": True}})
    assert validated["score"] - plain["score"] == pytest.approx(0.025)


def test_a_scan_takes_the_place_of_the_flat_match() -> None:
    matched = {"milestone": "M1", "modifiers": {"matched": True}}
    assert Document().score(matched)["score"] == pytest.approx(0.65)
    assert Document().score(matched | {"pattern_boost": 0.02})["score"] == pytest.approx(0.62)


@pytest.mark.parametrize(
    ("months", "action"),
    [(0, "none"), (3, "none"), (3.01, "review"), (6, "review"), (12, "human_validation"), (12.1, "refresh_or_remove")],
)
def test_the_due_action_depends_on_age(months: float, action: str) -> None:
    found = Document().score({"modifiers": {"months": months}})
    assert found["decision"] == found["data_file"]["action"] == action


def test_the_milestone_follows_from_the_automaton() -> None:
    events = [["visit", 1.0], ["confirm", 1.0], ["test", 1.0]]
    assert Document().score({"events": events})["milestone"] == "M3"
    assert Document().score({})["milestone"] == "M1"


def test_the_learning_rate_has_a_range() -> None:
    with pytest.raises(InputError, match="alpha: 0.5 is not between 0.1 and 0.3"):
        Document().score({"alpha": 0.5})


def test_weight_and_strength_are_full_if_not_given() -> None:
    short = Document().score({"events": ["visit"], "observations": [0.5, [1.0, 0.5]]})
    long = Document().score({"events": [["visit", 1.0]], "observations": [[1.0, 0.5], [1.0, 0.5]]})
    assert short.steps == long.steps


def test_a_bonus_implies_a_scanned_text() -> None:
    assert Document().score({"pattern_bonus": 0.05, "modifiers": {"matched": True}})["score"] == pytest.approx(0.65)


@pytest.mark.parametrize(("text", "bold"), [("**a*b**", 1.0), ("*****", 0.0), ("a **b** c", 1.0), ("**b", 0.0)])
def test_bold_text_is_recognised(text: str, bold: float) -> None:
    assert Subresult().score({"content": text}).row.has_emphasis == bold


def test_the_floor_lies_below_the_ceiling() -> None:
    with pytest.raises(InputError, match="c_min: 0.9 is above c_max"):
        Document(c_min=0.9)


def test_a_full_circle_leads_back_to_the_start_and_keeps_what_was_earned() -> None:
    circle = [[symbol, 1.0] for symbol in ("visit", "confirm", "test", "merge", "decay_warning")]
    found = Automaton().score({"events": circle})
    assert (found["state"], found["gain"]) == ("INIT", pytest.approx(0.114))


def test_of_equally_probable_states_the_earlier_one_counts() -> None:
    assert Automaton().score({"events": [["visit", 0.5]]})["state"] == "INIT"


def test_patterns_are_literal_and_count_once() -> None:
    found = Patterns().score({"text": "sources: sources: Sources:", "base": 0.5})
    assert (found["matches"], found["boost"]) == (["sources:"], 0.05)


def test_a_named_pack_brings_its_own_and_what_it_extends() -> None:
    found = Patterns().score({"text": "Fort Hood, see title: capitol.texas.gov", "pack": "legal-luminary"})
    assert found["matches"] == ["Fort Hood", "capitol.texas.gov", "title:"]
    assert found["categories"] == ["content", "metadata", "source"]


def test_a_failed_subresult_scores_nothing() -> None:
    found = Subresult().score({"content": "Definitely fine.", "failed": True})
    assert (found["score"], found["level"], found["reason"][:19]) == (0.0, "VERY_LOW", "the sub-task failed")
