"""Build commands from the public methods that are operations.

Positional parameters of a method become arguments, keyword-only ones become options; help texts, defaults and limits
come from its signature and docstring. Every command takes `--store` and `--json`.
"""

import inspect
import re
import sys
from collections.abc import Callable, Collection, Mapping
from copy import copy
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from howsure.cli.output import show
from howsure.cli.parameters import first_word_after, parse_duration, parse_json, parse_moment
from howsure.cli.stores import CreateOption, Json, StoreOption
from howsure.shapes import Moment
from howsure.shapes.decode import object_decoder
from howsure.shapes.node import (
    Choice,
    Either,
    Field,
    Flag,
    Items,
    Node,
    Null,
    Number,
    Object,
    Text,
    doc_of,
    node,
    parameters,
)
from howsure.shapes.schema import parameter_docs, summary_of
from howsure.sure import open as open_store

if TYPE_CHECKING:
    from howsure.operation import Route
    from howsure.sure import Sure

_TIME = node(Moment)
_KEYWORDS = {"object", "from", "import", "id"}
"""Parameter names that Python or Typer reserve; the option keeps the name."""


def group(name: str, text: str, commands: Mapping[str, Callable[[], Any]], *, default: str = "") -> typer.Typer:
    """Return a group of commands. Only the called one is built, because the types of all methods take long to load.

    Args:
        name: The name of the group on the command line.
        text: Its help text.
        commands: What builds each command, such as `partial(command, "ledger", Ledger.find)`.
        default: The command that need not be named.
    """
    app = typer.Typer(no_args_is_help=not default, cls=default_command(default) if default else None, help=text)
    called = first_word_after(name, sys.argv)
    if called is not None and called not in commands:
        called = default
    for one in [called] if called else commands:
        app.command(one)(commands[one]())
    return app


def default_command(name: str) -> type[TyperGroup]:
    """Return a class of groups in which one command need not be named: `howsure outcome ID right` reports."""

    class Group(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            if not args or args[0] not in (*self.commands, *ctx.help_option_names):
                args = [name, *args]
            return super().parse_args(ctx, args)

    return Group


class Reader(NamedTuple):
    """How the command line reads a parameter whose type has no form there, such as a file or a duration."""

    read: Callable[[str, str], Any]
    """Returns the value from the text and the name of the parameter; raises InputError if it is wrong."""
    metavar: str
    help: str


def command(
    owner: str | Callable[["Sure"], Any],
    method: Callable[..., Any],
    *,
    example: str = "",
    arguments: Collection[str] | None = None,
    names: Mapping[str, str] | None = None,
    readers: Mapping[str, Reader] | None = None,
    leave_out: Collection[str] = (),
    local: Collection[str] = (),
    window: str = "",
    defaults: Mapping[str, Any] | Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
    confirm: str | Callable[[Any, Mapping[str, Any]], str] = "",
    say: Callable[[Any, Mapping[str, Any]], str | None] | None = None,
    exit_code: Callable[[Any], int] | None = None,
) -> Callable[..., None]:
    """Return a function that Typer turns into a command: it calls the method on the open store and shows the result.

    Args:
        owner: The attribute of `Sure` that holds the method, or a function that returns its owner; empty for a method
            of `Sure` itself.
        method: The method.
        example: A call of the command for its help text, without the leading `howsure`.
        arguments: The parameters that are arguments; default: the positional ones.
        names: Options that differ from the parameter's name, such as {"constituents": "--from"}.
        readers: How to read parameters whose type has no form on the command line.
        leave_out: Parameters that the command does not offer.
        local: Parameters for Python callers only that the command offers too.
        window: Default length, like "7d", of a window that the method takes as `since` and `until`; the command takes
            it as `--last 7d --now TIME`.
        defaults: Defaults that differ from the method's, or a function that returns them from the given arguments.
        confirm: A question to ask first, unless `--yes` is given; or a function that returns it from the owner and the
            arguments, empty to ask nothing.
        say: Returns one line for people from the result and the arguments, or prints by itself and returns None;
            default: the renderer of the result's type.
        exit_code: Returns the exit code from the result; default: 0.
    """

    def run(store: str | None, json: bool, yes: bool = True, create: bool = False, **values: Any) -> None:
        last = values.pop("last", None) or window
        given = read_arguments(method, values, readers or {}, local)
        given = dict((defaults(given) if callable(defaults) else defaults) or {}) | given
        length = parse_duration(last, "last") if last else None
        with open_store(store, create=create) as sure:
            holder = owner(sure) if callable(owner) else getattr(sure, owner) if owner else sure
            if length is not None:
                given["until"] = sure.session.at(given.get("until"))
                given["since"] = given["until"] - length
            question = confirm(holder, given) if callable(confirm) and not yes else confirm
            if question and not yes:
                typer.confirm(str(question), abort=True)
            result = method(holder, **given)
            line = (say(result, given) or "") if say is not None and not json else None
            show(result, json=json, line=line)  # inside, since a result may still read from the store
            code = 0 if exit_code is None else exit_code(result)
        if code:
            raise typer.Exit(code)

    options = command_line(
        method, names=names, arguments=arguments, readers=readers, leave_out=leave_out, local=local, window=window
    )
    if confirm:
        options.append(make_option("yes", bool, typer.Option("--yes", "-y", help="Do not ask."), False))
    route: Route | None = getattr(method, "__operation__", None)
    writes = route is not None and route.scope == "write"
    return with_signature(run, [*options, *standard_options(writes=writes)], method, example)


def standard_options(*, writes: bool = False) -> list[inspect.Parameter]:
    """Return the options that every command of a store has: --store and --json, and --create if it writes."""
    create = [make_option("create", CreateOption, default=False)] if writes else []
    return [make_option("store", StoreOption), *create, make_option("json", Json, default=False)]


def with_signature(
    run: Callable[..., None], options: list[inspect.Parameter], method: Callable[..., Any], example: str = ""
) -> Callable[..., None]:
    """Give a function the parameters that Typer should see, the name and summary of a method and an example."""
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    summary = summary_of(method)
    run.__doc__ = f"Show {summary[7:]}" if summary.startswith("Return ") else summary
    if example:
        run.__doc__ += f"\n\nExample: howsure {example}"
    run.__name__ = method.__name__.rstrip("_")
    return run


def command_line(
    method: Callable[..., Any],
    *,
    names: Mapping[str, str] | None = None,
    arguments: Collection[str] | None = None,
    readers: Mapping[str, Reader] | None = None,
    leave_out: Collection[str] = (),
    local: Collection[str] = (),
    window: str = "",
) -> list[inspect.Parameter]:
    """Return the arguments and options of a method.

    Args:
        method: The method.
        names: Options that differ from the parameter's name; a flag may name both states, as in "--stale/--fresh".
        arguments: The parameters that are arguments; default: the positional ones.
        readers: How to read parameters whose type has no form on the command line.
        leave_out: Parameters that are not offered.
        local: Parameters for Python callers only that are offered.
        window: Default length of the window from `since` to `until`, if that is given as `--last` and `--now`.
    """
    if arguments is None:
        arguments = {
            name
            for name, parameter in inspect.signature(method).parameters.items()
            if parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        }
    docs = parameter_docs(method)
    described = parameters(method, tuple(local)).fields
    renamed = dict(names or {})
    if window:
        leave_out = {*leave_out, "since"}
        renamed["until"] = "--now"
    read = readers or {}
    flags = {
        name: renamed.get(name) or _flag(name, Text() if name in read else _without_null(field.node))
        for name, field in described.items()
        if name not in arguments and name not in leave_out
    }
    options = []
    for name, field in described.items():
        if name not in leave_out:
            carried = doc_of(field.annotation)
            text = _with_flags(docs.get(name) or (carried.text if carried else ""), flags)
            options.append(_parameter(name, field, text, flag=flags.get(name), reader=read.get(name)))
    if window and "since" in described:
        info = typer.Option(metavar="DURATION", help=f"How far back, like 24h or 30d; default: {window}.")
        options.append(make_option("last", str | None, info))
    return options


def read_arguments(
    method: Callable[..., Any],
    values: Mapping[str, Any],
    readers: Mapping[str, Reader] = MappingProxyType({}),
    local: Collection[str] = (),
) -> Any:
    """Return the arguments of a method from the texts of its command line; raise InputError if one is wrong."""
    described = parameters(method, tuple(local))
    given = {name.rstrip("_"): value for name, value in values.items() if value is not None and value != []}
    read = {name: readers[name].read(given.pop(name), name) for name in readers if name in given}
    data = {name: _value(described.fields[name].node, value, name) for name, value in given.items()}
    rest = Object(None, {name: field for name, field in described.fields.items() if name not in read})
    route: Route | None = getattr(method, "__operation__", None)
    return object_decoder(rest, names_only=route is not None and route.decodes)(data) | read


def _parameter(name: str, field: Field, text: str, *, flag: str | None, reader: Reader | None) -> inspect.Parameter:
    """Return an option, or an argument if there is no flag."""
    shape = _without_null(field.node)
    metavar = _metavar(name, shape)
    if reader is not None:
        shape, metavar, text = Text(), reader.metavar, reader.help
    safe = f"{name}_" if name in _KEYWORDS else name
    if flag is None:
        required = field.required
        info = typer.Argument(metavar=metavar, help=text)  # Typer writes what may be left out as [FILE]
        kind = list[str] if isinstance(shape, Items) else str
        return make_option(safe, kind if required else kind | None, info, inspect.Parameter.empty if required else None)
    if isinstance(shape, Flag):
        plain = field.default is False or "/" in flag
        info = typer.Option(flag if plain else f"{flag}/--no-{flag[2:]}", help=text)
        return make_option(safe, bool | None, info, inspect.Parameter.empty if field.required else None)
    info = typer.Option(*flag.split(), metavar=metavar, help=_with_default(text, field))
    kind = list[str] if isinstance(shape, Items) else str
    return make_option(
        safe, kind if field.required else kind | None, info, inspect.Parameter.empty if field.required else None
    )


def repeated(name: str, flag: str, metavar: str, text: str) -> inspect.Parameter:
    """Return an option that may be repeated; its value is the list of texts."""
    return make_option(name, list[str] | None, typer.Option(flag, metavar=metavar, help=text))


def in_panels(options: list[inspect.Parameter], panels: Mapping[str, Collection[str]]) -> list[inspect.Parameter]:
    """Return options in the order of panels of the help text, each of which has columns of its own widths.

    Those that no panel names stay in the panel that Typer shows first.
    """
    by_name = {option.name: option for option in options}
    ordered = []
    for title, names in panels.items():
        for name in names:
            option = by_name.pop(name)
            info = copy(option.annotation.__metadata__[0])
            info.rich_help_panel = title
            ordered.append(option.replace(annotation=Annotated[option.annotation.__origin__, info]))
    return [*ordered, *by_name.values()]


def make_option(name: str, kind: Any, info: Any = None, default: Any = None) -> inspect.Parameter:
    """Return the parameter of a command that is given by name; `info` is what Typer says of it, unless `kind` does."""
    annotation = kind if info is None else Annotated[kind, info]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _with_default(text: str, field: Field) -> str:
    """Return a help text with the default, unless it says so itself. Square brackets would be read as markup."""
    if field.required or field.default in (None, "", ()) or "default" in text:
        return text
    return f"{text.rstrip('.')}; default: {field.default}."


def _without_null(shape: Node) -> Node:
    if isinstance(shape, Either):
        parts = tuple(part for part in shape.parts if not isinstance(part, Null))
        return parts[0] if len(parts) == 1 else Either(parts)
    return shape


def _with_flags(text: str, flags: Mapping[str, str]) -> str:
    """Return a help text that names options instead of the parameters of the method: `trace_id` becomes --trace."""
    return re.sub(r"(?<!setting )`(\w+)`", lambda match: flags.get(match[1], match[0]).partition(" ")[0], text)


def _flag(name: str, shape: Node) -> str:
    """Return the flag of an option: `task_id` becomes `--task`; one that may be repeated is singular."""
    if not isinstance(shape, Items):
        name = name.removesuffix("_id")
    else:
        name = name.removesuffix("es") if name.endswith("ses") else name.removesuffix("s")
    return "--" + name.replace("_", "-")


def _metavar(name: str, shape: Node) -> str:
    match shape:
        case _ if shape == _TIME:
            return "TIME"
        case Number():
            return "NUMBER"
        case Choice(options) if len("|".join(options)) <= 32:  # noqa: PLR2004 - what fits beside the option
            return "|".join(options)
        case Either(parts) if _TIME in parts:
            return "TIME"
        case Items(item):
            return _metavar(name, item)
        case Text() | Choice():
            return "ID" if name.endswith("_id") else name.upper().rstrip("_")
        case _:
            return "JSON"


def _value(shape: Node, text: Any, name: str) -> Any:
    """Return what a parameter's type reads from a text of the command line."""
    shape = _without_null(shape)
    if isinstance(text, list):
        return [_value(shape.item if isinstance(shape, Items) else shape, item, name) for item in text]
    if not isinstance(text, str) or isinstance(shape, Text | Choice):
        return text
    if shape == _TIME:
        return parse_moment(text, name)
    if isinstance(shape, Number):
        try:
            return int(text) if shape.kind is int else float(text)
        except ValueError:
            return text  # decoding says what is wrong with it
    if isinstance(shape, Either):
        for part in shape.parts:
            if isinstance(part, Choice) and text in part.options:
                return text
        return _value(shape.parts[0], text, name)
    return parse_json(text, name)
