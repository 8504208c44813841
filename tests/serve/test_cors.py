"""CORS: pages of a named origin may call the API with their token; nobody else, and never the dashboard."""

from typing import Any

import pytest

from howsure.errors import InputError
from howsure.serve.cors import parse_origins
from howsure.serve.server import ServerOptions, make_server
from howsure.serve.tokens import Tokens
from howsure.sure import Sure
from tests.serve.serving import Client, error_of, serving

APP = "https://app.example"
FROM_APP = {"Origin": APP, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
CLAIM = {"statement": "The sky is blue", "source": "user:ann"}


def test_without_the_option_no_other_origin_is_answered(client: Client) -> None:
    error_of(client.get("/v1/claims", headers=FROM_APP), 403, "forbidden")
    refused = client.options("/v1/claims", headers=FROM_APP | PREFLIGHT)
    error_of(refused, 403, "forbidden")
    assert not [name for name in refused.headers if name.startswith("access-control")]
    assert "vary" not in client.get("/v1/claims").headers


def test_a_page_of_a_named_origin_reads_and_writes(store: Sure) -> None:
    with serving(store, origins=[APP, "http://localhost:3000"]) as client:
        asked = client.options("/v1/claims", headers=FROM_APP | PREFLIGHT)
        assert (asked.status_code, asked.content) == (204, b"")
        assert asked.headers["access-control-allow-origin"] == APP
        assert "POST" in asked.headers["access-control-allow-methods"]
        assert {"Authorization", "Content-Type"} <= set(asked.headers["access-control-allow-headers"].split(", "))
        added = client.post("/v1/claims", json=CLAIM, headers=FROM_APP)
        assert added.status_code == 200
        assert (added.headers["access-control-allow-origin"], added.headers["vary"]) == (APP, "Origin")
        assert "access-control-allow-credentials" not in added.headers
        error = client.get("/v1/claims?limit=x", headers={"Origin": "http://localhost:3000"})
        assert error.status_code == 400
        assert error.headers["access-control-allow-origin"] == "http://localhost:3000"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://app.example"},
        {"Origin": "https://app.example.evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_other_origins_stay_refused(store: Sure, headers: dict[str, str]) -> None:
    with serving(store, origins=[APP]) as client:
        for response in (
            client.get("/v1/claims", headers=headers),
            client.options("/v1/claims", headers=headers | PREFLIGHT),
        ):
            assert response.status_code in (403, 405)
            assert "access-control-allow-origin" not in response.headers
            assert response.headers["vary"] == "Origin"
        assert client.post("/v1/claims", json=CLAIM, headers=headers).status_code == 403
        foreign = {"Host": "evil.example"}
        assert client.get("/v1/claims", headers=FROM_APP | foreign).status_code == 403, "the host is checked, too"


def test_the_dashboard_is_for_our_own_origin(store: Sure) -> None:
    with serving(store, origins=[APP], pages=True) as client:
        for path in ("/overview", "/claims", "/login", "/metrics"):
            response = client.get(path, headers=FROM_APP)
            assert response.status_code == 403
            assert "access-control-allow-origin" not in response.headers


def test_any_origin_needs_a_token(store: Sure) -> None:
    with pytest.raises(InputError, match="any site could change the store"):
        make_server(store, options=ServerOptions(origins=["*"]))
    _, secret = Tokens(store.session).create("app")
    with serving(store, tokens=True, origins=["*"]) as client:
        error = client.get("/v1/claims", headers=FROM_APP)
        error_of(error, 401, "unauthorized")
        assert error.headers["access-control-allow-origin"] == APP, "so that the page can read why"
        found = client.get("/v1/claims", headers=FROM_APP | {"Authorization": f"Bearer {secret}"})
        assert found.status_code == 200


@pytest.mark.parametrize(
    "origin", ["app.example", "https://app.example/", "https://a b", "ftp://x", "null", "https://*"]
)
def test_what_is_no_origin_is_refused(origin: str) -> None:
    given: Any = [origin]
    with pytest.raises(InputError, match="invalid origin"):
        parse_origins(given, requires_tokens=True)
