"""Read Markdown without a parser: its text outside of code, its links, and the files it names.

A scan reads every page, also hostile ones, so each function takes time in proportion to the length of its text.
"""

import re
from urllib.parse import unquote

# What may begin code or a comment. Every alternative begins with a fixed character, so that the search skips the rest
# of a text quickly: with `^[ \t]*` instead of a line break it took 0.4 ms for a page of 25 KB, and now 0.02 ms.
_START = re.compile(r"`|<!--|\n[ \t]*(```|~~~)(?=[^\n]*\n)")
_SPAN = re.compile(r"`[^`\n]*`")
_CLOSING = {"```": re.compile(r"\n[ \t]*```[^\n]*"), "~~~": re.compile(r"\n[ \t]*~~~[^\n]*")}
# List items that are nothing but a quoted text: examples of a wording, not the wording of the document.
_QUOTED_ITEM = re.compile(
    r"""\n[ \t]*(?:[-*+]|\d+[.)])[ \t]+["'\u201c\u2018][^\n]*["'\u201d\u2019][ \t]*\r?(?=\n|\Z)"""
)
# The target of [text](target "title"); it may hold one pair of parentheses. A title holds no `]`: a title
# without an end would be read to the end of the line again for every link in it.
_LINK = re.compile(r"\]\(<?([^()\s<>]+(?:\([^()\s]*\)[^()\s]*)?)>?(?:\s+[\"'(][^\n\]]*?)?\)")
# [label]: target "title", the target of [text][label], [label][] and [label]. A label with ^ is a footnote.
_DEFINITION = re.compile(
    r"\n {0,3}\[(?!\^)([^\[\]\n]{1,300})\]:[ \t]{0,9}(?:\r?\n[ \t]{1,9})?<?([^\s<>]{1,500})>?[ \t]*"
    r"(?=[\"'(][^\n]*[\"')][ \t]*\r?(?:\n|\Z)|\r?(?:\n|\Z))"
)
_LABEL = re.compile(r"\[([^\[\]]{1,300})\]")
# The targets of <a href="target"> and <img src="target">, which Markdown leaves as they are.
_TAG = re.compile(r"<(?:a|img)\s(?:[^<>]{0,500}?\s)?(?:href|src)=[\"']([^\"'<>{}\s]{1,500})[\"']")
# Targets that are no path: addresses, anchors, template expressions.
_NO_PATH = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[#{?\\]|%7B|//")
# A file or a target of make that is named between backticks, as in `src/parser.py:12` or `make test`.
_NAME = re.compile(r"`((?:[\w.-]+/)+[\w-][\w.-]*\.[A-Za-z]\w{0,4}|make [a-z][\w-]*)(?::\d+(?:-\d+)?)?`")
# Titles, and names that a page gives to places. Formatting is removed by `anchor_key`, which leaves letters and digits.
_HEADING = re.compile(r"\n[ \t>]{0,9}#{1,6}[ \t]+([^\n]{1,400})")
_UNDERLINED = re.compile(r"\n([^\n]{1,400})\n(?:={2,400}|-{2,400})[ \t]*(?=\r?\n|\Z)")
_LINKED = re.compile(r"!?\[([^\[\]\n]{0,300})\]\([^()\n]{0,300}\)")
_EMPHASIS = re.compile(r"(?<!\*)\*([^*\n]{1,200})\*(?!\*)")
_ID = re.compile(
    r"\b(?:id|name)=[\"']?([\w.:-]{1,200})|\{[^{}\n]{0,80}#([\w.:-]{1,200})"
    r"|\n\(([\w.: -]{1,200})\)=|\[\^([\w-]{1,80})\]"
)
# What adds titles that the page itself does not have: docstrings, snippets, templates.
_SHOWS_MORE = re.compile(r"\n:::|--8<--|\{[%{]|\n`{3,9}\{|!!? ?include|\[TOC\]", re.IGNORECASE)
_MOST = 200
"""Links and names of one page that are read."""


def remove_code(text: str, *, spans: bool = True) -> str:
    r"""Return a text with a space instead of each fenced code block and comment and, with `spans`, each code span.

    A block or comment without an end is text.

    >>> remove_code("Run `make`:\n```sh\nmake\n```\nand <!-- not --> wait.")
    'Run  :\n \nand   wait.'
    """
    # Searching for one character is twenty times as fast as for several.
    if "`" not in text and ("<" not in text or "<!--" not in text) and ("~" not in text or "~~~" not in text):
        return text
    text = "\n" + text  # so that the first line begins like the others
    pieces, kept, place = [], 0, 0
    unclosed = set()
    while found := _START.search(text, place):
        start, fence = found.start(), found[1]
        sign = fence or found[0]
        end = -1 if sign in unclosed or (sign == "`" and not spans) else _end_of_code(text, found)
        if end < 0:
            if sign != "`":
                unclosed.add(sign)
            place = found.end() - 3 if fence == "```" else found.end()
            continue
        begin = start + 1 if fence else start
        pieces.append(text[kept:begin])
        kept = place = end
    return " ".join([*pieces, text[kept:]])[1:]


def _end_of_code(text: str, found: re.Match[str]) -> int:
    """Return where the code or comment ends that begins at a match of `_START`; -1 if it has no end."""
    if found[1]:
        closing = _CLOSING[found[1]].search(text, text.index("\n", found.end()))
        return -1 if closing is None else closing.end()
    if found[0] == "`":
        span = _SPAN.match(text, found.start())
        return -1 if span is None else span.end()
    end = text.find("-->", found.end())
    return -1 if end < 0 else end + len("-->")


def remove_quoted_items(text: str) -> str:
    r"""Return a text with a space instead of each list item that is nothing but a quoted text.

    >>> remove_quoted_items("Never write:\n- 'it is clear that'\n- nothing\n")
    'Never write:\n \n- nothing\n'
    """
    if not any(quote in text for quote in "\"'\u201c\u2018"):
        return text
    return _QUOTED_ITEM.sub("\n ", "\n" + text)[1:]


def find_links(outside: str) -> tuple[str, ...]:
    r"""Return the links of a text without code to files, without their anchors and queries.

    >>> find_links('[a](a.md#part), [b], <img src="c.png">, [d](/d.md)\n\n[b]: b.md "B"\n')
    ('a.md', '/d.md', 'b.md', 'c.png')
    """
    targets = (target for target in _find_targets(outside) if not _NO_PATH.match(target))
    return tuple(dict.fromkeys(target.partition("#")[0].partition("?")[0] for target in targets))[:_MOST]


def find_anchored_links(outside: str) -> tuple[str, ...]:
    """Return the links of a text without code that lead to a place within a page."""
    targets = (target for target in _find_targets(outside) if "#" in target) if "#" in outside else ()
    anchored = (target for target in targets if target[0] == "#" or not _NO_PATH.match(target))
    return tuple(dict.fromkeys(anchored))[:_MOST]


def _find_targets(outside: str) -> list[str]:
    """Return the targets of all links: inline, by reference, and in tags of HTML."""
    targets = _LINK.findall(outside) if "](" in outside else []
    if "]:" in outside:
        text = "\n" + outside
        if definitions := _DEFINITION.findall(text):
            used = {_label_key(label) for label in _LABEL.findall(_DEFINITION.sub("\n", text))}
            targets += [target for label, target in definitions if _label_key(label) in used]
    if "<a" in outside or "<img" in outside:
        targets += _TAG.findall(outside)
    return targets


def _label_key(label: str) -> str:
    return " ".join(label.split()).lower()


def find_anchors(text: str) -> set[str] | None:
    r"""Return the places within a page that a link can lead to, as `anchor_key` writes them; None if not all are known.

    >>> sorted(find_anchors("# What is *new*?\n\n## Old {#past}\n"))
    ['oldpast', 'past', 'whatisemnewem', 'whatisnew']
    """
    if _SHOWS_MORE.search(text):
        return None
    outside = remove_code(text, spans=False)
    titles = [_LINKED.sub(r"\1", title) for title in _HEADING.findall("\n" + outside)]
    anchors = {anchor_key(title) for title in titles}
    # Some generators take the tags of emphasis for letters.
    anchors.update(anchor_key(_EMPHASIS.sub(r"em\1em", title)) for title in titles if "*" in title)
    anchors.update(anchor_key(title) for title in _UNDERLINED.findall("\n" + outside))
    anchors.update(anchor_key(next(filter(None, names))) for names in _ID.findall("\n" + text))
    return anchors


def anchor_key(title: str) -> str:
    """Return the letters and digits of a title or an anchor: site generators write everything else differently."""
    return "".join(filter(str.isalnum, unquote(title).lower()))


def find_names(text: str) -> tuple[str, ...]:
    """Return the files, and the targets of make, that a text names between backticks.

    >>> find_names("See `src/parser.py:12`, run `make test`. `a/*.py` is a pattern.")
    ('src/parser.py', 'make test')
    """
    if "`" not in text or not _NAME.search(text):
        return ()
    return tuple(dict.fromkeys(_NAME.findall(remove_code(text, spans=False))))[:_MOST]
