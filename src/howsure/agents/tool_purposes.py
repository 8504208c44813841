"""Recognise what a tool of a coding agent was used for, from its name and arguments."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from howsure.agents.known_tools import ALIASES, CHANGING_WORDS, COMMANDS, EDITORS, RUNNERS, SHELLS, TOOLS
from howsure.agents.shell import (
    LONGEST,
    SILENT,
    Command,
    output_file,
    positional_words,
    skip_options,
    split_commands,
    strip_wrappers,
)
from howsure.agents.task_runners import classify_task, find_check_kind, name_check

_INFO_OPTIONS = {"--version", "--help"}
_NO_RUN = {
    *_INFO_OPTIONS, "-h", "--collect-only", "--co", "--dry-run", "--fixtures", "--just-print", "--list", "--list-tests",
    "--listTests", "--listenvs", "--markers", "--no-run", "--recon", "--setup-plan", "-list",
}  # fmt: skip
"""Options that make a check only list what it would do."""
_SELECTIONS = {
    "-k", "--deselect", "--ignore", "--ignore-glob", "-t", "--testNamePattern", "--testPathPattern", "-run", "-skip",
    "--skip", "-R", "-E",
}  # fmt: skip
"""Options that limit a test run to some of the tests."""
_FIND_NAMES = {"-name", "-iname", "-path", "-ipath", "-regex"}
_QUERIES = (
    "pattern", "query", "symbol", "symbol_name", "name_path", "regex", "name", "method_name", "class_name",
    "function_name", "code_str", "search_term", "substring_pattern",
)  # fmt: skip
"""Names of arguments that hold what is searched for."""
_PATHS = ("file_path", "filePath", "notebook_path", "path", "absolute_path", "target_file", "relative_path", "url")
"""Names of arguments that hold a path."""
_SHELL_LINES = ("command", "cmd", "script", "args", "arguments")
"""Names of arguments that hold shell commands."""
_PATCHES = ("command", "input", "patch", "patchText")
"""Names of arguments that hold a patch."""
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.*\S)[^\S\n]*$", re.MULTILINE)
"""A line of a patch, as Codex writes it, that names a file."""
MOST_PATCHED = 50
"""Files of one patch that are recorded."""
_KEYWORDS = {"class", "def", "func", "function", "import", "from", "const", "struct", "type", "interface", "async"}
_FIRST_WORDS = {name.partition(" ")[0] for name in COMMANDS} | ALIASES.keys()
# Single-letter options of grep that can stand together: -rnc.
_LETTERS = r"-[hHiInorRswxEFPUaz]*"
_COUNT_OPTION = re.compile(rf"{_LETTERS}c[hHiInorRswxEFPUaz]*|--count(?:-matches)?")
_INVERT_OPTION = re.compile(rf"{_LETTERS}v[hHiInorRswxEFPUaz]*|--invert-match|--files-without-match|{_LETTERS}L")


class Purpose(NamedTuple):
    """What a tool, or one command of a shell line, was used for."""

    tool: str
    """Name of the tool or the command."""
    category: str
    """search, read, git, ci, edit or verification; `echo` for a command that only prints its arguments."""
    kind: str
    """The method within a category: two commands that search in the same way are of one kind."""
    target: str = ""
    """What was searched for or read."""
    path: str = ""
    """The path, if it is about a file."""
    masked: bool = False
    """Whether a later command in the line hides its exit code."""
    shared: bool = False
    """Whether other commands in the line print output too."""
    counts: bool = False
    """Whether it prints the number of matches instead of the matches."""
    part: str = ""
    """What limits a test run to some of the tests."""


def normalize_tool_name(tool: str) -> str:
    """Return the name of a tool as it is written in the tables of `known_tools`.

    >>> normalize_tool_name("mcp__ide__Find-References"), normalize_tool_name("functions.read_file")
    ('findreferences', 'readfile')
    """
    return re.sub(r"[_-]", "", re.split(r"__|[./:]", tool)[-1]).casefold()


def find_purposes(tool: str, arguments: Any) -> list[Purpose]:
    r"""Return what a tool call was for: one purpose, several for a shell line, or none if it is not evidence.

    >>> [(one.category, one.kind, one.target) for one in find_purposes("Grep", {"pattern": r"class Parser\b"})]
    [('search', 'grep', 'Parser')]
    >>> line = "cd a && X=1 uv run pytest -q"
    >>> [(one.tool, one.category, one.kind) for one in find_purposes("Bash", {"command": line})]
    [('pytest', 'verification', 'test')]
    """
    line = get_shell_line(tool, arguments)
    if line is not None:
        return list(_purposes_in_line(line))
    name = normalize_tool_name(tool)
    text = arguments if isinstance(arguments, str) else ""
    arguments = arguments if isinstance(arguments, Mapping) else {}
    path = _first_text(arguments, _PATHS) or text
    if name in EDITORS:
        category = "read" if arguments.get("command") == "view" else "edit"
        return [Purpose(tool, category, category, path, path)]
    category, _, kind = TOOLS.get(name, "").partition(".")
    if category == "verification":
        return [Purpose(tool, category, kind)]
    if category == "edit" and (files := _PATCHED.findall(text or _first_text(arguments, _PATCHES))):
        return [Purpose(tool, category, category, file, file) for file in files[:MOST_PATCHED]]
    if category != "search":
        return [Purpose(tool, category, kind or category, path, "" if "://" in path else path)] if category else []
    query = _first_text(arguments, _QUERIES) or text
    target = query if kind == "web" else extract_symbol(query, glob=kind == "find") or path
    return [Purpose(tool, category, kind, target)]


def get_shell_line(tool: str, arguments: Any) -> str | None:
    """Return the line of shell commands that a call runs, or None if it does not run any.

    The tool may itself be named like a command (`git log`): then the arguments follow that name.
    """
    inner = arguments
    if isinstance(arguments, Mapping):
        inner = next((arguments[name] for name in _SHELL_LINES if name in arguments), None)
    if normalize_tool_name(tool) in SHELLS:
        # A command that runs in the background has printed nothing yet.
        background = isinstance(arguments, Mapping) and arguments.get("run_in_background") is True
        return "" if background else _join_words(inner)
    words = tool.split()
    if normalize_tool_name(tool) in EDITORS:
        return None
    if not words or words[0] not in _FIRST_WORDS or (words[0] in TOOLS and len(words) == 1 and not _has_options(inner)):
        return None
    if isinstance(arguments, Mapping) and inner is None and arguments:
        return None
    return f"{tool} {_join_words(inner)}".strip()


def _has_options(arguments: Any) -> bool:
    if isinstance(arguments, str):
        return re.search(r"(?:^|\s)-\w", arguments) is not None
    return isinstance(arguments, list)


def _first_text(arguments: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((value for name in names if isinstance(value := arguments.get(name), str) and value), "")


def _join_words(line: Any) -> str:
    """Return a shell line as one text; some agents pass a list of words."""
    if isinstance(line, list):
        words = [word for word in line if isinstance(word, str)]
        return words[-1] if words[1:2] in (["-c"], ["-lc"]) else " ".join(words)
    return line if isinstance(line, str) else ""


def extract_symbol(pattern: str, *, glob: bool = False) -> str:
    r"""Return the name that a pattern searches for: its longest word, or the pattern itself if it has none.

    >>> extract_symbol(r"\bdef +parse_config\("), extract_symbol("src/**/parser*.py", glob=True)
    ('parse_config', 'parser')
    >>> extract_symbol("**/*.py", glob=True)
    ''
    """
    pattern = pattern[:LONGEST]
    if glob:
        pattern = re.sub(r"\.[\w{},*]+$", "", pattern.rpartition("/")[2])
    # Escapes such as \b are not part of a name.
    words = re.findall(r"[^\W\d]\w+(?:-\w+)*", re.sub(r"\\[a-zA-Z]", " ", pattern))
    named = [word for word in words if word not in _KEYWORDS] or words
    return max(named, key=len) if named else "" if glob else pattern


def _purposes_in_line(line: str, *, inner: bool = False) -> Iterator[Purpose]:
    """Yield what the commands in a line are for."""
    commands = split_commands(line)
    shared = sum(_prints(commands, place) for place in range(len(commands))) > 1
    for place, command in enumerate(commands):
        if place and commands[place - 1].end == "|":  # it filters the output of another command
            continue
        words = strip_wrappers(command.words)
        first = words[0] if words else ""
        if first in ("bash", "sh", "zsh") and not inner:
            yield from _purposes_in_line(words[-1] if words[1:2] in (["-c"], ["-lc"]) else "", inner=True)
        elif first in ("echo", "printf"):
            options = words[1:2] and re.fullmatch(r"-[neE]+", words[1])
            yield Purpose(first, "echo", "echo", " ".join(words[2 if options else 1 :]).replace("\\n", "\n"))
        elif purpose := _piped_search(commands, place) or _purpose_of_command(words):
            masked = command.end in ("|", "||") or (command.end in (";", "\n") and place + 1 < len(commands))
            if purpose.category == "verification" and _may_not_have_ended(commands, place):
                continue
            counts = purpose.counts or (purpose.category == "search" and _last_in_pipe(commands, place) == "wc")
            yield purpose._replace(masked=masked, shared=shared, counts=counts)


def _prints(commands: list[Command], place: int) -> bool:
    """Return whether a command may print something that is not written in the line itself."""
    words = strip_wrappers(commands[place].words)
    if not words or commands[place].end == "|" or words[0] in SILENT or output_file(words):
        return False
    return words[0] not in ("echo", "printf") or re.search(r"[$`%]", " ".join(words)) is not None


def _last_in_pipe(commands: list[Command], place: int) -> str:
    """Return the name of the last command in the pipe that begins at a place."""
    while commands[place].end == "|" and place + 1 < len(commands):
        place += 1
    return next(iter(strip_wrappers(commands[place].words)), "")


def _piped_search(commands: list[Command], place: int) -> Purpose | None:
    """Return the search in the output of a command, or None: `find . | xargs grep x` searches for x."""
    while commands[place].end == "|" and place + 1 < len(commands):
        place += 1
        words = strip_wrappers(commands[place].words)
        purpose = _purpose_of_command(skip_options(words[1:])) if words[:1] == ["xargs"] else None
        if purpose is not None and purpose.category == "search":
            return purpose
    return None


def _may_not_have_ended(commands: list[Command], place: int) -> bool:
    """Return whether a command runs in the background, or may not have run at all."""
    before = commands[place - 1].end if place else ""
    hidden = any(command.end in (";", "\n", "||") for command in commands[place:-1])
    return commands[place].end == "&" or before == "||" or (before == "&&" and hidden)


def _purpose_of_command(words: list[str]) -> Purpose | None:
    """Return what one command is for, or None if it is not evidence."""
    rest = positional_words(words)
    key = [ALIASES.get(rest[0], rest[0]), *rest[1:3]] if rest else []
    if key and key[0] in RUNNERS:
        return _task(key[0], rest[1:], words)
    if words[:1] == ["node"]:
        key = ["node", "--test"] if "--test" in words else key
    name = next((name for count in (3, 2, 1) if (name := " ".join(key[:count])) in COMMANDS), "")
    category, _, kind = COMMANDS.get(name, "").partition(".")
    if not category or set(key[1:]) & CHANGING_WORDS.get(name, set()) or _INFO_OPTIONS & set(words):
        return None
    if category == "verification":
        return _check(name, kind, words)
    rest = rest[len(name.split()) :]
    last = rest[-1] if rest else ""
    if category == "read":
        # `cat > file` and `sed -i` write.
        file = output_file(words) if name == "cat" else last if name == "sed" and _in_place(words) else ""
        path = rest[0] if rest and name.endswith(" view") else last
        return Purpose(name, "edit", "edit", file, file) if file else Purpose(name, category, category, path, path)
    if category == "search":
        return _search(name, kind, rest, words)
    return Purpose(name, category, category, last if category == "git" and len(rest) > 1 else "")


def _check(name: str, kind: str, words: list[str]) -> Purpose | None:
    """Return the purpose of a build or another check, or None if it only lists or installs."""
    if _NO_RUN & set(words) or (name == "ctest" and "-N" in words):
        return None
    if name == "cmake":
        if {"--install", "-E", "-P"} & set(words):
            return None
        targets = [value for option, value in pairwise(words) if option in ("--target", "-t")]
        if targets:
            tests = classify_task(targets[0]) == "test"
            return Purpose("ctest" if tests else name, "verification", "test" if tests else "build")
    return Purpose(name, "verification", kind, part=_find_part(words) if kind == "test" else "")


def _find_part(words: list[str]) -> str:
    """Return the words by which a test run is limited to some of the tests, or "" for a run of all.

    >>> _find_part(["pytest", "-q", "-k", "parser"]), _find_part(["pytest", "-q", "tests"])
    ('-k parser', '')
    """
    return " ".join(
        f"{word} {after}" if word in _SELECTIONS else word
        for word, after in pairwise([*words[1:], ""])
        if word in _SELECTIONS or word.partition("=")[0] in _SELECTIONS or "::" in word
    )[:LONGEST]


def _task(runner: str, tasks: list[str], words: list[str]) -> Purpose | None:
    """Return the purpose of tasks that a program runs by name, or None if they check nothing."""
    kind = find_check_kind(runner, tasks, words)
    if not kind or _NO_RUN & set(words) or (runner == "make" and "-n" in words):
        return None
    passed_on = words[words.index("--") :] if "--" in words else []
    return Purpose(name_check(runner, kind), "verification", kind, part=_find_part(passed_on))


def _search(name: str, kind: str, rest: list[str], words: list[str]) -> Purpose | None:
    """Return the purpose of a search, or None if it shows what does not match."""
    if kind == "find":
        inner = words[words.index("-exec") + 1 :] if "-exec" in words else []
        if inner and COMMANDS.get(inner[0]) == "search.grep":
            return _purpose_of_command(inner)
        named = [value for option, value in pairwise(words) if option in _FIND_NAMES]
        pattern = named[0] if named else "" if name == "find" or not rest else rest[0]
        return Purpose(name, "search", kind, extract_symbol(pattern, glob=True))
    # -L means "files without match" for grep, but "follow links" for rg.
    inverted = any(_INVERT_OPTION.fullmatch(word) for word in words if (name, word) != ("rg", "-L"))
    if inverted or "-V" in words:
        return None
    counts = any(map(_COUNT_OPTION.fullmatch, words))
    return Purpose(name, "search", kind, extract_symbol(rest[0]) if rest else "", counts=counts)


def _in_place(words: list[str]) -> bool:
    return any(re.match(r"-[nEr]*i|--in-place", word) for word in words)
