"""howsure quality-gate: check an implementation before going on."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.output import REFUSED, console, write_json
from howsure.cli.stores import Json, StoreOption
from howsure.responses.quality import QualityReport
from howsure.responses.quality import quality_gate as check_quality
from howsure.shapes.encode import encode
from howsure.sure import open as open_store
from howsure.wording import visible

STYLES = {"PASSED": "green", "FAILED": "bold red", "WARNING": "yellow", "SKIPPED": "dim"}
"""The colour of each status."""


def quality_gate(
    files: Annotated[  # noqa: ARG001 - see its help
        list[str] | None, typer.Argument(help="Ignored; here so that pre-commit may pass file names.")
    ] = None,
    folder: Annotated[Path, typer.Option(help="The folder that was worked in.")] = Path(),
    agent: Annotated[str, typer.Option(help="The agent whose latest response must have passed the gate.")] = "",
    agent_type: Annotated[str, typer.Option(help="Type of the agent; sets the threshold.")] = "",
    test_command: Annotated[
        str, typer.Option(metavar="COMMAND", help="Test command to run in the folder; default: none.")
    ] = "",
    coverage: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A coverage report: JSON, Cobertura XML or lcov. Default: one in the folder."
        ),
    ] = None,
    min_coverage: Annotated[float, typer.Option(help="Share that must be covered, from 0 to 1.")] = 0.8,
    max_age_hours: Annotated[float, typer.Option(help="Older responses of the agent do not count.")] = 24.0,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings too.")] = False,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Check tests, coverage and the agent's confidence after an implementation. Exits 0 if passed, 1 if failed.

    Example: howsure quality-gate --agent patcher-1 --test-command 'pytest -q' --min-coverage 0.9
    """
    with open_store(store) as sure:
        report = check_quality(
            sure,
            folder=folder,
            agent=agent,
            agent_type=agent_type,
            test_command=test_command,
            coverage=coverage,
            min_coverage=min_coverage,
            max_age_hours=max_age_hours,
        )
    passed = report.passed and not (strict and _count(report, "WARNING"))
    with suppress(SystemExit):  # nobody reads the output: the exit code is still right
        if json:
            write_json(encode(report) | {"passed": passed, "strict": strict})
        else:
            show(report, passed=passed)
    if not passed:
        raise typer.Exit(REFUSED)


def _count(report: QualityReport, status: str) -> int:
    return sum(check.status == status for check in report.checks)


def show(report: QualityReport, *, passed: bool) -> None:
    """Print the result of each check, and of all of them."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for column in ("status", "rule", "message"):
        table.add_column(column, no_wrap=column != "message", overflow="fold")
    for rule, status, message in report.checks:
        table.add_row(Text(status, style=STYLES[status]), Text(rule), Text(visible(message)))
    out = console()
    out.print(table)
    counts = {status.lower(): _count(report, status) for status in STYLES}
    plural = {"warning": "warnings"} if counts["warning"] > 1 else {}
    words = ", ".join(f"{count} {plural.get(status, status)}" for status, count in counts.items() if count)
    out.print()
    style = STYLES["PASSED" if passed else "FAILED"]
    out.print(Text.assemble(("The gate is passed" if passed else "The gate is not passed", style), f": {words}."))
