"""howsure models: what there is, and what it can be tuned by."""

from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.output import console, write_json
from howsure.cli.score import complete_model
from howsure.formulas import catalog


def models(
    model: Annotated[str | None, typer.Argument(help="Show this model in full.", autocompletion=complete_model)] = None,
    json: Annotated[bool, typer.Option("--json", help="Write JSON, input schema included.")] = False,
) -> None:
    """List the models, or show one with its parameters, input and steps."""
    if model is None:
        found = [catalog.describe(name) for name in (*catalog.formulas(), *catalog.names()[1:])]
        write_json(found, pretty=True) if json else _list(found)
    else:
        write_json(catalog.describe(model), pretty=True) if json else _show(catalog.describe(model))


def _list(found: list[dict[str, Any]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("model", "reads", "what it says"):
        table.add_column(column, no_wrap=column != "what it says", overflow="fold")
    for about in found:
        default = " (default)" if about["name"] == catalog.DEFAULT_FORMULA else ""
        table.add_row(about["name"], about["reads"] + default, about["summary"])
    out = console()
    out.print(table)
    out.print("\n[dim]howsure models NAME shows parameters, input and steps.[/]")


def _show(about: dict[str, Any]) -> None:
    out = console()
    out.print(f"[bold]{about['name']}[/] version {about['version']}, reads {about['reads']}\n")
    out.print(about["about"].partition("\n>>>")[0].strip(), markup=False)
    parameters = [(name, _brief(field["default"]), field["meaning"]) for name, field in about["parameters"].items()]
    _section("parameters", parameters)
    required = about["input"].get("required", ())
    inputs = [
        (name, "required" if name in required else _brief(field.get("default")), field["description"])
        for name, field in about["input"]["properties"].items()
    ]
    _section("input", inputs)
    _section("steps", [(name, "", meaning) for name, meaning in about["steps"].items()])


def _section(title: str, rows: list[tuple[str, str, str]]) -> None:
    if rows:
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(no_wrap=True, style="cyan")
        table.add_column(overflow="fold", style="dim")
        table.add_column(overflow="fold")
        for row in rows:
            table.add_row(*map(Text, row))
        out = console()
        out.print(f"\n[bold]{title}[/]")
        out.print(table)


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_brief(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return " ".join(_brief(item) for item in value) or "none"
    return f"{value:g}" if isinstance(value, float) else "none" if value is None or value == "" else str(value)
