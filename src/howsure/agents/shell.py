"""Shell commands: a line of them taken apart, as far as is needed to see what each is for. Nothing is run."""

import re
from typing import NamedTuple

WRAPPERS = {
    "bunx", "c8", "command", "cross-env", "do", "env", "exec", "if", "nice", "nohup", "npx", "nyc", "stdbuf", "sudo",
    "then", "time", "timeout", "uvx", "while", "xvfb-run",
}  # fmt: skip
"""Words before a command that change nothing about what it is for."""
RUNNERS = {"uv": "run", "poetry": "run", "pipenv": "run", "hatch": "run", "pdm": "run", "rye": "run"}
RUNNERS |= {"npm": "exec", "pnpm": "exec", "yarn": "exec", "bundle": "exec", "coverage": "run"}
"""Programs that run a command in a project's own surroundings, and by which word."""
VALUED = {
    "git": {"-C", "-c", "--git-dir", "--work-tree"},
    "make": {"-C", "-f"},
    "ninja": {"-C", "-f"},
    "go": {"-C"},
    "npm": {"--prefix", "-w", "--workspace"},
    "pnpm": {"-C", "--dir", "-F", "--filter"},
    "cargo": {"--manifest-path"},
    "mvn": {"-f", "-pl", "-P"},
    "gradle": {"-p", "--tests"},
    "grep": {"-A", "-B", "-C", "-m", "-f", "--include", "--exclude", "--exclude-dir"},
    "rg": {"-A", "-B", "-C", "-m", "-f", "-t", "-T", "-g", "--type", "--glob", "--iglob", "-r", "--max-count"},
    "ag": {"-A", "-B", "-C", "-m", "-G", "--ignore", "--ignore-dir"},
    "fd": {"-e", "-E", "-t", "-d", "--extension", "--exclude", "--type", "--max-depth"},
    "bazel": {"--config"},
}
"""Options that are followed by a value, which says nothing about what a command is for."""
SILENT = {
    ".", ":", "[", "alias", "cd", "chmod", "cp", "done", "exit", "export", "false", "fi", "mkdir", "mv", "read",
    "return", "rm", "set", "shopt", "sleep", "source", "test", "touch", "true", "ulimit", "umask", "unset", "wait",
}  # fmt: skip
"""Commands that put nothing out where all goes well."""
LONGEST = 20_000
"""Characters of a line of commands that are looked at."""
_WORD = r"""(?:'[^']*'?|"(?:\\.|[^"\\])*"?|\\.?|[<>]&\d?|&>|[^\s;|&'"\\])+"""
_TOKENS = re.compile(rf"(\|\||&&|[;|\n])|({_WORD})|(&)", re.DOTALL)
_HEREDOC = re.compile(r"(?<!<)<<[-~]?\s*['\"]?(\w+)")
_REDIRECTION = re.compile(r"(?:\d|&)?(?:>>?|<)[&|]?(.*)", re.DOTALL)


class Command(NamedTuple):
    """One command in a line of them."""

    words: list[str]
    end: str
    """What follows it: `&&`, `||`, `|`, `;`, `&`, a new line, or nothing."""


def commands(line: str) -> list[Command]:
    """Return the commands in a line, without what they are given to read in place.

    >>> [(command.words[0], command.end) for command in commands("cd 'a;b' && pytest -q | tail")]
    [('cd', '&&'), ('pytest', '|'), ('tail', '')]
    """
    found: list[Command] = []
    words: list[str] = []
    for match in _TOKENS.finditer(_without_heredocs(line[:LONGEST].replace("\\\n", " "))):
        if match[2] is not None:
            words.append(re.sub(r"['\"]", "", match[2]))
        elif words:
            found.append(Command(words, match[1] or match[3]))
            words = []
    return [*found, Command(words, "")] if words else found


def _without_heredocs(line: str) -> str:
    kept, until = [], None
    for part in line.split("\n"):
        if until is not None:
            until = None if part.strip() == until else until
            continue
        kept.append(part)
        match = _HEREDOC.search(part)
        until = match[1] if match else None
    return "\n".join(kept)


def plain(words: list[str]) -> list[str]:
    """Return a command without what only sets the stage for it.

    >>> plain(["FOO=1", "timeout", "60", ".venv/bin/python", "-m", "pytest", "-q"])
    ['pytest', '-q']
    """
    words = [word for word in (words[0].lstrip("({!"), *words[1:]) if word]
    while words:
        name = words[0].rpartition("/")[2].removesuffix(".exe")
        if re.match(r"\w+=", words[0]):
            words = words[1:]
        elif name in WRAPPERS:
            words = after_options(words[1:])
        elif name in RUNNERS and words[1:2] == [RUNNERS[name]]:
            words = after_options(words[2:])
        elif re.fullmatch(r"(python|pypy|php)[\d.]*", name):
            words = words[words.index("-m") + 1 :] if "-m" in words[1:5] else words[1:]
        else:
            return [name, *words[1:]]
    return words


def after_options(words: list[str]) -> list[str]:
    """Return the words of a command after its options, and the numbers that belong to them."""
    place = next((place for place, word in enumerate(words) if not re.match(r"-|[\d.]+[smhd]?$", word)), len(words))
    return words[place:]


def arguments(words: list[str]) -> list[str]:
    """Return the words of a command that are neither options nor redirections, nor numbers.

    >>> arguments(["git", "-C", "web", "log", "-n", "5", "a.py", "2>&1"])
    ['git', 'log', 'a.py']
    """
    found, skip = [], False
    valued = VALUED.get(words[0], set()) if words else set()
    for word in words:
        redirection = _REDIRECTION.fullmatch(word)
        if skip:
            skip = False
        elif redirection:
            skip = not redirection[1]
        elif word in valued:
            skip = True
        elif not re.match(r"[-+]", word) and not word.isdigit():
            found.append(word.rstrip(")}"))
    return found


def written(words: list[str]) -> str:
    """Return the file that the output of a command goes to; empty for none.

    >>> written(["cat", ">", "a.py"]), written(["cat", "a.py", "2>/dev/null"])
    ('a.py', '')
    """
    for word, after in zip(words, [*words[1:], ""], strict=True):
        match = re.fullmatch(r">>?\|?(.*)", word, re.DOTALL)
        if match:
            return match[1] or after
    return ""
