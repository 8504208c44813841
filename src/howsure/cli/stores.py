"""The options --store, --create and --json."""

from typing import Annotated

import typer

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="STORE", help="A file or a postgresql:// address; default: HOWSURE_STORE or your own."
    ),
]
CreateOption = Annotated[bool, typer.Option("--create", help="Create the folder of the store if it is missing.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON.")]
