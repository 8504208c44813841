"""The commands `howsure claim`. Most are built from the methods of `Claims`."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from howsure.claims.api import Claims
from howsure.claims.claim import Claim, ClaimEvent
from howsure.claims.explain import Explanation, Reflection
from howsure.claims.find import Page
from howsure.claims.tiers import Promotion
from howsure.cli import claim_bulk
from howsure.cli.from_operations import command, command_line, read_arguments, with_signature
from howsure.cli.output import REFUSED
from howsure.cli.render import exits, renders, show, writes
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.errors import InputError

claim = typer.Typer(no_args_is_help=True, help="Add, find, explain and change claims.")

FORMULA = {"formula": "--formula -f"}
FIND_OPTIONS = FORMULA | {"stale": "--stale/--fresh"}
ONE = ("claim",)
"""The only argument of a command about one claim; other parameters of its method are options."""


@renders(Page)
def print_page(page: Page) -> None:
    """Draw the claims of a page as bars."""
    from howsure.cli.claim_show import show_claims

    show_claims(page.claims, page.cursor)


@writes(Page)
def page_lines(page: Page) -> Iterator[Any]:
    """Write a claim per line, and the cursor last."""
    yield from page.claims
    if page.cursor is not None:
        yield {"cursor": page.cursor}


@renders(Claim)
def print_claim(one: Claim) -> None:
    """Draw a claim as a bar."""
    from howsure.cli.claim_show import show_claims

    show_claims([one], None)


@renders(Explanation)
def print_explanation(explanation: Explanation) -> None:
    """Print every step, the words, and what would change the interval."""
    from howsure.cli.claim_show import show_explanation

    show_explanation(explanation)


@renders(Reflection)
def print_reflection(reflection: Reflection) -> None:
    """Print the groups of claims about a topic."""
    from howsure.cli.claim_show import show_reflection

    show_reflection(reflection)


def _print_history(events: list[ClaimEvent], _: Mapping[str, Any]) -> None:
    from howsure.cli.claim_show import show_history

    show_history(events)


@exits(Promotion)
def promotion_exit_code(promotion: Promotion) -> int:
    """Exit 1 unless the claim was promoted."""
    return 0 if promotion.outcome == "promoted" else REFUSED


def _add(name: str, method: Any, **options: Any) -> None:
    claim.command(name)(command("claims", method, **options))


def _added(added: Any, _: Mapping[str, Any]) -> str:
    return f"{added.outcome} {added.id} {added.claim.interval}"


_add("add", Claims.add, leave_out=("sources",), say=_added)


def _find(store: str | None, json: bool, federated: bool, **values: Any) -> None:
    """Find claims in the store or, with --federated, in all peers too."""
    arguments = read_arguments(Claims.find, values)
    with opened_store(store) as sure:
        if not federated:
            show(sure.claims.find(**arguments), json=json)
            return
        from howsure.cli.claim_show import show_federated
        from howsure.store.selection import Selection

        if arguments.pop("cursor", None) is not None:
            raise InputError("a federated query has one page", field="cursor", hint="raise --limit instead")
        options = {name: arguments.pop(name) for name in ("now", "as_of", "formula", "limit") if name in arguments}
        show_federated(sure.claims.find_federated(Selection(**arguments), **options), json=json)


def _find_command() -> Any:
    options = command_line(Claims.find, names=FIND_OPTIONS)
    extra = {
        "federated": (Annotated[bool, typer.Option("--federated", help="Also ask all peers.")], False),
        "store": (StoreOption, None),
        "json": (Json, False),
    }
    keyword = options[0].KEYWORD_ONLY
    more = [
        options[0].replace(name=name, kind=keyword, annotation=kind, default=default)
        for name, (kind, default) in extra.items()
    ]
    return with_signature(_find, [*options, *more], Claims.find)


claim.command("find")(_find_command())
_add("show", Claims.get, names=FORMULA)
_add("explain", Claims.explain, names=FORMULA)
_add("history", Claims.history, say=_print_history)
_add("reflect", Claims.reflect, names=FORMULA)
_add("relate", Claims.relate, say=lambda _, given: f"{given['claim']} {given['kind']} {given['target']}")
_add(
    "challenge",
    Claims.challenge,
    arguments=ONE,
    say=lambda made, _: f"{made.claim.id} is challenged by {made.challenger.id}",
)
_add(
    "resolve",
    Claims.resolve,
    arguments=ONE,
    names={"uphold": "--uphold/--give-up"},
    say=lambda resolved, _: f"{resolved.id} is {resolved.status}",
)
_add("supersede", Claims.supersede, say=lambda _, given: f"{given['by']} supersedes {given['claim']}")
_add("derive", Claims.derive, arguments=("statement",), names={"constituents": "--from"}, say=_added)
_add("promote", Claims.promote, arguments=ONE, say=lambda made, _: f"{made.outcome}: {'; '.join(made.reasons)}")
_add("demote", Claims.demote, arguments=ONE, say=lambda demoted, _: f"{demoted.id} is {demoted.tier}")
_add(
    "forget",
    Claims.forget,
    say=lambda changed, given: f"{given['claim']} {'is forgotten' if changed else 'was forgotten already'}",
)
_add(
    "purge",
    Claims.purge,
    confirm="Delete this claim for good, with its sources, relations and history?",
    say=lambda _, given: f"{given['claim']} is deleted",
)


@claim.command()
def invalidate(
    source: Annotated[str, typer.Argument(metavar="TYPE:ID", help="The source that proved wrong.")],
    undo: Annotated[bool, typer.Option("--undo", help="Count it again.")] = False,
    reason: Annotated[str, typer.Option(help="Why, for the history.")] = "",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Stop counting a source in every claim that rests on it, or undo that."""
    from howsure.claims.add import split_source

    kind, name = split_source(source)
    with opened_store(store) as sure:
        if undo:
            change = sure.claims.restore_source(kind, name)
        else:
            change = sure.claims.invalidate_source(kind, name, reason=reason)
        show(change, json=json, line=f"{source} counts {'again' if undo else 'no more'} in {change.claims} claims")


claim_bulk.register(claim)
