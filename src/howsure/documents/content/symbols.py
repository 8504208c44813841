"""Find what a page says about Python: names of code that it mentions, imports of its examples, required versions.

The names of all packages are returned; which of them belong to the project is decided later, since facts depend on the
page alone.
"""

import re
import sys
from collections.abc import Container, Iterator
from itertools import islice
from typing import NamedTuple

from howsure.documents.content.outlines import find_keywords
from howsure.documents.content.signatures import find_signatures

# A name between backticks, with a role before it as in :class:`~click.Option` or {class}`the option <click.Option>`,
# and perhaps called. Every expression here begins with a fixed text, so that the rest of a page is skipped quickly.
_NAME = re.compile(r"`(?:[^`<>\n]{1,80}<)?[~!.]?([A-Za-z_]\w{0,80}(?:\.[A-Za-z_]\w{0,80}){0,8})(\([^`\n]{0,200}\))?>?`")
_ROLE = re.compile(r"\b(?:class|func|meth|exc|mod|attr|data|obj)[:}]\Z")
# A reference to a label or a page, which is no name of code.
_OTHER_ROLE = re.compile(r"[:{](?:ref|doc|term|any|numref|label|download|rfc|pep|issue|pr)[:}]\Z")
# An import in an example, perhaps after the prompt of an interpreter.
_IMPORT = re.compile(
    r"\n[ \t]{0,40}(?:>>> |\.\.\. )?(?:import ([A-Za-z_][\w.]{0,200})"
    r"|from[ \t]{1,9}([A-Za-z_][\w.]{0,200})[ \t]{1,9}import (\([^()]{0,2000}\)|[^\n()]{1,500}))"
)
# Directives of Sphinx (also within Markdown) and of mkdocstrings that show the documentation of a name.
_DIRECTIVE = re.compile(
    r"\n[ \t]{0,40}(?:\.\. |`{3,9}\{|:::[ \t]*)"
    r"(auto(?:class|function|method|module|exception|data|attribute|decorator)(?:::|\}))?[ \t]*"
    r"([A-Za-z_][\w.]{0,200})[ \t]*(?=\r?\n|\Z)"
)
# Directives that describe a name by themselves: it need not be in the code.
_DESCRIPTION = re.compile(
    r"\n[ \t]{0,40}(?:\.\. |`{3,9}\{)(?:py:)?"
    r"(?:class|(?:coroutine)?function|(?:async|class|static|coroutine)?-?method|exception|data|attribute|module"
    r"|property|coroutine|decorator)(?:::|\})[ \t]*(?:(?:async|final|abstract)[ \t]{1,9})?([A-Za-z_][\w.]{0,200})"
)
_PYTHON = re.compile(
    r"Python[ \t\n]{1,3}(?:versions?[ \t\n]{1,3})?(\d\.\d{1,2})"
    r"(?:\+|[ \t\n]{1,3}(?:or|and)[ \t\n]{1,3}(?:newer|later|above|higher|up|greater|onwards?)\b)"
)
# What stands before a version that the reader needs; "an API for Python 3.8+" may tell of something else.
_NEEDS = re.compile(
    r"(?:requires?|supports?|needs?|works? (?:on|with)|runs? on|compatible with|\b[io]n|using|install(?:ed)?|have)"
    r"[ \t\n]{1,3}(?:at least[ \t\n]{1,3})?\Z",
    re.IGNORECASE,
)
# "Shop 2.0 supports Python 3.8+" tells of that version.
_OF_A_VERSION = re.compile(r"\d\.[\dx]{1,3}[ \t\n]{1,3}\Z")
_QUOTES = "\"'\u201c"
_NOT_INHERITED = ("autoclass", "autofunction", "autoexception", "autodecorator")
_OPTION = re.compile(r"`(--[a-z][a-z0-9]*(?:-[a-z0-9]+)*)[ =`]")
_REMOVED_MODULES = frozenset(
    (
        *("urllib2", "urlparse", "ConfigParser", "StringIO", "cStringIO", "Queue", "httplib", "cPickle", "HTMLParser"),
        *("cookielib", "Cookie", "__builtin__", "imp", "distutils", "asyncore", "asynchat", "smtpd", "cgi", "cgitb"),
        *("crypt", "imghdr", "mailcap", "nntplib", "pipes", "sndhdr", "telnetlib", "xdrlib"),
    )
)
"""Modules of the standard library that Python 3, or one of its versions up to 3.13, has removed."""
_CLASS = re.compile(r"[A-Z]\w*[a-z]\w{2,}")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
SIGNS = ("import ", "::", "Python")
"""Texts without which a page has no imports, no directives and no versions."""
_MOST = 200
"""Names of one page that are read."""
_MOST_MODULES = 10
"""Imported modules whose calls are looked for."""
_MOST_CALLS = 50
"""Calls of one page whose keywords are read."""
# A version of Python, and words around it by which the page tells of the past or of somebody else.
_TOLD_VERSION = re.compile(r"Python[ \t\n]{1,3}(?:versions?[ \t\n]{1,3})?([23]\.\d{1,2})\b")
OF_THE_PAST = re.compile(
    r"version(?:changed|added)|deprecated|dropp|remov|no longer|older|previous|until|before|prior|\b(?:was|were|ago)\b",
    re.IGNORECASE,
)


class PythonNames(NamedTuple):
    """What a page says about Python code."""

    certain: tuple[str, ...] = ()
    """Dotted names that must exist: imported, called, documented, or of a class."""
    possible: tuple[str, ...] = ()
    """Other names, which may be of something else."""
    versions: tuple[str, ...] = ()
    """Versions of Python from which something works, as in "requires Python 3.8 or newer"."""
    described: tuple[str, ...] = ()
    """Names that the page describes itself, which need not be in the code."""
    shown: tuple[str, ...] = ()
    """Names whose documentation is taken from the code, which is never out of date."""
    calls: tuple[str, ...] = ()
    """Imported names that examples call with keywords, each followed by its keywords."""
    told: tuple[str, ...] = ()
    """Versions of Python that the page tells of as if they were in use."""
    signatures: tuple[str, ...] = ()
    """Signatures that the page writes out by hand: each a name and its parameters."""
    words: tuple[str, ...] = ()
    """Other quoted names, and options of commands such as `--max-size`."""
    removed_modules: tuple[str, ...] = ()
    """Modules that examples import and that Python no longer has."""
    defined: tuple[str, ...] = ()
    """Of the shown names, functions and classes: unlike members, they are not inherited."""


def find_python_names(text: str, signs: Container[str] = SIGNS) -> PythonNames:
    r"""Return what a page says about Python code; of `SIGNS`, `signs` are those that it holds.

    >>> find_python_names("Requires Python 3.9+.\n\n    from shop.cart import Cart\n\n`Cart` has `shop.prices`.")
    PythonNames(certain=('shop.cart.Cart',), possible=('Cart', 'shop.prices'), versions=('3.9',), ...)
    """
    text = "\n" + text  # so that the first line begins like the others
    certain: dict[str, None] = {}
    possible: dict[str, None] = {}
    words: dict[str, None] = {}
    signatures: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    described: tuple[str, ...] = ()
    shown: dict[str, None] = {}
    defined: dict[str, None] = {}
    calls: tuple[str, ...] = ()
    if "import " in signs:
        calls, removed = _find_imports(text, certain)
    if "::" in signs or "`" in text:
        described = tuple(dict.fromkeys(name.rstrip(".") for name in _DESCRIPTION.findall(text)))[:_MOST]
        signatures = find_signatures(text) if described else ()
        for found in _DIRECTIVE.finditer(text):
            name = found[2]
            (certain if "." in name else possible)[name.rstrip(".")] = None
            if found[1] or ":::" in found[0]:
                shown[name] = None
            if found[1] and found[1].startswith(_NOT_INHERITED):
                defined[name] = None
    if "`" in text:
        _find_quoted(text, certain, possible, words)
    options = tuple(dict.fromkeys(_OPTION.findall(text))) if "`--" in text else ()
    versions: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    if "Python" in signs:
        told = tuple(dict.fromkeys(_find_told_versions(text)))[:_MOST]
        versions = tuple(
            dict.fromkeys(
                found[1]
                for found in _PYTHON.finditer(text)
                if (need := _NEEDS.search(text, max(0, found.start() - 40), found.start()))
                and text[need.start() - 1] not in _QUOTES
                and not _OF_A_VERSION.search(text, max(0, need.start() - 12), need.start())
            )
        )[:_MOST]
    return PythonNames(
        tuple(certain)[:_MOST], tuple(possible)[:_MOST], versions, described, tuple(shown)[:_MOST], calls, told,
        signatures, (*tuple(words)[:_MOST], *options[:_MOST]), removed, tuple(defined)[:_MOST],
    )  # fmt: skip


def _find_told_versions(text: str) -> Iterator[str]:
    """Yield the versions of Python that are told of in sentences without a word about the past."""
    for found in islice(_TOLD_VERSION.finditer(text), _MOST):
        quoted = '"' in text[max(0, found.start() - 30) : found.start()]
        if not quoted and not OF_THE_PAST.search(text, max(0, found.start() - 120), found.end() + 80):
            yield found[1]


def _find_imports(text: str, certain: dict[str, None]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Add the names that examples import, and what they call of imported modules.

    Returns calls with keywords, and imported modules that Python no longer has.
    """
    modules = []
    imported: dict[str, str] = {}
    for module, origin, names in _IMPORT.findall(text):
        if module:
            certain[module.rstrip(".")] = None
            modules.append(module)
        else:
            names_of = _imported(names)
            certain.update(dict.fromkeys(f"{origin}.{name}" for name in names_of))
            imported.update((local, f"{origin}.{name}") for name, local in names_of.items())
            modules.append(origin)
    for module in [one for one in dict.fromkeys(modules) if one not in sys.stdlib_module_names][:_MOST_MODULES]:
        called = re.findall(rf"(?<![\w.]){re.escape(module)}\.([A-Za-z_]\w{{0,80}})\(", text)
        members = dict.fromkeys(f"{module}.{name}" for name in called)
        certain.update(members)
        imported.update((member, member) for member in members)
    tops = dict.fromkeys(module.partition(".")[0] for module in modules)
    removed = () if "except ImportError" in text else tuple(one for one in tops if one in _REMOVED_MODULES)
    return _find_calls(text, imported), removed


def _find_calls(text: str, imported: dict[str, str]) -> tuple[str, ...]:
    """Return the calls of imported names with their keywords."""
    if not imported or "=" not in text:
        return ()
    names = "|".join(map(re.escape, list(imported)[:_MOST]))
    calls: dict[str, None] = {}
    instances: dict[str, str] = {}
    for found in islice(re.finditer(rf"(?:\b(\w+) = )?(?<![\w.])(?<!def )(?<!class )({names})\(", text), _MOST_CALLS):
        name = imported[found[2]]
        if keywords := find_keywords(text, found.end() - 1):
            calls[" ".join((name, *keywords))] = None
        if found[1] and _CLASS.fullmatch(name.rpartition(".")[2]):
            # A name for objects of two classes is a name for neither.
            instances[found[1]] = name if instances.get(found[1], name) == name else ""
    for variable, name in instances.items():
        for found in islice(re.finditer(rf"(?<![\w.]){variable}\.([a-z]\w*)\(", text), _MOST_CALLS if name else 0):
            if keywords := find_keywords(text, found.end() - 1):
                calls[" ".join((f"{name}.{found[1]}", *keywords))] = None
    return tuple(calls)


def _find_quoted(text: str, certain: dict[str, None], possible: dict[str, None], words: dict[str, None]) -> None:
    """Add the names between backticks."""
    for found in _NAME.finditer(text):
        name = found[1]
        start = found.start()
        if text[start - 1] in ":}" and _OTHER_ROLE.search(text, max(0, start - 30), start):
            continue
        is_code = found[2] is not None or (text[start - 1] in ":}" and _ROLE.search(text, max(0, start - 8), start))
        if "." in name and (is_code or _CLASS.search(name)):
            certain[name] = None
        elif "." in name or is_code or _CLASS.fullmatch(name):
            possible[name] = None
        elif "_" in name[1:]:
            words[name] = None


def _imported(names: str) -> dict[str, str]:
    r"""Return the names that a from-import imports, each with the name that it has in the example.

    >>> _imported("(Cart as Basket,  # the old name\n Price)")
    {'Cart': 'Basket', 'Price': 'Price'}
    """
    parts = (line.partition("#")[0] for line in names.strip("()").split("\n"))
    words = (part.split() for part in ",".join(parts).split(","))
    return {
        own[0]: own[2] if own[1:2] == ["as"] and len(own) > 2 else own[0]  # noqa: PLR2004 - "name as other"
        for own in words
        if own and _IDENTIFIER.fullmatch(own[0])
    }
