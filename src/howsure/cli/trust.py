"""The commands `howsure trust` and `howsure untrust`: let a folder set what sends secrets or loosens a gate, or not."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from howsure.cli.output import console, write_json_lines
from howsure.cli.stores import Json
from howsure.errors import InputError
from howsure.files import find_upwards
from howsure.parameters import check_parameters
from howsure.settings import (
    FILE,
    MODELS_TABLE,
    SETTINGS,
    Settings,
    list_guarded,
    parse_file,
    read_file,
    user_folder,
)
from howsure.trust import list_trusted, trust_file, untrust_file
from howsure.wording import pluralize, visible

Place = Annotated[Path, typer.Argument(metavar="FOLDER", help=f"The folder with {FILE}, one below it, or the file.")]


def trust(
    folder: Place = Path(),
    listed: Annotated[bool, typer.Option("--list", help="Only list what is trusted.")] = False,
    json: Json = False,
) -> None:
    """Let the howsure.toml of a folder set everything, as long as its content stays the same.

    Without that, settings that send secrets, run a command, delete decisions or loosen a gate are ignored there.

    Example: howsure trust .
    """
    config = user_folder("config")
    if listed:
        _list(config, as_json=json)
        return
    path = _find(folder)
    content = read_file(path)
    values = parse_file(path, content)
    chosen = Settings({}, ((path, values),))
    for setting in SETTINGS:  # a trusted file is a valid one
        chosen.find(setting)
    check_parameters(chosen)
    guarded = list_guarded(values)
    trusted = trust_file(path, content, config)
    if json:
        write_json_lines([{"path": trusted, "guarded": list(guarded)}])
        return
    out = console()
    out.print(Text(visible(f"trusted {trusted}: {pluralize(len(guarded), 'guarded setting')}")), soft_wrap=True)
    why = {setting.name: setting.guarded for setting in SETTINGS}
    for name in guarded:
        reason = "loosens a gate" if name.startswith(f"{MODELS_TABLE}.") else why[name]
        shown = "(set)" if name == "judge.key" else values[name]
        out.print(Text(visible(f"  {name} = {shown}  ({reason})")), soft_wrap=True)


def untrust(folder: Place = Path(), json: Json = False) -> None:
    """Forget that the howsure.toml of a folder was trusted. Exits 1 if it was not.

    Example: howsure untrust .
    """
    path = str(folder.absolute() if folder.name == FILE else folder.absolute() / FILE)
    places = dict.fromkeys([path, find_upwards(os.path.abspath(folder), FILE) or path])  # noqa: PTH100 - without `..`
    forgotten = next((one for one in places if untrust_file(one, user_folder("config"))), "")
    if json:
        write_json_lines([{"path": forgotten or path, "was_trusted": bool(forgotten)}])
    else:
        said = f"no longer trusted: {forgotten}" if forgotten else f"{path} was not trusted"
        console().print(Text(visible(said)), soft_wrap=True)
    if not forgotten:
        raise typer.Exit(1)


def _find(folder: Path) -> str:
    """Return the file that a folder's settings come from.

    Raises:
        InputError: if there is none.
    """
    if folder.name == FILE and folder.is_file():
        return str(folder.absolute())
    found = find_upwards(os.path.abspath(folder), FILE) if folder.is_dir() else ""  # noqa: PTH100 - without `..`
    if not found:
        raise InputError(f"there is no {FILE} in {visible(str(folder.absolute()))} or above", field="folder")
    return found


def _list(config: str, *, as_json: bool) -> None:
    files = list_trusted(config)
    if as_json:
        write_json_lines(file._asdict() for file in files)
        return
    for file in files:
        console().print(Text(f"{file.state:8} {visible(file.path)}"), soft_wrap=True)
    if not files:
        console().print(Text("no folder is trusted"))
