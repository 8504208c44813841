"""howsure gate: check a response before it is sent."""

from typing import Annotated

import typer

from howsure.cli.gate_run import run
from howsure.cli.stores import Json, StoreOption


def gate(
    file: Annotated[
        str | None, typer.Argument(help="File with the response; - for stdin. Omit it to check before generating one.")
    ] = None,
    agent: Annotated[str, typer.Option(help="Name of the agent.")] = "",
    agent_type: Annotated[str, typer.Option(help="Type of the agent; sets the threshold.")] = "",
    project: Annotated[str | None, typer.Option(help="Name of the project; default: the setting `project`.")] = None,
    task: Annotated[str | None, typer.Option(help="Id of the task.")] = None,
    trace: Annotated[str | None, typer.Option(help="Id of the trace, which is one run of the agent.")] = None,
    knowledge: Annotated[float | None, typer.Option(help="Knowledge factor, from 0 to 1.")] = None,
    code: Annotated[
        str | None,
        typer.Option(help="Code factor from 0 to 1, a folder to check, or `answer` for the code blocks in the text."),
    ] = None,
    certainty: Annotated[float | None, typer.Option(help="Certainty factor; default: from the text.")] = None,
    history: Annotated[float | None, typer.Option(help="History factor; default: from the ledger.")] = None,
    threshold: Annotated[float | None, typer.Option(help="Threshold; default: from the settings.")] = None,
    retrieved: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="What was retrieved, as JSON: numbers, or objects with similarity."),
    ] = None,
    run_tests: Annotated[
        str, typer.Option(metavar="COMMAND", help="Test command to run in the folder given as --code.")
    ] = "",
    on_ledger_error: Annotated[
        str, typer.Option(help="If the decision cannot be recorded: raise an error, or allow it.")
    ] = "raise",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Check a response before it is sent. Exits 0 for pass, 1 for block or review."""
    run(**locals())
