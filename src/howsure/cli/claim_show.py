"""Print claims: intervals as bars, explanations as steps and words."""

from rich.table import Table
from rich.text import Text

from howsure.claims.claim import Claim, ClaimEvent
from howsure.claims.explain import ClaimExplanation, Deliberation, TopicReflection
from howsure.claims.federation.page import FederatedClaimPage
from howsure.cli.draw import interval_bar, shade
from howsure.cli.models import show_score
from howsure.cli.output import MORE, console, interval_words, when, write_json
from howsure.shapes.encode import encode
from howsure.wording import pluralize, visible


def show_claims(claims: list[Claim], cursor: str | None) -> None:
    """Draw claims as bars, with what one needs to know beside them."""
    out = console()
    if not claims:
        out.print("No claims fit. [cyan]howsure claim add TEXT --source TYPE:ID[/] adds one.")
        return
    wide = out.width >= 120  # noqa: PLR2004
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    if wide:
        table.add_column(no_wrap=True, style="dim")
    for claim in claims:
        bar = interval_bar(claim.interval, 20 if wide else 12, shade(claim.interval.midpoint))
        statement = Text(visible(claim.statement))
        if claim.status != "active":
            statement.append(f" ({claim.status})", style="yellow")
        if claim.sources == 0:
            statement.append(" (no sources: unknown, not false)", style="yellow")
        if not wide:
            statement.append(f"\n{claim.id}", style="dim")
        about = [Text(f"{claim.id}  {claim.tier}  {claim.namespace}  {claim.sources} src")] if wide else []
        table.add_row(bar, Text(interval_words(claim)), statement, *about)
    out.print(table)
    if cursor is not None:
        out.print(Text(f"\n{MORE}", style="dim"), soft_wrap=True)


def show_federated(page: FederatedClaimPage, *, json: bool) -> None:
    """Draw claims as bars, with who tells them beside each, and who was asked below; or write all of it as JSON."""
    if json:
        for claim in page.claims:
            write_json(encode(claim))
        write_json({"more": page.more, "coverage": encode(page.coverage)})
        return
    out = console()
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for claim in page.claims:
        bar = interval_bar(claim.interval, 12, shade(claim.interval.midpoint))
        statement = Text(visible(claim.statement))
        if claim.sources == 0:
            statement.append(" (no sources: unknown, not false)", style="yellow")
        for origin in claim.origins:
            told = f"\n{origin.peer or 'here'} {origin.interval} {origin.id}"
            other = f' "{visible(origin.statement)}"' if origin.statement != claim.statement else ""
            statement.append(told + other, style="dim")
        table.add_row(bar, Text(interval_words(claim)), statement)
    out.print(table if page.claims else "No claims fit.")
    out.print(Text(f"\n{page.coverage}" + ("; there is more: raise --limit, or narrow the query" if page.more else "")))
    for peer in page.coverage.peers:
        if peer.reason:
            left = f"{peer.left_out} left out" if peer.status == "answered" else peer.status
            out.print(Text(visible(f"{peer.name}: {left}: {peer.reason}"), style="yellow"))


def show_explanation(found: ClaimExplanation) -> None:
    """Show every step, the words, and what would change it."""
    out = console()
    show_score(found.score)
    if found.derived is not None:
        show_score(found.derived)
    out.print(Text(visible(found.words)))
    if found.changes:
        out.print("\n[bold]What would change it[/]")
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for change in found.changes:
            style = "green" if change.change > 0 else "red"
            bounds = f"[{change.lower:.2f}, {change.upper:.2f}]"
            table.add_row(Text(f"{change.change:+.2f}", style=style), Text(bounds), Text(visible(change.what)))
        out.print(table)


def show_history(events: list[ClaimEvent]) -> None:
    """Show what happened to a claim, line by line."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for name in ("at", "actor", "action"):
        table.add_column(name, no_wrap=True)
    table.add_column("detail", overflow="fold", style="dim")
    for event in events:
        table.add_row(*(Text(visible(text)) for text in (when(event.at), event.actor, event.action, event.detail)))
    console().print(table)


def show_deliberation(found: Deliberation) -> None:
    """Show what the judge says about claims: an interval and a reason for each, and how they fit together."""
    out = console()
    for one in found.claims:
        out.print(interval_bar(one.interval, 20, shade(one.interval.midpoint)), Text(f" {one.interval}  {one.id}"))
        if one.reason:
            out.print(Text(f"  {visible(one.reason)}", style="dim"))
    if found.narrative:
        out.print(Text(f"\n{visible(found.narrative)}"))
    if found.failure:
        out.print(Text(f"\n{visible(found.failure)}", style="yellow"))


def show_reflection(found: TopicReflection) -> None:
    """Show what is known about a topic."""
    out = console()
    about = f'about "{found.topic}"' if found.topic else "in all"
    out.print(Text(f"{pluralize(found.total, 'claim')} {about}"))
    for title in ("strongest", "weakest", "widest", "contradicted"):
        claims: list[Claim] = getattr(found, title)
        if claims:
            out.print(f"\n[bold]{title}[/]")
            show_claims(claims, None)
    if found.prose:
        out.print(Text(f"\n{visible(found.prose)}"))
    if found.failure:
        out.print(Text(f"\n{visible(found.failure)}", style="yellow"))
