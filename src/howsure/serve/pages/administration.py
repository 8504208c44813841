"""The pages about the server: health, settings and tokens."""

import platform
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import Response

from howsure.redaction import hide_password
from howsure.serve.desk import check_scope
from howsure.serve.pages.overview import count_claims
from howsure.serve.pages.page import Page
from howsure.serve.pages.request import PageRequest
from howsure.serve.tokens import token_state
from howsure.settings import JUDGE_KEY, SETTINGS, STORE
from howsure.version import __version__

if TYPE_CHECKING:
    from howsure.sure import Sure

HEALTH, SETTINGS_PATH, TOKENS = "/server", "/server/settings", "/server/tokens"
TABS = ((HEALTH, "Health"), (SETTINGS_PATH, "Settings"), (TOKENS, "Tokens"))
TOKEN_COMMANDS = ("howsure token create ann --scope write --expires 90d", "howsure token revoke ann")


class HealthCheck(NamedTuple):
    """One line of the health page."""

    what: str
    state: str
    """`ok`, or `attention`."""
    detail: str


async def health(request: PageRequest) -> Response:
    """Show whether the server and its store work, and how much is in the store."""
    started = time.perf_counter()
    claims = await request.read(lambda sure: count_claims(sure, request.now))
    seconds = time.perf_counter() - started
    statistics = await request.run("ledger.stats", {"since": 0.0, "model": None})
    tokens = await request.read(lambda _: request.service.desk.tokens.all())
    valid = sum(token_state(token, request.now) == "valid" for token in tokens)
    return request.render(
        "health.html",
        tabs=TABS,
        checks=await request.read(lambda sure: _check(request, sure, seconds, valid)),
        claims=claims,
        decisions=statistics["all"]["total"],
        outcomes=statistics["all"]["outcomes"],
        tokens=valid,
    )


def _check(request: PageRequest, sure: "Sure", seconds: float, valid_tokens: int) -> list[HealthCheck]:
    """Return what the health page says about the server and its store."""
    desk, database = request.service.desk, sure.session.database
    kind = "PostgreSQL" if "://" in str(database.address) else "SQLite"
    address = hide_password(str(database.address))
    guarded = desk.requires_tokens
    with_tokens = f"required; {valid_tokens:,} valid"
    return [
        HealthCheck("Server", "ok", f"howsure {__version__} on Python {platform.python_version()}"),
        HealthCheck("Store", "ok", f"{kind} at {address}, counts its claims in {seconds * 1000:.0f} ms"),
        HealthCheck("Writing", "attention" if database.read_only else "ok", "no" if database.read_only else "yes"),
        HealthCheck("Tokens", "ok", with_tokens if guarded else "not required: this machine only"),
        HealthCheck("Judge", "ok", "not configured" if sure.judge is None else "configured"),
    ]


async def settings(request: PageRequest) -> Response:
    """Show each setting, its value and where it comes from. Secrets are not shown."""
    check_scope(request.known_caller, "admin")
    return request.render("settings.html", tabs=TABS, rows=await request.read(_list_settings))


def _list_settings(sure: "Sure") -> list[dict[str, Any]]:
    """Return all settings without their secrets."""
    rows = []
    for setting in SETTINGS:
        value, origin = sure.settings.find(setting)
        if setting is STORE:
            served = str(sure.session.database.address)
            if served != str(value):  # named on the command line, or by the program
                origin = f"{origin}; this server serves {hide_password(served)}"
            value = hide_password(value)
        if setting is JUDGE_KEY and value:
            value = "(set)"
        shown = _show_value(value)
        rows.append({"name": setting.name, "value": shown, "from": origin, "help": setting.help})
    return rows


def _show_value(value: Any) -> str:
    """Return the value of a setting for people."""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {item}" for name, item in value.items())
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


async def tokens(request: PageRequest) -> Response:
    """Show the access tokens. They are created and revoked on the command line only."""
    check_scope(request.known_caller, "admin")
    listed = await request.read(lambda _: request.service.desk.tokens.all())
    return request.render(
        "tokens.html",
        tabs=TABS,
        rows=[token._asdict() | {"state": token_state(token, request.now)} for token in reversed(listed)],
        own=request.known_caller.id,
        commands=TOKEN_COMMANDS,
    )


PAGES = (Page(HEALTH, health, nav="Server"), Page(SETTINGS_PATH, settings), Page(TOKENS, tokens))
