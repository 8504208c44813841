"""Read the JSON that a model wrote."""

import time
from email.utils import formatdate

import pytest

from howsure.judge.reply import Mismatch, ParsedAnswer, parse_answer, retry_after

GOOD = [
    '{"a": 1}',
    ' \n{"a": 1}\n ',
    '\ufeff{"a": 1}',
    '```json\n{"a": 1}\n```',
    'Here it is:\n\n```\n{"a": 1}\n```\nI hope it helps.',
    '<think>Is it {"a": 2}?</think>\n{"a": 1}',
]


@pytest.mark.parametrize("text", GOOD)
def test_json_is_found_where_models_put_it(text: str) -> None:
    assert parse_answer(text, {"type": "object"}) == ParsedAnswer({"a": 1})


BAD = [
    "",
    "yes",
    '{"a": 1',
    '{"a": NaN}',
    "{'a': 1}",
    '{"a": 1} and {"a": 2}',
    '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```',
    "```json\nyes\n```",
    "[" * 100_000,
    '{"a": "\\ud800"}',
]


@pytest.mark.parametrize("text", BAD)
def test_invalid_json_is_not_repaired(text: str) -> None:
    found = parse_answer(text, {})
    assert isinstance(found, Mismatch)
    assert found.kind == "not_json"
    assert len(found.problem) < 200


def test_numbers_too_large_for_anything_do_not_fit() -> None:
    found = parse_answer('{"a": 1e999}', {"properties": {"a": {"type": "number"}}})
    assert isinstance(found, Mismatch)


def test_the_wait_is_read_as_a_number_or_as_a_moment() -> None:
    assert retry_after({"retry-after": "1.5"}) == 1.5
    assert retry_after({"retry-after": "-3"}) == 0
    assert 3000 < (retry_after({"retry-after": formatdate(time.time() + 3600, usegmt=True)}) or 0) <= 3600
    for nonsense in ("", "soon", "nan", "inf", "1e999"):
        assert retry_after({"retry-after": nonsense}) is None
