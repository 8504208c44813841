"""howsure gate: may this answer go out?"""

from typing import Annotated

import typer

from howsure.cli.gate_run import run
from howsure.cli.stores import Json, StoreOption


def gate(
    file: Annotated[
        str | None, typer.Argument(help="The answer; - for stdin. Without one, it is asked before generating.")
    ] = None,
    agent: Annotated[str, typer.Option(help="Name of the agent.")] = "",
    agent_type: Annotated[str, typer.Option(help="Type of the agent; sets the threshold.")] = "",
    project: Annotated[str | None, typer.Option(help="The project; default: the setting.")] = None,
    task: Annotated[str | None, typer.Option(help="The task, to find the decision by.")] = None,
    trace: Annotated[str | None, typer.Option(help="The trace or session.")] = None,
    knowledge: Annotated[float | None, typer.Option(help="Knowledge factor, from 0 to 1.")] = None,
    code: Annotated[
        str | None, typer.Option(help="Code factor from 0 to 1, a folder to check, or `answer` for its code blocks.")
    ] = None,
    certainty: Annotated[float | None, typer.Option(help="Certainty factor; default: from the text.")] = None,
    history: Annotated[float | None, typer.Option(help="History factor; default: from the ledger.")] = None,
    threshold: Annotated[float | None, typer.Option(help="Threshold; default: by agent, type, project.")] = None,
    retrieved: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="What was retrieved, as JSON: numbers, or objects with similarity."),
    ] = None,
    run_tests: Annotated[
        str, typer.Option(metavar="COMMAND", help="Run this in the folder given as --code, as its tests.")
    ] = "",
    on_ledger_error: Annotated[
        str, typer.Option(help="raise, or allow a decision that could not be written down.")
    ] = "raise",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Judge an answer before it goes out. Exits 0 for pass, 1 for block or review."""
    run(
        file,
        agent=agent,
        agent_type=agent_type,
        project=project,
        task=task,
        trace=trace,
        knowledge=knowledge,
        code=code,
        certainty=certainty,
        history=history,
        threshold=threshold,
        retrieved=retrieved,
        run_tests=run_tests,
        on_ledger_error=on_ledger_error,
        store=store,
        json=json,
    )
