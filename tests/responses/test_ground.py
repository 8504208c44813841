"""Grounding as an operation of responses."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import howsure
from howsure.errors import InputError

CONTEXT = "The gateway listens on port 8443. TLS 1.3 is required."


def test_a_response_is_compared_with_one_or_more_texts(tmp_path: Path) -> None:
    with howsure.open(f"{tmp_path}/decisions.db") as sure:
        alone = sure.responses.ground("TLS 1.2 is required.", CONTEXT)
        among = sure.responses.ground("TLS 1.2 is required.", ("Nothing.", CONTEXT))
        later = asyncio.run(sure.responses.aground("TLS 1.2 is required.", CONTEXT))
        assert alone == later
        assert [one.finding for one in alone.sentences] == [one.finding for one in among.sentences] == ["contradicted"]
        assert among.sentences[0].quote is not None
        assert among.sentences[0].quote.context == 1
        assert not list(sure.ledger.find().decisions)


@pytest.mark.parametrize(("response", "context", "field"), [(5, "a", "response"), ("a", ["a", 5], "context")])
def test_what_is_not_a_text_is_refused(tmp_path: Path, response: Any, context: Any, field: str) -> None:
    with howsure.open(f"{tmp_path}/decisions.db") as sure, pytest.raises(InputError, match="is not a text") as raised:
        sure.responses.ground(response, context)
    assert raised.value.field == field
