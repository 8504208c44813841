"""Reading: what one file says about itself, whatever the time is and whoever asks."""

import codecs
import re
from functools import lru_cache
from typing import Any, NamedTuple

from howsure.documents.document import Kind
from howsure.documents.front_matter import DeclaredMetadata, front_matter, said, yaml_metadata
from howsure.documents.headers import edit as headers
from howsure.errors import InputError
from howsure.formulas.ops import FLOATS
from howsure.formulas.patterns import Patterns
from howsure.text.patterns import Matcher, Pack, get_matcher

_WIDE = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"),
         (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_CODE = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n.*?^[ \t]*\1[^\n]*$|`[^`\n]*`|<!--.*?-->", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(<?([^()\s<>]+(?:\([^()\s]*\)[^()\s]*)?)>?(?:\s+[\"'(][^\n]*?)?\)")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[#/{?\\]|%7B")
_MARKUP = (".md", ".markdown")
_FRONTED = (".md", ".markdown", ".mdx", ".txt", ".html", ".htm", ".rst", ".adoc", ".org")
_MOST_LINKS = 200


class Facts(NamedTuple):
    """What a file says about itself. Plain data, so that it can be kept for the next time."""

    sources: tuple[tuple[float, float], ...] = ()
    """[evidence weight, observation] of each source."""
    metadata: dict[str, Any] | None = None
    validated: str = ""
    matches: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    boost: float = 0.0
    """Weights of the patterns found."""
    bonus: float = 0.0
    """Bonus of the milestones that they reach."""
    links: tuple[str, ...] = ()
    """Other files that it links to, as it writes them."""
    header: dict[str, Any] | None = None
    """Our own scoring header, as it stands there."""
    problems: tuple[str, ...] = ()
    binary: bool = False
    """Whether it is no text at all: then nothing else is known."""


class Reader:
    """Reads files by one pattern pack."""

    def __init__(self, pack: Pack) -> None:
        """Build what looks for the patterns, once."""
        self._matcher: Matcher = get_matcher(pack.patterns)
        self._model = Patterns(**dict(pack.thresholds))
        self._sums = lru_cache(maxsize=4096)(self._summed)

    def read(self, path: str, kind: Kind, data: bytes, beside: bytes | None = None) -> Facts:
        """Return what a file says about itself; `beside` is the file that holds its header where it has no room."""
        text, plain, problem = decoded(data)
        if text is None:
            return Facts(binary=True)
        style = style_of(path, kind)
        ours = None if style is None else headers.read(data, style)
        header = None if ours is None else dict(ours)
        body = data if style is None or header is None else headers.cut(data, style)
        problems = [problem] if problem else []
        if body is not data:
            text, plain, _ = decoded(body)
        suffix = path[path.rfind(".") :].lower() if "." in path.rpartition("/")[2] else ""
        told, wrong = self._told(suffix, kind, text or "", beside)
        if beside is not None and style is not None and style.kind in ("json", "sidecar") and header is None:
            header = _member(beside)
        problems += [*wrong, *told.problems]
        if kind == "data":
            return Facts((), told.metadata, told.validated, header=header, problems=tuple(problems))
        found = tuple(pattern.pattern for pattern in self._matcher.find_unique_bytes(plain))
        categories, boost, bonus = self._sums(found)
        links = _links(text or "") if suffix in _MARKUP else ()
        sources = tuple((source.evidence, source.observation) for source in told.sources)
        return Facts(
            sources, told.metadata, told.validated, found, categories, boost, bonus, links, header, tuple(problems)
        )

    def _told(self, suffix: str, kind: Kind, text: str, beside: bytes | None) -> tuple[DeclaredMetadata, list[str]]:
        """Return what a file tells by its front matter, its members, or the file beside it."""
        data: dict[str, Any] = {}
        problem = ""
        if suffix == ".json":
            data, problem = _json(text)
        elif kind == "data" and suffix in (".yml", ".yaml"):
            data, problem = yaml_metadata(text)
        elif suffix in _FRONTED:
            data, problem = front_matter(text)
        if beside is not None and not problem and "data_metadata" not in data:
            data, problem = _json(beside.decode("utf-8", "replace"))
        return said(data), [problem] if problem else []

    def _summed(self, found: tuple[str, ...]) -> tuple[tuple[str, ...], float, float]:
        """Return the categories, the weights and the bonus of what was found."""
        wanted = set(found)
        patterns = [pattern for pattern in self._matcher.pack if pattern.pattern in wanted]
        patterns.sort(key=lambda pattern: pattern.pattern)
        row = self._model.row(0.0, patterns)
        steps = self._model.formula(row, FLOATS)
        return tuple(sorted({pattern.category for pattern in patterns if pattern.category})), steps.boost, steps.bonus


def decoded(data: bytes) -> tuple[str | None, bytes, str]:
    """Return a file's text, the same in UTF-8, and what is odd about it; no text, where it is none."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        codec = next(name for mark, name in _WIDE if data.startswith(mark))
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


def _json(text: str) -> tuple[dict[str, Any], str]:
    import orjson

    try:
        data = orjson.loads(text.removeprefix("\ufeff"))
    except orjson.JSONDecodeError as error:
        return {}, f"it is no JSON: line {error.lineno}, column {error.colno}: {error.msg}"
    except RecursionError:
        return {}, "it is no JSON that can be read: too deep"
    return (data, "") if isinstance(data, dict) else ({}, "")


def _member(beside: bytes) -> dict[str, Any] | None:
    try:
        found = headers.read(beside, headers.Style("json"))
    except InputError:
        return None
    return None if found is None else dict(found)


def _links(text: str) -> tuple[str, ...]:
    """Return the other files that Markdown links to."""
    if "]" not in text or "](" not in text:  # one character is found twenty times as fast as two
        return ()
    if all(_ELSEWHERE.match(piece[:40].lstrip("<")) for piece in text.split("](")[1:]):
        return ()
    found = (target for target in _LINK.findall(_CODE.sub(" ", text)) if not _ELSEWHERE.match(target))
    return tuple(dict.fromkeys(target.partition("#")[0].partition("?")[0] for target in found))[:_MOST_LINKS]


@lru_cache(maxsize=64)
def _style_by_suffix(suffix: str, in_data: bool) -> headers.Style | None:
    return headers.style_of(f"a{suffix}", in_data=in_data)


def style_of(path: str, kind: Kind) -> headers.Style | None:
    """Return how a file holds its header."""
    name = path.rpartition("/")[2].lower()
    suffix = name[name.rfind(".") :] if "." in name else ""
    if suffix in (".txt", ".json"):  # some names mean something else
        return headers.style_of(name, in_data=kind == "data")
    return _style_by_suffix(suffix, kind == "data")
