"""What is stored of the findings about each sentence, and how it is shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from howsure import open as open_store
from howsure.responses.highlights import MOST_SENTENCES, HighlightedSentence, pack_sentences, read_highlights
from howsure.settings import Settings
from howsure.text.grounding.ground import ground
from tests.conftest import Run

CONTEXT = ["The gateway listens on port 8443. TLS 1.3 is required. The password: hunter2x is in the vault."]
RESPONSE = "The gateway listens on port 9443. TLS 1.3 is required."


def explain(folder: Path, keep: str, response: str = RESPONSE) -> tuple[HighlightedSentence, ...]:
    with open_store(
        f"{folder}/decisions.db", settings=Settings({}, (("howsure.toml", {"ledger.keep": keep}),))
    ) as sure:
        decision = sure.responses.check(response, context=CONTEXT, agent="a")
        return sure.ledger.explain(decision.id).sentences


def test_a_grounded_decision_is_explained_sentence_by_sentence(tmp_path: Path) -> None:
    wrong, right = explain(tmp_path, "start")
    assert (wrong.finding, wrong.text, wrong.quote) == (
        "contradicted",
        "The gateway listens on port 9443.",
        "The gateway listens on port 8443.",
    )
    assert wrong.reasons == ("'9443' is not in the context, which has '8443'",)
    assert (right.finding, right.support is not None and right.support > 0.5) == ("supported", True)


def test_words_are_stored_only_where_the_settings_keep_them(tmp_path: Path) -> None:
    long = f"{RESPONSE} {'The lamp in the hall is red and old. ' * 6}TLS 1.2 is required."
    kept = explain(tmp_path, "start", long)
    assert (kept[0].text, kept[-1].text, kept[-1].quote, kept[-1].reasons) == (RESPONSE[:33], "", "", ())
    assert kept[-1].finding == "contradicted"
    assert {(one.text, one.quote, one.reasons) for one in explain(tmp_path, "nothing", long)} == {("", "", ())}


def test_secrets_and_long_texts_are_not_stored() -> None:
    response = " ".join(f"The gateway has port {number}." for number in range(200)) + " The password is in the vault."
    grounding = ground(f"The password: hunter2x is in the vault. {response}", CONTEXT)
    packed = pack_sentences(grounding.sentences, response, lambda text: text.replace("hunter2x", "[redacted]"))
    assert len(packed) == MOST_SENTENCES
    assert "hunter2x" not in json.dumps(packed)
    assert len(json.dumps(packed)) < 50_000
    key = ground("The key is MIIEvQIBADANBg.", f"The key is MIIEvQIBADANBg{'kqhkiG9w0BAQ' * 5}.")
    assert "quote" not in pack_sentences(key.sentences, "The key is MIIEvQIBADANBg.", str)[0]


@pytest.mark.parametrize(
    "stored",
    [5, [5], [{}], [{"finding": "magic"}], [{"finding": "supported", "support": "much"}], {"finding": "supported"}],
)
def test_what_an_import_holds_instead_is_left_out(stored: Any) -> None:
    assert read_highlights({"sentences": stored}) == ()


def test_the_command_line_lists_the_sentences(howsure: Run, tmp_path: Path) -> None:
    with open_store(f"{tmp_path}/decisions.db") as sure:
        id_ = sure.responses.check(RESPONSE, context=CONTEXT, agent="a").id
    shown = howsure("ledger", "explain", id_, "--store", f"{tmp_path}/decisions.db").stdout.decode()
    assert "contradicted: The gateway listens on port 9443." in shown
    assert "context: The gateway listens on port 8443." in shown
