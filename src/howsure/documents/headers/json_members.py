"""Edit members of a JSON object, such as the scoring header `_confidence`, without changing any other byte."""

import json
import re
from collections.abc import Mapping
from typing import NamedTuple, NoReturn

from howsure.documents.headers.fields import DATA, Fields, check_data
from howsure.documents.headers.placement import BOM, text_start
from howsure.errors import InputError

NAME = "_confidence"
_SPACE = re.compile(r"[ \t\r\n]*+")
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_STEP = "  "


class _Member(NamedTuple):
    """A member of an object; numbers are offsets in the text."""

    name: str
    gap: int
    """Start of the space before it, after a brace or a comma."""
    key: int
    value: int
    end: int


def is_object(data: bytes) -> bool:
    """Return whether the data are a JSON object; raise InputError if they are not JSON."""
    return _members(_decode(data)) is not None


def read_member(data: bytes) -> Fields | None:
    """Return the fields of our member, or None if there is none."""
    try:
        text = _decode(data)
        return _find_header(text, _members(text) or [])[1]
    except InputError:
        return None


def remove_member(data: bytes) -> bytes:
    """Return the data without our member."""
    try:
        text = _decode(data)
        members = _members(text) or []
        index, _ = _find_header(text, members)
    except InputError:
        return data
    own = members[index]
    if index:
        return _encode(data, text[: own.gap - 1] + text[own.end :])
    if len(members) == 1:
        return _encode(data, text[: own.gap] + text[own.end :])
    return _encode(data, text[: own.key] + text[members[1].key :])


def put_member(data: bytes, fields: Fields) -> bytes:
    """Return the data with our member, replaced or inserted before all others.

    >>> put_member(b'{"a": 1}', {"score": 0.997, "human_validated": True})
    b'{"_confidence": {"score": 0.997, "human_validated": true}, "a": 1}'
    """
    check_data(fields)
    text = _decode(data)
    members = _members(text)
    if members is None:
        raise InputError("only a JSON object can hold a header", hint="its header goes into a sidecar file")
    if any(member.name == NAME for member in members):
        own = members[_find_header(text, members)[0]]
        return _encode(data, text[: own.value] + _header_text(fields, text[own.gap : own.key]) + text[own.end :])
    inside = text.index("{") + 1
    first = _after_space(text, inside)
    gap = text[inside:first]
    if members:
        member = f'"{NAME}": {_header_text(fields, gap)},{gap or " "}'
        return _encode(data, text[:first] + member + text[first:])
    if broken := _LINE_BREAK.search(gap):
        gap = broken[0] + _indent(gap) + _STEP
    return _encode(data, text[:inside] + f'{gap}"{NAME}": {_header_text(fields, gap)}' + text[inside:])


def update_object(data: bytes, name: str, defaults: Mapping[str, object], values: Mapping[str, object]) -> bytes:
    """Return the data with an object as the named member: `values` set, `defaults` set where they are missing.

    >>> update_object(b'{"a": 1}', "about", {"made": 2025}, {"seen": 2026})
    b'{"about": {"made": 2025, "seen": 2026}, "a": 1}'
    """
    text = _decode(data)
    members = _members(text)
    if members is None:
        raise InputError("only a JSON object can hold metadata", hint="they go into a sidecar file")
    own = next((member for member in members if member.name == name), None)
    if own is not None:
        return _encode(data, text[: own.value] + _update_member(text, own, defaults, values) + text[own.end :])
    inside = text.index("{") + 1
    first = _after_space(text, inside)
    gap = text[inside:first]
    if not members and (broken := _LINE_BREAK.search(gap)):
        gap = broken[0] + _indent(gap) + _STEP
    member = f'"{name}": {_object_text(dict(defaults) | dict(values), gap)}'
    if members:
        return _encode(data, text[:first] + f"{member},{gap or ' '}" + text[first:])
    return _encode(data, text[:inside] + gap + member + text[inside:])


def _update_member(text: str, own: _Member, defaults: Mapping[str, object], values: Mapping[str, object]) -> str:
    """Return the text of an existing member with values set, the rest unchanged."""
    if not text.startswith("{", own.value):
        raise InputError("is not an object", field=own.name)
    members, _ = _object(text, own.value + 1)
    names = {member.name for member in members}
    added = {key: value for key, value in (dict(defaults) | dict(values)).items() if key not in names}
    if not members:
        return _object_text(added, text[own.gap : own.key])
    found, read = "", own.value
    for member in members:
        if member.name in values:
            found += text[read : member.value] + _dump(values[member.name])
            read = member.end
    last = members[-1]
    gap = text[last.gap : last.key] or " "
    more = "".join(f",{gap}{_dump(key)}: {_dump(value)}" for key, value in added.items())
    return found + text[read : last.end] + more + text[last.end : own.end]


def _dump(value: object) -> str:
    """Return a value as JSON; non-ASCII characters are escaped only if they cannot be encoded as UTF-8."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _find_header(text: str, members: list[_Member]) -> tuple[int, Fields]:
    """Return the index and the fields of our member; raise InputError if there is none, or another of its name."""
    named = [index for index, member in enumerate(members) if member.name == NAME]
    if not named:
        raise InputError("is missing", field=NAME)
    try:
        fields = json.loads(text[members[named[0]].value : members[named[0]].end])
        if len(named) == 1 and isinstance(fields, dict):
            check_data(fields)
            return named[0], fields
    except (ValueError, InputError):
        pass
    raise InputError("exists but is not a scoring header", field=NAME, hint="rename it")


def _header_text(fields: Fields, gap: str) -> str:
    """Return the fields as an object, one per line if the space before it has a line break."""
    return _object_text({key: fields[key] for key in DATA if key in fields}, gap)


def _object_text(values: Mapping[str, object], gap: str) -> str:
    pairs = [f"{_dump(key)}: {_dump(value)}" for key, value in values.items()]
    broken = _LINE_BREAK.search(gap)
    if not broken:
        return "{" + ", ".join(pairs) + "}"
    outer = broken[0] + _indent(gap)
    inner = outer + _indent(gap)
    return "{" + inner + f",{inner}".join(pairs) + outer + "}"


def _indent(gap: str) -> str:
    return _LINE_BREAK.split(gap)[-1]


def _decode(data: bytes) -> str:
    try:
        return data[text_start(data) :].decode()
    except UnicodeDecodeError as error:
        raise InputError(f"invalid JSON: not UTF-8 at byte {error.start}") from error


def _encode(before: bytes, text: str) -> bytes:
    return (BOM if before.startswith(BOM) else b"") + text.encode()


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_no_constant)
"""Numbers stay text, so that their size does not matter."""


def _members(text: str) -> list[_Member] | None:
    """Return the members of the outermost object, or None if the outermost value is not an object."""
    try:
        return _parse(text)
    except json.JSONDecodeError as error:
        raise InputError(f"invalid JSON: {error.msg}", line=error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"invalid JSON: {error}") from error


def _parse(text: str) -> list[_Member] | None:
    at = _after_space(text, 0)
    members: list[_Member] | None = None
    if text.startswith("{", at):
        members, end = _object(text, at + 1)
    else:
        _, end = _DECODER.raw_decode(text, at)
    if _after_space(text, end) < len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    return members


def _object(text: str, gap: int) -> tuple[list[_Member], int]:
    """Return the members of an object and the offset of its end; `gap` is the offset after its brace."""
    members: list[_Member] = []
    key = _after_space(text, gap)
    if text.startswith("}", key):
        return members, key + 1
    while True:
        _expect('"', text, key)
        name, end = _DECODER.raw_decode(text, key)
        colon = _after_space(text, end)
        _expect(":", text, colon)
        value = _after_space(text, colon + 1)
        _, end = _DECODER.raw_decode(text, value)
        members.append(_Member(name, gap, key, value, end))
        comma = _after_space(text, end)
        if text.startswith("}", comma):
            return members, comma + 1
        _expect(",", text, comma)
        gap = comma + 1
        key = _after_space(text, gap)


def _expect(sign: str, text: str, at: int) -> None:
    if not text.startswith(sign, at):
        raise json.JSONDecodeError(f"Expecting {sign}", text, at)
