"""Grounding of a response that arrives in chunks."""

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import howsure
from howsure.text.grounding.ground import SentenceStream, ground, ground_stream

CONTEXT = "The gateway listens on port 8443. TLS 1.3 is required. Idle connections are closed after 90 seconds."
RESPONSES = [
    "The gateway listens on port 9443. TLS 1.3 is required, e.g. for v. 2 clients. Idle ones end after 90 seconds.",
    """# Ports

The gateway listens on port 8443.

- TLS 1.3 is required
- TLS 1.2 works

```py
port = 1

x = 2
```

It ends.""",
    "| port | use |\n|---|---|\n| 8443 | gateway |\n\nDer Port ist nicht die 8443. \U0001f600 It uses TLS 1.3.",
    "",
    "Port",
    "It nests fences:\n\n````md\n```py\n\nport = 1\n```\n````\n\nIt listens on port 8443.\n\nTLS 1.3 is required.",
    "TLS 1.3 is required. - It listens on 8443. Port: 8443 is\nopen. > It is quoted `e.g. So` and ends after 90 s.",
]


@pytest.mark.parametrize("response", RESPONSES)
@pytest.mark.parametrize("seed", range(5))
def test_the_sentences_are_those_of_the_whole_response(response: str, seed: int) -> None:
    dice = random.Random(seed)
    chunks, place = [], 0
    while place < len(response):
        size = dice.choice([1, 2, 5, 30])
        chunks.append(response[place : place + size])
        place += size
    assert tuple(ground_stream(chunks, CONTEXT)) == ground(response, CONTEXT).sentences


def test_a_sentence_comes_before_the_response_ends() -> None:
    stream = SentenceStream(CONTEXT)
    assert stream.add("The gateway listens on port 9443. TLS") != []
    assert [one.text for one in stream.finish()] == ["TLS"]


def test_the_open_store_streams_with_and_without_asyncio(tmp_path: Path) -> None:
    async def chunks() -> AsyncIterator[str]:
        for chunk in ("The gateway listens on ", "port 8443. TLS 1.2", " is required."):
            yield chunk

    with howsure.open(f"{tmp_path}/decisions.db") as sure:
        expected = list(
            sure.responses.ground_stream(["The gateway listens on port 8443. TLS 1.2 is required."], CONTEXT)
        )

        async def collect() -> list[object]:
            return [one async for one in sure.responses.aground_stream(chunks(), CONTEXT)]

        assert asyncio.run(collect()) == expected
        read = [
            one.finding for one in sure.responses.ground_stream(["TLS 1.3 is required."], CONTEXT, reader="installed")
        ]
        assert read == ["supported"]
    assert [one.finding for one in expected] == ["supported", "contradicted"]
