"""The commands `howsure claim`. Most are built from the methods of `Claims`."""

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from howsure.claims.api import Claims
from howsure.claims.claim import Claim, ClaimEvent, ClaimRelation
from howsure.claims.explain import ClaimExplanation, Deliberation, TopicReflection
from howsure.claims.find import ClaimPage
from howsure.cli.from_operations import (
    Reader,
    command,
    command_line,
    group,
    make_option,
    read_arguments,
    standard_options,
    with_signature,
)
from howsure.cli.output import (
    NO_JUDGEMENT,
    REFUSED,
    STILL_IN_LOG,
    complain,
    interval_words,
    json_line,
    renders,
    say,
    show,
    when,
    writes,
)
from howsure.cli.parameters import STDIN, moment, open_input, parse_seconds, read_text
from howsure.cli.stores import CreateOption, Json, StoreOption
from howsure.errors import InputError
from howsure.shapes import decode_as
from howsure.shapes.encode import encode
from howsure.sure import open as open_store
from howsure.wording import pluralize, visible

if TYPE_CHECKING:
    from howsure.claims.add import AddedClaim, ClaimAddition
    from howsure.claims.compare import ClaimComparison

FORMULA = {"formula": "--formula -f"}
FIND_OPTIONS = FORMULA | {"stale": "--stale/--fresh"}
TTL = {"ttl": Reader(parse_seconds, "DURATION", "How long until it expires, like 12h or 30d; by default as its tier.")}
ONE = ("claim",)
"""The only argument of a command about one claim; other parameters of its method are options."""


@renders(ClaimPage)
def print_page(page: ClaimPage) -> None:
    """Draw the claims of a page as bars."""
    from howsure.cli.claim_show import show_claims

    show_claims(page.claims, page.cursor)
    if page.cosines:
        nearest = f"nearest first by {page.searched_by}: cosines {page.cosines[0]:.2f} to {page.cosines[-1]:.2f}"
        say(nearest)
    _say_missing(page)


def _say_missing(page: ClaimPage) -> None:
    if page.missing:
        complain(f"{pluralize(page.missing, 'claim')} cannot be found by meaning yet: run howsure store embed")


@writes(ClaimPage)
def page_lines(page: ClaimPage) -> Iterator[Any]:
    """Write a claim per line, with its cosine if it was searched by meaning, and the cursor last."""
    for one, cosine in zip_longest(page.claims, page.cosines):
        yield one if cosine is None else {**encode(one), "cosine": cosine}
    _say_missing(page)
    if page.cursor is not None:
        yield {"cursor": page.cursor}


@renders(Claim)
def print_claim(one: Claim) -> None:
    """Draw a claim as a bar."""
    from howsure.cli.claim_show import show_claims

    show_claims([one], None)


@renders(ClaimExplanation)
def print_explanation(explanation: ClaimExplanation) -> None:
    """Show what a claim's interval rests on."""
    from howsure.cli.claim_show import show_explanation

    show_explanation(explanation)


@renders(TopicReflection)
def print_reflection(reflection: TopicReflection) -> None:
    """Show what is known about a topic."""
    from howsure.cli.claim_show import show_reflection

    show_reflection(reflection)


@renders(Deliberation)
def print_deliberation(deliberation: Deliberation) -> None:
    """Show which claims a deliberation kept."""
    from howsure.cli.claim_show import show_deliberation

    show_deliberation(deliberation)


def _print_extracted(additions: "list[ClaimAddition]", _: Mapping[str, Any]) -> str:
    lines = [
        [f"{one.outcome} {visible(one.id or one.reason or '')}", *map(visible, one.notes), *_compared(one)]
        for one in additions
    ]
    return "\n".join(line for group in lines for line in group) or "no claims found"


def _print_history(events: list[ClaimEvent], _: Mapping[str, Any]) -> None:
    from howsure.cli.claim_show import show_history

    show_history(events)


def _added(added: Any, _: Mapping[str, Any]) -> str:
    lines = [f"{added.outcome} {added.id} {interval_words(added.claim)}", *map(visible, added.notes), *_compared(added)]
    return "\n".join(lines)


def _compared(result: "AddedClaim | ClaimAddition | ClaimComparison") -> list[str]:
    lines = [f"contradicts {one.id} {visible(one.statement)} ({visible(one.reason)})" for one in result.conflicts]
    for one in result.similar:
        chance = "" if one.probability is None else f" (one claim with a probability of {one.probability:.2f})"
        lines.append(f"nearly the same as {one.id} {visible(one.statement)}{chance}")
    return lines


def _related(made: ClaimRelation, given: Mapping[str, Any]) -> str:
    known = "" if made.strength == given.get("strength", 1.0) else f", at {made.strength:g} as recorded before"
    return f"{given['claim']} {given['kind']} {given['target']}{known}"


def _verified(claim: Claim, _: Mapping[str, Any]) -> str:
    fresh = "never stale" if claim.stale_at is None else f"fresh until {when(claim.stale_at)}"
    return f"verified {claim.id} {claim.interval}, {fresh}"


def _find(store: str | None, json: bool, federated: bool, **values: Any) -> None:
    """Find claims in the store or, with --federated, in all peers too."""
    arguments = read_arguments(Claims.find, values)
    with open_store(store) as sure:
        if not federated:
            show(sure.claims.find(**arguments), json=json)
            return
        from howsure.cli.claim_show import show_federated
        from howsure.store.claim_tables.selection import Selection

        if arguments.pop("trust", None) is not None:
            raise InputError("each peer has a trust of its own", field="trust", hint="leave it out, or --federated")
        if arguments.pop("meaning", False):
            raise InputError("peers search by words only", field="meaning", hint="leave out --federated")
        if arguments.pop("cursor", None) is not None:
            raise InputError("a federated query has one page", field="cursor", hint="raise --limit instead")
        options = {name: arguments.pop(name) for name in ("now", "as_of", "formula", "limit") if name in arguments}
        show_federated(sure.claims.find_federated(Selection(**arguments), **options), json=json)


def _find_command() -> Any:
    options = command_line(Claims.find, names=FIND_OPTIONS)
    options.append(make_option("federated", bool, typer.Option("--federated", help="Also ask all peers."), False))
    example = "claim find cache --min-lower 0.7 --tier project"
    return with_signature(_find, [*options, *standard_options()], Claims.find, example)


def invalidate(
    source: Annotated[str, typer.Argument(metavar="TYPE:ID", help="The source that proved wrong.")],
    undo: Annotated[bool, typer.Option("--undo", help="Count it again.")] = False,
    reason: Annotated[str, typer.Option(help="Why, for the history.")] = "",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Stop counting a source in every claim that rests on it, or undo that.

    Example: howsure claim invalidate extraction:almanac --reason 'out of date'
    """
    from howsure.claims.add import split_source

    kind, name = split_source(source)
    with open_store(store) as sure:
        if undo:
            change = sure.claims.restore_source(kind, name)
        else:
            change = sure.claims.invalidate_source(kind, name, reason=reason)
        if not change.claims:
            later = "" if undo else "; it will not count in claims that name it later"
            complain(f"no claim has the source {source}{later}")
        show(
            change,
            json=json,
            line=f"{source} counts {'again' if undo else 'no more'} in {pluralize(change.claims, 'claim')}",
        )


def learn(
    file: Annotated[str, typer.Argument(help="JSON Lines, CSV or Parquet; - for JSON Lines on stdin.")],
    trust: Annotated[float, typer.Option(help="How far the file is trusted; scales every contribution.")] = 1.0,
    conflicts: Annotated[str, typer.Option(help="Claims that contradict known ones: flag, quiet or reject.")] = "flag",
    store: StoreOption = None,
    create: CreateOption = False,
    json: Json = False,
) -> None:
    """Add claims in bulk. Exits 2 if some could not be read.

    Example: howsure claim learn claims.jsonl --trust 0.8 --conflicts reject
    """
    if conflicts not in ("flag", "quiet", "reject"):
        raise InputError(f"{conflicts!r} is not flag, quiet or reject", field="conflicts")
    policy: Any = conflicts
    from howsure.cli.progress import show_progress

    with open_store(store, create=create) as sure, show_progress() as progress:
        if file == STDIN:
            with open_input(file) as stream:
                learned = sure.claims.learn(stream, trust=trust, conflicts=policy, progress=progress)
        else:
            if not Path(file).is_file():
                raise InputError(f"no such file: {file}", field="file")
            learned = sure.claims.learn(Path(file), trust=trust, conflicts=policy, progress=progress)
    told = ("read", "created", "corroborated", "conflicting", "rejected", "failed")
    show(learned, json=json, line=", ".join(f"{getattr(learned, name):,} {name}" for name in told))
    if learned.deprecated:
        stay = "claim stays" if learned.deprecated == 1 else "claims stay"
        complain(f"{learned.deprecated:,} {stay} deprecated, so find leaves them out; verify those that hold after all")
    for error in learned.errors:
        complain(error)
    if learned.failed:
        raise typer.Exit(NO_JUDGEMENT)


def export(
    file: Annotated[str, typer.Argument(help="File to write; - for stdout.")] = "-",
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="csv, jsonl or parquet: one row per claim with its interval. Default: by the file's name; else the "
            "whole store.",
        ),
    ] = None,
    formula: Annotated[str | None, typer.Option("--formula", "-f", help="Formula of the intervals.")] = None,
    now: Annotated[str | None, typer.Option(metavar="TIME", help="Age the claims to this moment.")] = None,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="TIME", help="Only what was recorded by this moment.")
    ] = None,
    store: StoreOption = None,
) -> None:
    """Write the whole store as JSON Lines, or a table with one row per claim and its interval.

    Example: howsure claim export claims.parquet --formula beta
    """
    from howsure.claims.rows import TableFormat, table_format, write_rows
    from howsure.cli.progress import show_progress
    from howsure.store.transfer import backup

    kind = table_format(Path(file)) if form is None else decode_as(TableFormat, form, "format")
    if kind is None and (formula or now or as_of):
        raise InputError("the whole store has no intervals", field="format", hint="pass --format csv, jsonl or parquet")
    with open_store(store) as sure, show_progress() as progress:
        if kind is not None:
            options = sure.session.read_options(moment(now), moment(as_of), formula)
            write_rows(sure.session, options, kind, sys.stdout.buffer if file == STDIN else Path(file))
            sys.stdout.flush()
            return
        if file != STDIN:
            if Path(file).suffix == ".db":
                raise InputError("an export is JSON Lines", field="file", hint="howsure store backup writes a .db")
            backup(sure.session, Path(file))
            return
        for number, record in enumerate(sure.claims.export(), start=1):
            sys.stdout.buffer.write(json_line(record))
            progress("exporting records", number, 0)
        sys.stdout.buffer.flush()


def import_(
    file: Annotated[str, typer.Argument(help="Export to read; - for stdin.")],
    store: StoreOption = None,
    create: CreateOption = False,
    json: Json = False,
) -> None:
    """Import an export. If a record is invalid, nothing is imported.

    Example: howsure claim import claims.jsonl
    """
    import shutil
    import tempfile

    from howsure.cli.progress import show_progress
    from howsure.cli.store import print_import
    from howsure.datafiles import parse_lines

    with open_store(store, create=create) as sure, open_input(file) as stream, tempfile.TemporaryFile() as spool:
        shutil.copyfileobj(stream, spool)  # first, so that slow input does not keep others from writing
        spool.seek(0)
        with show_progress() as progress:
            result = sure.claims.import_((record for _, record in parse_lines(spool)), progress=progress)
    if json:
        show(result, json=True)
    else:
        print_import(result)


_command = partial(partial, command, "claims")
COMMANDS: dict[str, Callable[[], Any]] = {
    "add": _command(
        Claims.add,
        example="claim add 'The cache is thread-safe' --source user_input:ann --contribution 0.8 --tier project",
        leave_out=("sources",),
        readers=TTL,
        say=_added,
    ),
    "find": _find_command,
    "show": _command(Claims.get, example="claim show ID", names=FORMULA),
    "explain": _command(
        Claims.explain,
        example="claim explain ID --formula beta",
        names=FORMULA,
    ),
    "compare": _command(
        Claims.compare,
        example="claim compare ID",
        say=lambda compared, _: "\n".join(_compared(compared)) or "no claim contradicts it or says nearly the same",
    ),
    "history": _command(Claims.history, example="claim history ID", say=_print_history),
    "reflect": _command(
        Claims.reflect,
        example="claim reflect payments --prose",
        names=FORMULA,
        local=("prose",),
        exit_code=lambda reflection: NO_JUDGEMENT if reflection.failure else 0,
    ),
    "deliberate": _command(
        Claims.deliberate,
        example="claim deliberate ID OTHER_ID --question 'Is the cache safe?'",
        names=FORMULA,
        exit_code=lambda found: NO_JUDGEMENT if found.failure and not any(one.reason for one in found.claims) else 0,
    ),
    "extract": _command(
        Claims.extract,
        example="claim extract README.md --source extraction:README.md",
        readers={"text": Reader(lambda file, _: read_text(file), "FILE", "The text to read; - for stdin.")},
        say=_print_extracted,
        exit_code=lambda found: NO_JUDGEMENT if any(one.outcome == "failed" for one in found) else 0,
    ),
    "relate": _command(
        Claims.relate,
        example="claim relate ID supports OTHER_ID",
        say=_related,
    ),
    "unrelate": _command(
        Claims.unrelate,
        example="claim unrelate ID supports OTHER_ID --note 'the wrong cache'",
        say=lambda ended, _: f"{ended.source} {ended.kind} {ended.target} no more",
    ),
    "challenge": _command(
        Claims.challenge,
        example="claim challenge ID --statement 'It lost an update' --source extraction:test.log",
        arguments=ONE,
        say=lambda made, _: f"{made.claim.id} is challenged by {made.challenger.id}",
    ),
    "resolve": _command(
        Claims.resolve,
        example="claim resolve ID --uphold",
        arguments=ONE,
        names={"uphold": "--uphold/--give-up"},
        say=lambda resolved, _: f"{resolved.id} is {resolved.status}",
    ),
    "supersede": _command(
        Claims.supersede,
        example="claim supersede ID OTHER_ID",
        say=lambda _, given: f"{given['by']} supersedes {given['claim']}",
    ),
    "derive": _command(
        Claims.derive,
        example="claim derive 'Carts survive' --from ID --from OTHER_ID",
        arguments=("statement",),
        names={"constituents": "--from"},
        readers=TTL,
        say=_added,
    ),
    "verify": _command(
        Claims.verify,
        example="claim verify ID --source user_input:ann --contribution 0.8",
        say=_verified,
    ),
    "refute": _command(
        Claims.refute,
        example="claim refute ID --source user_input:ann --note 'measured again'",
        say=lambda refuted, _: f"{refuted.id} is {refuted.status}",
    ),
    "promote": _command(
        Claims.promote,
        example="claim promote ID --to project",
        arguments=ONE,
        say=lambda made, _: f"{made.outcome}: {'; '.join(made.reasons)}",
        exit_code=lambda made: 0 if made.outcome == "promoted" else REFUSED,
    ),
    "demote": _command(
        Claims.demote,
        example="claim demote ID --to task",
        arguments=ONE,
        say=lambda demoted, _: f"{demoted.id} is {demoted.tier}",
    ),
    "forget": _command(
        Claims.forget,
        example="claim forget ID",
        say=lambda changed, given: f"{given['claim']} {'is forgotten' if changed else 'was forgotten already'}",
    ),
    "purge": _command(
        Claims.purge,
        example="claim purge ID --yes",
        confirm="Delete this claim for good, with its sources, relations and history?",
        say=lambda purged, _: f"{purged.id} is deleted{'' if purged.erased else STILL_IN_LOG}",
    ),
    "invalidate": lambda: invalidate,
    "learn": lambda: learn,
    "export": lambda: export,
    "import": lambda: import_,
}
"""What builds each command."""
claim = group("claim", "Add, find, explain and change claims.", COMMANDS)
