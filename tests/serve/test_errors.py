"""Every error has one shape, with the field, a message and a hint, and hides what callers must not see."""

from typing import Any

import pytest

from howsure.errors import StoreError
from howsure.serve import litellm
from howsure.sure import Sure
from tests.serve.serving import Client, error_of

CLAIM = {"statement": "The sky is blue", "source": "user:ann", "contribution": 0.8}


def test_invalid_fields_are_named(shared: Client) -> None:
    assert error_of(shared.post("/v1/claims", json={}), 400, "invalid_input")["field"] == "statement"
    wrong = error_of(shared.post("/v1/claims", json=CLAIM | {"contribution": 7}), 400, "invalid_input")
    assert wrong == {
        "code": "invalid_input",
        "message": "7 is not between 0 and 1",
        "field": "contribution",
        "hint": "",
    }
    wrong = error_of(shared.post("/v1/claims", json=CLAIM | {"teir": "task"}), 400, "invalid_input")
    assert wrong["hint"] == "did you mean tier?"
    assert error_of(shared.get("/v1/claims?limit=1e999"), 400, "invalid_input")["field"] == "limit"
    deep = {"query": "?", "results": [{"id": "a", "confidence": 2}]}
    assert error_of(shared.do("syntheses.combine", deep), 400, "invalid_input")["field"] == "results[0].confidence"


def test_impossible_values_are_refused_with_a_reason(client: Client) -> None:
    assert error_of(client.post("/v1/claims", json=CLAIM | {"statement": " "}), 422, "refused")["field"] == "statement"
    promoted = client.post("/v1/claims", json=CLAIM | {"tier": "persistent"})
    assert error_of(promoted, 422, "refused")["hint"] == "add it, then promote it"
    id_ = client.post("/v1/claims", json=CLAIM).json()["id"]
    assert (
        "not challenged"
        in error_of(client.do("claims.resolve", {"claim": id_, "uphold": True}), 422, "refused")["message"]
    )
    unknown = error_of(client.get("/v1/claims", params={"formula": "noisyor"}), 422, "refused")
    assert unknown["hint"] == "did you mean noisy_or?"
    assert error_of(client.do("claims.deliberate", {"claims": []}), 422, "refused")["field"] == "judge"
    broken = client.post("/v1/claims/import", json={"records": [{"howsure": 1}]})
    assert error_of(broken, 422, "refused")["line"] == 1


def test_unknown_ids_and_paths_are_not_found(shared: Client) -> None:
    error_of(shared.get("/v1/claims/c0"), 404, "not_found")
    error_of(shared.get("/v1/ledger/a0"), 404, "not_found")
    assert error_of(shared.get("/v1/models/respons"), 404, "not_found")["hint"] == "did you mean response?"
    error_of(shared.get("/v2/claims"), 404, "not_found")
    error_of(shared.get("/"), 404, "not_found")
    error_of(shared.get("/docs"), 404, "not_found")


def test_a_failing_store_is_reported_without_its_address(
    client: Client, store: Sure, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise StoreError(f"the store {store.session.database.address} failed: disk I/O error")

    monkeypatch.setattr(type(store.claims), "history", broken)
    found = error_of(client.get("/v1/claims/c1/history"), 503, "store_failed")
    assert store.session.database.address not in str(found)
    monkeypatch.setattr(type(store.session.database), "read", broken)
    body = {"input_type": "response", "texts": ["It works."]}
    for response in (client.get("/readyz"), client.get("/v1/claims/export"), client.post(litellm.PATH, json=body)):
        error_of(response, 503, "store_failed")
        line = f"request {response.headers['x-request-id']}: the store {store.session.database.address} failed"
        assert line in caplog.text
    assert client.get("/healthz").status_code == 200


def test_an_internal_error_only_refers_to_the_log(
    client: Client, store: Sure, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("secret inside")

    monkeypatch.setattr(type(store.claims), "history", broken)
    response = client.get("/v1/claims/c1/history")
    assert "secret" not in response.text
    assert response.headers["x-request-id"] in error_of(response, 500, "internal")["message"]
    assert response.headers["content-security-policy"]
    assert "secret inside" in caplog.text
