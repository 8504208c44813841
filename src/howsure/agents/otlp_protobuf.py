"""Decode OTLP trace requests in protobuf to the data of their JSON form, and encode the two answers to them.

Only the fields that traces need are decoded. The package opentelemetry-proto is the oracle of the tests.
"""

import struct
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from howsure.errors import InputError

Field = tuple[str, Any]
"""Name of a field in JSON, and its type: a word that `_read_value` knows, or a message, alone or in a list."""

_MOST_FIELDS = 2_000_000
"""Fields of a request: an empty span takes two bytes, and some hundred times that in memory."""
_DEEPEST = 50
"""Nested messages that are followed, so that input cannot exhaust the stack."""
_VALUE: dict[int, Field] = {
    1: ("stringValue", "text"), 2: ("boolValue", "bool"), 3: ("intValue", "int"), 4: ("doubleValue", "double"),
    7: ("bytesValue", "hex"),
}  # fmt: skip
_ATTRIBUTE: dict[int, Field] = {1: ("key", "text"), 2: ("value", _VALUE)}
_VALUE[5] = ("arrayValue", {1: ("values", [_VALUE])})
_VALUE[6] = ("kvlistValue", {1: ("values", [_ATTRIBUTE])})
_EVENT: dict[int, Field] = {1: ("timeUnixNano", "fixed"), 2: ("name", "text"), 3: ("attributes", [_ATTRIBUTE])}
_SPAN: dict[int, Field] = {
    1: ("traceId", "hex"), 2: ("spanId", "hex"), 4: ("parentSpanId", "hex"), 5: ("name", "text"), 6: ("kind", "int"),
    7: ("startTimeUnixNano", "fixed"), 8: ("endTimeUnixNano", "fixed"), 9: ("attributes", [_ATTRIBUTE]),
    11: ("events", [_EVENT]), 15: ("status", {2: ("message", "text"), 3: ("code", "int")}),
}  # fmt: skip
_SCOPE_SPANS: dict[int, Field] = {2: ("spans", [_SPAN])}
_RESOURCE_SPANS: dict[int, Field] = {
    1: ("resource", {1: ("attributes", [_ATTRIBUTE])}),
    2: ("scopeSpans", [_SCOPE_SPANS]),
}
_REQUEST: dict[int, Field] = {1: ("resourceSpans", [_RESOURCE_SPANS])}


def decode_request(content: bytes) -> dict[str, Any]:
    """Return an ExportTraceServiceRequest (or TracesData: the same form) as in JSON; unknown fields are left out.

    Raises:
        InputError: if it is not a valid message.
    """
    try:
        return _decode(memoryview(content), _REQUEST, 0, count(1))
    except (ValueError, IndexError, struct.error) as error:
        raise InputError(f"invalid protobuf: {error}", hint="an ExportTraceServiceRequest of OTLP") from None


def encode_answer(rejected: int, message: str) -> bytes:
    """Return an ExportTraceServiceResponse; empty if nothing was rejected."""
    inner = (b"\x08" + _varint(rejected) if rejected else b"") + _text(2, message)
    return b"\x0a" + _varint(len(inner)) + inner if inner else b""


def encode_status(code: int, message: str) -> bytes:
    """Return a google.rpc.Status, the form of all errors of OTLP over HTTP."""
    return b"\x08" + _varint(code) + _text(2, message)


def _text(number: int, text: str) -> bytes:
    content = text.encode("utf-8", "replace")
    return bytes([number << 3 | 2]) + _varint(len(content)) + content if content else b""


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:  # noqa: PLR2004
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def _decode(content: memoryview, fields: Mapping[int, Field], depth: int, counter: "count[int]") -> dict[str, Any]:
    if depth > _DEEPEST:
        raise ValueError("nested too deeply")
    message: dict[str, Any] = {}
    for number, wire, value in _read_fields(content):
        if next(counter) > _MOST_FIELDS:
            raise ValueError(f"more than {_MOST_FIELDS:,} fields")
        name, kind = fields.get(number, ("", ""))
        expected = 0 if kind in ("int", "bool") else 1 if kind in ("fixed", "double") else 2
        if not name or wire != expected:
            continue
        if isinstance(kind, list):
            message.setdefault(name, []).append(_decode(value, kind[0], depth + 1, counter))
        elif isinstance(kind, Mapping):
            message[name] = _decode(value, kind, depth + 1, counter)
        else:
            message[name] = _read_value(kind, value)
    return message


def _read_value(kind: str, value: Any) -> Any:
    if kind == "int":
        return value - (1 << 64) if value >> 63 else value
    if kind == "bool":
        return bool(value)
    if kind == "fixed":
        return struct.unpack("<Q", value)[0]
    if kind == "double":
        return struct.unpack("<d", value)[0]
    return str(value, "utf-8") if kind == "text" else value.hex()


def _read_fields(content: memoryview) -> Iterator[tuple[int, int, Any]]:
    """Yield number, wire type and value of each field: an integer, or bytes."""
    place = 0
    while place < len(content):
        tag, place = _read_varint(content, place)
        wire = tag & 7
        if wire == 0:
            value, place = _read_varint(content, place)
            yield tag >> 3, wire, value
            continue
        if wire not in (1, 2, 5):
            raise ValueError(f"unknown wire type {wire}")
        size, place = _read_varint(content, place) if wire == 2 else ({1: 8, 5: 4}[wire], place)  # noqa: PLR2004
        if place + size > len(content):
            raise ValueError("it ends too early")
        yield tag >> 3, wire, content[place : place + size]
        place += size


def _read_varint(content: memoryview, place: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = content[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004
            return value & (1 << 64) - 1, place
    raise ValueError("a number is too long")
