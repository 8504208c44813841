"""The command `howsure ground`: compare responses with the texts they were made from."""

from typing import Annotated, Any

import typer
from rich.text import Text

from howsure.cli.output import REFUSED, console, visible, write_json
from howsure.cli.parameters import opened
from howsure.cli.stores import Json
from howsure.datafiles import parse_lines
from howsure.errors import HowsureError, InputError, shown
from howsure.shapes import decode_as
from howsure.shapes.encode import encode
from howsure.text.grounding import SUPPORTED, ground
from howsure.text.grounding_result import Finding, Grounding

_STYLES: dict[Finding, str] = {
    "supported": "green",
    "contradicted": "red",
    "not found": "yellow",
    "cannot judge": "dim",
}


def ground_command(
    response: Annotated[
        str | None, typer.Argument(help="File with the response; - for stdin.", show_default=False)
    ] = None,
    context: Annotated[
        list[str] | None, typer.Option("--context", "-c", metavar="FILE", help="A text it was made from; repeatable.")
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="JSON Lines with context (a text or a list) and response instead; - for stdin."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compare each sentence of a response with the texts it was made from.

    Exits 1 if the response is not supported, 2 if that cannot be judged; with --pairs 0, however they are judged.

    Example: howsure ground answer.md --context passage.txt
    """
    if (response is None) == (pairs is None):
        raise InputError(
            "pass either a response or --pairs", field="response", hint="howsure ground answer.md -c text.md"
        )
    if pairs is not None:
        if context:
            raise InputError("the contexts are in the pairs", field="context", hint="leave out --context")
        _ground_pairs(pairs, json=json)
        return
    if not context:
        raise InputError("there is no text to compare with", field="context", hint="pass --context FILE")
    grounding = ground(_read(str(response)), [_read(file) for file in context])
    if json:
        write_json(encode(grounding))
    else:
        _show(grounding)
    if grounding.support is None:
        raise typer.Exit(2)
    if grounding.support < SUPPORTED:
        raise typer.Exit(REFUSED)


def _ground_pairs(file: str, *, json: bool) -> None:
    """Write each line back with its grounding, or show it."""
    with opened(file) as stream:
        for line, pair in parse_lines(stream):
            try:
                grounding = _ground_pair(pair)
            except HowsureError as error:
                error.line = line
                raise
            if json:
                write_json({**pair, **encode(grounding)})
            else:
                _show(grounding)


def _ground_pair(pair: Any) -> Grounding:
    """Compare the response of a line with its context. Raises InputError if one is missing or not a text."""
    if isinstance(pair, HowsureError):
        raise pair
    if not isinstance(pair, dict):
        raise InputError(f"{shown(pair)} is not an object", hint="an object with context and response on each line")
    for field in ("context", "response"):
        if field not in pair:
            raise InputError("it is missing", field=field, hint="each line needs context and response")
    context = decode_as(str | list[str], pair["context"], "context")
    return ground(decode_as(str, pair["response"], "response"), context)


def _read(file: str) -> str:
    with opened(file) as stream:
        content = stream.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8: {error.reason}", field="file", hint="save it as UTF-8") from None


def _show(grounding: Grounding) -> None:
    """Print each sentence with its finding, the differences, and the quote if it is not supported."""
    out = console()
    for sentence in grounding.sentences:
        number = "    " if sentence.support is None else f"{sentence.support:.2f}"
        out.print(Text(f"{number} {sentence.finding}: {visible(sentence.text)}", style=_STYLES[sentence.finding]))
        if sentence.finding == "supported":
            continue
        for reason in sentence.reasons:
            out.print(Text(f"     {visible(reason)}"))
        if sentence.quote is not None:
            out.print(Text(f"     context: {visible(' '.join(sentence.quote.text.split()))}", style="dim"))
    support = "cannot be judged" if grounding.support is None else f"{grounding.support:.2f}"
    out.print(f"Support {support} (by {grounding.reader})")
