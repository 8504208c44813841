"""Read the arguments of tools as leniently as models write them."""

from collections.abc import Mapping
from typing import Any

import orjson

from howsure.serve.requests import parse_text

_BRACKETS = {"array": ("[", list), "object": ("{", dict)}


def read_value(schema: Mapping[str, Any], value: Any) -> Any:
    """Return a value with texts replaced by the numbers, flags, lists and objects that the schema asks for.

    Many models write "0.8" for 0.8 and "[...]" for a list. A text that stands for nothing of the right type is kept, so
    that decoding reports it.

    >>> read_value({"type": "number"}, "0.8"), read_value({"type": "string"}, "0.8")
    (0.8, '0.8')
    >>> read_value({"type": "array", "items": {"type": "integer"}}, '["1", 2]')
    [1, 2]
    """
    kind = schema.get("type")
    if isinstance(value, str):
        if kind not in _BRACKETS:
            text = value.strip()
            parsed = parse_text(schema, text.lower() if kind == "boolean" else text)
            return parsed if parsed != text else value
        value = _parse_json(value, *_BRACKETS[kind])
    if kind == "array" and isinstance(value, list):
        return [read_value(schema.get("items", {}), item) for item in value]
    if kind == "object" and isinstance(value, dict):
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        return {name: read_value(properties.get(name, others), item) for name, item in value.items()}
    return value


def read_choice(schema: Mapping[str, Any], value: Any) -> Any:
    """Return a value with a text replaced by a number, if that is one of several types that an operation takes.

    A tool offers one type for each parameter, the first of them, so `read_value` does not know the others.

    >>> code = {"anyOf": [{"type": "object"}, {"type": "number"}, {"enum": ["answer"]}]}
    >>> read_choice(code, "0.9"), read_choice(code, "answer"), read_choice({"type": "string"}, "0.9")
    (0.9, 'answer', '0.9')
    """
    options = schema.get("anyOf", ())
    takes_texts = any(option.get("type") == "string" and not {"enum", "const"} & option.keys() for option in options)
    if not isinstance(value, str) or takes_texts:
        return value
    numbers = (option for option in options if option.get("type") in ("number", "integer"))
    return next((read for option in numbers if (read := read_value(option, value)) is not value), value)


def _parse_json(text: str, bracket: str, kind: type) -> Any:
    """Return the JSON in a text, or the text if it is something else."""
    if not text.lstrip().startswith(bracket):
        return text
    try:
        parsed = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return parsed if isinstance(parsed, kind) else text
