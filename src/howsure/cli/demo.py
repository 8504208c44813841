"""The command `howsure demo`: a short tour that ends with the dashboard; all numbers are computed while it runs."""

import shutil
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from howsure.cli.draw import bar, interval_bar, shade
from howsure.cli.output import console
from howsure.cli.sample import fill
from howsure.errors import HowsureError, MissingExtraError
from howsure.formulas import catalog
from howsure.formulas.claim import ClaimFormula, Source
from howsure.formulas.interval import Interval
from howsure.formulas.scoring import build, score
from howsure.graph.python import Graph, Node, Relation
from howsure.shapes import DAY
from howsure.sure import open as open_store

if TYPE_CHECKING:
    from howsure.sure import Sure

README = Source("extraction", "README.md", 0.6)
ANN = Source("user_input", "ann", 0.7)
AGENT = Source("agent_assertion", "reviewer-1", 0.5)
STRESS_TEST = Source("extraction", "stress-test.log", 0.9)
MANUAL = "The gateway listens on port 8443. TLS 1.3 is required."
ANSWERS = (
    "The gateway listens on port 9443.",
    "I think the gateway probably listens on port 8443, but it might be another one.",
    "The gateway listens on port 8443.",
)
SCENES = ("a response", "a claim", "an investigation", "a synthesis", "a document")


def demo(
    pause: Annotated[
        bool | None, typer.Option("--pause/--no-pause", help="Pause between scenes; default: on a terminal.")
    ] = None,
    pages: Annotated[
        bool, typer.Option("--dashboard/--no-dashboard", help="End with the dashboard, on sample data.")
    ] = True,
) -> None:
    """Show a half-minute tour: a response, a claim, an investigation, a synthesis, a document, the dashboard.

    Example: howsure demo --no-dashboard
    """
    out = console()
    wait = 2.0 if (sys.stdout.isatty() if pause is None else pause) else 0.0
    out.print("[bold]How sure are we?[/] One question, asked of five things. All numbers are computed as you watch.\n")
    for number, (title, scene) in enumerate(
        zip(SCENES, (_response, _claim_by_default, _investigation, _synthesis, _document), strict=True), start=1
    ):
        out.print(f"[bold]{number}. How sure are we of {title}?[/]\n")
        scene(out)
        out.print()
        time.sleep(wait)
    out.print("Next: [cyan]howsure gate[/] decides about a text of yours, [cyan]howsure -h[/] lists all commands.")
    if shutil.which("howsure") is None:  # as after `make demo`
        out.print("The command is not installed yet: [cyan]pip install '.\\[web]'[/] in a virtual environment.")
    if pages:
        out.print()
        dashboard(out)


def _claim_by_default(out: Console) -> None:
    _claim(out, (catalog.DEFAULT_FORMULA,))


def _claim(out: Console, names: Collection[str] = ()) -> None:
    """Show a claim through its life, by these formulas or by all of them."""
    out.print('"The cache is thread-safe."\n')
    against = Node("the cache lost an update", (STRESS_TEST,), "task", stale_at=60 * DAY)
    contradiction = Relation("contradicts", against.id, "cache", 0.8)
    stages: list[tuple[str, tuple[Source, ...], list[Relation], float]] = [
        ("the README says so", (README,), [], 0.0),
        ("Ann and a reviewing agent agree", (README, ANN, AGENT), [], 0.0),
        ("a stress test contradicts it", (README, ANN, AGENT), [contradiction], 0.0),
        ("nine days later, nobody has looked again", (README, ANN, AGENT), [contradiction], 9 * DAY),
    ]
    formulas = [build(name) for name in names or catalog.formulas()]
    width = max(12, min(48, out.width - 36))
    for title, sources, relations, now in stages:
        out.print(f"[italic]{title}[/]")
        graph = Graph([Node("cache", sources, "task", stale_at=0.0), against], relations)
        for formula in formulas:
            if isinstance(formula, ClaimFormula):
                interval = graph.intervals(formula, now)["cache"]
                drawn = interval_bar(interval, width, shade(interval.midpoint))
                out.print(Text(f"  {formula.name:<17}").append(drawn).append(f" {interval}"))
    out.print("\n[dim]Sources raise it; contradictions and age lower it. A wide bar means that little is known.[/]")


def _response(out: Console) -> None:
    out.print(f'The manual says: "{MANUAL}" An agent wants to answer:\n')
    with tempfile.TemporaryDirectory(prefix="howsure-demo-") as folder, open_store(f"{folder}/demo.db") as sure:
        for answer in ANSWERS:
            decision = sure.responses.check(answer, agent="support", context=[MANUAL])
            colour = shade(decision.composite)
            out.print(Text(f'"{answer}"', style="italic"))
            _line(out, decision.decision, decision.composite, f"{decision.threshold:.2f} is needed", 8)
            out.print(f"  [{colour}]{escape(decision.message or 'It is sent.')}[/]")
    out.print("\n[dim]A number that the manual does not say, or a guess, is not sent.[/]")


def _investigation(out: Console) -> None:
    out.print("An agent looks for the parser, finds little, recovers, and is sure enough.\n")
    calls: list[dict[str, Any]] = [
        {"tool": "grep", "target": "parse_expr", "results": 0},
        {"tool": "read", "target": "src/lexer.py", "results": 1},
        {"tool": "find", "target": "parser.py", "results": 2, "recovery": True},
        {"tool": "grep", "target": "Parser", "results": 5, "recovery": True},
        {"tool": "read", "target": "src/parser.py", "results": 1, "recovery": True},
    ]
    model = build("investigation")
    for count, call in enumerate(calls, start=1):
        answer = model.score({"steps": calls[:count]})
        what = f"{'recovery: ' if call.get('recovery') else ''}{call['tool']} {call['target']}"
        _line(out, what, answer["score"], f"{answer['band']}, {answer['decision']}", 30)
    out.print(f"\n[dim]{answer['reason']}.[/]")


def _synthesis(out: Console) -> None:
    texts = {
        "agent A": "The function returns nil on error. See `load()`:\n\n```go\nreturn nil\n```\n\n- checked on main",
        "agent B": "I think it seems fine, maybe it never returns nil.",
    }
    results = {name: score("subresult", {"content": text}) for name, text in texts.items()}
    for name, result in results.items():
        _line(out, name, result["score"], _first_words(result["interpretation"]))
    parts = [{"confidence": results[name]["score"], "content": text} for name, text in texts.items()]
    overall = score("overall", {"results": parts})
    _line(out, "together", overall["overall"], _first_words(overall["interpretation"]))
    claims = [Node(name, (Source("extraction", name, results[name]["score"]),)) for name in texts]
    graph = Graph(claims, [Relation("contradicts", "agent A", "agent B")])
    formula = build("dempster_shafer")
    if isinstance(formula, ClaimFormula):
        influence = graph.influences(formula, 0.0)
        out.print("\nThey cannot both be right. Each claim, weighed against the other:")
        for name in texts:
            answer = formula.score(graph.case(name, influence, 0.0))
            interval = Interval(answer["lower"], answer["upper"])
            out.print(Text(f"  {name:<17}").append(interval_bar(interval, 24)).append(f" {interval}"))
        out.print(f"[dim]Conflict between them: {answer['conflict']:.2f} of 1.[/]")


def _first_words(interpretation: str) -> str:
    """Return an interpretation up to its first comma, which fits on a line of 80 columns."""
    return interpretation.partition(",")[0].lower()


def _document(out: Console) -> None:
    out.print(
        "A guide was visited, confirmed and tested. Its evidence stays (trust), but nobody has looked since (fresh).\n"
    )
    events = [["visit", 1.0], ["confirm", 1.0], ["test", 0.8]]
    for months in (0, 4, 8, 14):
        answer = score(
            "document",
            {
                "events": events,
                "observations": [[1.0, 1.0], [0.8, 0.5]],
                "pattern_boost": 0.12,
                "pattern_bonus": 0.05,
                "modifiers": {"months": months},
            },
        )
        due = answer["decision"].replace("_", " ")
        fresh = f"fresh {max(0.0, 1 - months / 12):.2f}"
        _line(out, f"after {months} months", answer["score"], f"{fresh}  {'nothing due' if due == 'none' else due}")


def _line(out: Console, label: str, value: float, note: str = "", size: int = 18) -> None:
    width = max(8, min(24, out.width - size - 10))
    text = Text(f"  {label:<{size}}").append(bar(value, width), style=shade(value)).append(f" {value:.2f}")
    out.print(text.append(f"  {note}", style="dim") if note else text)


TIMEOUT = 30.0
"""Seconds within which the dashboard must answer."""


def dashboard(out: Console) -> None:
    """Serve the dashboard on sample data: until Ctrl-C on a terminal, otherwise only for one request."""
    from howsure.serve.server import ServerOptions, serve

    def invite(url: str) -> None:
        out.print(f"The dashboard, on sample data: [bold cyan]{url}/[/] (Ctrl-C ends it)")

    with (
        tempfile.TemporaryDirectory(prefix="howsure-demo-") as folder,
        open_store(f"{folder}/demo.db") as sure,
    ):
        fill(sure, time.time())
        try:
            if not sys.stdout.isatty():
                out.print(_try_dashboard(sure))
                return
            serve(sure, port=0, options=ServerOptions(pages=True), on_start=invite)
            out.print("\nThe sample is deleted. [cyan]howsure serve[/] shows your own store.")
        except MissingExtraError as error:
            out.print(Text(f"Skipping the dashboard: {error}"))


def _try_dashboard(sure: "Sure") -> str:
    """Serve in a thread, load the first page, and return what to print about it."""
    from howsure.serve.server import ServerOptions, bind, make_server, url_of

    server = make_server(sure, options=ServerOptions(pages=True))
    with bind("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            deadline = time.monotonic() + TIMEOUT
            while not server.started:
                if not thread.is_alive() or time.monotonic() > deadline:
                    raise HowsureError("the dashboard did not start", hint="howsure doctor shows what is missing")
                time.sleep(0.01)
            url = url_of(listening)
            no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with no_proxy.open(f"{url}/", timeout=TIMEOUT) as response:
                page = response.read()
        finally:
            server.should_exit = True
            thread.join(TIMEOUT)
    if b"How sure are we" not in page:
        raise HowsureError("the dashboard does not show the expected page")
    return f"The dashboard answers at {url}/ ({len(page):,} bytes); on a terminal it stays until Ctrl-C."
