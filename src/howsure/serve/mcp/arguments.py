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


def _parse_json(text: str, bracket: str, kind: type) -> Any:
    """Return the JSON in a text, or the text if it is something else."""
    if not text.lstrip().startswith(bracket):
        return text
    try:
        parsed = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return parsed if isinstance(parsed, kind) else text
