"""`howsure.gate`: texts, streams and functions, gated on the default store."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any

import pytest

import howsure
from howsure.errors import InputError

GOOD: dict[str, Any] = {"knowledge": 0.95}
PARTS = ["The gateway ", "listens on ", "port 8443."]
TEXT = "".join(PARTS)


@pytest.fixture(autouse=True)
def default_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the default store a new file."""
    monkeypatch.setenv("HOWSURE_STORE", str(tmp_path / "gate.db"))
    return tmp_path / "gate.db"


def test_a_text_gives_a_recorded_decision(default_store: Path) -> None:
    decision = howsure.gate(TEXT, agent="ann", knowledge=0.95)
    assert decision.passed
    assert not howsure.gate(TEXT, agent="ann", knowledge=0.1).passed
    with howsure.open(str(default_store)) as sure:
        found = sure.ledger.find().decisions
    assert [one.decision for one in found] == ["block", "pass"]
    assert found[1].id == decision.id


def test_functions_of_every_kind_are_gated() -> None:
    @howsure.gate(agent="ann")
    def answer(knowledge: float) -> tuple[str, dict[str, Any]]:
        return TEXT, {"knowledge": knowledge}

    @howsure.gate(agent="ann")
    async def later(knowledge: float) -> tuple[str, dict[str, Any]]:
        return TEXT, {"knowledge": knowledge}

    @howsure.gate
    def unsupported() -> str:
        return TEXT

    assert answer(0.95) == TEXT
    assert answer(0.1).startswith("I don't know: my confidence is ")
    assert asyncio.run(later(0.95)) == TEXT
    assert unsupported().startswith("I don't know")


def test_a_stream_is_held_until_it_is_decided() -> None:
    seen = []

    @howsure.gate(agent="ann")
    def stream(knowledge: float) -> Generator[str | dict[str, Any]]:
        for part in PARTS:
            seen.append(part)
            yield part
        yield {"knowledge": knowledge}

    passing = stream(0.95)
    assert next(passing) == PARTS[0]
    assert seen == PARTS, "the first part came before the whole response was there"
    assert list(passing) == PARTS[1:]
    (instead,) = stream(0.1)
    assert instead.startswith("I don't know")
    assert list(howsure.gate(iter(PARTS), agent="ann", knowledge=0.95)) == PARTS
    with pytest.raises(InputError, match="the stream gave 7"):
        list(howsure.gate(iter([7]), agent="ann"))  # type: ignore[list-item]


def test_an_async_stream_is_held_until_it_is_decided() -> None:
    @howsure.gate(agent="ann")
    async def stream(knowledge: float) -> AsyncGenerator[str | dict[str, Any]]:
        yield {"knowledge": knowledge}
        for part in PARTS:
            yield part

    async def collect(parts: AsyncGenerator[str]) -> list[str]:
        return [part async for part in parts]

    assert asyncio.run(collect(stream(0.95))) == PARTS
    (instead,) = asyncio.run(collect(stream(0.1)))
    assert instead.startswith("I don't know")


def test_an_error_of_the_function_is_raised_and_nothing_is_recorded(default_store: Path) -> None:
    @howsure.gate(agent="ann")
    def broken() -> Generator[str]:
        yield "The gateway"
        raise ConnectionError("the model is gone")

    with pytest.raises(ConnectionError, match="the model is gone"):
        list(broken())
    with howsure.open(str(default_store)) as sure:
        assert sure.ledger.find().decisions == []


def test_a_child_process_opens_its_own_store() -> None:
    code = (
        "import os, howsure\n"
        f"howsure.gate({TEXT!r}, agent='a', knowledge=0.95)\n"
        "child = os.fork()\n"
        "if not child:\n"
        f"    os._exit(not howsure.gate({TEXT!r}, agent='a', knowledge=0.95).passed)\n"
        "print(os.waitpid(child, 0)[1], len(howsure.open().ledger.find().decisions))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "2"]
