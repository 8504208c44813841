"""Undo what hides the words of a text from a search: markup inside them, invisible characters, foreign letters."""

import re
from collections.abc import Callable
from html import unescape
from unicodedata import normalize

_EMPHASIS = r"(?<![^\W_])_+(?=[^\W_])|(?<=[^\W_])_+(?![^\W_])"
# Tags, comments, and stars inside a word, as in "<b>pro</b>bably" and "pro**bab**ly".
_MARKUP = r"</?[a-zA-Z][^<>]{0,200}>|<!--.{0,500}?-->|(?<=[^\W\d_])\*{1,3}(?=[^\W\d_])"
_BREAKS = r"</?(?:br|p|div|li|[uo]l|t[dhr]|table|h[1-6r]|section|blockquote|pre)\b"
"""Tags between which words are apart; all others are shown as part of a line."""
_ENTITY = r"&(?:#\d{1,6}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]{2,8});"
_INVISIBLE = (
    r"[\xad\u0300-\u036f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_FOREIGN = (
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf\u043a\u043c"
    "\u0261\u0251\u0131\u03bf\u03b1\u03bd\u03b9\u03c1\u03c5\u03ba"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405\u0423"
    "\u0391\u0392\u0395\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u03a5\u0396"
)
_LATIN = "aeopcxyijshdqwlkmgaioavipukABEKMHOPCTXIJSYABEHIKMNOPTXYZ"
_LOOK_ALIKE = dict(zip(_FOREIGN, _LATIN, strict=True))
"""Letters of the Cyrillic, Greek and phonetic alphabets that look like Latin ones."""


def unmask(text: str) -> tuple[str, list[int] | None]:
    """Return a text without what hides words, and where each character was; None if all are in their place.

    Underscores around words ("_probably_") become blanks. Tags of HTML, stars inside words and invisible characters go;
    letters of other forms and alphabets that look like Latin ones become these.

    >>> [unmask(text)[0] for text in ("pro<b>bab</b>ly", "pro&shy;bably", "pr\u043ebably", "\U0001d429robably")]
    ['probably', 'probably', 'probably', 'probably']
    """
    text = re.sub(_EMPHASIS, lambda match: " " * len(match[0]), text)
    places: list[int] | None = None
    if "<" in text or "*" in text:
        text, places = _replace(_MARKUP, lambda found: " " if re.match(_BREAKS, found) else "", text, places)
    if "&" in text:
        text, places = _replace(_ENTITY, unescape, text, places)
    if text.isascii():
        return text, places
    plain = {character: _plain_letter(character) for character in set(text) if not character.isascii()}
    if any(len(letter) != 1 for letter in plain.values()):
        return _replace(f"[{re.escape(''.join(plain))}]", plain.__getitem__, text, places)
    return text.translate({ord(character): letter for character, letter in plain.items()}), places


def _plain_letter(character: str) -> str:
    """Return the Latin letters that a character looks like, nothing if it is invisible, or the character itself."""
    if character in _LOOK_ALIKE:
        return _LOOK_ALIKE[character]
    if re.match(_INVISIBLE, character):
        return ""
    plain = normalize("NFKC", character)
    return plain if plain.isascii() and (plain.isalpha() or plain in "'.,!?") else character


def _replace(
    pattern: str, new: Callable[[str], str], text: str, places: list[int] | None
) -> tuple[str, list[int] | None]:
    """Replace what a pattern matches; return the text and where each of its characters was."""
    parts: list[str] = []
    kept: list[int] = []
    end = 0
    for match in re.finditer(pattern, text, re.DOTALL):
        replacement = new(match[0])
        parts += [text[end : match.start()], replacement]
        kept += [*range(end, match.start()), *[match.start()] * len(replacement)]
        end = match.end()
    if not parts:
        return text, places
    kept.extend(range(end, len(text)))
    return "".join([*parts, text[end:]]), kept if places is None else [places[place] for place in kept]
