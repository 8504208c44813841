"""Build commands from the public methods that are operations.

Positional parameters of a method become arguments, keyword-only ones become options; help texts, defaults and limits
come from its signature and docstring. Every command takes `--store` and `--json`.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any

import typer

from howsure.cli.parameters import parse_json, parse_moment
from howsure.cli.render import show
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.shapes import Moment
from howsure.shapes.decode import object_decoder
from howsure.shapes.node import Choice, Either, Field, Flag, Items, Node, Null, Number, Text, doc_of, node, parameters
from howsure.shapes.schema import parameter_docs, summary_of

_TIME = node(Moment)
_KEYWORDS = {"object", "from", "import", "id"}
"""Parameter names that Python or Typer reserve; the option keeps the name."""


def group(facade: str, text: str, methods: Mapping[str, Callable[..., Any]]) -> typer.Typer:
    """Return a group of commands, one for each method of a facade of `Sure`.

    Args:
        facade: The attribute of `Sure` that holds the methods, such as "claims".
        text: The help text of the group.
        methods: The methods by command name.
    """
    app = typer.Typer(no_args_is_help=True, help=text)
    for name, method in methods.items():
        app.command(name)(command(facade, method))
    return app


def command(
    facade: str,
    method: Callable[..., Any],
    *,
    arguments: Collection[str] | None = None,
    names: Mapping[str, str] | None = None,
    leave_out: Collection[str] = (),
    confirm: str = "",
    say: Callable[[Any, Mapping[str, Any]], str | None] | None = None,
    exit_code: Callable[[Any], int] | None = None,
) -> Callable[..., None]:
    """Return a function that Typer turns into a command: it calls the method on the open store and shows the result.

    Args:
        facade: The attribute of `Sure` that holds the method; empty for a method of `Sure` itself.
        method: The method.
        arguments: The parameters that are arguments; default: the positional ones.
        names: Options that differ from the parameter's name, such as {"constituents": "--from"}.
        leave_out: Parameters that the command does not offer.
        confirm: A question to ask first, unless `--yes` is given.
        say: Returns one line for people from the result and the arguments, or prints by itself and returns None;
            default: the renderer of the result's type.
        exit_code: Returns the exit code from the result; default: 0.
    """

    def run(store: str | None, json: bool, yes: bool = True, **values: Any) -> None:
        given = read_arguments(method, values)
        if not yes:
            typer.confirm(confirm, abort=True)
        with opened_store(store) as sure:
            result = method(getattr(sure, facade) if facade else sure, **given)
            line = (say(result, given) or "") if say is not None and not json else None
            show(result, json=json, line=line)  # inside, since a result may still read from the store
            code = 0 if exit_code is None else exit_code(result)
        if code:
            raise typer.Exit(code)

    options = command_line(method, names=names, arguments=arguments, leave_out=leave_out)
    if confirm:
        options.append(_option("yes", bool, typer.Option("--yes", "-y", help="Do not ask."), False))
    options.append(_option("store", StoreOption, None, None))
    options.append(_option("json", Json, None, False))
    return with_signature(run, options, method)


def with_signature(
    run: Callable[..., None], options: list[inspect.Parameter], method: Callable[..., Any]
) -> Callable[..., None]:
    """Give a function the parameters that Typer should see, and the name and summary of a method; return it."""
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    summary = summary_of(method)
    run.__doc__ = f"Show {summary[7:]}" if summary.startswith("Return ") else summary
    run.__name__ = method.__name__.rstrip("_")
    return run


def command_line(
    method: Callable[..., Any],
    *,
    names: Mapping[str, str] | None = None,
    arguments: Collection[str] | None = None,
    leave_out: Collection[str] = (),
) -> list[inspect.Parameter]:
    """Return the arguments and options of a method.

    Args:
        method: The method.
        names: Options that differ from the parameter's name; a flag may name both states, as in "--stale/--fresh".
        arguments: The parameters that are arguments; default: the positional ones.
        leave_out: Parameters that are not offered.
    """
    if arguments is None:
        arguments = {
            name
            for name, parameter in inspect.signature(method).parameters.items()
            if parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        }
    docs = parameter_docs(method)
    return [
        _parameter(name, field, docs.get(name, ""), argument=name in arguments, option=(names or {}).get(name, ""))
        for name, field in parameters(method).fields.items()
        if name not in leave_out
    ]


def read_arguments(method: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Return the arguments of a method from the texts of its command line; raise InputError if one is wrong."""
    described = parameters(method)
    given = {name.rstrip("_"): value for name, value in values.items() if value is not None and value != []}
    data = {name: _value(described.fields[name].node, value, name) for name, value in given.items()}
    return object_decoder(described)(data)


def _parameter(name: str, field: Field, doc: str, *, argument: bool, option: str) -> inspect.Parameter:
    carried = doc_of(field.annotation)
    text = doc or (carried.text if carried else "")
    shape = _without_null(field.node)
    safe = f"{name}_" if name in _KEYWORDS else name
    if argument:
        required = field.required
        info = typer.Argument(metavar=_metavar(name, shape) if required else f"[{_metavar(name, shape)}]", help=text)
        kind = list[str] if isinstance(shape, Items) else str
        return _option(safe, kind if required else kind | None, info, inspect.Parameter.empty if required else None)
    flag = option or "--" + _option_name(name, shape).replace("_", "-")
    if isinstance(shape, Flag):
        plain = field.default is False or "/" in flag
        info = typer.Option(flag if plain else f"{flag}/--no-{flag[2:]}", help=text)
        return _option(safe, bool | None, info, inspect.Parameter.empty if field.required else None)
    shown = f" [default: {field.default}]" if not field.required and field.default not in (None, "", ()) else ""
    info = typer.Option(*flag.split(), metavar=_metavar(name, shape), help=text + shown)
    kind = list[str] if isinstance(shape, Items) else str
    return _option(
        safe, kind if field.required else kind | None, info, inspect.Parameter.empty if field.required else None
    )


def _option(name: str, kind: Any, info: Any, default: Any) -> inspect.Parameter:
    annotation = kind if info is None else Annotated[kind, info]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _without_null(shape: Node) -> Node:
    if isinstance(shape, Either):
        parts = tuple(part for part in shape.parts if not isinstance(part, Null))
        return parts[0] if len(parts) == 1 else Either(parts)
    return shape


def _option_name(name: str, shape: Node) -> str:
    """Return the singular for an option that may be repeated: `tiers` becomes `--tier`."""
    if not isinstance(shape, Items):
        return name
    return name.removesuffix("es") if name.endswith("ses") else name.removesuffix("s")


def _metavar(name: str, shape: Node) -> str:
    match shape:
        case _ if shape == _TIME:
            return "TIME"
        case Number():
            return "NUMBER"
        case Choice(options) if len("|".join(options)) <= 40:  # noqa: PLR2004 - what fits beside the option
            return "|".join(options)
        case Either(parts) if _TIME in parts:
            return "TIME"
        case Items(item):
            return _metavar(name, item)
        case Text() | Choice():
            return name.upper().rstrip("_")
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
