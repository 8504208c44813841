"""The options --store and --json, and opening the store."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from howsure.sure import Sure
from howsure.sure import open as open_store

log: logging.Logger = logging.getLogger(__name__)

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="STORE", help="A file or a postgresql:// address; default: HOWSURE_STORE or your own."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON.")]


@contextmanager
def opened_store(store: str | None, *, read_only: bool = False) -> Iterator[Sure]:
    """Open the store and close it afterwards."""
    with open_store(store, read_only=read_only) as sure:
        log.info("store %s, formula %s", sure.session.database.address, sure.session.formula.name)
        yield sure
