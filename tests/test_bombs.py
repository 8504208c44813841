"""Small inputs that would become large, and large ones: each is refused, or read within a limit of memory."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from howsure.agents.otlp_protobuf import decode_request
from howsure.agents.traces import parse_traces
from howsure.bulk.api import Bulk
from howsure.cli.toml_edit import parse_toml
from howsure.errors import HowsureError
from howsure.shapes import Amount, decode_as
from howsure.sure import Sure
from howsure.sure import open as open_store
from howsure.text.patterns import read_pack
from tests.conftest import ROOT

DEEP, DIGITS = b"[" * 100_000, b"7" * 5000


def _nest(depth: int) -> bytes:
    """Return a protobuf message whose first field is such a message, and so on."""
    message = b""
    for _ in range(depth):
        size = len(message)
        message = b"\x0a" + bytes([size & 127 | 128, size >> 7 & 127 | 128, size >> 14]) + message
    return message


@pytest.mark.parametrize(
    "read",
    [
        lambda _: list(parse_traces(DEEP, "x")),
        lambda _: list(parse_traces(b'{"tool": "Read", "arguments": {"a": ' + DIGITS + b"}}", "x")),
        lambda _: decode_request(_nest(5000)),
        lambda _: decode_request(b"\x0a" + b"\xff" * 9 + b"\x01"),
        lambda _: decode_as(Amount, 10**5000, "x"),
        lambda _: parse_toml(f"a = {DIGITS.decode()}"),
        lambda _: parse_toml(f"a = {DEEP.decode()}"),
        lambda _: parse_toml(f"a{'.a' * 90_000} = 1"),
        lambda path: (path.write_bytes(b"a = " + DEEP), read_pack(path)),
        lambda path: (path.write_bytes(b"a = " + DIGITS), read_pack(path)),
    ],
)
def test_a_bomb_is_refused(read: Callable[[Path], object], tmp_path: Path) -> None:
    with pytest.raises(HowsureError):
        read(tmp_path / "file")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"id,statement,tier\na," + b"x" * 3_000_000 + b",task\nb,y,task\n"),
        ("a.csv", b"id,statement,tier\na,y,task\nb," + b"x" * 3_000_000 + b",task\n"),
        ("a.parquet", b"PAR1" + b"\x15\x04" * 10 + (2**31 - 1).to_bytes(4, "little") + b"PAR1"),
        ("a.jsonl", DEEP + b"\n"),
    ],
)
def test_a_table_that_is_a_bomb_is_refused(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(HowsureError):
        Bulk().score(str(tmp_path / name), sources=[])


def _spans(count: int) -> dict[str, Any]:
    """Return spans of tool calls, each the parent of the one before it, and the first of the last."""
    attributes = [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
        {"key": "gen_ai.tool.name", "value": {"stringValue": "Read"}},
    ]
    spans = [
        {
            "traceId": "a" * 32, "spanId": f"{number:016x}", "parentSpanId": f"{(number + 1) % count:016x}",
            "name": "execute_tool Read", "startTimeUnixNano": str(number), "endTimeUnixNano": str(number + 1),
            "attributes": attributes,
        }
        for number in range(count)
    ]  # fmt: skip
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


def test_spans_in_a_circle_are_recorded(sure: Sure) -> None:
    assert sure.investigations.record_spans(_spans(3)).calls == 3
    (trace,) = parse_traces(json.dumps(_spans(300)).encode(), "x")
    assert len(trace.calls) == 300


def test_documents_that_are_bombs_are_scored_with_a_problem_or_without(tmp_path: Path) -> None:
    anchors = b"".join(
        b"b%d: &b%d [%s]\n" % (n, n, b", ".join([b"*b%d" % (n - 1) if n else b"x"] * 9)) for n in range(12)
    )
    files = {
        "deep.json": b'{"a":' * 3000,
        "digits.md": b"---\na: " + DIGITS + b"\n---\n",
        "deep.md": b"---\n" + b"a: [" * 3000 + b"\n---\n",
        "toml.md": b"+++\na = " + DEEP + b"\n+++\n",
        "anchors.md": b"---\n" + anchors + b"---\n",
        "links.md": b"[x](" * 20_000,
        "image.md": bytes(range(256)) * 100,
        "comments.md": b"<!--" * 20_000,
        "quotes.md": b"> " * 20_000,
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    with open_store(str(tmp_path / "store.db")) as sure:
        report = sure.documents.scan(tmp_path, jobs=1, cache=False, everything=True).report()
    problems = {document.path: " ".join(document.problems) for document in report.documents}
    assert {"deep.json", "digits.md", "deep.md", "toml.md"} <= {path for path, problem in problems.items() if problem}
    assert len(problems) + len(report.skipped) >= len(files)


LARGE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from pathlib import Path
from howsure.agents.traces import read_traces
from howsure.bulk.api import Bulk
from howsure.errors import HowsureError
folder = Path(sys.argv[1])
with (folder / "line.jsonl").open("wb") as file:
    file.write(b'{"tool": "Read", "arguments": {"path": "a"}, "output": "')
    for _ in range(200):
        file.write(b"x" * 1_000_000)
    file.write(b'"}')
assert len(next(iter(read_traces(folder / "line.jsonl"))).calls) == 1
with (folder / "line.csv").open("wb") as file:
    file.write(b"id,statement,tier\\na,")
    for _ in range(100):
        file.write(b"x" * 1_000_000)
try:
    Bulk().score(str(folder / "line.csv"), sources=[])
except HowsureError as error:
    print(error)
print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")
"""


@pytest.mark.soak
def test_lines_of_100_and_200_megabytes_take_less_than_4_gigabytes(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LARGE, str(tmp_path)], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert b"the last line is longer" in done.stdout
