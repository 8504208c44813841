"""Members of a JSON object: the scoring header `_confidence`, edited without a change to any other byte."""

import json
import re
from collections.abc import Mapping
from typing import NamedTuple, NoReturn

from howsure.documents.headers.fields import DATA, Fields, check_data
from howsure.documents.headers.placement import BOM, start
from howsure.errors import InputError

NAME = "_confidence"
_SPACE = re.compile(r"[ \t\r\n]*+")
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_STEP = "  "


class _Member(NamedTuple):
    """A member of the outermost object; every place is one in the text."""

    name: str
    gap: int
    """Where the space before it begins, behind a brace or a comma."""
    key: int
    value: int
    end: int


def is_object(data: bytes) -> bool:
    """Say whether the data are a JSON object, and so have room for a member; refuse what is no JSON."""
    return _members(_text(data)) is not None


def read_member(data: bytes) -> Fields | None:
    """Return the fields of our own member, if there is one."""
    try:
        text = _text(data)
        return _ours(text, _members(text) or [])[1]
    except InputError:
        return None


def cut_member(data: bytes) -> bytes:
    """Return the data without our own member."""
    try:
        text = _text(data)
        members = _members(text) or []
        index, _ = _ours(text, members)
    except InputError:
        return data
    own = members[index]
    if index:
        return _data(data, text[: own.gap - 1] + text[own.end :])
    if len(members) == 1:
        return _data(data, text[: own.gap] + text[own.end :])
    return _data(data, text[: own.key] + text[members[1].key :])


def put_member(data: bytes, fields: Fields) -> bytes:
    """Return the data with our own member: where it stands, or before all others.

    >>> put_member(b'{"a": 1}', {"score": 0.997, "human_validated": True})
    b'{"_confidence": {"score": 0.997, "human_validated": true}, "a": 1}'
    """
    check_data(fields)
    text = _text(data)
    members = _members(text)
    if members is None:
        raise InputError("there is no room for a header in JSON that is no object", hint="it goes into a file beside")
    if any(member.name == NAME for member in members):
        own = members[_ours(text, members)[0]]
        return _data(data, text[: own.value] + _written(fields, text[own.gap : own.key]) + text[own.end :])
    inside = text.index("{") + 1
    first = _after_space(text, inside)
    gap = text[inside:first]
    if members:
        member = f'"{NAME}": {_written(fields, gap)},{gap or " "}'
        return _data(data, text[:first] + member + text[first:])
    if broken := _LINE_BREAK.search(gap):
        gap = broken[0] + _indent(gap) + _STEP
    return _data(data, text[:inside] + f'{gap}"{NAME}": {_written(fields, gap)}' + text[inside:])


def update_object(data: bytes, name: str, usual: Mapping[str, object], told: Mapping[str, object]) -> bytes:
    """Return the data with an object under a name in which some values are told anew, and some where there are none.

    >>> update_object(b'{"a": 1}', "about", {"made": 2025}, {"seen": 2026})
    b'{"about": {"made": 2025, "seen": 2026}, "a": 1}'
    """
    text = _text(data)
    members = _members(text)
    if members is None:
        raise InputError("there is no room for it in JSON that is no object", hint="it goes into a file beside")
    own = next((member for member in members if member.name == name), None)
    if own is not None:
        return _data(data, text[: own.value] + _updated(text, own, usual, told) + text[own.end :])
    inside = text.index("{") + 1
    first = _after_space(text, inside)
    gap = text[inside:first]
    if not members and (broken := _LINE_BREAK.search(gap)):
        gap = broken[0] + _indent(gap) + _STEP
    member = f'"{name}": {_object_text(dict(usual) | dict(told), gap)}'
    if members:
        return _data(data, text[:first] + f"{member},{gap or ' '}" + text[first:])
    return _data(data, text[:inside] + gap + member + text[inside:])


def _updated(text: str, own: _Member, usual: Mapping[str, object], told: Mapping[str, object]) -> str:
    """Return an object in which some values are told anew, and some where there are none; the rest is as it was."""
    if not text.startswith("{", own.value):
        raise InputError("it is there, but is no object", field=own.name)
    members, _ = _object(text, own.value + 1)
    names = {member.name for member in members}
    added = {key: value for key, value in (dict(usual) | dict(told)).items() if key not in names}
    if not members:
        return _object_text(added, text[own.gap : own.key])
    found, read = "", own.value
    for member in members:
        if member.name in told:
            found += text[read : member.value] + _dumped(told[member.name])
            read = member.end
    last = members[-1]
    gap = text[last.gap : last.key] or " "
    more = "".join(f",{gap}{_dumped(key)}: {_dumped(value)}" for key, value in added.items())
    return found + text[read : last.end] + more + text[last.end : own.end]


def _dumped(value: object) -> str:
    """Return a value as JSON, letters as they are; what cannot be written as UTF-8 is spelled out."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _ours(text: str, members: list[_Member]) -> tuple[int, Fields]:
    """Return which member is our own, and its fields; refuse any other of its name."""
    named = [index for index, member in enumerate(members) if member.name == NAME]
    if not named:
        raise InputError("there is none", field=NAME)
    try:
        fields = json.loads(text[members[named[0]].value : members[named[0]].end])
        if len(named) == 1 and isinstance(fields, dict):
            check_data(fields)
            return named[0], fields
    except (ValueError, InputError):
        pass
    raise InputError("there is one that is not a header of ours", field=NAME, hint="rename it")


def _written(fields: Fields, gap: str) -> str:
    """Return the fields as an object: on lines of their own where the space before it has a line break."""
    return _object_text({key: fields[key] for key in DATA if key in fields}, gap)


def _object_text(values: Mapping[str, object], gap: str) -> str:
    pairs = [f"{_dumped(key)}: {_dumped(value)}" for key, value in values.items()]
    broken = _LINE_BREAK.search(gap)
    if not broken:
        return "{" + ", ".join(pairs) + "}"
    outer = broken[0] + _indent(gap)
    inner = outer + _indent(gap)
    return "{" + inner + f",{inner}".join(pairs) + outer + "}"


def _indent(gap: str) -> str:
    return _LINE_BREAK.split(gap)[-1]


def _text(data: bytes) -> str:
    try:
        return data[start(data) :].decode()
    except UnicodeDecodeError as error:
        raise InputError(f"is no JSON: it is not UTF-8 at byte {error.start}") from error


def _data(before: bytes, text: str) -> bytes:
    return (BOM if before.startswith(BOM) else b"") + text.encode()


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_no_constant)
"""Numbers stay text: their size is no concern here."""


def _members(text: str) -> list[_Member] | None:
    """Return the members of the outermost object, or None where the outermost value is no object."""
    try:
        return _parsed(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is no JSON: {error.msg}", line=error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"is no JSON that can be read: {error}") from error


def _parsed(text: str) -> list[_Member] | None:
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
    """Return the members of an object and where it ends; its first member begins behind `gap`."""
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
