"""Words that two parts of a sentence have exchanged: what is noticed, and what is only reworded."""

import pytest

from howsure.text.grounding.ground import ground
from howsure.text.grounding.pairings import find_exchanged_pairing
from howsure.text.passages import read_passage, split_passages

# A context, a sentence in which two things changed places, and one that says the same as the context.
EXCHANGED = [
    (
        "Invoices are kept for ten years and receipts for six months.",
        "Invoices are kept for six months and receipts for ten years.",
        "Receipts are kept for six months and invoices for ten years.",
    ),
    (
        "The lamp blinks while the pump is filling and stays green when the tank is full.",
        "The lamp stays green while the pump is filling and blinks when the tank is full.",
        "While the pump is filling the lamp blinks, and when the tank is full it stays green.",
    ),
    (
        "Drones are immune to fire and weak to frost.",
        "Drones are immune to frost and weak to fire.",
        "Drones are weak to frost and immune to fire.",
    ),
    (
        "Tenants pay for heating; landlords pay for repairs of the roof.",
        "Tenants pay for repairs of the roof; landlords pay for heating.",
        "Landlords pay for repairs of the roof; tenants pay for heating.",
    ),
    (
        "The eggs are white at first and later turn brown.",
        "The eggs are brown at first and later turn white.",
        "The eggs later turn brown and are white at first.",
    ),
    (
        "The council wanted a tram, while the residents preferred buses.",
        "The residents wanted a tram, while the council preferred buses.",
        "The residents preferred buses, while the council wanted a tram.",
    ),
]
SAME = [
    ("Show Ann and Bob Miller the door.", "Show Bob and Ann Miller the door."),
    ("It runs on tablets, voting machines and gaming consoles.", "It runs on gaming and voting machines."),
    ("Plan A costs 50 euros and has support; plan B costs 90 and has backups.", "Plan B has backups and costs 90."),
    ("Alice likes tea, Bob likes milk, and Carol likes both.", "Bob likes milk, Carol both, and Alice likes tea."),
    ("Red is for errors. Blue is for warnings. Errors are also blue in print.", "Errors are red, and in print blue."),
]


def _find(context: str, text: str) -> str:
    passages = [read_passage(context, *span) for span in split_passages(context)]
    return find_exchanged_pairing(read_passage(text, 0, len(text)), passages)


@pytest.mark.parametrize(("context", "exchanged", "same"), EXCHANGED)
def test_an_exchange_is_found_and_another_order_is_none(context: str, exchanged: str, same: str) -> None:
    assert "have changed places" in _find(context, exchanged)
    assert _find(context, same) == ""
    assert _find(context, context) == ""


@pytest.mark.parametrize(("context", "exchanged", "same"), EXCHANGED)
def test_grounding_calls_an_exchange_contradicted(context: str, exchanged: str, same: str) -> None:
    (sentence,) = ground(exchanged, context).sentences
    assert sentence.finding == "contradicted"
    assert (ground(same, context).support or 0.0) >= 0.5


@pytest.mark.parametrize(("context", "text"), SAME)
def test_a_list_or_a_selection_is_no_exchange(context: str, text: str) -> None:
    assert _find(context, text) == ""


def test_what_the_context_says_too_is_no_exchange() -> None:
    context = "By day the gate is open and the bridge shut. By night the bridge is open and the gate shut."
    assert _find(context, "By day the gate is open, and by night the bridge is open.") == ""


def test_sentences_with_many_parts_take_no_time() -> None:
    parts = [f"word{number} value{number}" for number in range(60)]
    assert _find(" and ".join(parts), " and ".join(reversed(parts))) == ""
