"""The command `howsure ground`: compare responses with the texts they were made from."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import typer
from rich.text import Text

from howsure.cli.output import NO_JUDGEMENT, REFUSED, console, write_json
from howsure.cli.pairs import KeepGoing, judge_lines
from howsure.cli.parameters import read_text
from howsure.cli.stores import Json
from howsure.errors import InputError
from howsure.settings import GroundingReader
from howsure.shapes import decode
from howsure.shapes.encode import encode
from howsure.text.grounding.ground import SUPPORTED, ground
from howsure.text.grounding.result import Finding, Grounding
from howsure.wording import visible

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
    reader: Annotated[
        GroundingReader,
        typer.Option(help="words: compare words. installed: also ask the reader that is installed, if any."),
    ] = "installed",
    keep_going: KeepGoing = False,
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
        fields = {"context": str | list[str], "response": str}
        judge = partial(_ground_pairs, reader=reader)
        judge_lines(pairs, fields, judge, None if json else _show_line, keep_going=keep_going)
        return
    if not context:
        raise InputError("there is no text to compare with", field="context", hint="pass --context FILE")
    grounding = _ground(read_text(str(response)), [read_text(file) for file in context], reader)
    if json:
        write_json(encode(grounding))
    else:
        _show(grounding)
    if grounding.support is None:
        raise typer.Exit(NO_JUDGEMENT)
    if grounding.support < SUPPORTED:
        raise typer.Exit(REFUSED)


def _ground_pairs(pairs: Sequence[tuple[str | list[str], str]], reader: GroundingReader) -> list[dict[str, Any]]:
    return [encode(_ground(response, context, reader)) for context, response in pairs]


def _ground(response: str, context: str | list[str], reader: GroundingReader) -> Grounding:
    grounding = ground(response, context)
    if reader == "words":
        return grounding
    from howsure.responses.reading import read_grounding

    return read_grounding(grounding, context)


def _show_line(line: dict[str, Any]) -> None:
    names = ("support", "sentences", "reader")
    _show(decode(Grounding, {name: line[name] for name in names}))


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
    out.print(f"Support {support} (by {grounding.reader})", markup=False)
