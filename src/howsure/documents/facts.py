"""Read what one file says about itself: metadata, patterns, links and its scoring header.

Facts depend on the file alone, not on the time or on git, so they can be cached.
"""

import codecs
import re
from functools import lru_cache
from typing import Any, NamedTuple

from howsure.documents.document import Kind
from howsure.documents.front_matter import DeclaredMetadata, front_matter, parse_metadata, yaml_metadata
from howsure.documents.headers import edit as headers
from howsure.documents.markdown import find_links, find_names, remove_code, remove_quoted_items
from howsure.documents.restructuredtext import find_rst_links
from howsure.documents.symbols import SIGNS, PythonNames, find_python_names
from howsure.errors import InputError
from howsure.formulas.ops import FLOATS
from howsure.formulas.patterns import Patterns
from howsure.text.patterns import Matcher, Pack, Pattern, get_matcher

_WIDE_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HTML = (".html", ".htm")
_TAG = re.compile(r"<[^<>]*>")
_MARKDOWN = (".md", ".markdown")
_WITH_FRONT_MATTER = (".md", ".markdown", ".mdx", ".txt", ".html", ".htm", ".rst", ".adoc", ".org")


_BEGINNING = 400
"""Characters at the top of a page in which it may say that it is generated."""
_ADDRESS = re.compile(r"https?://[^\s<>()]+")
_GENERATED = re.compile(r"do not edit|auto(?:matically)?[- ]?generated", re.IGNORECASE)
_LONG, _LITTLE = 4000, 250
"""Characters from which a page is not brief, and bytes of text of its own up to which it is."""
_MARKUP_LINES = (" ", "\t", "..", ":", "#", "=", "-", "~", "^", "(", "|", "<", "{", "[", "!", "+++")
"""How lines begin that are markup or part of a directive, rather than text."""
_NO_NAMES = PythonNames()


class Facts(NamedTuple):
    """What a file says about itself, as plain data that can be cached."""

    sources: tuple[tuple[float, float], ...] = ()
    """(evidence weight, observation) of each source."""
    metadata: dict[str, Any] | None = None
    validated: str = ""
    matches: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    boost: float = 0.0
    """Sum of the weights of the patterns found."""
    bonus: float = 0.0
    """Bonus of the milestones that the patterns reach."""
    links: tuple[str, ...] = ()
    """Relative links to other files, as they are written."""
    header: dict[str, Any] | None = None
    """Fields of the scoring header in the file."""
    problems: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Files and targets of make that it names."""
    expires: str = ""
    """Day from which it no longer holds, as it declares; empty if it names none."""
    python: PythonNames = PythonNames()
    """Names of Python code that it mentions, and the versions of Python that it asks for."""
    brief: bool = False
    """Whether it has next to no text of its own, such as a table of contents."""
    binary: bool = False
    """Whether the file is binary; then nothing else is known."""


class FactsReader:
    """Reads the facts of files, with the patterns of one pack."""

    def __init__(self, pack: Pack) -> None:
        """Build the matcher for the pack's patterns."""
        # Finding a few more texts takes no more time, and then most pages need not be searched for them again.
        own = {pattern.pattern: pattern.whole_word for pattern in pack.patterns}
        signs = tuple(Pattern(text, "M1", 0.0) for text in SIGNS if text not in own)
        self._matcher: Matcher = get_matcher((*pack.patterns, *signs))
        self._hidden = frozenset(pattern.pattern for pattern in signs)
        self._unsure = frozenset(text for text in SIGNS if own.get(text))  # found only as whole words
        self._model = Patterns(**dict(pack.thresholds))
        self._weigh = lru_cache(maxsize=4096)(self._weigh_patterns)

    def read(self, path: str, kind: Kind, data: bytes, sidecar: bytes | None = None) -> Facts:
        """Return the facts of a file; `sidecar` is the content of its `.confidence.json` file, if it has one."""
        text, utf8, problem = decode_text(data)
        if text is None:
            return Facts(binary=True)
        style = headers.header_style(path, in_data=kind == "data")
        fields = None if style is None else headers.read(data, style)
        header = None if fields is None else dict(fields)
        body = data if style is None or header is None else headers.remove(data, style)
        if body is not data:
            text, utf8, _ = decode_text(body)
        suffix = path[path.rfind(".") :].lower() if "." in path.rpartition("/")[2] else ""
        declared, metadata_problem = _read_metadata(suffix, kind, text or "", sidecar)
        if sidecar is not None and style is not None and style.kind in ("json", "sidecar") and header is None:
            header = _sidecar_header(sidecar)
        problems = tuple(one for one in (problem, metadata_problem, *declared.problems) if one)
        if kind == "data":
            return Facts(
                (),
                declared.metadata,
                declared.validated,
                header=header,
                problems=problems,
                expires=declared.expires,
            )
        text = text or ""
        found = tuple(pattern.pattern for pattern in self._matcher.find_unique_bytes(utf8))
        signs = {*found, *self._unsure}
        matches = tuple(text for text in found if text not in self._hidden)
        links: tuple[str, ...] = ()
        names: tuple[str, ...] = ()
        python, brief = _NO_NAMES, False
        if suffix in _MARKDOWN:
            outside = remove_code(text)
            links, names = find_links(outside), find_names(text)
            matches = self._said_patterns(matches, text, outside)
            python, brief = find_python_names(text, signs), is_brief(outside, text)
        elif suffix == ".rst":
            links, python, brief = find_rst_links(text), find_python_names(text, signs), is_brief(text, text)
        elif suffix in _HTML:
            brief = is_brief_html(text)
        categories, boost, bonus = self._weigh(matches)
        sources = tuple((source.evidence, source.observation) for source in declared.sources)
        return Facts(
            sources, declared.metadata, declared.validated, matches, categories, boost, bonus, links, header, problems,
            names, declared.expires, python, brief,
        )  # fmt: skip

    def _said_patterns(self, matches: tuple[str, ...], text: str, outside: str) -> tuple[str, ...]:
        """Return the patterns in a Markdown text without those that it quotes as code or lists as examples."""
        said = remove_quoted_items(outside) if matches else text
        if len(said) == len(text):
            return matches
        found = self._matcher.find_unique_bytes(said.encode("utf-8", "surrogatepass"))
        return tuple(pattern.pattern for pattern in found if pattern.pattern not in self._hidden)

    def _weigh_patterns(self, matches: tuple[str, ...]) -> tuple[tuple[str, ...], float, float]:
        """Return the categories, the sum of weights and the bonus of the patterns found."""
        wanted = set(matches)
        patterns = [pattern for pattern in self._matcher.pack if pattern.pattern in wanted]
        patterns.sort(key=lambda pattern: pattern.pattern)
        row = self._model.row(0.0, patterns)
        steps = self._model.formula(row, FLOATS)
        return tuple(sorted({pattern.category for pattern in patterns if pattern.category})), steps.boost, steps.bonus


def decode_text(data: bytes) -> tuple[str | None, bytes, str]:
    """Return a file's text (None if it is binary), the same encoded as UTF-8, and a problem with its encoding."""
    # The byte order mark of UTF-32-LE begins with that of UTF-16-LE, so it is covered here and looked up first.
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        codec = next(name for mark, name in _WIDE_ENCODINGS if data.startswith(mark))
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            return None, b"", ""
        return text, text.encode("utf-8", "surrogatepass"), ""
    if b"\x00" in data:
        return None, b"", ""
    try:
        return data.decode("utf-8"), data, ""
    except UnicodeDecodeError as error:
        text = data.decode("latin-1")
        return text, text.encode(), f"not UTF-8 (byte {error.start}): read as Latin-1"


def is_brief(text: str, top: str = "") -> bool:
    r"""Return whether a page has next to no text of its own: a list of pages, an inclusion, a pointer, generated text.

    >>> is_brief("Authors\n=======\n\n.. include:: ../AUTHORS.rst\n")
    True
    """
    if _GENERATED.search(top, 0, _BEGINNING):
        return True
    if len(text) > _LONG:
        return False
    own = "".join(line for line in text.splitlines() if not line.startswith(_MARKUP_LINES))
    return len(_ADDRESS.sub("", own).encode("utf-8", "replace")) <= _LITTLE


def is_brief_html(text: str) -> bool:
    """Return whether an HTML file has next to no text of its own: a template that a program fills in, a redirect.

    >>> is_brief_html("<html><body>{{ content }}</body></html>")
    True
    """
    if "{" in text and ("{%" in text or "{{" in text):
        return True
    return len(text) <= _LONG and len(_TAG.sub("", text).strip().encode("utf-8", "replace")) <= _LITTLE


def _read_metadata(suffix: str, kind: Kind, text: str, sidecar: bytes | None) -> tuple[DeclaredMetadata, str]:
    """Return what a file declares in its front matter, its JSON or YAML members, or its sidecar, and a problem."""
    data: dict[str, Any] = {}
    problem = ""
    if suffix == ".json":
        data, problem = _parse_json(text)
    elif kind == "data" and suffix in (".yml", ".yaml"):
        data, problem = yaml_metadata(text)
    elif suffix in _WITH_FRONT_MATTER:
        data, problem = front_matter(text)
    if sidecar is not None and not problem and "data_metadata" not in data:
        data, problem = _parse_json(sidecar.decode("utf-8", "replace"))
    return parse_metadata(data), problem


def _parse_json(text: str) -> tuple[dict[str, Any], str]:
    import orjson

    try:
        data = orjson.loads(text.removeprefix("\ufeff"))
    except orjson.JSONDecodeError as error:
        return {}, f"invalid JSON: line {error.lineno}, column {error.colno}: {error.msg}"
    except RecursionError:
        return {}, "invalid JSON: nested too deeply"
    return (data, "") if isinstance(data, dict) else ({}, "")


def _sidecar_header(sidecar: bytes) -> dict[str, Any] | None:
    try:
        fields = headers.read(sidecar, headers.Style("json"))
    except InputError:
        return None
    return None if fields is None else dict(fields)
