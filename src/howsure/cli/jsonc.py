"""Edit JSON with comments and trailing commas, and keep them."""

import re
from collections.abc import Callable

# A string, or a comment; strings are matched so that what looks like a comment inside one is left alone. What does not
# end goes up to the end of the text: looking for an end from each of many beginnings would take quadratic time.
_STRING = r'"(?:\\.|[^"\\])*+(?:"|\\?\Z)'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*(?:.*?\*/|.*)", re.DOTALL)
_TRAILING = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)


def blank_comments(text: str) -> str:
    r"""Return the text with spaces for comments and trailing commas, so that it is JSON and every place stays the same.

    >>> blank_comments('{"a": "//", // b\n}')
    '{"a": "//"      \n}'
    """

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        unfinished = found.startswith("/*") and not found.endswith("*/", 2)
        return found if unfinished or found.startswith('"') else re.sub(r"[^\r\n]", " ", found)

    return _TRAILING.sub(blank, _COMMENT.sub(blank, text))


def edit(text: str, change: Callable[[str], str]) -> str:
    r"""Apply a change of JSON to a text with comments: what the change leaves alone stays as it is.

    >>> edit('{"a": 1 /* one */}', lambda plain: plain.replace("1", "2"))
    '{"a": 2 /* one */}'
    """
    plain = blank_comments(text)
    changed = change(plain)
    shorter = min(len(plain), len(changed))
    start = next((place for place in range(shorter) if plain[place] != changed[place]), shorter)
    most = shorter - start
    end = next((place for place in range(most) if plain[-1 - place] != changed[-1 - place]), most)
    return text[:start] + changed[start : len(changed) - end] + text[len(text) - end :]
