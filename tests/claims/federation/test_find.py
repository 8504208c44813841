"""Federated queries over three real servers, compared with an oracle that knows what each store holds."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from howsure.claims.federation.page import FederatedClaimPage
from howsure.errors import InputError
from howsure.serve.tokens import Tokens
from howsure.shapes.encode import encode
from howsure.store.claim_tables.selection import Selection
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.claims.federation.scripted import answering, scripted
from tests.claims.federation.worlds import DAY, World, filled
from tests.conftest import NOW, Clock
from tests.oracle import FORMULAS
from tests.serve.serving import Client, serving

TRUST = {"b": 0.8, "c": 0.35, "d": 1.0}


class Federation(NamedTuple):
    """A store, its three peers, and what each of the four holds."""

    sure: Sure
    stores: dict[str, Sure]
    clients: dict[str, Client]
    worlds: dict[str, World]


@contextmanager
def _federation(folder: Path, b: str) -> Iterator[Federation]:
    """Open a store with three servers as its peers; where one of them keeps its claims is given."""
    with ExitStack() as opened:
        places = {"a": f"{folder}/a.db", "b": b, "c": f"{folder}/c.db", "d": f"{folder}/d.db"}
        stores = {
            name: opened.enter_context(open_store(place, actor=name, clock=lambda: NOW))
            for name, place in places.items()
        }
        worlds = {name: filled(sure, name, seed) for seed, (name, sure) in enumerate(stores.items())}
        clients = {name: opened.enter_context(serving(stores[name])) for name in TRUST}
        for name, trust in TRUST.items():
            stores["a"].peers.add(str(clients[name].base_url), trust=trust, name=name, time_limit=30)
        yield Federation(stores["a"], stores, clients, worlds)


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Federation]:
    """Give a store with three peers. Whoever adds others takes them out again."""
    folder = tmp_path_factory.mktemp("federation")
    with _federation(folder, f"{folder}/b.db") as found:
        yield found


def _key(statement: str) -> str:
    return statement.strip(" .").lower()


def _expected(worlds: dict[str, World], formula: str, now: float = NOW) -> dict[str, dict[str, tuple[float, float]]]:
    """Return, for every statement, what it comes to by each store that tells it."""
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for name, world in worlds.items():
        intervals = world.intervals(formula, TRUST.get(name, 1.0), now)
        for id_ in world.found():
            found.setdefault(_key(world.statements[id_]), {})[name] = intervals[id_]
    return found


def _agrees(page: FederatedClaimPage, expected: dict[str, dict[str, tuple[float, float]]]) -> None:
    assert {_key(claim.statement) for claim in page.claims} == set(expected)
    assert len(page.claims) == len(expected)
    for claim in page.claims:
        told = expected[_key(claim.statement)]
        assert {origin.peer or "a" for origin in claim.origins} == set(told)
        for origin in claim.origins:
            assert origin.interval == pytest.approx(told[origin.peer or "a"], abs=1e-9)
            assert origin.trust == TRUST.get(origin.peer or "a", 1.0)
        lower = max(bounds[0] for bounds in told.values())
        assert claim.interval.lower == pytest.approx(lower, abs=1e-9)
        assert claim.interval == claim.origins[0].interval
        assert claim.peer is None if "a" in told else claim.peer == claim.origins[0].peer
    lowers = [claim.interval.lower for claim in page.claims]
    assert all(first >= second - 1e-9 for first, second in pairwise(lowers))


def test_claims_of_peers_are_scored_by_the_local_formula_and_trust(federation: Federation) -> None:
    for formula in FORMULAS:
        page = federation.sure.claims.find_federated(formula=formula, limit=1000)
        _agrees(page, _expected(federation.worlds, formula))
        assert not page.more
        assert (page.coverage.asked, page.coverage.answered) == (3, 3)
        assert [peer.claims for peer in page.coverage.peers] == [
            len(list(federation.worlds[name].found())) for name in TRUST
        ]
        assert all(peer.milliseconds > 0 and not peer.reason and not peer.left_out for peer in page.coverage.peers)


@pytest.mark.parametrize("address", ["postgres"], indirect=True)
def test_a_peer_on_postgresql_returns_the_same(address: str, tmp_path: Path) -> None:
    with _federation(tmp_path, address) as federation:
        for formula in ("noisy_or", "beta"):
            page = federation.sure.claims.find_federated(formula=formula, limit=1000)
            _agrees(page, _expected(federation.worlds, formula))
            past = federation.sure.claims.find_federated(formula=formula, as_of=NOW, now=NOW + DAY, limit=1000)
            _agrees(past, _expected(federation.worlds, formula, NOW + DAY))


def test_moments_are_those_of_the_caller(federation: Federation) -> None:
    for later in (-20 * DAY, 3 * DAY, 400 * DAY):
        page = federation.sure.claims.find_federated(now=NOW + later, limit=1000)
        _agrees(page, _expected(federation.worlds, "noisy_or", NOW + later))


def test_parameters_are_those_of_the_caller(federation: Federation) -> None:
    from howsure.formulas.subjective_logic import SubjectiveLogic

    mine = SubjectiveLogic(prior_weight=7.0, support_discount=0.9, certainty_gap=1e-3)
    page = federation.sure.claims.find_federated(formula=mine, limit=1000)
    for name, sure in federation.stores.items():
        if name == "a":
            continue
        alone = {c.id: c.interval for c in sure.claims.find(formula=mine, trust=TRUST[name], limit=None).claims}
        told = {o.id: o.interval for claim in page.claims for o in claim.origins if o.peer == name}
        assert told.keys() == alone.keys()
        assert all(told[id_] == pytest.approx(alone[id_], abs=1e-9) for id_ in told)


def test_bounds_apply_to_the_merged_intervals(federation: Federation) -> None:
    for formula in ("noisy_or", "beta"):
        all_of_them = federation.sure.claims.find_federated(formula=formula, limit=1000).claims
        bounds: list[dict[str, Any]] = [
            {"min_lower": 0.3},
            {"max_lower": 0.2},
            {"min_upper": 0.6},
            {"max_width": 0.3},
            {"wide": True},
        ]
        for wanted in bounds:
            page = federation.sure.claims.find_federated(Selection(**wanted), formula=formula, limit=1000)
            ((name, value),) = wanted.items()
            side, _, bound = name.partition("_")
            fits = {
                claim.statement
                for claim in all_of_them
                if (
                    claim.interval.width >= 0.4
                    if name == "wide"
                    else _fits(side, getattr(claim.interval, bound), value)
                )
            }
            assert {claim.statement for claim in page.claims} == fits
            assert 0 < len(fits) < len(all_of_them), "a bound that tests nothing"


def _fits(side: str, value: float, limit: float) -> bool:
    return value >= limit - 5e-10 if side == "min" else value <= limit + 5e-10


def test_the_limit_keeps_the_surest_and_reports_more(federation: Federation) -> None:
    everything = federation.sure.claims.find_federated(limit=1000).claims
    for limit in (1, 3, 10):
        page = federation.sure.claims.find_federated(limit=limit)
        assert page.more
        assert [claim.statement for claim in page.claims] == [claim.statement for claim in everything[:limit]]
        assert all(peer.claims <= limit for peer in page.coverage.peers)


def test_orders_are_those_of_any_query(federation: Federation) -> None:
    for order in ("upper", "stale_at", "statement"):
        for ascending in (False, True):
            page = federation.sure.claims.find_federated(Selection(order=order, ascending=ascending), limit=1000)
            values = [
                claim.interval.upper if order == "upper" else getattr(claim.named, order) for claim in page.claims
            ]
            rounded = [round(value, 9) if isinstance(value, float) else value for value in values]
            assert rounded == sorted(rounded, reverse=not ascending)
    assert len(page.claims) > 20


def test_selections_are_passed_on(federation: Federation) -> None:
    page = federation.sure.claims.find_federated("knows", limit=1000)
    assert {claim.peer for claim in page.claims} == {None, *TRUST}
    assert all("knows" in claim.statement.lower() for claim in page.claims)
    page = federation.sure.claims.find_federated(Selection(tiers=("project",)), limit=1000)
    assert {origin.tier for claim in page.claims for origin in claim.origins} == {"project"}
    assert federation.sure.claims.find_federated(Selection(namespace="elsewhere/*")).claims == []
    past = federation.sure.claims.find_federated(as_of=NOW - 1)
    assert (past.claims, past.coverage.answered) == ([], 3)


def test_an_unreachable_peer_is_reported_and_the_others_answer(federation: Federation) -> None:
    with scripted(answering({})) as gone:
        pass
    federation.sure.peers.add(gone.url, trust=0.9, name="gone")
    page = federation.sure.claims.find_federated(limit=1000)
    _agrees(page, _expected(federation.worlds, "noisy_or"))
    coverage = encode(page.coverage)
    assert {name: coverage[name] for name in ("asked", "answered", "unreachable", "refused")} == {
        "asked": 4,
        "answered": 3,
        "unreachable": 1,
        "refused": 0,
    }
    (told,) = [peer for peer in page.coverage.peers if peer.name == "gone"]
    assert (told.status, told.claims) == ("unreachable", 0)
    assert "Connection refused" in told.reason
    kept = {peer.name: peer for peer in federation.sure.peers.all()}
    federation.sure.peers.remove("gone")
    assert (kept["gone"].failed_at, kept["gone"].seen_at) == (NOW, None)
    assert kept["gone"].failure.startswith("unreachable: it cannot be reached")
    assert (kept["b"].seen_at, kept["b"].failure) == (NOW, "")


def test_peers_of_each_other_do_not_recurse(federation: Federation) -> None:
    """A asks B, B asks A, and both ask themselves: each is asked once, and answers for itself alone."""
    b = federation.stores["b"]
    with serving(federation.sure) as a:
        b.peers.add(str(a.base_url), trust=0.5, name="a")
        b.peers.add(str(federation.clients["b"].base_url), trust=0.5, name="b")
        page = b.claims.find_federated(limit=1000)
        from_a = {origin.id for claim in page.claims for origin in claim.origins if origin.peer == "a"}
        assert from_a == set(federation.worlds["a"].found()), "what A hears from C and D is not A's to tell"
        mirrored = [claim for claim in page.claims if {origin.peer for origin in claim.origins} >= {None, "b"}]
        assert len(mirrored) == len(list(federation.worlds["b"].found()))
        assert all(claim.named.peer is None for claim in mirrored)
        _agrees(federation.sure.claims.find_federated(limit=1000), _expected(federation.worlds, "noisy_or"))


def test_invalid_federated_queries_are_reported(federation: Federation) -> None:
    find = federation.sure.claims.find_federated
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"limit": None}, "limit"),
        ({"limit": 1001}, "limit"),
        ({"limit": 0}, "limit"),
        ({"where": Selection(order="chance")}, "order"),  # type: ignore[arg-type]
        ({"where": Selection(namespace="a/*/x")}, "namespace"),
    ]
    for arguments, field in wrong:
        with pytest.raises(InputError) as caught:
            find(**arguments)
        assert caught.value.field == field


def test_tokens_open_peers_that_demand_them(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with open_store(f"{tmp_path}/b.db", clock=clock) as b, open_store(f"{tmp_path}/a.db", clock=clock) as a:
        b.claims.add("B has a secret", source="user:ann", contribution=0.9)
        _, secret = Tokens(b.session).create("a", "read")
        monkeypatch.setenv("B_TOKEN", secret)
        monkeypatch.setenv("B_WRONG", "howsure_" + "x" * 43)
        monkeypatch.setenv("B_BROKEN", "two\nlines of a secret")
        (tmp_path / "token").write_text(f"{secret}\n")
        with serving(b, tokens=True) as client:
            url = str(client.base_url)
            seen = {}
            places: dict[str, dict[str, Any]] = {
                "none": {},
                "env": {"token_env": "B_TOKEN"},
                "file": {"token_file": f"{tmp_path}/token"},
                "wrong": {"token_env": "B_WRONG"},
                "unset": {"token_env": "B_NOWHERE"},
                "broken": {"token_env": "B_BROKEN"},
                "no file": {"token_file": f"{tmp_path}/nowhere"},
            }
            for name, given in places.items():
                peer = a.peers.add(url, trust=0.5, name="b", **given)
                assert secret not in str(peer)
                page = a.claims.find_federated()
                (seen[name],) = page.coverage.peers
                assert len(page.claims) == seen[name].claims
                a.peers.remove("b")
    assert {name: asked.status for name, asked in seen.items()} == {
        "none": "refused",
        "env": "answered",
        "file": "answered",
        "wrong": "refused",
        "unset": "unreachable",
        "broken": "unreachable",
        "no file": "unreachable",
    }
    assert seen["none"].reason == "it answers 401: 'a token is required'"
    assert seen["wrong"].reason == "it answers 401: 'unknown token'"
    assert seen["unset"].reason == "there is no token in the variable B_NOWHERE"
    assert seen["broken"].reason == "there is no token in the variable B_BROKEN"
    assert "No such file" in seen["no file"].reason
    said = caplog.text + str(seen)
    assert not any(word in said for word in (secret, "lines of", "x" * 43))
    assert secret.encode() not in (tmp_path / "a.db").read_bytes()
