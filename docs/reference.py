"""Write pages from the code: every command, the Python API by its docstrings, and the notebooks."""

import ast
import importlib
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, get_args

import notebooks
import typer

import howsure
from howsure.cli.app import COMMANDS, build
from howsure.shapes import Doc

FACADES = {
    "responses": ("howsure.responses.api", "Responses"),
    "claims": ("howsure.claims.api", "Claims"),
    "ledger": ("howsure.ledger.api", "Ledger"),
    "fits": ("howsure.learn.api", "Fits"),
    "investigations": ("howsure.investigations.api", "Investigations"),
    "syntheses": ("howsure.syntheses.api", "Syntheses"),
    "documents": ("howsure.documents.api", "Documents"),
    "sources": ("howsure.sources.api", "Sources"),
    "bulk": ("howsure.bulk.api", "Bulk"),
    "charts": ("howsure.charts.api", "Charts"),
    "models": ("howsure.ledger.models", "Models"),
}
"""The properties of `Sure` that have a page, with their classes."""
FUNCTIONS = ("open", "gate", "score", "evaluate", "fuse", "describe", "model_names", "build")
CLASSES = ("Sure", "Claim", "Interval", "Score", "Graph", "HowsureError")
_SECTION = re.compile(r"^(Args|Raises|Returns|Yields):\n((?:[ ]{4,}.*\n?|\n(?=[ ]{4}))+)", re.MULTILINE)


def pages() -> dict[str, str]:
    """Return the generated pages by their path."""
    found = {"reference/commands.md": commands(), "reference/python/index.md": top_level()}
    for name, (module, class_name) in FACADES.items():
        facade = getattr(importlib.import_module(module), class_name)
        found[f"reference/python/{name}.md"] = _facade(f"sure.{name}", facade)
    for path in sorted(notebooks.FOLDER.glob("*.ipynb")):
        found[f"notebooks/{path.stem}.md"] = _notebook(json.loads(path.read_text()))
    return found


def _notebook(notebook: dict[str, Any]) -> str:
    """Return a notebook as a page: text, code, and what the code prints."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source.replace("](../../docs/", "](../"))
        else:
            printed = notebooks.shown(cell)
            parts += [f"```python\n{source}\n```", *([f"```text\n{printed}```"] if printed else [])]
    return "\n\n".join(parts) + "\n"


def commands() -> str:
    """Return the page of all commands, by group."""
    root: Any = typer.main.get_command(build([]))
    parts = [
        "# All commands",
        "Generated from the commands; `--help` says the same. [Command line](../cli.md): how they work together.",
    ]
    for group in dict.fromkeys(COMMANDS.values()):
        parts.append(f"## {group}")
        for name, in_group in COMMANDS.items():
            if in_group == group:
                parts += [
                    part
                    for path, command in _walk(root.commands[name], f"howsure {name}")
                    for part in _command(path, command)
                ]
    return "\n\n".join(parts) + "\n"


def _walk(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from _walk(inner, f"{path} {name}")


def _command(path: str, command: Any) -> Iterator[str]:
    yield f"### {path}"
    help_text = inspect.cleandoc(command.help or "").replace("\b\n", "")
    text, _, example = help_text.partition("Example:")
    yield _escape(" ".join(text.split()))
    if getattr(command, "commands", None):
        return
    if example:
        yield "```sh\n" + "\n".join(line.strip() for line in example.strip().splitlines()) + "\n```"
    rows = []
    for parameter in command.params:
        if getattr(parameter, "hidden", False) or "--help" in parameter.opts:
            continue
        option = parameter.param_type_name == "option"
        names = ", ".join(parameter.opts + parameter.secondary_opts) if option else parameter.human_readable_name
        value = (
            ""
            if not option or getattr(parameter, "is_flag", False)
            else f" {parameter.metavar or parameter.type.name.upper()}"
        )
        rows.append(f"| `{names}{value}` | {_escape(getattr(parameter, 'help', None) or '')} |".replace("\n", " "))
    if rows:
        yield "\n".join(["| Parameter | Meaning |", "|---|---|", *rows])


def top_level() -> str:
    """Return the page of what `import howsure` has."""
    parts = [
        "# Python",
        "Generated from docstrings. `howsure.open()` returns a `Sure`, whose properties have a page each: "
        + ", ".join(f"[`sure.{name}`]({name}.md)" for name in FACADES)
        + ". A method whose page says *async* has a version for `await`, whose name starts with `a`.",
        "## Functions",
    ]
    for name in FUNCTIONS:
        function = getattr(howsure, name)
        parts += _function(f"howsure.{name}", function if inspect.isfunction(function) else type(function).__call__)
    parts.append("## Classes")
    for name in CLASSES:
        parts += [f"### howsure.{name}", _docstring(inspect.getdoc(getattr(howsure, name)) or "", {})]
    return "\n\n".join(parts) + "\n"


def _facade(path: str, facade: type) -> str:
    parts = [f"# {path}", _docstring(inspect.getdoc(facade) or "", {})]
    for name, method in vars(facade).items():
        twin = name.startswith("a") and name[1:] in vars(facade)  # the async version of another
        if not name.startswith("_") and not twin and inspect.isfunction(method) and inspect.getdoc(method):
            parts += _function(f"{path}.{name}", method, is_async=hasattr(facade, f"a{name}"), level="##")
    return "\n\n".join(parts) + "\n"


def _function(path: str, function: Callable[..., Any], *, is_async: bool = False, level: str = "###") -> list[str]:
    described = {name: _described(hint) for name, hint in function.__annotations__.items() if name != "return"}
    marked = getattr(function, "__operation__", None)
    notes = ["*async*"] * is_async + ([f"HTTP `{marked.method} {marked.path}`"] if marked is not None else [])
    return [
        f"{level} {path.rpartition('.')[2]}",
        f"```py\n{_signature(path, function)}\n```",
        *([" · ".join(notes)] if notes else []),
        _docstring(inspect.getdoc(function) or "", {name: text for name, text in described.items() if text}),
    ]


def _described(hint: Any) -> str:
    """Return what a type says about a parameter; "" if it says nothing."""
    for one in getattr(hint, "__metadata__", ()):
        if isinstance(one, Doc):
            return one.text
    return next((text for one in get_args(hint) if (text := _described(one))), "")


def _signature(path: str, function: Callable[..., Any]) -> str:
    """Return the signature as it is written, one parameter per line if it is long."""
    tree: Any = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    given = tree.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + given.defaults
    parameters = [_parameter(one, default) for one, default in zip(plain, defaults, strict=True) if one.arg != "self"]
    if given.posonlyargs and parameters:
        parameters.insert(len(given.posonlyargs) - (plain[0].arg == "self"), "/")
    if given.vararg or given.kwonlyargs:
        parameters.append(_parameter(given.vararg, None, "*") if given.vararg else "*")
    parameters += [_parameter(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    parameters += [_parameter(given.kwarg, None, "**")] if given.kwarg else []
    returned = f" -> {_type(tree.returns)}" if tree.returns else ""
    line = f"{path}({', '.join(parameters)}){returned}"
    if len(line) <= 100:  # noqa: PLR2004 - fits the page
        return line
    return f"{path}(\n" + "".join(f"    {one},\n" for one in parameters) + f"){returned}"


def _parameter(parameter: ast.arg, default: ast.expr | None, stars: str = "") -> str:
    text = f"{stars}{parameter.arg}" + (f": {_type(parameter.annotation)}" if parameter.annotation else "")
    return text if default is None else f"{text} = {ast.unparse(default)}"


def _type(annotation: ast.expr) -> str:
    """Return a type as it is written, without quotes and without what is only for the other interfaces."""
    if isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "Annotated":
        annotation = annotation.slice.elts[0]  # type: ignore[attr-defined]
    return annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)  # type: ignore[return-value]


def _docstring(text: str, described: dict[str, str]) -> str:
    """Return a docstring as Markdown: sections become lists, doctests become code."""
    arguments: dict[str, str] = dict(described)
    others: list[str] = []

    def take(match: re.Match[str]) -> str:
        entries = re.findall(r"^(\S[^:]*): (.*(?:\n[ ]+.*)*)", textwrap.dedent(match[2]), re.MULTILINE)
        for name, meaning in entries:
            if match[1] == "Args":
                arguments[name] = " ".join(meaning.split())
            else:
                others.append(f"- {match[1]} `{name}` {' '.join(meaning.split())}")
        return ""

    prose, doctest, example = _SECTION.sub(take, text + "\n").partition("\n>>>")
    parts = [_escape(prose.strip())]
    if arguments:
        parts.append("\n".join(f"- `{name}`: {_escape(meaning)}" for name, meaning in arguments.items()))
    if others:
        parts.append("\n".join(map(_escape, others)))
    if doctest:
        parts.append(f"```pycon\n>>>{example.rstrip()}\n```")
    return "\n\n".join(part for part in parts if part)


def _escape(text: str) -> str:
    """Keep what looks like HTML or a table cell from being read as one."""
    return "`".join(
        part if place % 2 else part.replace("<", "&lt;").replace("|", "\\|").replace("[", "\\[")
        for place, part in enumerate(text.split("`"))
    )
