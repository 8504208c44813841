"""Federation over HTTP: who may read here may read everywhere; whom the server calls is not for a request to say."""

import pytest

from howsure.serve.operations import OPERATIONS, operation
from howsure.serve.tokens import Tokens
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.claims.federation.scripted import answering, scripted
from tests.serve.serving import serving


def test_a_server_asks_its_peers_for_callers_with_the_read_scope(
    store: Sure, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with open_store(str(tmp_path_factory.mktemp("b") / "b.db")) as b, serving(b) as there:
        b.claims.add("B knows", source="user:bob", contribution=0.9)
        store.claims.add("We know", source="user:ann", contribution=0.9)
        store.peers.add(str(there.base_url), trust=0.5, name="b", time_limit=30)
        _, secret = Tokens(store.session).create("reader", "read")
        with serving(store, tokens=True) as here:
            assert here.do("claims.find_federated", {}).status_code == 401
            bearer = {"Authorization": f"Bearer {secret}"}
            found = here.do("claims.find_federated", {"limit": 10}, **bearer).json()
            assert [(claim["statement"], claim["peer"]) for claim in found["claims"]] == [
                ("We know", None),
                ("B knows", "b"),
            ]
            assert found["claims"][1]["upper"] == pytest.approx(0.45)
            assert str(there.base_url) not in str(found), "where peers are is not told"
            many = [here.do("claims.find_federated", {}, **bearer).status_code for _ in range(5)]
            assert 429 in many, "it counts as slow"


def test_requests_cannot_choose_the_peers(store: Sure) -> None:
    assert not [one.name for one in OPERATIONS if one.name.startswith("peers.") or "peer" in one.path]
    with scripted(answering({})) as canary, serving(store) as client:
        for name in ("claims.find_federated", "claims.inputs", "claims.find"):
            for field in ("url", "peer", "peers", "federated"):
                assert client.do(name, {field: canary.url}).status_code == 400
        assert client.do("claims.find_federated", {}).json()["coverage"]["asked"] == 0
        assert canary.requests == []


def test_sharing_claims_asks_no_peer(store: Sure) -> None:
    with scripted(answering({})) as canary, serving(store) as client:
        store.peers.add(canary.url, trust=1)
        store.claims.add("We know", source="user:ann")
        told = client.do("claims.inputs", {}).json()
        assert ([claim["statement"] for claim in told["claims"]], told["own"]) == (["We know"], True)
        assert canary.requests == []


def test_federated_operations_need_the_read_scope_only() -> None:
    for name in ("claims.find_federated", "claims.inputs"):
        assert (operation(name).scope, operation(name).method) == ("read", "POST")
