"""Sessions: cookies, logging in and out, and forms that prove where they come from."""

import logging

import pytest
from httpx2 import Response

from howsure.files import sha256
from howsure.serve.pages.cookies import COOKIE
from howsure.serve.pages.login import INVALID, local_path
from howsure.serve.tokens import Tokens
from howsure.sure import Sure
from tests.serve.pages.conftest import Site
from tests.serve.pages.test_site import cookie
from tests.serve.serving import Client, serving


def _proof(value: str) -> str:
    return sha256(f"howsure form:{value}".encode()).hexdigest()


def _begin(client: Client) -> str:
    """Look at the login, and return the value that a browser then keeps."""
    client.cookies.clear()
    return str(client.get("/login").cookies[COOKIE])


def _log_in(client: Client, secret: str, **more: str) -> Response:
    value = _begin(client)
    answer = client.post("/login", data={"csrf": _proof(value), "token": secret, **more}, headers=cookie(value))
    client.cookies.clear()
    return answer


def test_the_cookie_is_http_only_and_same_site(closed: Site) -> None:
    closed.client.cookies.clear()
    said = closed.client.get("/login").headers["set-cookie"]
    assert "HttpOnly" in said
    assert "SameSite=strict" in said
    assert "Path=/" in said
    assert "Secure" not in said
    assert "Max-Age" not in said
    assert "expires" not in said.lower()
    for header in ({"X-Forwarded-Proto": "https"}, {"Forwarded": 'for=1.2.3.4;proto="https"'}):
        closed.client.cookies.clear()
        assert "Secure" in closed.client.get("/login", headers=header).headers["set-cookie"]


def test_logging_in_and_out(closed: Site) -> None:
    answer = _log_in(closed.client, closed.secrets["write"], next="/claims?text=cache")
    assert (answer.status_code, answer.headers["location"]) == (303, "/claims?text=cache")
    value = answer.headers["set-cookie"].partition(";")[0].partition("=")[2]
    assert value == closed.secrets["write"]
    page = closed.client.get("/overview", headers=cookie(value))
    assert page.status_code == 200
    assert "for write" in page.text
    assert value not in page.text
    assert "set-cookie" not in page.headers, "what is kept is not set again"
    out = closed.client.post("/logout", data={"csrf": _proof(value)}, headers=cookie(value))
    assert (out.status_code, out.headers["location"]) == (303, "/login?done=logged-out")
    assert value not in out.headers["set-cookie"]


def test_a_login_leads_to_this_site_only(closed: Site) -> None:
    answer = _log_in(closed.client, closed.secrets["read"], next="//evil.example/claims")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


def test_all_failed_logins_get_the_same_message(closed: Site, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    tokens = Tokens(closed.sure.session)
    revoked = tokens.create("gone", "admin")[1]
    tokens.revoke("gone")
    wrong = [revoked, "howsure_" + "x" * 43, "", "x", "é" * 50, closed.secrets["admin"] + "x"]
    answers = [_log_in(closed.client, secret) for secret in wrong]
    for secret, answer in zip(wrong, answers, strict=True):
        assert answer.status_code == 401
        assert INVALID in answer.text
        assert len(secret) < 20 or secret not in answer.text
        assert "set-cookie" not in answer.headers
    assert len({len(answer.text) for answer in answers}) == 1
    assert revoked not in caplog.text
    assert closed.secrets["admin"] not in caplog.text


def test_logins_are_rate_limited(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.serve.pages.login.ATTEMPTS", 1e-6)  # once, and then not for days
    _, secret = Tokens(store.session).create("ci")
    with serving(store, pages=True, tokens=True) as client:
        assert _log_in(client, "howsure_" + "x" * 43).status_code == 401
        for tried in ("howsure_" + "x" * 43, secret):
            late = _log_in(client, tried)
            assert late.status_code == 429
            assert "Too many attempts" in late.text
            assert "set-cookie" not in late.headers
        assert client.get("/overview", headers=cookie(secret)).status_code == 200, "who is in stays in"


@pytest.mark.parametrize(
    "path",
    [
        "https://evil.example", "//evil.example", "/\\evil.example", "\\/evil.example", "/\t/evil.example",
        "javascript:alert(1)", "http:/evil.example", "/login", "/logout", "", "claims", "/ü",
        "/%5cevil\r\nSet-Cookie: a",
    ],
)  # fmt: skip
def test_redirects_stay_on_this_site(closed: Site, path: str) -> None:
    assert local_path(path) == "/"
    shown = closed.client.get("/login", params={"next": path}).text
    assert 'name="next" value="/"' in shown


def test_after_login_the_requested_page_is_shown(closed: Site) -> None:
    closed.client.cookies.clear()
    page = closed.client.get("/claims?text=a&tiers=task").text
    assert 'name="next" value="/claims?text=a&amp;tiers=task"' in page
    assert 'http-equiv="refresh"' not in page
    closed.client.cookies.clear()
    came = closed.client.get("/claims?text=a", headers={"Sec-Fetch-Site": "cross-site"})
    assert 'content="0;url=/login?next=%2Fclaims%3Ftext%3Da"' in came.text
    assert "set-cookie" not in came.headers, "the session that the browser keeps to itself stays"
    part = closed.client.get("/claims", headers={"HX-Request": "true"})
    assert part.headers["hx-refresh"] == "true"


def test_a_form_of_another_session_is_refused_and_changes_nothing(closed: Site) -> None:
    secret, id_ = closed.secrets["admin"], closed.ids["disk"]
    wrong = ["", "x", _proof(closed.secrets["write"]), _proof(""), _proof(secret)[:-1], _proof(secret).upper(), "é"]
    for proof in wrong:
        form = {"csrf": proof, "sure": "yes", "key": "k"}
        for path in (f"/claims/{id_}/forget", f"/claims/{id_}/purge", "/logout"):
            answer = closed.client.post(path, data=form, headers=cookie(secret))
            assert answer.status_code == 403, (proof, path)
            assert "set-cookie" not in answer.headers
    without = closed.client.post(f"/claims/{id_}/forget", data={"sure": "yes"}, headers=cookie(secret))
    assert without.status_code == 403
    bearer = {"Authorization": f"Bearer {secret}"}
    assert closed.client.get(f"/v1/claims/{id_}", headers=bearer).json()["status"] == "active"


def test_forms_of_other_sites_are_refused_even_with_a_valid_token(closed: Site) -> None:
    secret, id_ = closed.secrets["admin"], closed.ids["disk"]
    others = ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"})
    for header in others:
        form = {"csrf": _proof(secret), "sure": "yes"}
        answer = closed.client.post(f"/claims/{id_}/forget", data=form, headers=cookie(secret) | header)
        assert answer.status_code == 403, header
    kind = {"Content-Type": "text/plain"}
    content = f"csrf={_proof(secret)}&sure=yes".encode()
    answer = closed.client.post(f"/claims/{id_}/forget", content=content, headers=cookie(secret) | kind)
    assert answer.status_code == 415
    bearer = {"Authorization": f"Bearer {secret}"}
    assert closed.client.get(f"/v1/claims/{id_}", headers=bearer).json()["status"] == "active"


def test_a_server_without_tokens_still_uses_sessions(site: Site) -> None:
    site.client.cookies.clear()
    first = site.client.get("/overview")
    value = first.cookies[COOKIE]
    site.client.cookies.clear()
    other = site.client.get("/overview").cookies[COOKIE]
    assert value != other
    site.client.cookies.clear()
    id_ = site.ids["disk"]
    form = {"csrf": _proof(other), "sure": "yes"}
    refused = site.client.post(f"/claims/{id_}/forget", data=form, headers=cookie(value))
    assert refused.status_code == 403
    site.client.cookies.clear()
    fresh = site.client.post(f"/claims/{id_}/forget", data={"csrf": _proof(value), "sure": "yes"})
    assert fresh.status_code == 403, "a form without a cookie proves nothing"
    site.client.cookies.clear()
    assert site.client.get("/login").headers["location"] == "/"
    assert site.client.get(f"/v1/claims/{id_}").json()["status"] == "active"


def test_logins_that_succeed_are_not_counted(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.serve.pages.login.ATTEMPTS", 1e-6)  # one failure, and then nothing for days
    _, secret = Tokens(store.session).create("ci")
    with serving(store, pages=True, tokens=True) as client:
        for _ in range(3):
            assert _log_in(client, secret).status_code == 303
        assert _log_in(client, "howsure_" + "x" * 43).status_code == 401
        assert _log_in(client, secret).status_code == 429
