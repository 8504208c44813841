"""Split a line of shell commands as far as needed to see what each command is for. Nothing is run."""

import re
from typing import NamedTuple

WRAPPERS = {
    "bunx", "c8", "command", "cross-env", "do", "env", "exec", "if", "nice", "nohup", "npx", "nyc", "stdbuf", "sudo",
    "then", "time", "timeout", "uvx", "while", "xvfb-run",
}  # fmt: skip
"""Words before a command that do not change what it is for."""
LAUNCHERS = {"uv": "run", "poetry": "run", "pipenv": "run", "hatch": "run", "pdm": "run", "rye": "run"}
LAUNCHERS |= {"npm": "exec", "pnpm": "exec", "yarn": "exec", "bundle": "exec", "coverage": "run"}
"""Programs that run a command in a project's environment, with the subcommand that does it."""
OPTIONS_WITH_VALUE = {
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
"""Options that are followed by a value, which is not an argument of the command."""
SILENT = {
    ".", ":", "[", "alias", "cd", "chmod", "cp", "done", "exit", "export", "false", "fi", "mkdir", "mv", "read",
    "return", "rm", "set", "shopt", "sleep", "source", "test", "touch", "true", "ulimit", "umask", "unset", "wait",
}  # fmt: skip
"""Commands that print nothing if they succeed."""
LONGEST = 20_000
"""Characters of a line of commands that are read."""
# A word: quoted and escaped parts, redirections such as 2>&1, and everything up to a blank or an operator.
_WORD = r"""(?:'[^']*'?|"(?:\\.|[^"\\])*"?|\\.?|[<>]&\d?|&>|[^\s;|&'"\\])+"""
_TOKENS = re.compile(rf"(\|\||&&|[;|\n])|({_WORD})|(&)", re.DOTALL)
_HEREDOC = re.compile(r"(?<!<)<<[-~]?\s*['\"]?(\w+)")
_REDIRECTION = re.compile(r"(?:\d|&)?(?:>>?|<)[&|]?(.*)", re.DOTALL)


class Command(NamedTuple):
    """One command in a line of them."""

    words: list[str]
    end: str
    """The operator after it: `&&`, `||`, `|`, `;`, `&`, a line break, or empty at the end."""


def split_commands(line: str) -> list[Command]:
    """Return the commands in a line, without here-documents.

    >>> [(command.words[0], command.end) for command in split_commands("cd 'a;b' && pytest -q | tail")]
    [('cd', '&&'), ('pytest', '|'), ('tail', '')]
    """
    commands: list[Command] = []
    words: list[str] = []
    for match in _TOKENS.finditer(_remove_heredocs(line[:LONGEST].replace("\\\n", " "))):
        if match[2] is not None:
            words.append(re.sub(r"['\"]", "", match[2]))
        elif words:
            commands.append(Command(words, match[1] or match[3]))
            words = []
    return [*commands, Command(words, "")] if words else commands


def _remove_heredocs(line: str) -> str:
    kept, until = [], None
    for part in line.split("\n"):
        if until is not None:
            until = None if part.strip() == until else until
            continue
        kept.append(part)
        match = _HEREDOC.search(part)
        until = match[1] if match else None
    return "\n".join(kept)


def strip_wrappers(words: list[str]) -> list[str]:
    """Return a command without variables, wrappers such as `timeout 60`, launchers such as `uv run`, and its path.

    >>> strip_wrappers(["FOO=1", "timeout", "60", ".venv/bin/python", "-m", "pytest", "-q"])
    ['pytest', '-q']
    """
    words = [word for word in (words[0].lstrip("({!"), *words[1:]) if word]
    while words:
        name = words[0].rpartition("/")[2].removesuffix(".exe")
        if re.match(r"\w+=", words[0]):
            words = words[1:]
        elif name in WRAPPERS:
            words = skip_options(words[1:])
        elif name in LAUNCHERS and words[1:2] == [LAUNCHERS[name]]:
            words = skip_options(words[2:])
        elif re.fullmatch(r"(python|pypy|php)[\d.]*", name):
            words = words[words.index("-m") + 1 :] if "-m" in words[1:5] else words[1:]
        else:
            return [name, *words[1:]]
    return words


def skip_options(words: list[str]) -> list[str]:
    """Return the words after leading options and their numbers, as in `timeout -k 5 60 pytest`."""
    place = next((place for place, word in enumerate(words) if not re.match(r"-|[\d.]+[smhd]?$", word)), len(words))
    return words[place:]


def positional_words(words: list[str]) -> list[str]:
    """Return the words of a command that are neither options nor redirections nor numbers.

    >>> positional_words(["git", "-C", "web", "log", "-n", "5", "a.py", "2>&1"])
    ['git', 'log', 'a.py']
    """
    positional, skip = [], False
    with_value = OPTIONS_WITH_VALUE.get(words[0], set()) if words else set()
    for word in words:
        redirection = _REDIRECTION.fullmatch(word)
        if skip:
            skip = False
        elif redirection:
            skip = not redirection[1]
        elif word in with_value:
            skip = True
        elif not re.match(r"[-+]", word) and not word.isdigit():
            positional.append(word.rstrip(")}"))
    return positional


def output_file(words: list[str]) -> str:
    """Return the file that a command's output is redirected to, or "".

    >>> output_file(["cat", ">", "a.py"]), output_file(["cat", "a.py", "2>/dev/null"])
    ('a.py', '')
    """
    for word, after in zip(words, [*words[1:], ""], strict=True):
        match = re.fullmatch(r">>?\|?(.*)", word, re.DOTALL)
        if match:
            return match[1] or after
    return ""
