"""Arguments in bodies, queries and paths are read, and what is wrong with them is reported."""

import orjson
import pytest

from howsure.serve.http import Capacity
from howsure.sure import Sure
from tests.serve.serving import Client, error_of, raw, serving

CLAIM = {"statement": "The sky is blue", "source": "user:ann", "contribution": 0.8}


@pytest.mark.parametrize(
    ("body", "kind", "status", "code"),
    [
        (b'{"statement": ', "application/json", 400, "invalid_json"),
        (b"\xff\xfe", "application/json", 400, "invalid_json"),
        (b"", "application/json", 400, "invalid_json"),
        (b"[" * 5000, "application/json", 400, "invalid_json"),
        (b'{"statement": "\\ud800"}', "application/json", 400, "invalid_json"),
        (b'{"statement": NaN}', "application/json", 400, "invalid_json"),
        (b"[1]", "application/json", 400, "invalid_input"),
        (b"{}", "application/json; charset=latin-1", 415, "wrong_type"),
        (b"{}", "text/plain", 415, "wrong_type"),
        (b"{}", "application/x-www-form-urlencoded", 415, "wrong_type"),
        (b"{}", "application/x-ndjson", 415, "wrong_type"),
        (b"{}", "", 415, "wrong_type"),
    ],
)
def test_a_body_has_to_be_json(shared: Client, body: bytes, kind: str, status: int, code: str) -> None:
    error_of(shared.post("/v1/claims", content=body, headers={"Content-Type": kind}), status, code)


def test_utf_8_charsets_are_accepted(client: Client) -> None:
    headers = {"Content-Type": 'Application/JSON; Charset="UTF-8"'}
    assert client.post("/v1/claims", content=orjson.dumps(CLAIM), headers=headers).status_code == 200


def test_a_field_may_be_given_in_one_place_only(client: Client) -> None:
    id_ = client.post("/v1/claims", json=CLAIM).json()["id"]
    twice = client.post(f"/v1/claims/{id_}/forget", json={"claim": id_})
    assert error_of(twice, 400, "invalid_input")["message"] == "already given in the path"
    error_of(client.get(f"/v1/claims/{id_}", params={"claim": id_}), 400, "invalid_input")
    error_of(client.post("/v1/claims?tier=task", json=CLAIM), 400, "invalid_input")
    assert error_of(client.get("/v1/claims?limit=1&limit=2"), 400, "invalid_input")["message"] == "given more than once"
    assert error_of(client.delete(f"/v1/claims/{id_}", params={"sure": "yes"}), 400, "invalid_input")["hint"]


def test_numbers_flags_and_lists_are_read_from_the_query(client: Client) -> None:
    client.post("/v1/claims", json=CLAIM | {"tier": "project"})
    client.post("/v1/claims", json={"statement": "Grass is green", "source": "user:bob", "contribution": 0.2})

    def found(query: str) -> list[str]:
        response = client.get(f"/v1/claims?{query}")
        assert response.status_code == 200, response.text
        return [claim["statement"] for claim in response.json()["claims"]]

    assert found("min_lower=0.4&tiers=project&tiers=task") == ["The sky is blue"]
    assert found("ascending=true&max_upper=1e0") == ["Grass is green", "The sky is blue"]
    assert found("text=7") == []
    assert found("text=sky%20blue&subject=") == []
    for query in (
        "limit=many",
        "limit=1.5",
        "limit=1_0",
        "limit=%201",
        "wide=yes",
        "min_lower=nan",
        "min_lower=",
        "now=1e999",
    ):
        error_of(client.get(f"/v1/claims?{query}"), 400, "invalid_input")
    error_of(client.get(f"/v1/claims?limit={'9' * 5000}"), 400, "invalid_input")


def test_many_records_can_be_sent_as_json_lines(client: Client) -> None:
    lines = b'{"statement": "One", "source": "f:1"}\n\n{"statement": \n{"statement": "Two", "source": "f:1"}\r\n'
    headers = {"Content-Type": "application/x-ndjson"}
    learned = client.post("/v1/claims/learn?trust=0.5", content=lines, headers=headers)
    assert learned.status_code == 200, learned.text
    assert (learned.json()["created"], learned.json()["failed"]) == (2, 1)
    assert "line 2: not JSON" in learned.json()["errors"][0]
    exported = client.get("/v1/claims/export")
    assert exported.headers["content-type"] == "application/x-ndjson"
    again = client.post("/v1/claims/import", content=exported.content, headers=headers)
    assert again.json()["skipped"] == 2
    cut = client.post("/v1/claims/import", content=exported.content[:-20], headers=headers)
    assert error_of(cut, 422, "refused")["hint"] == "nothing was imported"
    error_of(client.post("/v1/claims/learn?nonsense=1", content=b"", headers=headers), 400, "invalid_input")


def test_too_large_bodies_are_not_read(store: Sure) -> None:
    with serving(store, capacity=Capacity(max_body=1000)) as client:
        error_of(client.post("/v1/claims", json=CLAIM | {"statement": "x" * 1000}), 413, "too_large")
        endless = (b" " * 100 for _ in range(1000))
        response = client.post("/v1/claims", content=endless, headers={"Content-Type": "application/json"})
        error_of(response, 413, "too_large")
        assert client.post("/v1/claims", json=CLAIM).status_code == 200


def test_a_truncated_body_changes_nothing(shared: Client) -> None:
    body = (
        b"POST /v1/claims HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{"
    )
    raw(shared, body)
    raw(shared, b"nonsense\r\n\r\n")
    raw(shared, b"GET /v1/claims HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 100_000)
    assert shared.get("/healthz").json()["status"] == "ok"
    assert shared.get("/v1/claims").json()["claims"] == []


@pytest.mark.parametrize("path", ["/v1/ledger/outcomes", "/v1/claims/learn", "/v1/claims/import"])
def test_the_number_of_lines_and_items_is_limited(client: Client, path: str) -> None:
    """10 MB may hold 5 million lines, of which each costs memory and time."""
    lines = client.post(path, content=b"1\n" * 4_900_000, headers={"Content-Type": "application/x-ndjson"})
    assert "at most 200,000" in error_of(lines, 413, "too_large")["hint"]
    field = "outcomes" if "outcomes" in path else "records"
    error_of(client.post(path, json={field: [1] * 200_001}), 413, "too_large")
    few = client.post(path, content=b"1\n" * 500, headers={"Content-Type": "application/x-ndjson"})
    assert len(few.content) < 20_000
