"""Odd values, and examples with parts replaced by them."""

import copy
import json
import random
from typing import Any

NUMBERS: tuple[Any, ...] = (
    *(0, -1, 1, 2, 100, 2**31, 2**53 + 1, 2**63, -(2**63), 10**400),
    *(0.5, 0.999, -0.0, 1e308, -1e308, 1e-320, 1.5e9, float("inf"), float("nan")),
)
TEXTS = (
    *("", " ", "\0", "\x1b[2J", "\ud800", "\u202e", "\u2028", "\ufeff", "é" * 300, "x" * 5000, "a\u0301\u0327" * 40),
    *("'; DROP TABLE claims; --", "../../etc/passwd", "1e999", "NaN", "9" * 400, "2027-13-45", "%", "%s%n{0}", "a:b"),
    *("@last", "*", "[", "(((((", "${jndi}", "<script>", "=1+1", "\r\nX: y", "```python\nx = (\n", "---\na: &a [*a]\n"),
    *("It is not so.", "It is so.", "On 31 February 2020 it cost -1 000,5 km.", "I think. " * 50, "ß", "İ", "\u0130x"),
)
ODD: tuple[Any, ...] = (
    *(None, True, False),
    *NUMBERS,
    *TEXTS,
    *([], {}, [[]], [None], {"": None}, {"a": {"a": {"a": []}}}, [1, "a", None], {"__class__": 1}, ["x"] * 200),
)
SIGNS = b'\0\xff\xfe\xef\xbb\xbf{}[]",:\\\n\r\t-#`|&*!%@<>=\x1b'
"""Bytes that mean something in one of the formats."""


def odd(dice: random.Random) -> Any:
    """Return an odd value of any type."""
    return copy.deepcopy(dice.choice(ODD))


def odd_text(dice: random.Random) -> str:
    """Return an odd text."""
    return dice.choice(TEXTS)


def mutate(value: Any, dice: random.Random) -> Any:
    """Return a value with a random part replaced, removed, repeated or added; its shape is mostly kept."""
    if isinstance(value, str) and value and dice.random() < 0.5:
        return damage_text(value, dice)
    if isinstance(value, bool | int | float) and dice.random() < 0.5:
        return dice.choice(NUMBERS)
    if dice.random() < 0.15 or not isinstance(value, dict | list) or not value:
        return odd(dice)
    value = copy.copy(value)
    key: Any = dice.choice(list(value)) if isinstance(value, dict) else dice.randrange(len(value))
    chance = dice.random()
    if chance < 0.1:
        del value[key]
    elif chance < 0.2:
        if isinstance(value, dict):
            value[odd_text(dice)[:50]] = odd(dice)
        else:
            value.extend(copy.deepcopy(value[:20]))
    else:
        value[key] = mutate(value[key], dice)
    return value


def mutate_often(value: Any, dice: random.Random) -> Any:
    """Return a value with some parts replaced; one input in ten stays as it is."""
    for _ in range(dice.choice((0, 1, 1, 1, 1, 1, 2, 2, 3, 5))):
        value = mutate(value, dice)
    return value


def damage_text(text: str, dice: random.Random) -> str:
    """Return a text with a part removed, repeated, moved or replaced by an odd one."""
    start = dice.randrange(len(text) + 1)
    end = min(len(text), start + dice.randrange(20))
    chance = dice.random()
    if chance < 0.3:
        return text[:start] + odd_text(dice)[:100] + text[end:]
    if chance < 0.6:
        return text[:start] + text[end:]
    if chance < 0.8:
        return text[:end] + text[start:end] * dice.randrange(1, 30) + text[end:]
    return text[end:] + text[:end]


def damage(content: bytes, dice: random.Random) -> bytes:
    """Return bytes with some of them removed, repeated, changed or cut off."""
    for _ in range(dice.randrange(4)):
        start = dice.randrange(len(content) + 1)
        end = min(len(content), start + dice.randrange(12))
        chance = dice.random()
        if chance < 0.4:
            content = content[:start] + bytes([dice.choice(SIGNS)]) + content[end:]
        elif chance < 0.6:
            content = content[:start] + content[end:]
        elif chance < 0.75:
            content = content[:end] + content[start:end] * dice.randrange(1, 20) + content[end:]
        elif chance < 0.9:
            content = content[:start] + dice.randbytes(dice.randrange(1, 5)) + content[start:]
        else:
            content = content[:start]
    return content


def as_json(value: Any, dice: random.Random) -> bytes:
    """Return a value as JSON, now and then damaged."""
    try:
        text = json.dumps(value).encode("utf-8", "surrogatepass")
    except ValueError:
        text = b"{}"
    return damage(text, dice) if dice.random() < 0.1 else text
