"""Two servers on one PostgreSQL, connections that are cut, and requests that are sent twice.

Clients note what they were told. Afterwards an independent model replays what was acknowledged, and the store has to
hold just that: nothing that was acknowledged is lost, nothing is there twice, and what was answered by "nothing was
changed" is not there.
"""

import logging
import os
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import httpx2
import pytest

from howsure.serve.http import Capacity
from howsure.store.check import check
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.serve.serving import serving

SECONDS = float(os.environ.get("HOWSURE_SOAK_SECONDS", "120"))
CLIENTS = 6


class Proxy:
    """Forwards the connections to PostgreSQL, and cuts them from time to time."""

    def __init__(self, target: str, path: str) -> None:
        self._target = target
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(path)
        self._listening.listen(64)
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._lock = threading.Lock()
        self.cuts = 0
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._target)
                with self._lock:
                    self._pairs.append((client, server))
                self._threads.append(threading.Thread(target=self._forward, args=(client, server)))
                self._threads[-1].start()

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        answers = threading.Thread(target=self._pass_on, args=(server, client))
        answers.start()
        self._pass_on(client, server)
        answers.join()
        with self._lock, suppress(ValueError):  # one that was cut is not there
            self._pairs.remove((client, server))
        client.close()
        server.close()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while part := one.recv(65_536):
                other.sendall(part)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self, dice: random.Random) -> None:
        """Cut one connection, on both sides and in whatever it is doing."""
        with self._lock:
            if self._pairs:
                self.cuts += 1
                for end in self._pairs.pop(dice.randrange(len(self._pairs))):
                    with suppress(OSError):
                        end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Stop listening and close everything."""
        with self._lock:
            open_ones = [self._listening, *(end for pair in self._pairs for end in pair)]
        for one in open_ones:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        self._listening.close()


@contextmanager
def _proxied(address: str) -> Iterator[tuple[str, Proxy]]:
    """Yield the address of a proxy in front of a PostgreSQL that listens on a Unix socket."""
    parts = urlsplit(address)
    query = parse_qs(parts.query)
    real = f"{query['host'][0]}/.s.PGSQL.{query.get('port', ['5432'])[0]}"
    with TemporaryDirectory(prefix="hs") as folder:
        proxy = Proxy(real, f"{folder}/.s.PGSQL.5432")
        options = {name: values[0] for name, values in query.items()} | {"host": folder, "port": "5432"}
        try:
            yield urlunsplit(parts._replace(query=urlencode(options).replace("+", "%20"))), proxy
        finally:
            proxy.close()


@dataclass
class Entry:
    """What a client has asked for and was told."""

    kind: str
    name: str
    told: list[str] = field(default_factory=list)
    """One of done, nothing and unknown for each answer."""
    ids: set[str] = field(default_factory=set)
    """What the answers named."""


def _ask(client: httpx2.Client, entry: Entry) -> None:
    """Send a request and note what was said about it."""
    if entry.kind == "claim":
        path, body = "/v1/claims", {"statement": f"{entry.name} is known", "source": "doc:a"}
    elif entry.kind == "source":
        path, body = "/v1/claims", {"statement": "Everybody says so", "source": f"person:{entry.name}"}
    else:
        path, body = "/v1/responses/check", {"text": "It is tested.", "agent": "ann", "task_id": entry.name}
    try:
        answer = client.post(path, json=body, headers={"Idempotency-Key": entry.name})
    except httpx2.HTTPError:
        entry.told.append("unknown")
        return
    if answer.status_code == 200:
        entry.told.append("done")
        entry.ids.add(answer.json()["id"])
    elif answer.status_code == 409:
        entry.told.append("unknown")
    else:
        assert answer.status_code == 503, answer.text
        entry.told.append("nothing" if "nothing was changed" in answer.json()["error"]["hint"] else "unknown")


def _work(number: int, urls: list[str], until: float, history: list[Entry]) -> None:
    dice = random.Random(number)
    with ExitStack() as stack:
        clients = [stack.enter_context(httpx2.Client(base_url=url, timeout=60, trust_env=False)) for url in urls]
        count = 0
        while time.monotonic() < until:
            count += 1
            entry = Entry(dice.choice(["claim", "source", "check"]), f"op-{number}-{count}")
            history.append(entry)
            if dice.random() < 0.3:  # sent twice at the same time, to both servers
                twins = [threading.Thread(target=_ask, args=(client, entry)) for client in clients]
                for twin in twins:
                    twin.start()
                for twin in twins:
                    twin.join()
            else:
                _ask(dice.choice(clients), entry)
            for _ in range(3):
                if "done" in entry.told:
                    break
                _ask(dice.choice(clients), entry)  # sent again, perhaps to the other server
            if "done" in entry.told and dice.random() < 0.2:
                _ask(dice.choice(clients), entry)  # and once more, although it was done


def _counted(sure: Sure) -> dict[str, Counter[str]]:
    """Return how often the store holds what each request asked for."""
    everybody = sure.claims.find("Everybody says so", limit=1).claims
    sources = sure.claims.explain(everybody[0].id).sources if everybody else []
    claims: Counter[str] = Counter()
    for claim in sure.claims.find("known", limit=None).claims:
        created = [event for event in sure.claims.history(claim.id) if event.action in ("created", "corroborated")]
        claims[claim.statement.split()[0]] += len(created)
    return {
        "claim": claims,
        "source": Counter(one.source.source_id for one in sources),
        "check": Counter(decision.task_id for decision in sure.ledger.stream()),
    }


def verify(history: list[Entry], held: dict[str, Counter[str]]) -> list[str]:
    """Replay what was told and compare it with what the store holds; return what is wrong."""
    wrong = []
    for entry in history:
        count = held[entry.kind].pop(entry.name, 0)
        if "done" in entry.told:
            allowed = {1}
        elif "unknown" in entry.told:
            allowed = {0, 1}
        else:
            allowed = {0}
        if count not in allowed or (entry.kind != "source" and len(entry.ids) > 1):
            wrong.append(f"{entry}: {count} times in the store")
    return wrong + [f"nobody asked for {name}" for rest in held.values() for name in rest]


@pytest.mark.parametrize("address", ["postgres"], indirect=True)
@pytest.mark.parametrize("seconds", [3.0, pytest.param(SECONDS, marks=pytest.mark.soak)])
def test_nothing_is_lost_or_done_twice(seconds: float, address: str) -> None:
    dice, history = random.Random(1), list[Entry]()
    with open_store(address) as direct, _proxied(address) as (proxied, proxy), ExitStack() as stack:
        stores = [stack.enter_context(open_store(proxied)) for _ in range(2)]
        clients = [stack.enter_context(serving(store, rate=None, capacity=Capacity(timeout=20))) for store in stores]
        urls = [str(client.base_url) for client in clients]
        until = time.monotonic() + seconds
        threads = [threading.Thread(target=_work, args=(number, urls, until, history)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        while time.monotonic() < until:
            time.sleep(dice.random() * 0.1)
            proxy.cut(dice)
        for thread in threads:
            thread.join()
        told = Counter("done" if "done" in one.told else max(set(one.told)) for one in history)
        logging.getLogger(__name__).warning("%d requests, %d cuts: %s", len(history), proxy.cuts, dict(told))
        assert proxy.cuts
        assert told["done"]
        assert verify(history, _counted(direct)) == []
        assert check(direct.session) == []


def test_the_checker_finds_what_is_wrong() -> None:
    def held(**counts: int) -> dict[str, Counter[str]]:
        return {"claim": Counter(counts), "source": Counter(), "check": Counter()}

    done, failed = Entry("claim", "a", ["unknown", "done"], {"1"}), Entry("claim", "a", ["nothing"])
    assert verify([done], held(a=1)) == []
    assert verify([done], held()) != []  # lost
    assert verify([done], held(a=2)) != []  # done twice
    assert verify([failed], held()) == []
    assert verify([failed], held(a=1)) != []  # an untrue answer
    assert verify([Entry("claim", "a", ["unknown"])], held(a=1)) == []
    assert verify([], held(a=1)) != []
    assert verify([Entry("claim", "a", ["done"], {"1", "2"})], held(a=1)) != []


def test_the_proxy_is_used(tmp_path: Path) -> None:
    with _proxied(f"postgresql://u@/db?host={tmp_path}&options=-c%20search_path%3Dx") as (address, _):
        assert "search_path" in address
        assert str(tmp_path) not in address
