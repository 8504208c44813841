"""The options --store and --json."""

from typing import Annotated

import typer

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="STORE", help="A file or a postgresql:// address; default: HOWSURE_STORE or your own."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Write JSON.")]
