"""Tools of coding agents: what one was used for, by its name and what it was given."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from howsure.agents.task_runners import check_name, kind_of, promised
from howsure.agents.shell import LONGEST, SILENT, Command, after_options, arguments, commands, plain, written
from howsure.agents.known_tools import CHANGES, COMMANDS, EDITORS, RUNNERS, SAME, SHELLS, TOOLS

_TOLD_ABOUT = {"--version", "--help"}
_NO_RUN = {
    *_TOLD_ABOUT, "-h", "--collect-only", "--co", "--dry-run", "--fixtures", "--just-print", "--list", "--list-tests",
    "--listTests", "--listenvs", "--markers", "--no-run", "--recon", "--setup-plan", "-list",
}  # fmt: skip
_NAMES = {"-name", "-iname", "-path", "-ipath", "-regex"}
_FOR = (
    "pattern", "query", "symbol", "symbol_name", "name_path", "regex", "name", "method_name", "class_name",
    "function_name", "code_str", "search_term", "substring_pattern",
)  # fmt: skip
_PATHS = ("file_path", "filePath", "notebook_path", "path", "absolute_path", "target_file", "relative_path", "url")
_LINES = ("command", "cmd", "script", "args", "arguments")
_KEYWORDS = {"class", "def", "func", "function", "import", "from", "const", "struct", "type", "interface", "async"}
_FIRST = {name.partition(" ")[0] for name in COMMANDS} | SAME.keys()
_PLAIN = r"-[hHiInorRswxEFPUaz]*"
_COUNTS = re.compile(rf"{_PLAIN}c[hHiInorRswxEFPUaz]*|--count(?:-matches)?")
_INVERTED = re.compile(rf"{_PLAIN}v[hHiInorRswxEFPUaz]*|--invert-match|--files-without-match|{_PLAIN}L")


class Use(NamedTuple):
    """What a tool was used for."""

    tool: str
    """The tool, or the command."""
    category: str
    """search, read, git, ci, edit or verification; `said` for a command that only prints what it is given."""
    kind: str
    """Within a category, what counts as the same: two commands that search in the same way are of one kind."""
    target: str = ""
    """What it looked for or at."""
    path: str = ""
    """The file, where it is one."""
    masked: bool = False
    """Whether its success is hidden by what comes after it in the line."""
    shared: bool = False
    """Whether others in the line put something out beside it."""
    counts: bool = False
    """Whether it puts out how much it found, instead of what."""


def plain_name(tool: str) -> str:
    """Return the name of a tool as the toolbox has it.

    >>> plain_name("mcp__ide__Find-References"), plain_name("functions.read_file")
    ('findreferences', 'readfile')
    """
    return re.sub(r"[_-]", "", re.split(r"__|[./:]", tool)[-1]).casefold()


def uses(tool: str, given: Any) -> list[Use]:
    r"""Return what a tool was used for; nothing for one that is no evidence of anything.

    >>> [(use.category, use.kind, use.target) for use in uses("Grep", {"pattern": r"class Parser\b"})]
    [('search', 'grep', 'Parser')]
    >>> [(use.tool, use.category, use.kind) for use in uses("Bash", {"command": "cd a && X=1 uv run pytest -q"})]
    [('pytest', 'verification', 'test')]
    """
    line = line_of(tool, given)
    if line is not None:
        return list(_used_in(line))
    name = plain_name(tool)
    words = given if isinstance(given, str) else ""
    given = given if isinstance(given, Mapping) else {}
    path = _first(given, _PATHS) or words
    if name in EDITORS:
        viewed = given.get("command") == "view"
        return [Use(tool, "read", "read", path, path) if viewed else Use(tool, "edit", "edit", path, path)]
    category, _, kind = TOOLS.get(name, "").partition(".")
    if category == "verification":
        return [Use(tool, category, kind)]
    if category != "search":
        return [Use(tool, category, kind or category, path, "" if "://" in path else path)] if category else []
    wanted = _first(given, _FOR) or words
    return [Use(tool, category, kind, wanted if kind == "web" else symbol(wanted, glob=kind == "find") or path)]


def line_of(tool: str, given: Any) -> str | None:
    """Return the line of shell commands that a call runs; nothing for a tool that runs none.

    A command may be a tool by its own name: then it is given its arguments alone.
    """
    inner = next((given[name] for name in _LINES if name in given), None) if isinstance(given, Mapping) else given
    if plain_name(tool) in SHELLS:  # what runs on in the background has shown nothing yet
        return "" if isinstance(given, Mapping) and given.get("run_in_background") is True else _line(inner)
    words = tool.split()
    if plain_name(tool) in EDITORS:
        return None
    if not words or words[0] not in _FIRST or (words[0] in TOOLS and len(words) == 1 and not _are_options(inner)):
        return None
    if isinstance(given, Mapping) and inner is None and given:
        return None
    return f"{tool} {_line(inner)}".strip()


def _are_options(given: Any) -> bool:
    return isinstance(given, list) or (isinstance(given, str) and re.search(r"(?:^|\s)-\w", given) is not None)


def _first(given: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((value for name in names if isinstance(value := given.get(name), str) and value), "")


def _line(found: Any) -> str:
    """Return the commands as one text; some agents hand over a list of words."""
    if isinstance(found, list):
        words = [word for word in found if isinstance(word, str)]
        return words[-1] if words[1:2] in (["-c"], ["-lc"]) else " ".join(words)
    return found if isinstance(found, str) else ""


def symbol(pattern: str, *, glob: bool = False) -> str:
    r"""Return the name that a pattern looks for: its longest word; the pattern itself, where it has none.

    >>> symbol(r"\bdef +parse_config\("), symbol("src/**/parser*.py", glob=True), symbol("**/*.py", glob=True)
    ('parse_config', 'parser', '')
    """
    pattern = pattern[:LONGEST]
    if glob:
        pattern = re.sub(r"\.[\w{},*]+$", "", pattern.rpartition("/")[2])
    words = re.findall(r"[^\W\d]\w+(?:-\w+)*", re.sub(r"\\[a-zA-Z]", " ", pattern))
    named = [word for word in words if word not in _KEYWORDS] or words
    return max(named, key=len) if named else "" if glob else pattern


def _used_in(line: str, *, inner: bool = False) -> Iterator[Use]:
    """Give what the commands in a line are used for."""
    found = commands(line)
    shared = sum(_prints(found, place) for place in range(len(found))) > 1
    for place, command in enumerate(found):
        if place and found[place - 1].end == "|":  # it works on what another command found
            continue
        words = plain(command.words)
        first = words[0] if words else ""
        if first in ("bash", "sh", "zsh") and not inner:
            yield from _used_in(words[-1] if words[1:2] in (["-c"], ["-lc"]) else "", inner=True)
        elif first in ("echo", "printf"):
            options = words[1:2] and re.fullmatch(r"-[neE]+", words[1])
            yield Use(first, "said", "said", " ".join(words[2 if options else 1 :]).replace("\\n", "\n"))
        elif use := _through(found, place) or _used(words):
            masked = command.end in ("|", "||") or (command.end in (";", "\n") and place + 1 < len(found))
            if use.category == "verification" and _may_not_have_ended(found, place):
                continue
            counts = use.counts or (use.category == "search" and _ends_in(found, place) == "wc")
            yield use._replace(masked=masked, shared=shared, counts=counts)


def _prints(found: list[Command], place: int) -> bool:
    """Say whether a command may put something out that is not known from the line itself."""
    words = plain(found[place].words)
    if not words or found[place].end == "|" or words[0] in SILENT or written(words):
        return False
    return words[0] not in ("echo", "printf") or re.search(r"[$`%]", " ".join(words)) is not None


def _ends_in(found: list[Command], place: int) -> str:
    """Return the last command through which the output of one goes."""
    while found[place].end == "|" and place + 1 < len(found):
        place += 1
    return next(iter(plain(found[place].words)), "")


def _through(found: list[Command], place: int) -> Use | None:
    """Return the search that goes through what a command finds: `find . | xargs grep x` looks for x."""
    while found[place].end == "|" and place + 1 < len(found):
        place += 1
        words = plain(found[place].words)
        use = _used(after_options(words[1:])) if words[:1] == ["xargs"] else None
        if use is not None and use.category == "search":
            return use
    return None


def _may_not_have_ended(found: list[Command], place: int) -> bool:
    """Say whether a command runs on in the background, or stands where it may never have been reached."""
    before = found[place - 1].end if place else ""
    hidden = any(command.end in (";", "\n", "||") for command in found[place:-1])
    return found[place].end == "&" or before == "||" or (before == "&&" and hidden)


def _used(words: list[str]) -> Use | None:
    """Return what one command is used for."""
    rest = arguments(words)
    key = [SAME.get(rest[0], rest[0]), *rest[1:3]] if rest else []
    if key and key[0] in RUNNERS:
        return _ran(key[0], rest[1:], words)
    if words[:1] == ["node"]:
        key = ["node", "--test"] if "--test" in words else key
    name = next((name for count in (3, 2, 1) if (name := " ".join(key[:count])) in COMMANDS), "")
    category, _, kind = COMMANDS.get(name, "").partition(".")
    if not category or set(key[1:]) & CHANGES.get(name, set()) or _TOLD_ABOUT & set(words):
        return None
    if category == "verification":
        return _checked(name, kind, words)
    rest = rest[len(name.split()) :]
    last = rest[-1] if rest else ""
    if category == "read":
        file = written(words) if name == "cat" else last if name == "sed" and _in_place(words) else ""
        path = rest[0] if rest and name.endswith(" view") else last
        return Use(name, "edit", "edit", file, file) if file else Use(name, category, category, path, path)
    if category == "search":
        return _searched(name, kind, rest, words)
    return Use(name, category, category, last if category == "git" and len(rest) > 1 else "")


def _checked(name: str, kind: str, words: list[str]) -> Use | None:
    """Return what a build or another check is; nothing where it only lists or installs."""
    if _NO_RUN & set(words) or (name == "ctest" and "-N" in words):
        return None
    if name == "cmake":
        if {"--install", "-E", "-P"} & set(words):
            return None
        targets = [value for option, value in pairwise(words) if option in ("--target", "-t")]
        if targets:
            tests = promised(targets[0]) == "test"
            return Use("ctest" if tests else name, "verification", "test" if tests else "build")
    return Use(name, "verification", kind)


def _ran(runner: str, goals: list[str], words: list[str]) -> Use | None:
    """Return what a program was told to do by name; nothing where that is no check."""
    kind = kind_of(runner, goals, words)
    if not kind or _NO_RUN & set(words) or (runner == "make" and "-n" in words):
        return None
    return Use(check_name(runner, kind), "verification", kind)


def _searched(name: str, kind: str, rest: list[str], words: list[str]) -> Use | None:
    """Return what a search was for; nothing where it shows what does not match."""
    if kind == "find":
        inner = words[words.index("-exec") + 1 :] if "-exec" in words else []
        if inner and COMMANDS.get(inner[0]) == "search.grep":
            return _used(inner)
        named = [value for option, value in pairwise(words) if option in _NAMES]
        wanted = named[0] if named else "" if name == "find" or not rest else rest[0]
        return Use(name, "search", kind, symbol(wanted, glob=True))
    inverted = any(_INVERTED.fullmatch(word) for word in words if (name, word) != ("rg", "-L"))
    if inverted or "-V" in words:
        return None
    counts = any(map(_COUNTS.fullmatch, words))
    return Use(name, "search", kind, symbol(rest[0]) if rest else "", counts=counts)


def _in_place(words: list[str]) -> bool:
    return any(re.match(r"-[nEr]*i|--in-place", word) for word in words)
