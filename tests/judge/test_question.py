"""Questions, answers and failures."""

from typing import Any

import pytest

from howsure.errors import InputError
from howsure.judge import Answer, Failure, Question
from howsure.judge.question import FAILURE_KINDS
from howsure.shapes.encode import encode


def question(**changed: Any) -> Question:
    given: dict[str, Any] = {"task": "t", "schema": {"type": "object"}, "content": {"a": "x"}, "instructions": "Do."}
    return Question(**(given | changed))


DIFFERENT = {
    "task": "u",
    "schema": {"type": "array"},
    "content": {"a": "y"},
    "instructions": "Do not.",
    "limit": 7,
    "accepted": {"type": "object"},
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_key_changes_with_every_part_of_a_question(name: str) -> None:
    assert question().key("m") == question().key("m")
    assert question(**{name: DIFFERENT[name]}).key("m") != question().key("m")
    assert question().key("n") != question().key("m")


def test_a_key_is_the_same_however_a_schema_is_written() -> None:
    one = question(schema={"type": "object", "required": ["a"]})
    assert one.key("m") == question(schema={"required": ("a",), "type": "object"}).key("m")


def test_any_text_has_a_key() -> None:
    assert question(content={"a": "\ud800"}).key("m") != question(content={"a": "\ud801"}).key("m")


def test_a_question_does_not_change_with_what_it_was_made_of() -> None:
    content, schema = {"a": "x"}, {"type": "object", "required": ["a"]}
    asked = question(content=content, schema=schema)
    key = asked.key("m")
    content["a"] = "y"
    schema["type"] = "array"
    assert asked.key("m") == key


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"task": "a b"}, "task"),
    ({"schema": {"anyOf": []}}, "schema"),
    ({"schema": {"enum": [{1, 2}]}}, "cannot be written as JSON"),
    ({"content": {"a": 5}}, r"content\.a: 5 is not a text"),
    ({"limit": 0}, "limit"),
    ({"accepted": {"anyOf": []}}, "accepted"),
    ({"accepted": {"enum": [{1, 2}]}}, "accepted: it cannot be written as JSON"),
]


@pytest.mark.parametrize(("changed", "said"), WRONG)
def test_invalid_questions_are_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        question(**changed)


def test_answers_and_failures_are_data() -> None:
    found: Answer | Failure = Answer({"a": 1}, "m", 2, 3, 4, 0.5)
    assert found.ok
    assert encode(found) == {
        "value": {"a": 1},
        "model": "m",
        "attempts": 2,
        "tokens_in": 3,
        "tokens_out": 4,
        "seconds": 0.5,
        "cached": False,
    }
    failed = Failure("rate_limited", "too many requests", 3, 1.5)
    assert not failed.ok
    assert str(failed) == "rate limited: too many requests"
    assert encode(failed) == {
        "kind": "rate_limited",
        "message": "too many requests",
        "attempts": 3,
        "seconds": 1.5,
    }
    assert len(FAILURE_KINDS) == 10


def test_content_is_not_shown() -> None:
    assert repr(question(content={"a": "private"})) == "Question(task='t', limit=40000)"
