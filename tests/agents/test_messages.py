"""Messages of frameworks."""

from howsure.agents.messages import convert_gemini, is_gemini, is_langchain, is_pydantic_ai


def test_messages_of_others_are_not_taken() -> None:
    claude = {"type": "system", "subtype": "init", "content": "x"}
    openai = {"role": "user", "content": "x"}
    for record in (claude, openai, {"type": "ai", "role": "x", "content": ""}):
        assert not (is_langchain(record))
        assert not (is_gemini(record))
        assert not (is_pydantic_ai(record))


def test_a_function_of_gemini_may_answer_with_any_object() -> None:
    contents = [
        {"role": "model", "parts": [{"function_call": {"id": "a", "name": "sum", "args": {"x": 1}}}]},
        {"role": "tool", "parts": [{"function_response": {"id": "a", "name": "sum", "response": {"total": 3}}}]},
    ]
    [run] = convert_gemini(contents)
    assert run["messages"][1]["output"] == {"total": 3}
