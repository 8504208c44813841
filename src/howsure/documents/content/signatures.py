"""Read the signatures that a page writes out by hand, in directives of Sphinx such as `.. function:: pay(amount)`."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from howsure.documents.content.outlines import split_list

# The directive and the name; the list of parameters is read by `split_list`.
_DIRECTIVE = re.compile(
    r"\n[ \t]{0,40}(?:\.\. |`{3,9}\{)(?:py:)?"
    r"(class|exception|function|coroutinefunction|coroutine|decorator|(?:async|class|static|coroutine)?-?method)"
    r"(?:::|\})[ \t]*(?:(?:async|final|abstract)[ \t]+)?([A-Za-z_][\w.]{0,200})(\()?"
)
_PARAMETER = re.compile(r"\s*(\*{0,2})([A-Za-z_]\w*)\s*(?:[:=]|$)")
_SUBSCRIPT = re.compile(r"\w\[\s*[^\s,]")
_LONGEST = 3000
"""Characters of a signature that are read."""
_MOST = 300
"""Signatures of one page that are read."""
OPEN = "**"
"""Stands among the parameters of a signature that takes more than it lists."""


class Signature(NamedTuple):
    """What a page says that something can be called with."""

    name: str
    """With the class before the name of a method."""
    parameters: tuple[str, ...]
    """Their names; `OPEN` if there may be more."""


def find_signatures(text: str) -> tuple[str, ...]:
    r"""Return the signatures of a page, each as its name and its parameters with spaces between them.

    >>> find_signatures("\n.. class:: Cart(owner, *, size=3)\n\n   .. method:: add(item[, number], **more)\n")
    ('Cart owner size', 'Cart.add item number **')
    """
    return tuple(" ".join((one.name, *one.parameters)) for one in islice(_signatures(text), _MOST))


def _signatures(text: str) -> Iterator[Signature]:
    owner = ""
    for found in _DIRECTIVE.finditer(text):
        kind, name, opens = found.groups()
        short = name.rpartition(".")[2]
        if kind in ("class", "exception"):
            owner = short
        elif kind.endswith("method") and "." not in name:
            name = f"{owner}.{name}"
        if opens and not name.startswith("."):
            yield Signature(name, tuple(_parameters(text, found.end() - 1)))


def _parameters(text: str, start: int) -> Iterator[str]:
    # A star may be escaped, and so may a line break.
    line = text[start : start + _LONGEST].partition("\n\n")[0].replace("\\\n", " ").replace("\\", "")
    if not _SUBSCRIPT.search(line):  # then optional parameters may be written as `pay(amount[, currency])`
        line = line.replace("[", "").replace("]", "")
    for part in split_list(line, 0):
        stripped = part.strip()
        found = _PARAMETER.match(stripped)
        if stripped in ("*", "/", ""):
            continue
        if found is None or found[1] == "**":
            yield OPEN
        elif not found[1]:
            yield found[2]
