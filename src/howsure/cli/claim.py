"""The commands `howsure claim`: add, find and explain claims."""

from typing import Annotated, Any

import typer

from howsure.cli import claim_bulk, claim_change
from howsure.cli.output import write_json
from howsure.cli.parameters import parse_moment
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.errors import InputError
from howsure.shapes.encode import encode

claim = typer.Typer(no_args_is_help=True, help="Add, find, explain and change claims.")

Formula = Annotated[str | None, typer.Option("--formula", "-f", help="Formula of the interval; default: the store's.")]
Moment = Annotated[str | None, typer.Option("--now", metavar="TIME", help="Age the evidence to this moment.")]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="Use only what was recorded by then.")]
ClaimId = Annotated[str, typer.Argument(metavar="ID", help="Id of a claim.")]


def moment(text: str | None) -> float | None:
    """Parse a moment; None if it is not given."""
    return None if text is None else parse_moment(text)


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value not in (None, ())}


@claim.command()
def add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Statement of the claim.")],
    source: Annotated[
        str | None, typer.Option(metavar="TYPE:ID", help="Source of the claim, like user_input:ann.")
    ] = None,
    contribution: Annotated[float | None, typer.Option(help="How much the source counts, 0 to 1; default 0.5.")] = None,
    tier: Annotated[str | None, typer.Option(help="ephemeral, task (default) or project.")] = None,
    namespace: Annotated[str | None, typer.Option(help="Namespace of the claim, like team/project.")] = None,
    subject: Annotated[str | None, typer.Option(help="What it is about.")] = None,
    predicate: Annotated[str | None, typer.Option(help="Which property of the subject.")] = None,
    object_: Annotated[str | None, typer.Option("--object", help="The value of that property.")] = None,
    stale_at: Annotated[
        str | None, typer.Option(metavar="TIME", help="When it starts to lose confidence: a time, or never.")
    ] = None,
    ttl: Annotated[float | None, typer.Option(help="Seconds until it expires.")] = None,
    valid_from: Annotated[str | None, typer.Option(metavar="TIME", help="When it starts being true.")] = None,
    valid_until: Annotated[str | None, typer.Option(metavar="TIME", help="When it stops being true.")] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Add a claim, or corroborate the one with the same statement."""
    options: dict[str, Any] = given(
        source=source,
        contribution=contribution,
        tier=tier,
        namespace=namespace,
        subject=subject,
        predicate=predicate,
        object=object_,
        stale_at=stale_at if stale_at == "never" else moment(stale_at),
        ttl=ttl,
        valid_from=moment(valid_from),
        valid_until=moment(valid_until),
    )
    with opened_store(store) as sure:
        added = sure.claims.add(text, **options)
    if json:
        write_json(encode(added))
    else:
        print(f"{added.outcome} {added.id} {added.claim.interval}")


@claim.command()
def find(
    text: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="Words that the statement contains.")] = None,
    min_lower: Annotated[float | None, typer.Option(help="Smallest lower bound.")] = None,
    max_lower: Annotated[float | None, typer.Option(help="Largest lower bound.")] = None,
    min_upper: Annotated[float | None, typer.Option(help="Smallest upper bound.")] = None,
    max_upper: Annotated[float | None, typer.Option(help="Largest upper bound.")] = None,
    min_width: Annotated[float | None, typer.Option(help="Smallest width.")] = None,
    max_width: Annotated[float | None, typer.Option(help="Largest width.")] = None,
    wide: Annotated[bool, typer.Option("--wide", help="Only wide intervals.")] = False,
    unverified: Annotated[bool, typer.Option("--unverified", help="High upper, low lower bound.")] = False,
    stale: Annotated[
        bool | None, typer.Option("--stale/--fresh", help="Only stale claims, or only fresh ones.")
    ] = None,
    namespace: Annotated[str | None, typer.Option(help="a/b, a/b/* or a/b/*/1.")] = None,
    subject: Annotated[str | None, typer.Option(help="The exact subject.")] = None,
    predicate: Annotated[str | None, typer.Option(help="The exact predicate.")] = None,
    object_: Annotated[str | None, typer.Option("--object", help="The exact object.")] = None,
    tier: Annotated[list[str] | None, typer.Option(help="Tier; repeatable.")] = None,
    status: Annotated[list[str] | None, typer.Option(help="Status; repeatable. Default: active, challenged.")] = None,
    created_from: Annotated[str | None, typer.Option(metavar="TIME", help="Created then or later.")] = None,
    created_until: Annotated[str | None, typer.Option(metavar="TIME", help="Created before.")] = None,
    order: Annotated[str | None, typer.Option(help="lower (default), upper, width, midpoint, created_at, ...")] = None,
    ascending: Annotated[bool, typer.Option("--ascending", help="Smallest first.")] = False,
    formula: Formula = None,
    now: Moment = None,
    as_of: AsOf = None,
    limit: Annotated[int, typer.Option(help="Number of claims.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Continue after the page with this cursor.")] = None,
    federated: Annotated[bool, typer.Option("--federated", help="Also ask all peers.")] = False,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Find claims, the surest first."""
    conditions: dict[str, Any] = given(
        min_lower=min_lower,
        max_lower=max_lower,
        min_upper=min_upper,
        max_upper=max_upper,
        min_width=min_width,
        max_width=max_width,
        stale=stale,
        namespace=namespace,
        subject=subject,
        predicate=predicate,
        object=object_,
        tiers=tuple(tier or ()),
        statuses=tuple(status or ()),
        created_from=moment(created_from),
        created_until=moment(created_until),
        order=order,
    )
    conditions |= {"wide": wide, "unverified": unverified, "ascending": ascending}
    options: dict[str, Any] = {"now": moment(now), "as_of": moment(as_of), "formula": formula}
    with opened_store(store) as sure:
        if federated:
            from howsure.cli.claim_show import show_federated
            from howsure.store.selection import Selection

            if cursor is not None:
                raise InputError("a federated query has one page", field="cursor", hint="raise --limit instead")
            selection = Selection(text, **conditions)
            show_federated(sure.claims.find_federated(selection, limit=limit, **options), json=json)
            return
        page = sure.claims.find(text, limit=limit, cursor=cursor, **options, **conditions)
    if json:
        for found in page.claims:
            write_json(encode(found))
        if page.cursor is not None:
            write_json({"cursor": page.cursor})
    else:
        from howsure.cli.claim_show import show_claims

        show_claims(page.claims, page.cursor)


@claim.command()
def show(
    id_: ClaimId,
    formula: Formula = None,
    now: Moment = None,
    as_of: AsOf = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Show one claim."""
    with opened_store(store) as sure:
        found = sure.claims.get(id_, now=moment(now), as_of=moment(as_of), formula=formula)
    if json:
        write_json(encode(found))
    else:
        from howsure.cli.claim_show import show_claims

        show_claims([found], None)


@claim.command()
def explain(
    id_: ClaimId,
    formula: Formula = None,
    now: Moment = None,
    as_of: AsOf = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Explain why a claim has its interval, and what would change it."""
    with opened_store(store) as sure:
        found = sure.claims.explain(id_, now=moment(now), as_of=moment(as_of), formula=formula)
    if json:
        write_json(encode(found), pretty=True)
    else:
        from howsure.cli.claim_show import show_explanation

        show_explanation(found)


@claim.command()
def history(id_: ClaimId, store: StoreOption = None, json: Json = False) -> None:
    """Show every change of a claim: when, by whom and what."""
    with opened_store(store) as sure:
        events = sure.claims.history(id_)
    if json:
        for event in events:
            write_json(encode(event))
    else:
        from howsure.cli.claim_show import show_history

        show_history(events)


@claim.command()
def reflect(
    topic: Annotated[str, typer.Argument(help="Words that the claims contain.")] = "",
    namespace: Annotated[str | None, typer.Option(help="a/b, a/b/* or a/b/*/1.")] = None,
    formula: Formula = None,
    now: Moment = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Show the strongest, weakest, widest and contradicted claims about a topic."""
    with opened_store(store) as sure:
        found = sure.claims.reflect(topic, namespace=namespace, now=moment(now), formula=formula)
    if json:
        write_json(encode(found), pretty=True)
    else:
        from howsure.cli.claim_show import show_reflection

        show_reflection(found)


claim_change.register(claim)
claim_bulk.register(claim)
