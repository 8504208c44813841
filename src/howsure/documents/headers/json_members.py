"""Edit members of a JSON object, such as the scoring header `_confidence`, without changing any other byte."""

import json
import re
from collections.abc import Mapping

from howsure.documents.headers.fields import DATA, Fields, check_data
from howsure.documents.headers.placement import BOM, text_start
from howsure.errors import InputError
from howsure.json_items import Item, find_items, find_value_end, skip_blank

NAME = "_confidence"
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_STEP = "  "


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
    return _encode(data, text[: own.start] + text[members[1].start :])


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
        return _encode(data, text[: own.value] + _header_text(fields, text[own.gap : own.start]) + text[own.end :])
    inside = text.index("{") + 1
    first = skip_blank(text, inside)
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
    first = skip_blank(text, inside)
    gap = text[inside:first]
    if not members and (broken := _LINE_BREAK.search(gap)):
        gap = broken[0] + _indent(gap) + _STEP
    member = f'"{name}": {_object_text(dict(defaults) | dict(values), gap)}'
    if members:
        return _encode(data, text[:first] + f"{member},{gap or ' '}" + text[first:])
    return _encode(data, text[:inside] + gap + member + text[inside:])


def _update_member(text: str, own: Item, defaults: Mapping[str, object], values: Mapping[str, object]) -> str:
    """Return the text of an existing member with values set, the rest unchanged."""
    if not text.startswith("{", own.value):
        raise InputError("is not an object", field=str(own.name))
    members, _ = find_items(text, own.value)
    names = {member.name for member in members}
    added = {key: value for key, value in (dict(defaults) | dict(values)).items() if key not in names}
    if not members:
        return _object_text(added, text[own.gap : own.start])
    found, read = "", own.value
    for member in members:
        if member.name in values:
            found += text[read : member.value] + _dump(values[str(member.name)])
            read = member.end
    last = members[-1]
    gap = text[last.gap : last.start] or " "
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


def _find_header(text: str, members: list[Item]) -> tuple[int, Fields]:
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


def _members(text: str) -> list[Item] | None:
    """Return the members of the outermost object, or None if the outermost value is not an object."""
    try:
        return _parse(text)
    except json.JSONDecodeError as error:
        raise InputError(f"invalid JSON: {error.msg}", line=error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"invalid JSON: {error}") from error


def _parse(text: str) -> list[Item] | None:
    at = skip_blank(text, 0)
    members: list[Item] | None = None
    if text.startswith("{", at):
        members, end = find_items(text, at)
    else:
        end = find_value_end(text, at)
    if skip_blank(text, end) < len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    return members
