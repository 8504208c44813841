"""The commands `howsure claim` that change claims: relate, challenge, promote, forget and others."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from howsure.cli.output import REFUSED, write_json
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.shapes.encode import encode

if TYPE_CHECKING:
    from howsure.formulas.claim import RelationKind

ClaimId = Annotated[str, typer.Argument(metavar="ID", help="Id of a claim.")]
Strength = Annotated[float, typer.Option(help="How strong the relation is, 0 to 1.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


def tell(json: bool, words: str, result: Any) -> None:
    """Print what was done, in words or as JSON."""
    if json:
        write_json(encode(result))
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
    """Record how one claim relates to another."""
    with opened_store(store) as sure:
        relation = sure.claims.relate(source, cast("RelationKind", kind), target, strength=strength)
    tell(json, f"{source} {kind} {target}", relation)


def challenge(
    target: ClaimId,
    by: Annotated[str | None, typer.Option("--by", metavar="ID", help="The claim that contradicts it.")] = None,
    statement: Annotated[str | None, typer.Option(help="What contradicts it, as a new claim.")] = None,
    source: Annotated[str | None, typer.Option(metavar="TYPE:ID", help="Source of that claim.")] = None,
    contribution: Annotated[float | None, typer.Option(help="How much that counts.")] = None,
    strength: Strength = 1.0,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Contradict a claim with another one, and mark it as challenged."""
    new = {"statement": statement, "source": source, "contribution": contribution}
    options: dict[str, Any] = {name: value for name, value in new.items() if value is not None}
    with opened_store(store) as sure:
        made = sure.claims.challenge(target, by, strength=strength, **options)
    tell(json, f"{made.claim.id} is challenged by {made.challenger.id}", made)


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
        resolved = sure.claims.resolve(target, by, uphold=uphold, note=note)
    tell(json, f"{target} is {resolved.status}", resolved)


def supersede(
    old: ClaimId,
    new: Annotated[str, typer.Argument(metavar="ID", help="The claim that replaces it.")],
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Replace a claim by another one."""
    with opened_store(store) as sure:
        superseded = sure.claims.supersede(old, new)
    tell(json, f"{new} supersedes {old}", superseded)


def derive(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What follows.")],
    constituents: Annotated[list[str], typer.Option("--from", metavar="ID", help="What it follows from; repeatable.")],
    confidence: Annotated[float, typer.Option(help="How sure the inference itself is at most.")] = 0.5,
    by: Annotated[str, typer.Option(help="Who infers.")] = "inference",
    namespace: Annotated[str | None, typer.Option(help="Namespace of the claim, like team/project.")] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Add a claim that is inferred from others; it is never surer than they are."""
    options: dict[str, Any] = {} if namespace is None else {"namespace": namespace}
    with opened_store(store) as sure:
        added = sure.claims.derive(text, constituents, confidence=confidence, by=by, **options)
    tell(json, f"{added.outcome} {added.id} {added.claim.interval}", added)


def invalidate(
    source: Annotated[str, typer.Argument(metavar="TYPE:ID", help="The source that proved wrong.")],
    undo: Annotated[bool, typer.Option("--undo", help="Count it again.")] = False,
    reason: Annotated[str, typer.Option(help="Why, for the record.")] = "",
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
    tell(json, f"{source} counts {'again' if undo else 'no more'} in {change.claims} claims", change)


def promote(
    id_: ClaimId,
    to: Annotated[str | None, typer.Option("--to", help="Tier to reach; default: the next.")] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Move a claim to a higher tier, if the gatekeeper agrees. Exits 1 if it does not."""
    with opened_store(store) as sure:
        promotion = sure.claims.promote(id_, _tier(to))
    tell(json, f"{promotion.outcome}: {'; '.join(promotion.reasons)}", promotion)
    if promotion.outcome != "promoted":
        raise typer.Exit(REFUSED)


def demote(
    id_: ClaimId,
    to: Annotated[str | None, typer.Option("--to", help="Tier to go to; default: one down.")] = None,
    reason: Annotated[str, typer.Option(help="Why, for the history.")] = "",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Move a claim to a lower tier."""
    with opened_store(store) as sure:
        demoted = sure.claims.demote(id_, _tier(to), reason=reason)
    tell(json, f"{id_} is {demoted.tier}", demoted)


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
    """Mark a claim as forgotten; it is deleted after 30 days."""
    with opened_store(store) as sure:
        changed = sure.claims.forget(id_, reason=reason)
    tell(json, f"{id_} is forgotten" if changed else f"{id_} was forgotten already", {"id": id_, "changed": changed})


def purge(id_: ClaimId, yes: Yes = False, store: StoreOption = None, json: Json = False) -> None:
    """Delete a claim for good, with its sources, relations and history."""
    with opened_store(store) as sure:
        found = sure.claims.get(id_)
        if not yes:
            typer.confirm(f'Purge "{found.statement[:60]}" for good?', abort=True)
        sure.claims.purge(id_)
    tell(json, f"{id_} is deleted", {"id": id_, "purged": True})


def register(group: typer.Typer) -> None:
    """Add these commands to a group."""
    for command in (relate, challenge, resolve, supersede, derive, invalidate, promote, demote, forget, purge):
        group.command(command.__name__)(command)
