"""The guardrail endpoint for a LiteLLM proxy, over a real socket, with requests of the form that LiteLLM sends."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.serve import litellm
from howsure.serve.litellm import PATH, Evidence
from howsure.serve.tokens import Tokens
from howsure.sure import Sure
from tests.serve.serving import Client, serving

FACT = "The gateway listens on port 8443. TLS 1.3 is required."
RIGHT = "The gateway listens on port 8443."
WRONG = "The gateway listens on port 9443."
MESSAGES = [
    {"role": "system", "content": "You are a guide."},
    {"role": "user", "content": "Which port does the gateway use?"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "call-1", "type": "function"}]},
    {"role": "tool", "tool_call_id": "call-1", "content": FACT},
]


def _body(kind: str, *texts: str, **more: Any) -> dict[str, Any]:
    """Return what LiteLLM posts, with every field of its contract."""
    return {
        "texts": list(texts),
        "images": None,
        "tools": None,
        "tool_calls": None,
        "structured_messages": MESSAGES if kind == "request" else None,
        "request_data": {"user_api_key_hash": "88dc28", "user_api_key_alias": "guide", "user_api_key_team_id": None},
        "request_headers": {"User-Agent": "OpenAI/Python", "X-Request-Id": "[present]"},
        "litellm_version": "1.90.0",
        "input_type": kind,
        "litellm_call_id": "call-1",
        "litellm_trace_id": "trace-1",
        "additional_provider_specific_params": {},
        "a_field_of_tomorrow": [1, 2, 3],
    } | more


def _post(client: Client, body: dict[str, Any], **headers: str) -> dict[str, Any]:
    response = client.post(PATH, json=body, headers=headers)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def _recorded(sure: Sure) -> list[tuple[str, str, str | None]]:
    return [(one.agent, one.decision, one.task_id) for one in reversed(sure.ledger.find().decisions)]


def test_what_tools_returned_in_the_request_supports_the_response(client: Client, store: Sure) -> None:
    assert _post(client, _body("request", "Which port does the gateway use?")) == {"action": "NONE"}
    assert _recorded(store) == [], "a request is not judged"
    assert _post(client, _body("response", RIGHT)) == {"action": "NONE"}
    blocked = _post(client, _body("response", WRONG))
    assert blocked["action"] == "BLOCKED"
    assert blocked["blocked_reason"].startswith("I don't know: my confidence is ")
    assert _recorded(store) == [("guide", "pass", "call-1"), ("guide", "block", "call-1")]


def test_without_evidence_a_response_is_blocked(client: Client, store: Sure) -> None:
    assert _post(client, _body("response", RIGHT))["action"] == "BLOCKED"
    assert _recorded(store) == [("guide", "review", "call-1")]


def test_evidence_belongs_to_one_call(client: Client) -> None:
    _post(client, _body("request"))
    assert _post(client, _body("response", RIGHT, litellm_call_id="call-2"))["action"] == "BLOCKED"
    _post(client, _body("request", litellm_call_id=None))
    assert _post(client, _body("response", RIGHT, litellm_call_id=None))["action"] == "BLOCKED"


def test_texts_of_messages_other_than_tools_are_no_evidence(client: Client) -> None:
    messages = [{"role": role, "content": FACT} for role in ("system", "user", "assistant")]
    _post(client, _body("request", structured_messages=messages))
    assert _post(client, _body("response", RIGHT))["action"] == "BLOCKED"


def test_evidence_can_come_with_the_call(client: Client, store: Sure) -> None:
    for context in (FACT, [FACT]):
        more = {"context": context, "agent": "rag", "agent_type": "guide"}
        body = _body("response", RIGHT, additional_provider_specific_params=more)
        assert _post(client, body) == {"action": "NONE"}
    assert _recorded(store) == [("rag", "pass", "call-1")] * 2


def test_a_blocked_response_can_be_replaced(client: Client) -> None:
    _post(client, _body("request"))
    body = _body("response", RIGHT, WRONG, "", additional_provider_specific_params={"on_blocked": "replace"})
    answer = _post(client, body)
    assert answer["action"] == "GUARDRAIL_INTERVENED"
    right, wrong, empty = answer["texts"]
    assert (right, empty) == (RIGHT, "")
    assert wrong.startswith("I don't know: ")


def test_a_response_without_text_passes(client: Client, store: Sure) -> None:
    assert _post(client, _body("response", tool_calls=[{"id": "call-2", "type": "function"}])) == {"action": "NONE"}
    assert _post(client, _body("response", "")) == {"action": "NONE"}
    assert _recorded(store) == []


@pytest.mark.parametrize("name", ["threshold", "shadow", "policy", "promise", "history", "certainty", "agnet"])
def test_a_client_cannot_loosen_the_gate(client: Client, store: Sure, name: str) -> None:
    body = _body("response", WRONG, additional_provider_specific_params={name: 0})
    response = client.post(PATH, json=body)
    assert response.status_code == 422
    assert name in response.json()["error"]["message"]
    assert _recorded(store) == []


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"input_type": "other"}, 400),
        ({"input_type": None}, 400),
        ({"texts": "one"}, 400),
        ({"texts": ["x"] * 101}, 413),
        *(({"texts": [RIGHT, text]}, 400) for text in ({"text": WRONG}, 1, None, True, [WRONG])),
        ({"structured_messages": "none", "input_type": "request"}, 400),
        ({"additional_provider_specific_params": [1]}, 400),
        ({"additional_provider_specific_params": {"on_blocked": "shrug"}}, 422),
        ({"additional_provider_specific_params": {"context": 5}}, 400),
        ({"additional_provider_specific_params": {"agent": 5}}, 400),
        ({"request_data": "me"}, 400),
        ({"request_data": {"user_api_key_alias": {"a": 1}}}, 400),
    ],
)
def test_what_cannot_be_read_is_an_error_with_a_field(client: Client, change: dict[str, Any], status: int) -> None:
    response = client.post(PATH, json=_body("response", RIGHT) | change)
    assert response.status_code == status, response.text
    assert response.json()["error"]["field"]


def test_only_posts_of_json_are_read(client: Client) -> None:
    assert client.get(PATH).status_code == 405
    assert client.post(PATH, content=b"texts=a", headers={"Content-Type": "text/plain"}).status_code == 415


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    from howsure.sure import open as open_store

    path = tmp_path_factory.mktemp("litellm") / "web.db"
    with open_store(str(path), actor="owner") as sure, serving(sure) as found:
        yield found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "text", "status"]), inner)
    ),
    max_leaves=8,
)


@given(
    messages=st.lists(JSON, max_size=4),
    parameters=JSON,
    data=JSON,
    texts=JSON,
    kind=st.sampled_from(["request", "response"]),
)
def test_no_body_is_an_internal_error(
    open_server: Client, messages: Any, parameters: Any, data: Any, texts: Any, kind: str
) -> None:
    body = {"input_type": kind, "texts": texts, "structured_messages": messages, "request_data": data}
    response = open_server.post(PATH, json=body | {"additional_provider_specific_params": parameters})
    assert response.status_code in (200, 400, 413, 422), response.text


def test_the_token_is_taken_from_either_header(store: Sure) -> None:
    tokens = Tokens(store.session)
    writer, reader = tokens.create("proxy", "write")[1], tokens.create("watcher", "read")[1]
    with serving(store, tokens=True) as client:
        body = _body("response", RIGHT)
        assert client.post(PATH, json=body).status_code == 401
        assert client.post(PATH, json=body, headers={"X-API-Key": "howsure_" + "x" * 43}).status_code == 401
        assert client.post(PATH, json=body, headers={"X-API-Key": reader}).status_code == 403
        assert _post(client, body, **{"X-API-Key": writer})["action"] == "BLOCKED"
        assert _post(client, body, Authorization=f"Bearer {writer}")["action"] == "BLOCKED"
    assert len(_recorded(store)) == 2


def test_evidence_of_one_caller_is_not_that_of_another(store: Sure) -> None:
    tokens = Tokens(store.session)
    one, other = tokens.create("one", "write")[1], tokens.create("other", "write")[1]
    with serving(store, tokens=True) as client:
        _post(client, _body("request"), **{"X-API-Key": one})
        assert _post(client, _body("response", RIGHT), **{"X-API-Key": other})["action"] == "BLOCKED"
        assert _post(client, _body("response", RIGHT), **{"X-API-Key": one}) == {"action": "NONE"}


def test_kept_evidence_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(litellm, "MOST_CHARACTERS", 1000)
    evidence = Evidence()
    for number in range(50):
        evidence.keep(("", str(number % 40)), ["x" * 100])
    assert evidence.find(("", "9")) == ["x" * 100]
    assert evidence.find(("", "20")) == []
    assert sum(bool(evidence.find(("", str(number)))) for number in range(40)) == 5
    evidence.keep(("", "large"), ["x" * 2000])
    assert evidence.find(("", "large")) == []
