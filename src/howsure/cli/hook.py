"""howsure hook: what coding agents call."""

from typing import Annotated

import typer

from howsure.cli.hook_run import run
from howsure.cli.stores import StoreOption


def hook(
    event: Annotated[
        str | None, typer.Argument(help="The event, where it does not name itself: stop, post-tool-use.")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="Name of the agent; default: coding-agent.")] = None,
    agent_type: Annotated[str | None, typer.Option(help="Type of the agent; sets the threshold.")] = None,
    store: StoreOption = None,
) -> None:
    """Answer an event of a coding agent, read from stdin as JSON. Always exits 0."""
    run(event, agent=agent, agent_type=agent_type, store=store)
