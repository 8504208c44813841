"""A soak: mixed load for minutes, after which nothing has failed and nothing has grown."""

import asyncio
import itertools
import logging
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest

from howsure.serve.http import Capacity
from howsure.sure import open as open_store

SECONDS = float(os.environ.get("HOWSURE_SOAK_SECONDS", "120"))
CLIENTS = 8
SERVE = "import typer; from howsure.cli.serve import serve; typer.run(serve)"


class State(NamedTuple):
    """What a process holds."""

    memory: float
    """In MB."""
    handles: int
    threads: int


def state(process: int) -> State:
    """Return what a process holds now."""
    told = Path(f"/proc/{process}/status").read_text()
    memory, threads = (int(re.search(rf"^{name}:\s+(\d+)", told, re.MULTILINE)[1]) for name in ("VmRSS", "Threads"))  # type: ignore[index]
    return State(memory / 1024, len(list(Path(f"/proc/{process}/fd").iterdir())), threads)


async def load(url: str, ids: list[str], seconds: float) -> Counter[tuple[str, int]]:
    """Let clients do all kinds of things for a while; return how often each was answered with what."""
    found: Counter[tuple[str, int]] = Counter()
    until = time.perf_counter() + seconds

    async def client(number: int) -> None:
        dice = random.Random(number)
        counter = itertools.count()
        async with httpx2.AsyncClient(base_url=url, timeout=60, trust_env=False) as own:
            while time.perf_counter() < until:
                name, method, path, body = dice.choice(requests(dice, ids))
                if name == "stream" and number >= Capacity().streams:
                    continue  # more at a time are refused
                key = {"Idempotency-Key": f"{number}-{next(counter):08}"} if body else {}
                answer = await own.request(method, path, json=body, headers=key)
                found[name, answer.status_code] += 1

    await asyncio.gather(*(client(number) for number in range(CLIENTS)))
    return found


def requests(dice: random.Random, ids: list[str]) -> list[tuple[str, str, str, Any]]:
    """Return one of each kind of request. Claims are corroborated, not added, so that the store stays as large."""
    id_ = dice.choice(ids)
    number = dice.randrange(len(ids))
    text = "It is tested. I think it is probably fine."
    claim = {"statement": f"The part {number} is safe", "source": f"doc:{dice.randrange(3)}"}
    call = {"trace_id": f"t{number}", "tool": "grep", "arguments": {"pattern": "x"}, "results": 1}
    return [
        ("gate", "POST", "/v1/responses/check", {"text": text, "agent": f"a{number % 7}", "knowledge": [0.9]}),
        ("add", "POST", "/v1/claims", claim),
        ("record", "POST", "/v1/investigations/record", call),
        ("find", "GET", f"/v1/claims?text=part&min_lower=0.{dice.randrange(1, 9)}&limit=20", None),
        ("explain", "GET", f"/v1/claims/{id_}/explain", None),
        ("wrong", "GET", "/v1/claims?min_lower=much", None),
        ("none", "GET", "/v1/claims/nobody", None),
        ("stream", "GET", "/v1/ledger/stream?agent=a1", None),
        ("overview", "GET", "/overview", None),
        ("outcomes", "POST", "/v1/ledger/outcomes", {"outcomes": [{"id": "a0", "outcome": "right"}] * 20}),
        ("code", "POST", "/v1/responses/check", {"text": f"```python\nx = {number}\n```", "agent": "coder"}),
        ("page", "GET", f"/claims/{id_}", None),
        ("pages", "GET", "/claims?text=part", None),
        ("metrics", "GET", "/metrics", None),
    ]


EXPECTED = {"wrong": 400, "none": 404}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no /proc")
@pytest.mark.parametrize("seconds", [1.5, pytest.param(SECONDS, marks=pytest.mark.soak)])
def test_no_request_fails_and_no_resource_grows(seconds: float, tmp_path: Path) -> None:
    path = os.environ.get("HOWSURE_SOAK_STORE") or str(tmp_path / "soak.db")  # one of a million claims, for example
    with open_store(path) as sure:
        ids = [str(sure.claims.add(f"The part {number} is safe", source="doc:0").id) for number in range(200)]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, "--port", "0", "--quiet", "--rate", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"HOWSURE_STORE": path},
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().partition(" at ")[2].split()[0]
        found = asyncio.run(load(url, ids, seconds / 3))
        middle = state(process.pid)
        found += asyncio.run(load(url, ids, seconds * 2 / 3))
        time.sleep(0.5)  # connections are closed
        end = state(process.pid)
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=30)
    logging.getLogger(__name__).warning("%d requests; %s, at last %s; %s", found.total(), middle, end, dict(found))
    unexpected = {one: count for one, count in found.items() if one[1] != EXPECTED.get(one[0], 200)}
    assert not unexpected
    assert process.returncode == 0
    assert "Traceback" not in errors
    if seconds > 20:  # by then everything was used once
        threads = end.threads - middle.threads
        bounds = Capacity()
        pools = (bounds.readers, bounds.writers, bounds.slow, bounds.streams, bounds.health, bounds.gate, bounds.pages)
        assert end.threads <= sum(pools) + 4
        assert end.handles <= middle.handles + 3 * threads + 2, "each thread has a connection of its own"
        assert end.memory <= middle.memory * 1.1 + 5
