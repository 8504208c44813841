"""Check code: the blocks in a response, or the files of a folder."""

import os
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePath

from howsure.errors import InputError, shown
from howsure.formulas.response_case import CodeChecks
from howsure.responses.code_parsers import FILES, all_valid
from howsure.text.fences import read_lines

TEST_FILE = re.compile(
    r"(^|/)(tests?|specs?|__tests__)/|(^|/)test_[^/]*$|_(test|spec)\.\w+$|\.(test|spec)\.\w+$", re.IGNORECASE
)
_SKIPPED = {".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".mypy_cache", ".tox", "dist", "build"}
SOURCES = {
    ".py": "python",
    ".json": "json",
    ".toml": "toml",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".js": "",
    ".jsx": "",
    ".ts": "",
    ".tsx": "",
    ".go": "",
    ".rs": "",
    ".java": "",
    ".kt": "",
    ".c": "",
    ".h": "",
    ".cc": "",
    ".cpp": "",
    ".hpp": "",
    ".cs": "",
    ".rb": "",
    ".php": "",
    ".swift": "",
    ".scala": "",
    ".sh": "",
    ".sql": "",
}
"""Suffixes of code files, each with its language if its syntax can be checked."""
_DOCUMENTS = {
    *(".md", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".rtf", ".tex", ".bib", ".log", ".pdf", ".odt"),
    *(".doc", ".docx", ".ppt", ".pptx", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".bmp"),
}
"""Suffixes of files that are read by people only."""
_DOCUMENT_NAMES = re.compile(
    r"(?:readme|changelog|changes|news|license|licence|copying|notice|authors|contributors)", re.IGNORECASE
)
_TEXTS_OF_TOOLS = re.compile(r"(?:.*(?:requirements|constraints).*|cmakelists|conanfile)\.txt", re.IGNORECASE)
"""Names of texts that a build, a test or another tool reads."""
MOST_FILES = 20_000
"""Files of the largest folder that is checked."""


def is_document(path: str) -> bool:
    """Return True if a file is no code, so that there is nothing to check in it, by its name.

    >>> [is_document(path) for path in ("docs/api.md", "LICENSE", "src/p.py", "Makefile", "requirements-dev.txt", "")]
    [True, True, False, False, False, False]
    """
    file = PurePath(path.replace("\\", "/"))
    if _TEXTS_OF_TOOLS.fullmatch(file.name):
        return False
    return file.suffix.lower() in _DOCUMENTS or _DOCUMENT_NAMES.fullmatch(file.name) is not None


def blocks(text: str) -> list[tuple[str, str]]:
    r"""Return the language and content of each fenced code block, without the indentation of a list item.

    >>> blocks("Do this:\n```python\nprint(1)\n```\n")
    [('python', 'print(1)\n')]
    """
    found: list[tuple[str, list[str]]] = []
    for line in read_lines(text):
        if line.kind == "opening":
            found.append((line.code, []))
        elif line.kind == "code":
            found[-1][1].append(line.code)
    return [(language, "".join(lines)) for language, lines in found]


def check_blocks(text: str) -> CodeChecks | None:
    """Check the syntax of the code blocks in a response; return None if there are none.

    Tests among the blocks are not taken as tests of the others.
    """
    code = [(language, content) for language, content in blocks(text) if content.strip()]
    if not code:
        return None
    return CodeChecks(exists=True, syntax_valid=all_valid(code))


def check_files(path: Path, *, types: str = "", tests: str = "", time_limit: float = 300.0) -> CodeChecks:
    """Check a file or folder of code: whether it exists, parses, type-checks, has tests, and whether they pass.

    Args:
        types: A command that checks types in the folder; not checked if empty.
        tests: A command that runs the tests in the folder; not run if empty.
        time_limit: Seconds that each command may take.

    Raises:
        InputError: if a command cannot be run.
    """
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise InputError(f"invalid path {shown(str(path))}: {error}", field="code") from None
    if not exists:
        return CodeChecks(exists=False)
    files = [path] if path.is_file() else list(code_files(path))
    folder = path.parent if path.is_file() else path
    relative = [file.relative_to(folder).as_posix() for file in files]
    checked = [valid for file in files if (valid := _parses(file)) is not None]
    code = CodeChecks(
        exists=bool(files),
        syntax_valid=all(checked) if checked else None,
        tests_exist=any(TEST_FILE.search(name) for name in relative),
    )
    if files and types:
        code = replace(code, types_valid=succeeds(types, folder, time_limit))
    if files and tests:
        code = replace(code, tests_pass=succeeds(tests, folder, time_limit))
    return code


def code_files(folder: Path) -> Iterator[Path]:
    """Yield the code files in a folder, without following symbolic links.

    Raises:
        InputError: if there are more than 20,000.
    """
    count = 0
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(names):
            file = Path(place, name)
            if file.suffix.lower() in SOURCES and not file.is_symlink():
                count += 1
                if count > MOST_FILES:
                    raise InputError(f"more than {MOST_FILES} code files", field="code", hint="choose a subfolder")
                yield file


def _parses(file: Path) -> bool | None:
    language = SOURCES.get(file.suffix.lower(), "")
    try:
        if not language or file.stat().st_size > FILES.size:
            return None
        return all_valid([(language, file.read_text("utf-8-sig"))], FILES)
    except UnicodeDecodeError:
        return False
    except OSError:
        return None


def succeeds(command: str, folder: Path, time_limit: float) -> bool:
    """Run a command in a folder and say whether it exits with 0 in time. Its child processes are killed at the end.

    Raises:
        InputError: if it cannot be started.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"invalid command {shown(command)}: {error}", field="command") from None
    if not words:
        raise InputError("the command is empty", field="command")
    try:
        process = subprocess.Popen(  # noqa: S603 - the caller asked for just this command
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise InputError(
            f"cannot run {words[0]}: {error.strerror}", field="command", hint="is it installed?"
        ) from error
    try:
        return process.wait(time_limit) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:  # pragma: no cover - Windows
        process.kill()
    process.wait()
