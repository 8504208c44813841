"""The pages about the server tell what is set and who has access, and no secret."""

from pathlib import Path

import pytest

from howsure.serve.tokens import Tokens
from howsure.settings import SETTINGS, current
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Clock
from tests.serve.pages.conftest import Site
from tests.serve.pages.test_site import cookie
from tests.serve.serving import serving


def test_health_counts_what_is_in_the_store(site: Site) -> None:
    page = site.client.get("/server").text
    claims = site.client.get("/v1/claims/count").json()["total"]
    everything = site.client.get("/v1/statistics?since=0&model=").json()
    assert f"<b>{claims}</b>claims in use" in page
    total = site.sure.ledger.stats(since=0, model=None).all
    assert f"<b>{total.total}</b>decisions" in page
    assert f"<b>{total.outcomes}</b>outcomes" in page
    assert everything
    assert "not required: this machine only" in page
    assert "SQLite at" in page


def test_health_tells_that_a_store_is_read_only(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "a.db"), clock=Clock()) as sure:
        sure.claims.add("It holds", source="a:b")
    with open_store(str(tmp_path / "a.db"), read_only=True) as sure, serving(sure, pages=True) as client:
        page = client.get("/server").text
        assert '<span class="tag review">attention</span>' in page
        assert client.get("/server/settings").status_code == 403


def test_every_setting_is_listed_with_its_origin(site: Site) -> None:
    page = site.client.get("/server/settings").text
    for setting in SETTINGS:
        assert f"<code>{setting.name}</code>" in page


def test_secrets_of_settings_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOWSURE_JUDGE_KEY", "sk-very-secret")
    monkeypatch.setenv("HOWSURE_STORE", "postgresql://ann:hunter2@db/howsure")
    with open_store(str(tmp_path / "a.db")) as opened:
        sure = Sure(opened.session, current())
        with serving(sure, pages=True) as client:
            page = client.get("/server/settings").text
    assert "very-secret" not in page
    assert "hunter2" not in page
    assert f"this server serves {tmp_path / 'a.db'}" in page
    assert "(set)" in page
    assert "HOWSURE_JUDGE_KEY" in page


def test_tokens_are_listed_without_their_secrets(closed: Site) -> None:
    tokens = Tokens(closed.sure.session)
    tokens.create("gone", "write")
    tokens.revoke("gone")
    page = closed.client.get("/server/tokens", headers=cookie(closed.secrets["admin"])).text
    for name in ("for read", "for write", "for admin", "gone"):
        assert f"<bdi>{name}</bdi>" in page
    assert '<span class="tag invalid">revoked</span>' in page
    assert "howsure token create" in page
    assert not any(secret in page for secret in closed.secrets.values())


@pytest.mark.parametrize("path", ["/server/settings", "/server/tokens"])
def test_settings_and_tokens_are_for_administrators(closed: Site, path: str) -> None:
    for scope, status in (("read", 403), ("write", 403), ("admin", 200)):
        assert closed.client.get(path, headers=cookie(closed.secrets[scope])).status_code == status
