"""Commands that change claims: relations, challenges, tiers, and the way out."""

from typing import Annotated, Any

import typer

from howsure.cli.output import REFUSED, write_json
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.errors import InputError

ClaimId = Annotated[str, typer.Argument(metavar="ID", help="Id of a claim.")]
Strength = Annotated[float, typer.Option(help="How strong the relation is, 0 to 1.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def tell(json: bool, words: str, **data: Any) -> None:
    """Say what was done, in words or as JSON."""
    if json:
        write_json(data)
    else:
        print(words)


def relate(
    source: ClaimId,
    kind: Annotated[str, typer.Argument(help="supports, contradicts, refines, supersedes, derived_from, related_to.")],
    target: Annotated[str, typer.Argument(metavar="ID", help="Id of the other claim.")],
    strength: Strength = 1.0,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Say how one claim relates to another."""
    with opened_store(store) as sure:
        sure.claims.relate(source, kind, target, strength=strength)
    tell(json, f"{source} {kind} {target}", source=source, kind=kind, target=target, strength=strength)


def challenge(
    target: ClaimId,
    by: Annotated[str | None, typer.Option("--by", metavar="ID", help="The claim that contradicts it.")] = None,
    statement: Annotated[str | None, typer.Option(help="What contradicts it, as a new claim.")] = None,
    source: Annotated[str | None, typer.Option(metavar="TYPE:ID", help="Who says so.")] = None,
    contribution: Annotated[float | None, typer.Option(help="How much that counts.")] = None,
    strength: Strength = 1.0,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Contradict a claim by another one; it is marked as challenged."""
    new = {"statement": statement, "source": source, "contribution": contribution}
    options: dict[str, Any] = {name: value for name, value in new.items() if value is not None}
    with opened_store(store) as sure:
        made = sure.claims.challenge(target, by, strength=strength, **options)
    tell(json, f"{made.target} is challenged by {made.by}", target=made.target, by=made.by)


def resolve(
    target: ClaimId,
    uphold: Annotated[bool, typer.Option("--uphold/--give-up", help="Was the claim right after all?")],
    by: Annotated[str | None, typer.Option("--by", metavar="ID", help="Only this challenge.")] = None,
    note: Annotated[str, typer.Option(help="Why, for the history.")] = "",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """End a challenge: uphold the claim, or give it up."""
    with opened_store(store) as sure:
        sure.claims.resolve(target, by, uphold=uphold, note=note)
        status = sure.claims.get(target).status
    tell(json, f"{target} is {status}", id=target, status=status)


def supersede(
    old: ClaimId,
    new: Annotated[str, typer.Argument(metavar="ID", help="The claim that takes its place.")],
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Let one claim take the place of another."""
    with opened_store(store) as sure:
        sure.claims.supersede(old, new)
    tell(json, f"{new} supersedes {old}", old=old, new=new)


def derive(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What follows.")],
    constituents: Annotated[list[str], typer.Option("--from", metavar="ID", help="What it follows from; repeatable.")],
    assessed: Annotated[float, typer.Option(help="How sure the inference itself is at best.")] = 0.5,
    by: Annotated[str, typer.Option(help="Who infers.")] = "inference",
    namespace: Annotated[str | None, typer.Option(help="Where it belongs.")] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Add a claim inferred from others; it is never surer than they are."""
    options: dict[str, Any] = {} if namespace is None else {"namespace": namespace}
    with opened_store(store) as sure:
        added = sure.claims.derive(text, constituents, assessed=assessed, by=by, **options)
        found = sure.claims.get(str(added.id))
    tell(json, f"{added.outcome} {found.id} {found.interval}", outcome=added.outcome, **found.as_dict())


def invalidate(
    source: Annotated[str, typer.Argument(metavar="TYPE:ID", help="The source that proved wrong.")],
    undo: Annotated[bool, typer.Option("--undo", help="Let it count again.")] = False,
    reason: Annotated[str, typer.Option(help="Why, for the record.")] = "",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Let a source count for nothing, in every claim that rests on it; or undo that."""
    kind, colon, name = source.partition(":")
    if not (kind and colon and name):
        raise InputError(f"{source!r} is not TYPE:ID", field="source", hint="like user_input:ann")
    with opened_store(store) as sure:
        if undo:
            count = sure.claims.restore_source(kind, name)
        else:
            count = sure.claims.invalidate_source(kind, name, reason=reason)
    tell(json, f"{source} counts {'again' if undo else 'no more'} in {count} claims", source=source, claims=count)


def promote(
    id_: ClaimId,
    to: Annotated[str | None, typer.Option("--to", help="Tier to reach; default: the next.")] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Ask the gatekeeper to move a claim up. Exits 1 if it does not let it."""
    with opened_store(store) as sure:
        verdict = sure.claims.promote(id_, _tier(to))
    words = f"{verdict.answer}: {'; '.join(verdict.reasons)}"
    tell(json, words, id=id_, answer=verdict.answer, reasons=verdict.reasons, tier=verdict.tier)
    if verdict.answer != "promoted":
        raise typer.Exit(REFUSED)


def demote(
    id_: ClaimId,
    to: Annotated[str | None, typer.Option("--to", help="Tier to go to; default: one down.")] = None,
    reason: Annotated[str, typer.Option(help="Why, for the history.")] = "",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Move a claim down."""
    with opened_store(store) as sure:
        tier = sure.claims.demote(id_, _tier(to), reason=reason)
    tell(json, f"{id_} is {tier}", id=id_, tier=tier)


def _tier(name: str | None) -> Any:
    from howsure.claims.tiers import TIERS
    from howsure.errors import UnknownNameError

    if name is not None and name not in TIERS:
        raise UnknownNameError("tier", name, TIERS)
    return name


def forget(
    id_: ClaimId,
    reason: Annotated[str, typer.Option(help="Why, for the history.")] = "",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Stop believing a claim; it is collected after 30 days."""
    with opened_store(store) as sure:
        changed = sure.claims.forget(id_, reason=reason)
    tell(json, f"{id_} is forgotten" if changed else f"{id_} was forgotten already", id=id_, changed=changed)


def purge(id_: ClaimId, yes: Yes = False, store: StoreOption = None, json: Json = False) -> None:
    """Take a claim away for good: text, sources, relations and history."""
    with opened_store(store) as sure:
        found = sure.claims.get(id_)
        if not yes:
            typer.confirm(f'Purge "{found.statement[:60]}" for good?', abort=True)
        sure.claims.purge(id_)
    tell(json, f"{id_} is gone", id=id_, purged=True)


def register(group: typer.Typer) -> None:
    """Add these commands to a group."""
    for command in (relate, challenge, resolve, supersede, derive, invalidate, promote, demote, forget, purge):
        group.command(command.__name__)(command)
