"""The commands `howsure doctor` and `howsure settings`: check the installation, and list the settings."""

import os
import platform
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.output import NO_JUDGEMENT, console, write_json_lines
from howsure.cli.stores import Json
from howsure.errors import HowsureError, UnknownNameError, install_hint, nearest
from howsure.formulas import MODELS, catalog
from howsure.formulas.scoring import score
from howsure.parameters import all_parameter_settings, check_parameters, find_parameters
from howsure.redaction import hide_password
from howsure.responses.loosening import list_loosened_by_settings
from howsure.settings import JUDGE_KEY, MODELS_TABLE, READER, SETTINGS, STORE, Setting, Settings, current
from howsure.shapes.encode import encode
from howsure.store.backends.address import read_address
from howsure.store.backends.database import POSTGRES_PREFIXES
from howsure.store.check import find_damage
from howsure.store.claim_tables.vector_index import describe_search
from howsure.sure import open as open_store
from howsure.version import __version__
from howsure.wording import pluralize, visible

EXTRAS = {
    "arrays": ("numpy", "scoring columns in memory"),
    "documents": ("pyyaml", "scanning folders of documents"),
    "duckdb": ("duckdb", "scoring tables in files"),
    "fast": ("hyperscan", "scanning for patterns three times as fast"),
    "judge": ("openai", "asking a language model"),
    "kernel": ("numba", "scoring tables in memory with compiled code"),
    "mcp": ("mcp", "tools for agents over MCP"),
    "metrics": ("prometheus-client", "Prometheus and OpenTelemetry metrics"),
    "postgres": ("psycopg", "keeping a store in PostgreSQL"),
    "spark": ("pyspark", "scoring tables beyond one machine"),
    "web": ("starlette", "serving over HTTP"),
}
"""The package that each extra installs, and what it is for."""
_SQLITE = b"SQLite format 3\0"
"""How a SQLite file begins."""
_CHECKED = 200_000_000
"""Size of a SQLite store up to which each page is looked at, in bytes: that takes up to 0.5 s for 100 MB."""


class Check(NamedTuple):
    """The result of one check."""

    what: str
    state: str
    """`ok`, `warning`, `missing` (optional and not installed) or `broken`."""
    detail: str


def doctor(json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False) -> None:
    """Check the installation, extras, plug-ins and the store. Exits 2 if something required does not work.

    Example: howsure doctor
    """
    checks = list(examine())
    if json:
        write_json_lines(check._asdict() for check in checks)
    else:
        table = Table(box=None, pad_edge=False, show_header=False)
        for column in ("what", "state", "detail"):
            table.add_column(column, no_wrap=column != "detail", overflow="fold")
        style = {"ok": "green", "warning": "yellow", "missing": "yellow", "broken": "bold red"}
        for what, state, detail in checks:
            table.add_row(Text(visible(what)), Text(state, style=style[state]), Text(visible(detail)))
        console().print(table)
    if any(check.state == "broken" for check in checks):
        raise typer.Exit(NO_JUDGEMENT)


def examine() -> Iterator[Check]:
    """Run every check."""
    yield Check("howsure", "ok", f"{__version__} on Python {platform.python_version()}, {platform.system()}")
    yield _try("scoring", _scores)
    yield _try("text", _reads_text)
    yield _try("SQLite", _sqlite)
    yield _try("store", _store)
    yield _try("settings", _settings)
    yield from _trust()
    yield from _loosened()
    yield from _contents()
    for extra, (package, purpose) in EXTRAS.items():
        try:
            yield Check(f"extra {extra}", "ok", f"{package} {version(package)}: {purpose}")
        except PackageNotFoundError:
            yield Check(f"extra {extra}", "missing", f"{purpose}; {install_hint(extra)}")
    yield _reader()
    for name in sorted(MODELS.plugins()):
        yield _try(f"plug-in {name}", lambda name=name: catalog.describe(name)["summary"])  # type: ignore[misc]


def _try(what: str, look: Callable[[], str]) -> Check:
    try:
        return Check(what, "ok", look())
    except Exception as error:  # noqa: BLE001 - reporting any failure is the purpose
        return Check(what, "broken", f"{type(error).__name__}: {error}")


def _scores() -> str:
    evidence = {"now": 0, "provenance": [{"source_type": "user", "source_id": "doctor", "contribution": 0.8}]}
    upper = score("noisy_or", evidence)["upper"]
    if abs(upper - 0.8) > 1e-9:  # noqa: PLR2004
        raise ArithmeticError(f"a single source of 0.8 gave an upper bound of {upper}")
    return f"{len(catalog.formulas())} claim formulas, {len(catalog.names()) - 1} other models"


def _reads_text() -> str:
    found = score("response", {"response": "I think it\u2019s untested, but it is documented."})["markers"]
    if found != {"certain": ["documented"], "uncertain": ["I think"]}:
        raise ValueError(f"markers were misread: {found}")
    return f"ahocorasick-rs {version('ahocorasick-rs')}"


def _sqlite() -> str:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("SELECT POWER(2.0, 3.0), EXP(1.0), LN(2.0)")
        functions = "with mathematical functions"
    except sqlite3.OperationalError:
        functions = "without mathematical functions, so Python's are used"
    finally:
        connection.close()
    return f"{sqlite3.sqlite_version}, {functions}"


def _settings() -> str:
    chosen = current()
    for setting in SETTINGS:
        chosen.find(setting)
    check_parameters(chosen)
    files = ", ".join(path for path, _ in chosen.files)
    return f"from {files}" if files else "no file"


def _trust() -> Iterator[Check]:
    """Report settings that are ignored because their file is not trusted."""
    try:
        chosen = current()
    except HowsureError:  # reported as the settings
        return
    if chosen.ignored:
        names, folder = ", ".join(chosen.ignored), Path(chosen.untrusted).parent
        yield Check("trust", "warning", f"{chosen.untrusted} is not trusted: {names} ignored; howsure trust {folder}")


def _loosened() -> Iterator[Check]:
    """Report how settings loosen the gate."""
    try:
        for words in list_loosened_by_settings(current()):
            yield Check("gate", "warning", f"loosened: {words}")
    except HowsureError:  # reported as the settings
        return


def _store() -> str:
    store, place = current().find(STORE)
    origin = "the default" if place == "default" else place
    address = read_address(store)
    if address.startswith(POSTGRES_PREFIXES):
        return f"{hide_password(address)} by {origin}"
    path = Path(address)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; set {STORE.variable} to a file")
    if place != "default" and not path.absolute().parent.exists():
        raise FileNotFoundError(f"the folder of {path} does not exist; create it, or correct {origin}")
    folder = next(folder for folder in path.absolute().parents if folder.exists())
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise OSError(f"{folder} cannot be written to; set {STORE.variable} to another file") from error
    if not path.exists():
        return f"{path} by {origin}, made when first used"
    with path.open("rb") as file:
        if file.read(len(_SQLITE)) not in (_SQLITE, b""):
            raise ValueError(f"{path} is not a SQLite database; set {STORE.variable} to another file")
    readable = os.name == "posix" and path.stat().st_mode & 0o077
    return f"{path} by {origin}" + (f"; other users may read it: chmod 600 {path}" if readable else "")


def _reader() -> Check:
    """Say which reader compares texts in `howsure ground`, `howsure conflicts` and the gate."""
    from howsure.reader import TextPair, default_reader, read_pairs, small_reader

    try:
        wanted = current().value(READER) == "installed"
    except HowsureError:  # reported as the settings
        wanted = False
    if small_reader() is None:
        asked = f"{READER.name} asks for a reader: " if wanted else ""
        missing = f"{asked}words and rules alone; pip install ./reader adds a small model"
        return Check("reader", "broken" if wanted else "missing", missing)
    try:
        (found,) = read_pairs(default_reader(), [TextPair("The port is open.", "The port is closed.")])
    except HowsureError as error:
        return Check("reader", "broken", str(error))
    if found.reader == "rules":  # it failed, and the reason says why
        return Check("reader", "broken", found.reason)
    name = f"{found.reader} {found.version}"
    if wanted:
        return Check("reader", "ok", f"{name} for `ground`, `conflicts` and the gate")
    return Check(
        "reader",
        "ok",
        f"{name} for `ground` and `conflicts`; the gate compares words ({READER.name} = installed: both)",
    )


def _contents() -> Iterator[Check]:
    """Report damage, how the store searches by meaning, and the active fits, loudly a promise that was withdrawn.

    Yields nothing if there is no store, no vector and no fit yet.
    """
    try:
        store = current().value(STORE)
    except HowsureError:  # reported as the settings
        return
    try:
        address = read_address(store)
        if not address.startswith(POSTGRES_PREFIXES) and not Path(address).is_file():
            return
        with open_store(store, read_only=True) as sure:
            with sure.session.database.read() as transaction:
                is_small = address.startswith(POSTGRES_PREFIXES) or Path(address).stat().st_size <= _CHECKED
                damage = find_damage(transaction) if is_small else ""
                search = "" if damage else describe_search(transaction)
            found = [] if damage else [fit for fit in sure.fits.list() if fit.status == "active"]
    except HowsureError as error:
        yield Check("contents", "broken", str(error))
        return
    if damage:
        yield Check("contents", "broken", f"damaged: {damage}; howsure store check lists it all")
    if search:
        yield Check("meaning", "ok", search)
    for fit in found:
        about = f"{fit.id}, learned from {pluralize(fit.outcomes, 'outcome')}"
        for promise in fit.promises:
            if promise.broken:
                about += f"; the promise of at most {promise.risk:.3g} wrong was withdrawn: {promise.wrong:,} of "
                about += f"{promise.outcomes:,} were wrong; howsure learn --apply makes a new one"
        about = fit.problem or about
        yield Check(f"fit {fit.kind}", "broken" if fit.withdrawn or fit.problem else "ok", about)


def settings(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Only this setting, or those of this table.")] = "",
    json: Json = False,
) -> None:
    """Show each setting, its value, and where the value comes from; also every parameter of every model.

    Example: howsure settings models.noisy_or
    """
    chosen = current()
    check_parameters(chosen)
    rows = []
    every = [*SETTINGS, *all_parameter_settings()]
    shown = [one for one in every if not name or one.name == name or one.name.startswith(f"{name}.")]
    if not shown:
        tables = {one.name.rpartition(".")[0] for one in every} - {""}
        names = {one.name for one in every} | tables | {MODELS_TABLE}
        if nearest(name, names).startswith("there are"):  # over a hundred: their tables are enough
            names = {one.partition(".")[0] for one in names}
        raise UnknownNameError("setting", name, names)
    for setting in shown:
        value, origin = _find(setting, chosen)
        if setting is STORE:
            value = hide_password(value)
        if setting is JUDGE_KEY and value:
            value = "(set)"
        rows.append({"name": setting.name, "value": value, "from": origin, "help": setting.help})
    if json:
        write_json_lines(rows)
        return
    out = console()
    # In a table of their own, since their long names and values would narrow all columns.
    parameters = [row for row in rows if row["name"].startswith(f"{MODELS_TABLE}.")]
    for part in ([row for row in rows if row not in parameters], parameters):
        if part:
            out.print(_table(part))
    out.print(
        Text(
            "\nSet them in howsure.toml in this folder or above, in the user's own, by HOWSURE_... variables, or for "
            "one run by howsure --set NAME=VALUE COMMAND.",
            style="dim",
        )
    )


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("setting", "value", "from"):
        table.add_column(column, overflow="fold")
    for row in rows:
        style = "dim" if row["from"] == "default" else ""
        table.add_row(Text(row["name"]), Text(_shown(row["value"])), Text(row["from"]), style=style)
    return table


def _find(setting: Setting, chosen: Settings) -> tuple[Any, str]:
    """Return the value of a setting and where it comes from; the part of a table that is set replaces that part."""
    value, origin = chosen.find(setting)
    table, model, *_ = [*setting.name.split("."), ""]
    if table == MODELS_TABLE and origin != "default":
        found = find_parameters(MODELS.find(model), chosen)
        value = found[setting.name.removeprefix(f"{table}.{model}.")][0]
    return encode(value) if table == MODELS_TABLE else value, origin


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {item}" for name, item in value.items()) or "none"
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value in (None, "") else str(value)
