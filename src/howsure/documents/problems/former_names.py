"""Find names and options that the code of a project had once and has no longer, by reading it as it was years ago.

A name is an identifier of Python, or an option of a command such as `--max-size`.
"""

import builtins
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path

from howsure.documents.content.facts import Facts
from howsure.documents.content.symbols import OF_THE_PAST, PythonNames
from howsure.documents.document import tells_of_the_past
from howsure.documents.problems.python_packages import SEPARATORS, PythonPackages
from howsure.documents.repository.git import commit_time, read_blobs, run_git
from howsure.documents.repository.git_safety import GitError
from howsure.shapes import DAY

_YEARS_BACK = (0.5, 1, 2, 3, 4, 6, 8, 11, 15)
"""How long ago the code is looked at."""
_YEAR = 365.25 * DAY
_MOST_FILES, _MOST_BYTES = 6000, 40_000_000
"""Former versions of files that are read, and how much of them."""
_MOST_COMMITS = 200_000
_MOST_NAMES, _MOST_PLACES = 2000, 200
"""Names that are looked up in former code, and places of a page where one of them is looked at."""
_NOT_THE_CODE = re.compile(
    r"(?:^|/)(?:tests?|t|docs?|examples?|benchmarks?|vendor\w*|_vendor|packages|setup\.py)(?:/|$)"
)

_IMPORTED = re.compile(r"\b(?:from|import)[ \t]+([A-Za-z_]\w*)")
_OF_A_VARIABLE = re.compile(r"[a-z]\w*\._")
_IS_NOT_THERE = re.compile(
    r"\b(?:ha(?:s|ve) no|no such|unlike|there is no|renamed|replaced|instead of)\b", re.IGNORECASE
)
_SHORTEST = 5
"""Letters of a name that is looked for: shorter ones are words of many meanings."""
_PAGES = (".md", ".markdown", ".rst", ".txt", ".html", ".ipynb")
_OPTION = re.compile(rb"--[a-z][a-z0-9-]*")
# Programs whose options a page names beside those of its own project.
_OTHER_PROGRAM = re.compile(
    r"\b(?:apt|brew|cargo|conda|cmake|curl|docker|gcc|git|gradle|helm|kubectl|mvn|npm|npx|pip3?|pipx|pnpm"
    r"|podman|poetry|pre-commit|pytest|rsync|ruff|ssh|tar|tox|uv|uvx|wget|yarn)\b"
)
_OFTEN_INHERITED = frozenset(
    ("setUp", "tearDown", "setUpClass", "tearDownClass", "runTest", "addCleanup", "assertRaises")
)
"""Methods of classes of Python that projects define again and again."""
_LARGEST_TREE = 30_000_000
"""Bytes of a tree beyond which it is not searched for names that may have moved elsewhere."""


def _find_once_defined(root: Path, now: float, names: Collection[str]) -> set[str]:
    """Return those of some names that the Python code of a repository has defined in former years."""
    wanted = {name.encode(): name for name in sorted(names)[:_MOST_NAMES]}
    found: set[str] = set()
    left = _MOST_BYTES
    try:
        for data in read_blobs(root, _former_files(root, now) if wanted else []):
            left -= len(data)
            if left < 0:
                break
            words = {*data.translate(SEPARATORS).split(), *_OPTION.findall(data)}
            words.update(word for word in wanted if word[:2] == b"--" and _python_name(word) in words)
            for word in wanted.keys() & words:
                if wanted[word] not in found and _defines(data, word):
                    found.add(wanted[word])
    except (GitError, IndexError):
        return set()
    return found


def _former_files(root: Path, now: float) -> list[str]:
    """Return the blobs of all files of code at the chosen times, the latest first."""
    seen: dict[str, None] = {}
    for commit in _former_commits(root, now):
        for field in run_git(root, "ls-tree", "-r", "-z", commit):
            head, _, name = field.partition(b"\t")
            path = name.decode("utf-8", "replace")
            if path.endswith(".py") and not _NOT_THE_CODE.search(path):
                seen[head.split()[2].decode("ascii", "replace")] = None
    return list(islice(seen, _MOST_FILES))


def _former_commits(root: Path, now: float) -> Iterator[str]:
    """Yield the last commit before each of the chosen times."""
    wanted = [now - years * _YEAR for years in _YEARS_BACK]
    log = run_git(root, "log", "-z", "--first-parent", "--format=%H %ct", "--no-show-signature", "HEAD", "--")
    for field in islice(log, _MOST_COMMITS):
        commit, _, time = field.decode("ascii", "replace").strip().partition(" ")
        at = commit_time(time.encode())
        if wanted and at <= wanted[0]:
            yield commit
            wanted = [one for one in wanted if one < at]


def _defines(data: bytes, word: bytes) -> bool:
    """Return whether a source defines a name: a function, a class, a parameter, an attribute, or an option.

    An option is defined by a call such as `add_argument` or `click.option`; commands are also made from parameters, but
    a single word is a parameter of too many functions.

    >>> _defines(b"def pay(amount=1): ...", b"pay"), _defines(b"# how to pay", b"pay")
    (True, False)
    >>> _defines(b"add_argument('-p', '--pay-all')", b"--pay-all"), _defines(b"run(['pip', '--upgrade'])", b"--upgrade")
    (True, False)
    """
    name = re.escape(word)
    if word[:2] == b"--":
        option = rb"(?:option|argument|flag)\w*\([^()]{0,300}?[\"'/ ]%b(?![\w-])" % name
        if re.search(option, data, re.IGNORECASE):
            return True
        return b"-" in word[2:] and _defines(data, _python_name(word))
    return re.search(rb"(?:def|class)[ \t]+%b\b|\b%b[ \t]*(?::[^=\n]{0,80})?=(?!=)" % (name, name), data) is not None


def _python_name(word: bytes) -> bytes:
    """Return an option as Python would write it, and a name as it is.

    >>> _python_name(b"--max-size")
    b'max_size'
    """
    return word.removeprefix(b"--").replace(b"-", b"_")


def find_former_names(
    root: Path,
    now: float,
    facts: Mapping[str, Facts],
    packages: PythonPackages,
    paths: Collection[str],
    read: Callable[[str], str],
) -> dict[str, list[str]]:
    """Return the names on each page that the code of its project had once and no file of the tree has any longer.

    Names that a page defines in an example, imports from elsewhere, or tells of as something of the past are left out.
    """
    named = {
        path: _names(own.python)
        for path, own in facts.items()
        if path.endswith((".md", ".markdown", ".rst")) and not tells_of_the_past(path)
    }
    wanted = {name for names in named.values() for name in names}
    written_as = {name: _python_name(name.encode()).decode() for name in wanted}
    absent = packages.find_unwritten(written_as.values())
    unwritten = {name for name, word in written_as.items() if word in absent}
    former = _find_once_defined(root, now, unwritten)
    if former:
        former = _unwritten_anywhere(former, paths, read)
    found = {}
    for path, names in named.items():
        gone = [name for name in names if name in former]
        if gone:
            text = read(path)
            gone = [name for name in gone if _is_told(text, name, packages.folders)]
        if gone:
            found[path] = gone
    return found


def _names(python: PythonNames) -> list[str]:
    """Return the names on a page that may be of the project."""
    dotted = (*python.certain, *python.possible, *python.described)
    # A private name of some variable may be one of another package's objects.
    dotted = tuple(name for name in dotted if not _OF_A_VARIABLE.match(name))
    parts = [
        part for name in dotted for part in name.split(".")[-2:] if name.split(".")[0] not in sys.stdlib_module_names
    ]
    # An option and its parameter are one thing.
    words = (
        word
        for word in python.words
        if not word.startswith("--") or _python_name(word.encode()).decode() not in python.words
    )
    return [
        name
        for name in dict.fromkeys((*parts, *words))
        if len(name.lstrip("-")) >= _SHORTEST
        and not name.isupper()
        and name not in _OFTEN_INHERITED
        and not hasattr(builtins, name)
    ]


def _unwritten_anywhere(names: Collection[str], paths: Collection[str], read: Callable[[str], str]) -> set[str]:
    """Return those of some names that no file of the tree has but pages; empty if the tree is too large to say."""
    left = _LARGEST_TREE
    absent = set(names)
    for path in sorted(paths):
        if path.endswith(_PAGES) or not absent:
            continue
        text = read(path)
        left -= len(text)
        absent = {name for name in absent if not any(form in text for form in _forms(name))}
        if left < 0:
            return set()
    return absent


def _forms(name: str) -> tuple[str, ...]:
    """Return how files may write a name: `max_size` also as `max-size`, an option also as what it negates.

    >>> _forms("max_size"), _forms("--max-size"), _forms("--no-color")
    (('max_size', 'max-size'), ('max_size', 'max-size'), ('no_color', 'no-color', '--color'))
    """
    bare = name.removeprefix("--")
    forms = (bare.replace("-", "_"), bare.replace("_", "-")) if bare == name or "-" in bare else (name,)
    return (*forms, f"--{bare.removeprefix('no-')}") if name.startswith("--no-") else forms


def _is_told(text: str, name: str, packages: Collection[str]) -> bool:
    """Return whether a page tells of a name as of something of the project that is there."""
    if _defines(text.encode("utf-8", "replace"), name.encode()):
        return False
    own = re.escape(name)
    if re.search(rf"\bdef[ \t]+\w+\([^()]{{0,500}}\b{own}\b", text):  # a parameter of a function in an example
        return False
    others = list({module for module in _IMPORTED.findall(text) if module not in packages})[:_MOST_PLACES]
    if others and re.search(rf"\b(?:{'|'.join(others)})\.(?:\w+\.){{0,5}}{own}\b", text):
        return False
    imports = (
        found[1] for found in re.finditer(rf"\bfrom[ \t]+(\w+)[\w.]*[ \t]+import\b[^\n]{{0,300}}\b{own}\b", text)
    )
    if any(module not in packages for module in imports):
        return False
    form = re.compile(rf"(?<!\w)(?:{own}|{re.escape(name.replace('_', '-'))})(?!\w)")
    places = [found.span() for found in islice(form.finditer(text), _MOST_PLACES)]
    if name.startswith("--"):
        places = [
            (start, end) for start, end in places if not _OTHER_PROGRAM.search(text, max(0, start - 80), end + 40)
        ]
    return bool(places) and not any(
        expression.search(text, max(0, start - 200), end + 250)
        for start, end in places
        for expression in (OF_THE_PAST, _IS_NOT_THERE)
    )
