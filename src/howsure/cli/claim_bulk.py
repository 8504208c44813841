"""The commands `howsure claim learn`, `export` and `import`."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from howsure.cli.lines import STDIN, opened, records
from howsure.cli.output import NO_JUDGEMENT, complain, json_line, write_json
from howsure.cli.progress import show_progress
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.errors import InputError
from howsure.shapes.encode import encode


def learn(
    file: Annotated[str, typer.Argument(help="JSON Lines, CSV or Parquet; - for JSON Lines on stdin.")],
    trust: Annotated[float, typer.Option(help="How far the file is trusted; scales every contribution.")] = 1.0,
    conflicts: Annotated[str, typer.Option(help="Claims that contradict known ones: flag, quiet or reject.")] = "flag",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Add claims in bulk. Exits 2 if some could not be read."""
    if conflicts not in ("flag", "quiet", "reject"):
        raise InputError(f"{conflicts!r} is not flag, quiet or reject", field="conflicts")
    policy: Any = conflicts
    with opened_store(store) as sure, show_progress() as show:
        if file == STDIN:
            with opened(file) as stream:
                learned = sure.claims.learn(stream, trust=trust, conflicts=policy, progress=show)
        else:
            if not Path(file).is_file():
                raise InputError(f"no such file: {file}", field="file")
            learned = sure.claims.learn(Path(file), trust=trust, conflicts=policy, progress=show)
    if json:
        write_json(encode(learned))
    else:
        told = ("read", "created", "corroborated", "conflicting", "rejected", "failed")
        print(", ".join(f"{getattr(learned, name):,} {name}" for name in told))
    for error in learned.errors:
        complain(error)
    if learned.failed:
        raise typer.Exit(NO_JUDGEMENT)


def records_of(numbered: Iterator[tuple[int, Any]]) -> Iterator[Any]:
    """Yield records without their numbers, which the import counts itself."""
    for _, record in numbered:
        yield record


def export(
    file: Annotated[str, typer.Argument(help="File to write; - for stdout.")] = STDIN, store: StoreOption = None
) -> None:
    """Write the whole store as JSON Lines."""
    from howsure.store.transfer import backup

    with opened_store(store) as sure, show_progress() as show:
        if file != STDIN:
            if Path(file).suffix == ".db":
                raise InputError("an export is JSON Lines", field="file", hint="howsure store backup writes a .db")
            backup(sure.session, Path(file))
            return
        for number, record in enumerate(sure.claims.export(), start=1):
            sys.stdout.buffer.write(json_line(record))
            show("exporting records", number, 0)
        sys.stdout.buffer.flush()


def import_(
    file: Annotated[str, typer.Argument(help="Export to read; - for stdin.")],
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Import an export. If a record is invalid, nothing is imported."""
    with opened_store(store) as sure, opened(file) as stream, tempfile.TemporaryFile() as spool:
        shutil.copyfileobj(stream, spool)  # first, so that slow input does not keep others from writing
        spool.seek(0)
        with show_progress() as show:
            result = sure.claims.import_(records_of(records(spool)), progress=show)
    if json:
        write_json(encode(result))
    else:
        print(", ".join(f"{count:,} {name}" for name, count in encode(result).items()))
