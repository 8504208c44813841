"""howsure settings: show the settings."""

from rich.table import Table
from rich.text import Text

from howsure.cli.output import console, write_json
from howsure.cli.stores import Json
from howsure.redaction import hide_password
from howsure.settings import JUDGE_KEY, SETTINGS, STORE, current


def settings(json: Json = False) -> None:
    """Show each setting, its value, and where the value comes from."""
    chosen = current()
    rows = []
    for setting in SETTINGS:
        value, origin = chosen.find(setting)
        if setting is STORE:
            value = hide_password(value)
        if setting is JUDGE_KEY and value:
            value = "(set)"
        rows.append({"name": setting.name, "value": value, "from": origin, "help": setting.help})
    if json:
        write_json(rows, pretty=True)
        return
    out = console()
    table = Table(box=None, pad_edge=False)
    for name in ("setting", "value", "from"):
        table.add_column(name, overflow="fold")
    for row in rows:
        origin = row["from"]
        style = "dim" if origin == "default" else ""
        table.add_row(Text(row["name"]), Text(_shown(row["value"])), Text(origin), style=style)
    out.print(table)
    out.print(
        Text(
            "\nSet them in howsure.toml in this folder or above, in the user's own, or by HOWSURE_... variables.",
            style="dim",
        )
    )


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {item}" for name, item in value.items()) or "none"
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value in (None, "") else str(value)
