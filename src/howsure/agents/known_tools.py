"""Tables of the tools of coding agents and of shell commands, and what each is for.

A purpose is a category of the investigation model and, after a dot, its kind. `search`, `read`, `git` and `ci` look
something up; `edit` changes a file; `verification` checks code by building, testing or analysing it.

The tables are Python and not TOML because a hook loads them at every tool call, and importing tomllib alone takes
longer than loading all of them.
"""

from collections.abc import Iterable, Mapping


def _by_name(table: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the purpose of each name, from a table of names by purpose."""
    return {name: purpose for purpose, names in table.items() for name in names}


RUNNERS = {
    "make": "build", "ninja": "build", "just": "", "gradle": "", "mvn": "", "npm": "", "rake": "", "bazel": "",
}  # fmt: skip
"""Programs that run tasks by their names, and the kind of check they make without a name (empty: none)."""
ALIASES = {
    "yarn": "npm",
    "pnpm": "npm",
    "bun": "npm",
    "gmake": "make",
    "gradlew": "gradle",
    "mvnw": "mvn",
    "bazelisk": "bazel",
}
"""Programs that take the same arguments as another one."""
TOOLS = _by_name(
    {
        "search.grep": (
            "grep", "grepsearch", "searchfilecontent", "codebasesearch", "semanticsearch", "searchcode",
            "searchcodeinfile", "searchdir", "searchfile", "searchforpattern", "ripgrep", "search", "searchtext",
            "searchrepo",
        ),
        "search.find": (
            "find", "glob", "filesearch", "searchfiles", "findfile", "findfiles", "findbyname", "findpath",
            "globsearch",
        ),
        "search.web": ("websearch", "googlewebsearch"),
        "search.references": (
            "lsp", "references", "findreferences", "findreferencingsymbols", "findsymbol", "gotodefinition",
            "workspacesymbol", "workspacesymbols", "searchclass", "searchclassinfile", "searchmethod",
            "searchmethodinfile", "searchmethodinclass", "searchfunction", "symbolsearch", "searchsymbol",
            "listcodeusages", "findusages", "getreferences", "getdefinition",
        ),
        "read": (
            "read", "readfile", "viewfile", "notebookread", "webfetch", "fetch", "readmanyfiles", "view", "openfile",
            "getfilecontents", "viewcodeitem", "readnotebook",
        ),
        "edit": (
            "edit", "editfile", "multiedit", "write", "writefile", "notebookedit", "replace", "applypatch", "applydiff",
            "writepatch", "createfile", "writetofile", "replaceinfile", "strreplace", "searchreplace",
            "inserteditintofile", "deletefile",
        ),
        "verification.test": ("test", "tests", "runtests", "runtest"),
        "verification.build": ("build", "compile", "runbuild"),
    }
)  # fmt: skip
"""Purpose of a tool by its name in lower case, without `_` and `-` and without the MCP server it comes from."""
SHELLS = {
    "bash", "cmdrun", "exec", "execcommand", "executebash", "executecommand", "localshell", "powershell", "run",
    "runbash", "runcommand", "runinterminal", "runshellcommand", "runterminalcmd", "shell", "shellcommand", "terminal",
}  # fmt: skip
"""Tools that run shell commands."""
EDITORS = {"strreplaceeditor", "strreplacebasededittool"}
"""Tools that view or change a file, depending on their argument `command`."""
LISTERS = {"ls", "list", "listdir", "listdirectory", "listfiles", "directorytree"}
"""Tools that list files."""
NEUTRAL = {
    "agent", "askuserquestion", "attemptcompletion", "bashoutput", "enterplanmode", "exitplanmode", "finish",
    "killbash", "killshell", "skill", "slashcommand", "submit", "task", "taskoutput", "think", "todoread", "todowrite",
    "toolsearch", "updateplan", "updatetodolist", "writetodos",
}  # fmt: skip
"""Tools that are never evidence, such as planning and asking the user."""
COMMANDS = _by_name(
    {
        "search.grep": (
            "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "git grep", "search_dir", "search_file",
        ),
        "search.find": ("find", "fd", "fdfind", "git ls-files", "find_file"),
        "read": (
            "open", "goto", "scroll_down", "scroll_up", "str_replace_editor view", "str_replace_based_edit_tool view",
            "cat", "sed", "head", "tail", "less", "more", "bat", "nl",
        ),
        "edit": ("create", "edit", "str_replace_editor", "str_replace_based_edit_tool"),
        "git": ("git",),
        "ci": ("gh",),
        "verification.test": (
            "pytest", "py.test", "unittest", "tox", "nox", "ctest", "jest", "vitest", "mocha", "rspec", "phpunit",
            "pest", "playwright test", "manage.py test", "cargo test", "cargo nextest", "go test", "gotestsum",
            "dotnet test", "swift test", "deno test", "node --test", "meson test", "mix test", "sbt test", "rails test",
            "artisan test", "composer test", "flutter test", "dart test", "zig test", "stack test", "cabal test", "ava",
            "karma start", "cypress run", "nx test", "ng test", "hatch test", *(f"{name} test" for name in RUNNERS),
        ),
        "verification.types": (
            "mypy", "dmypy", "pyright", "basedpyright", "tsc", "ty check", "deno check",
            *(f"{name} types" for name in RUNNERS),
        ),
        "verification.syntax": (
            "ruff", "flake8", "pylint", "eslint", "biome", "py_compile", "compileall", "cargo clippy", "go vet",
            "shellcheck", "rubocop", "pre-commit run", *(f"{name} lint" for name in RUNNERS),
        ),
        "verification.build": (
            "make", "ninja", "cmake", "cargo build", "cargo check", "go build", "dotnet build", "swift build",
            "meson compile", "mix compile", "sbt compile", "stack build", "cabal build", "zig build", "ng build",
            "vite build", "next build", "webpack", "gcc", "g++", "clang", "clang++", "cc", "c++", "rustc", "javac",
            *(f"{name} build" for name in RUNNERS),
        ),
        "": ("ruff format", "ruff clean", "ruff rule", "ruff config"),
    }
)  # fmt: skip
"""Purpose of a command by its first one to three words; the longest match counts, an empty purpose is no evidence."""
PROGRAMS = _by_name(
    {
        "verification.build": (
            "npm", "yarn", "pnpm", "bun", "cargo", "go", "mvn", "gradle", "dotnet", "rake", "bazel", "just", "swift",
            "deno",
        ),
    }
)  # fmt: skip
"""Programs that do many things, if a trace names the program alone: the least that a successful run shows."""
CHANGING_WORDS = {
    "git": {
        "add", "am", "apply", "checkout", "cherry-pick", "clean", "clone", "commit", "config", "fetch", "gc", "init",
        "help", "merge", "mv", "pull", "push", "rebase", "remote", "reset", "restore", "revert", "rm", "stash",
        "switch", "tag", "version", "worktree",
    },
    "gh": {
        "alias", "auth", "browse", "cancel", "close", "comment", "create", "delete", "edit", "merge", "rerun", "review",
    },
}  # fmt: skip
"""Subcommands of git and gh that change something, and so look nothing up."""
