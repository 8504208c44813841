"""The toolbox: the tools of coding agents and the commands that are known, and what each is for.

The tables say it in the words of the investigation model: a category, and after a dot its kind. `search`, `read`, `git`
and `ci` look something up; `edit` changes a file; `verification` checks code by building, testing or reading it.
"""

TOOLS = {
    **dict.fromkeys(("grep", "grepsearch", "searchfilecontent", "codebasesearch", "semanticsearch"), "search.grep"),
    **dict.fromkeys(("searchcode", "searchcodeinfile", "searchdir", "searchfile", "searchforpattern"), "search.grep"),
    **dict.fromkeys(("ripgrep", "search", "searchtext", "searchrepo"), "search.grep"),
    **dict.fromkeys(
        ("find", "glob", "filesearch", "searchfiles", "findfile", "findfiles", "findbyname"), "search.find"
    ),
    **dict.fromkeys(("findpath", "globsearch"), "search.find"),
    **dict.fromkeys(("websearch", "googlewebsearch"), "search.web"),
    **dict.fromkeys(("lsp", "references", "findreferences", "findreferencingsymbols"), "search.references"),
    **dict.fromkeys(("findsymbol", "gotodefinition", "workspacesymbol", "workspacesymbols"), "search.references"),
    **dict.fromkeys(("searchclass", "searchclassinfile", "searchmethod", "searchmethodinfile"), "search.references"),
    **dict.fromkeys(("searchmethodinclass", "searchfunction", "symbolsearch", "searchsymbol"), "search.references"),
    **dict.fromkeys(("listcodeusages", "findusages", "getreferences", "getdefinition"), "search.references"),
    **dict.fromkeys(("read", "readfile", "viewfile", "notebookread", "webfetch", "fetch", "readmanyfiles"), "read"),
    **dict.fromkeys(("view", "openfile", "getfilecontents", "viewcodeitem", "readnotebook"), "read"),
    **dict.fromkeys(("edit", "editfile", "multiedit", "write", "writefile", "notebookedit", "replace"), "edit"),
    **dict.fromkeys(("applypatch", "applydiff", "writepatch", "createfile", "writetofile", "replaceinfile"), "edit"),
    **dict.fromkeys(("strreplace", "searchreplace", "inserteditintofile", "deletefile"), "edit"),
    **dict.fromkeys(("test", "tests", "runtests", "runtest"), "verification.test"),
    **dict.fromkeys(("build", "compile", "runbuild"), "verification.build"),
}
"""What a tool is for, by its name in small letters without `_` and `-`, and without the server it comes from."""
SHELLS = {
    "bash", "cmdrun", "exec", "execcommand", "executebash", "executecommand", "localshell", "powershell", "run",
    "runbash", "runcommand", "runinterminal", "runshellcommand", "runterminalcmd", "shell", "shellcommand", "terminal",
}  # fmt: skip
"""Tools that run shell commands."""
EDITORS = {"strreplaceeditor", "strreplacebasededittool"}
"""Tools that view a file or change it, as their command says."""
LISTERS = {"ls", "list", "listdir", "listdirectory", "listfiles", "directorytree"}
"""Tools that list what there is."""
NEUTRAL = {
    "agent", "askuserquestion", "attemptcompletion", "bashoutput", "enterplanmode", "exitplanmode", "finish",
    "killbash", "killshell", "skill", "slashcommand", "submit", "task", "taskoutput", "think", "todoread", "todowrite",
    "toolsearch", "updateplan", "updatetodolist", "writetodos",
}  # fmt: skip
"""Tools that are known to be evidence of nothing."""
RUNNERS = {
    "make": "build", "ninja": "build", "just": "", "gradle": "", "mvn": "", "npm": "", "rake": "", "bazel": "",
}  # fmt: skip
"""Programs that run what they are told to by name, and what they do where nothing is named."""
SAME = {
    "yarn": "npm",
    "pnpm": "npm",
    "bun": "npm",
    "gmake": "make",
    "gradlew": "gradle",
    "mvnw": "mvn",
    "bazelisk": "bazel",
}
"""Programs that take the same words as another."""
COMMANDS = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "git grep"), "search.grep"),
    **dict.fromkeys(("find", "fd", "fdfind", "git ls-files"), "search.find"),
    **dict.fromkeys(("search_dir", "search_file"), "search.grep"),
    "find_file": "search.find",
    **dict.fromkeys(("open", "goto", "scroll_down", "scroll_up"), "read"),
    **dict.fromkeys(("str_replace_editor view", "str_replace_based_edit_tool view"), "read"),
    **dict.fromkeys(("create", "edit", "str_replace_editor", "str_replace_based_edit_tool"), "edit"),
    **dict.fromkeys(("cat", "sed", "head", "tail", "less", "more", "bat", "nl"), "read"),
    "git": "git",
    "gh": "ci",
    **dict.fromkeys(("pytest", "py.test", "unittest", "tox", "nox", "ctest", "jest", "vitest"), "verification.test"),
    **dict.fromkeys((f"{runner} test" for runner in RUNNERS), "verification.test"),
    **dict.fromkeys(("mocha", "rspec", "phpunit", "pest", "playwright test", "manage.py test"), "verification.test"),
    **dict.fromkeys(("cargo test", "cargo nextest", "go test", "gotestsum"), "verification.test"),
    **dict.fromkeys(("dotnet test", "swift test", "deno test", "node --test", "meson test"), "verification.test"),
    **dict.fromkeys(("mix test", "sbt test", "rails test", "artisan test", "composer test"), "verification.test"),
    **dict.fromkeys(("flutter test", "dart test", "zig test", "stack test", "cabal test"), "verification.test"),
    **dict.fromkeys(("ava", "karma start", "cypress run", "nx test", "ng test", "hatch test"), "verification.test"),
    **dict.fromkeys(("mypy", "dmypy", "pyright", "basedpyright", "tsc", "ty check"), "verification.types"),
    **dict.fromkeys((f"{runner} types" for runner in RUNNERS), "verification.types"),
    "deno check": "verification.types",
    **dict.fromkeys(("ruff", "flake8", "pylint", "eslint", "biome", "py_compile", "compileall"), "verification.syntax"),
    **dict.fromkeys((f"{runner} lint" for runner in RUNNERS), "verification.syntax"),
    **dict.fromkeys(("cargo clippy", "go vet", "shellcheck", "rubocop", "pre-commit run"), "verification.syntax"),
    **dict.fromkeys(("make", "ninja", "cmake", "cargo build", "cargo check", "go build"), "verification.build"),
    **dict.fromkeys((f"{runner} build" for runner in RUNNERS), "verification.build"),
    **dict.fromkeys(("dotnet build", "swift build", "meson compile", "mix compile"), "verification.build"),
    **dict.fromkeys(("sbt compile", "stack build", "cabal build", "zig build", "ng build"), "verification.build"),
    **dict.fromkeys(("vite build", "next build", "webpack", "gcc", "g++", "clang", "clang++"), "verification.build"),
    **dict.fromkeys(("cc", "c++", "rustc", "javac"), "verification.build"),
    **dict.fromkeys(("ruff format", "ruff clean", "ruff rule", "ruff config"), ""),
}
"""What a command is for, by its first one to three words. The longest that fits counts; an empty one is for nothing."""
PROGRAMS = {
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun", "cargo", "go", "mvn", "gradle", "dotnet"), "verification.build"),
    **dict.fromkeys(("rake", "bazel", "just", "swift", "deno"), "verification.build"),
}
"""Programs that do many things, for where a run is told by their name alone: the least that a good run shows."""
CHANGES = {
    "git": {
        "add", "am", "apply", "checkout", "cherry-pick", "clean", "clone", "commit", "config", "fetch", "gc", "init",
        "help", "merge", "mv", "pull", "push", "rebase", "remote", "reset", "restore", "revert", "rm", "stash",
        "switch", "tag", "version", "worktree",
    },
    "gh": {
        "alias", "auth", "browse", "cancel", "close", "comment", "create", "delete", "edit", "merge", "rerun", "review",
    },
}  # fmt: skip
"""Words of git and gh that change something, and so look nothing up."""
