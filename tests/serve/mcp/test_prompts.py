"""Prompts name tools that exist, and carry what the user wrote."""

import re

import pytest

from howsure.errors import InputError, NotFoundError
from howsure.serve.mcp.prompts import PROMPTS, get_prompt
from howsure.serve.mcp.tools import TOOLS


def text_of(name: str, **arguments: str) -> str:
    [message] = get_prompt(name, arguments).messages
    assert message.content.type == "text"
    return message.content.text


def test_prompts_name_only_tools_that_exist() -> None:
    for prompt in PROMPTS:
        text = text_of(prompt.name, **{one.name: "why {x}?" for one in prompt.arguments or ()})
        assert "why {x}?" in text
        named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", text)) - {"trace_id", "from_trace"}
        assert len(named) >= 3
        assert named <= set(TOOLS)


def test_what_is_wrong_is_told() -> None:
    with pytest.raises(InputError, match="question is missing"):
        get_prompt("check_before_answering", {"question": " "})
    with pytest.raises(NotFoundError, match="review_claims"):
        get_prompt("other", {})
    assert "about" not in text_of("review_claims").splitlines()[0]
