"""Tools of coding agents: what each is for.

The tables say it in the words of the investigation model: a category, and after a dot its kind. `search`, `read`, `git`
and `ci` look something up; `edit` changes a file; `verification` checks code by building, testing or reading it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from howsure.engine.shell import LONGEST, Command, arguments, commands, plain, written

TOOLS = {
    **dict.fromkeys(("grep", "grepsearch", "searchfilecontent", "codebasesearch"), "search.grep"),
    **dict.fromkeys(("glob", "filesearch", "searchfiles", "findfile"), "search.find"),
    **dict.fromkeys(("websearch", "googlewebsearch"), "search.web"),
    **dict.fromkeys(("lsp", "references", "findreferences", "findreferencingsymbols"), "search.references"),
    **dict.fromkeys(("findsymbol", "gotodefinition", "workspacesymbol"), "search.references"),
    **dict.fromkeys(("searchclass", "searchclassinfile", "searchmethod", "searchmethodinfile"), "search.references"),
    **dict.fromkeys(("searchmethodinclass", "searchfunction", "symbolsearch"), "search.references"),
    **dict.fromkeys(("searchcode", "searchcodeinfile", "searchdir", "searchfile"), "search.grep"),
    **dict.fromkeys(("read", "readfile", "viewfile", "notebookread", "webfetch"), "read"),
    **dict.fromkeys(("edit", "editfile", "multiedit", "write", "writefile", "notebookedit", "replace"), "edit"),
}
"""What a tool is for, by its name in small letters without `_` and `-`, and without the server it comes from."""
SHELLS = {"bash", "shell", "runshellcommand", "runterminalcmd", "runinterminal"}
"""Tools that run shell commands."""
COMMANDS = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "git grep"), "search.grep"),
    **dict.fromkeys(("find", "fd", "fdfind", "git ls-files"), "search.find"),
    **dict.fromkeys(("search_dir", "search_file"), "search.grep"),
    "find_file": "search.find",
    **dict.fromkeys(("open", "goto", "scroll_down", "scroll_up"), "read"),
    **dict.fromkeys(("create", "edit"), "edit"),
    **dict.fromkeys(("cat", "sed", "head", "tail", "less", "more", "bat", "nl"), "read"),
    "git": "git",
    "gh": "ci",
    **dict.fromkeys(("pytest", "py.test", "unittest", "tox", "nox", "ctest", "jest", "vitest"), "verification.test"),
    **dict.fromkeys(("npm test", "npm t", "npm run test", "make test", "make check"), "verification.test"),
    **dict.fromkeys(("mocha", "rspec", "phpunit", "playwright test", "manage.py test"), "verification.test"),
    **dict.fromkeys(("cargo test", "cargo nextest", "go test", "mvn test", "mvn verify"), "verification.test"),
    **dict.fromkeys(("gradle test", "gradlew test", "dotnet test", "swift test", "deno test"), "verification.test"),
    **dict.fromkeys(("mypy", "dmypy", "pyright", "basedpyright", "tsc", "ty check"), "verification.types"),
    **dict.fromkeys(("npm run typecheck", "npm run type-check", "make types", "deno check"), "verification.types"),
    **dict.fromkeys(("ruff", "flake8", "pylint", "eslint", "biome", "py_compile", "compileall"), "verification.syntax"),
    **dict.fromkeys(("npm run lint", "npm lint", "make lint", "cargo clippy", "go vet"), "verification.syntax"),
    **dict.fromkeys(("shellcheck", "rubocop", "pre-commit run"), "verification.syntax"),
    **dict.fromkeys(("make", "cmake", "ninja", "cargo build", "cargo check", "go build"), "verification.build"),
    **dict.fromkeys(("npm run build", "npm build", "mvn compile", "mvn package"), "verification.build"),
    **dict.fromkeys(("gradle build", "gradlew build", "dotnet build", "swift build"), "verification.build"),
    **dict.fromkeys(("make clean", "make help", "ruff format", "ruff clean", "ruff rule", "ruff config"), ""),
}
"""What a command is for, by its first one to three words. The longest that fits counts; an empty one is for nothing."""
CHANGES = {
    "git": {
        "add", "am", "apply", "checkout", "cherry-pick", "clean", "clone", "commit", "config", "fetch", "gc", "init",
        "merge", "mv", "pull", "push", "rebase", "remote", "reset", "restore", "revert", "rm", "stash", "switch", "tag",
        "worktree",
    },
    "gh": {
        "alias", "auth", "browse", "cancel", "close", "comment", "create", "delete", "edit", "merge", "rerun", "review",
    },
}  # fmt: skip
"""Words of git and gh that change something, and so look nothing up."""
_SAME = {"yarn": "npm", "pnpm": "npm", "bun": "npm"}
_NO_RUN = {"--version", "--help", "-h", "--collect-only", "--co", "--list-tests", "--listTests"}
_NO_RUN |= {"--dry-run", "--just-print", "--recon", "--fixtures", "--markers", "--setup-plan"}
_NAMES = {"-name", "-iname", "-path", "-ipath", "-regex"}
_FOR = (
    "pattern", "query", "symbol", "symbol_name", "name_path", "regex", "name", "method_name", "class_name",
    "function_name", "code_str", "search_term",
)  # fmt: skip
_PATHS = ("file_path", "filePath", "notebook_path", "path", "absolute_path", "target_file", "relative_path", "url")
_KEYWORDS = {"class", "def", "func", "function", "import", "from", "const", "struct", "type", "interface", "async"}


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


def uses(tool: str, given: Any) -> list[Use]:
    r"""Return what a tool was used for; nothing for one that is no evidence of anything.

    >>> uses("Grep", {"pattern": r"class Parser\b"})
    [Use(tool='Grep', category='search', kind='grep', target='Parser', path='', masked=False)]
    >>> [(use.tool, use.category, use.kind) for use in uses("Bash", {"command": "cd a && X=1 uv run pytest -q"})]
    [('pytest', 'verification', 'test')]
    """
    given = given if isinstance(given, Mapping) else {}
    name = re.sub(r"[_-]", "", tool.rpartition("__")[2]).casefold()
    if name in SHELLS:  # what runs on in the background has shown nothing yet
        return [] if given.get("run_in_background") is True else list(_used_in(_line(given)))
    category, _, kind = TOOLS.get(name, "").partition(".")
    if not category:
        return []
    path = _first(given, _PATHS)
    if category != "search":
        return [Use(tool, category, kind or category, path, "" if "://" in path else path)]
    wanted = _first(given, _FOR)
    return [Use(tool, category, kind, wanted if kind == "web" else symbol(wanted, glob=kind == "find") or path)]


def _first(given: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((value for name in names if isinstance(value := given.get(name), str) and value), "")


def _line(given: Mapping[str, Any]) -> str:
    """Return the commands as one text; some agents hand over a list of words."""
    found = next((given[name] for name in ("command", "cmd", "script") if name in given), "")
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
    for place, command in enumerate(found):
        if place and found[place - 1].end == "|":  # it works on what another command found
            continue
        words = plain(command.words)
        first = words[0] if words else ""
        if first in ("bash", "sh", "zsh") and not inner:
            yield from _used_in(words[-1] if words[1:2] in (["-c"], ["-lc"]) else "", inner=True)
        elif first in ("echo", "printf"):
            yield Use(first, "said", "said", " ".join(words[1:]))
        elif use := _used(words):
            masked = command.end in ("|", "||") or (command.end in (";", "\n") and place + 1 < len(found))
            if use.category == "verification" and _may_not_have_ended(found, place):
                continue
            yield use._replace(masked=masked)


def _may_not_have_ended(found: list[Command], place: int) -> bool:
    """Say whether a command runs on in the background, or stands where it may never have been reached."""
    before = found[place - 1].end if place else ""
    hidden = any(command.end in (";", "\n", "||") for command in found[place:-1])
    return found[place].end == "&" or before == "||" or (before == "&&" and hidden)


def _used(words: list[str]) -> Use | None:
    """Return what one command is used for."""
    rest = arguments(words)
    key = [_SAME.get(rest[0], rest[0]), *(word.partition(":")[0] for word in rest[1:3])] if rest else []
    name = next((name for count in (3, 2, 1) if (name := " ".join(key[:count])) in COMMANDS), "")
    category, _, kind = COMMANDS.get(name, "").partition(".")
    if not category or set(key[1:]) & CHANGES.get(name, set()):
        return None
    if category == "verification":
        return None if _NO_RUN & set(words) else Use(name, category, kind)
    rest = rest[len(name.split()) :]
    last = rest[-1] if rest else ""
    if category == "read":
        file = written(words) if name == "cat" else last if name == "sed" and _in_place(words) else ""
        return Use(name, "edit", "edit", file, file) if file else Use(name, category, category, last, last)
    if kind == "find":
        named = [value for option, value in pairwise(words) if option in _NAMES]
        wanted = named[0] if named else "" if name == "find" else last
        return Use(name, category, kind, symbol(wanted, glob=True))
    if kind == "grep":
        return Use(name, category, kind, symbol(rest[0]) if rest else "")
    return Use(name, category, category, last if category == "git" and len(rest) > 1 else "")


def _in_place(words: list[str]) -> bool:
    return any(re.match(r"-[nEr]*i|--in-place", word) for word in words)
