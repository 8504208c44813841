"""howsure claim: what is believed, on what grounds, and how sure that is."""

from typing import Annotated, Any

import typer

from howsure.cli import claim_bulk, claim_change
from howsure.cli.output import write_json
from howsure.cli.parameters import parse_moment
from howsure.cli.stores import Json, StoreOption, opened_store

claim = typer.Typer(no_args_is_help=True, help="Add, find, explain and change claims.")

Formula = Annotated[str | None, typer.Option("--formula", "-f", help="Formula to read by; default: the store's.")]
Moment = Annotated[str | None, typer.Option("--now", metavar="TIME", help="Age the evidence to this moment.")]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="Only what was recorded by then counts.")]
ClaimId = Annotated[str, typer.Argument(metavar="ID", help="Id of a claim.")]


def moment(text: str | None) -> float | None:
    """Read a moment, if there is one."""
    return None if text is None else parse_moment(text)


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None and value != []}


@claim.command()
def add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is claimed.")],
    source: Annotated[str | None, typer.Option(metavar="TYPE:ID", help="Who says so.")] = None,
    contribution: Annotated[float | None, typer.Option(help="How much that counts, 0 to 1; default 0.5.")] = None,
    tier: Annotated[str | None, typer.Option(help="ephemeral, task (default) or project.")] = None,
    namespace: Annotated[str | None, typer.Option(help="Where it belongs, like team/project.")] = None,
    subject: Annotated[str | None, typer.Option(help="What it is about.")] = None,
    predicate: Annotated[str | None, typer.Option(help="What is said of it.")] = None,
    object_: Annotated[str | None, typer.Option("--object", help="The value it is said to have.")] = None,
    stale_at: Annotated[str | None, typer.Option(metavar="TIME", help="When it starts to fade; or never.")] = None,
    ttl: Annotated[float | None, typer.Option(help="Seconds until it expires.")] = None,
    valid_from: Annotated[str | None, typer.Option(metavar="TIME", help="When it starts to hold.")] = None,
    valid_until: Annotated[str | None, typer.Option(metavar="TIME", help="When it stops to hold.")] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Add a claim, or corroborate the one that says the same."""
    options = given(
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
        found = sure.claims.get(str(added.id))
    if json:
        write_json({"outcome": added.outcome} | found.as_dict())
    else:
        print(f"{added.outcome} {found.id} {found.interval}")


@claim.command()
def find(
    text: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="Words that the statement contains.")] = None,
    min_lower: Annotated[float | None, typer.Option(help="Lower bound at least.")] = None,
    max_lower: Annotated[float | None, typer.Option(help="Lower bound at most.")] = None,
    min_upper: Annotated[float | None, typer.Option(help="Upper bound at least.")] = None,
    max_upper: Annotated[float | None, typer.Option(help="Upper bound at most.")] = None,
    min_width: Annotated[float | None, typer.Option(help="Width at least.")] = None,
    max_width: Annotated[float | None, typer.Option(help="Width at most.")] = None,
    wide: Annotated[bool, typer.Option("--wide", help="Only wide intervals.")] = False,
    unverified: Annotated[bool, typer.Option("--unverified", help="High upper, low lower bound.")] = False,
    stale: Annotated[bool | None, typer.Option("--stale/--fresh", help="Only what loses confidence; or not.")] = None,
    namespace: Annotated[str | None, typer.Option(help="a/b, a/b/* or a/b/*/1.")] = None,
    subject: Annotated[str | None, typer.Option(help="Subject, exactly.")] = None,
    predicate: Annotated[str | None, typer.Option(help="Predicate, exactly.")] = None,
    object_: Annotated[str | None, typer.Option("--object", help="Object, exactly.")] = None,
    tier: Annotated[list[str] | None, typer.Option(help="Tier; repeatable.")] = None,
    status: Annotated[list[str] | None, typer.Option(help="Status; repeatable. Default: active, challenged.")] = None,
    created_from: Annotated[str | None, typer.Option(metavar="TIME", help="Created then or later.")] = None,
    created_until: Annotated[str | None, typer.Option(metavar="TIME", help="Created before.")] = None,
    order: Annotated[str | None, typer.Option(help="lower (default), upper, width, midpoint, created_at, ...")] = None,
    ascending: Annotated[bool, typer.Option("--ascending", help="The smallest first.")] = False,
    formula: Formula = None,
    now: Moment = None,
    as_of: AsOf = None,
    limit: Annotated[int, typer.Option(help="How many at the most.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Read on from the page before.")] = None,
    federated: Annotated[bool, typer.Option("--federated", help="Ask all peers, too.")] = False,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Find claims, the surest first, each with its interval."""
    wanted = given(
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
        tiers=tier,
        statuses=status,
        created_from=moment(created_from),
        created_until=moment(created_until),
        order=order,
    )
    wanted |= {"now": moment(now), "as_of": moment(as_of), "formula": formula, "limit": limit, "cursor": cursor}
    wanted |= {"wide": wide, "unverified": unverified, "ascending": ascending}
    with opened_store(store) as sure:
        if federated:
            from howsure.cli.claim_show import show_federated

            show_federated(sure.claims.find(text, federated=True, **wanted), json=json)
            return
        page = sure.claims.find(text, **wanted)
    if json:
        for found in page.claims:
            write_json(found.as_dict())
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
        write_json(found.as_dict())
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
    """Say why a claim is believed as far as it is, and what would change it."""
    with opened_store(store) as sure:
        found = sure.claims.explain(id_, now=moment(now), as_of=moment(as_of), formula=formula)
    if json:
        write_json(found.as_dict(), pretty=True)
    else:
        from howsure.cli.claim_show import show_explanation

        show_explanation(found)


@claim.command()
def history(id_: ClaimId, store: StoreOption = None, json: Json = False) -> None:
    """Show every change of a claim: when, who, what."""
    with opened_store(store) as sure:
        events = sure.claims.history(id_)
    if json:
        for event in events:
            write_json(event)
    else:
        from howsure.cli.claim_show import show_history

        show_history(events)


@claim.command()
def reflect(
    topic: Annotated[str, typer.Argument(help="What it should be about.")] = "",
    namespace: Annotated[str | None, typer.Option(help="a/b, a/b/* or a/b/*/1.")] = None,
    formula: Formula = None,
    now: Moment = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Tell what is known about a topic: strongest, weakest, widest, contradicted."""
    with opened_store(store) as sure:
        found = sure.claims.reflect(topic, namespace=namespace, now=moment(now), formula=formula)
    if json:
        write_json(found.as_dict(), pretty=True)
    else:
        from howsure.cli.claim_show import show_reflection

        show_reflection(found)


claim_change.register(claim)
claim_bulk.register(claim)
