"""What tools returned, from a transcript."""

import json
from pathlib import Path
from typing import Any

import pytest

from howsure.integrations.hooks import READ, handle_event
from howsure.integrations.transcript import MOST_CHARACTERS, TAIL, read_tool_results
from howsure.sure import open as open_store


def _user(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


def _result(text: Any, **more: Any) -> dict[str, Any]:
    return _user([{"type": "tool_result", "tool_use_id": "t", "content": text, **more}])


def _write(path: Path, *records: Any) -> str:
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in records))
    return str(path)


def test_results_since_the_last_message_of_the_user(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "t.jsonl",
        _result("of an earlier turn"),
        _user("Which port?"),
        _result("port = 8080"),
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Reading."}]}},
        _result([{"type": "text", "text": "two"}, {"type": "image"}, {"type": "text", "text": "parts"}]),
        _result("no such file", is_error=True),
        _result("of another agent") | {"isSidechain": True},
        'not JSON "user"',
        '["user"]',
        '["user"' + "[" * 100_000,
    )
    assert read_tool_results(path) == ["two\nparts", "port = 8080"]


@pytest.mark.parametrize("content", ["", "\x00\n\xff", "{}\n[]\n1\n"])
def test_anything_can_be_read(tmp_path: Path, content: str) -> None:
    (tmp_path / "t").write_bytes(content.encode("latin-1"))
    assert read_tool_results(str(tmp_path / "t")) == []
    assert read_tool_results(str(tmp_path / "missing")) == read_tool_results(str(tmp_path)) == []


def test_a_transcript_that_cannot_be_opened_has_no_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _write(tmp_path / "t.jsonl", _user("Which port?"), _result("port = 8080"))

    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)  # no file is closed to root, as whom tests may run
    assert read_tool_results(path) == []


def test_only_so_much_is_returned(tmp_path: Path) -> None:
    path = _write(tmp_path / "t.jsonl", _user("?"), *[_result("x" * 30_000)] * 50)
    assert Path(path).stat().st_size > TAIL
    assert [len(text) for text in read_tool_results(path)] == [30_000, MOST_CHARACTERS - 30_000]


def test_a_stop_hook_records_how_much_is_in_what_tools_returned(tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    found = []
    for place, text in enumerate(
        ["The gateway listens on port 8443.", "The treaty was signed by eleven ministers in Vienna."]
    ):
        path = _write(
            tmp_path / f"{place}.jsonl",
            _user("Which port?"),
            _result("The gateway listens on port 8443. Idle connections are closed after 90 seconds."),
            {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}},
        )
        event = {"hook_event_name": "Stop", "session_id": f"s{place}", "transcript_path": path}
        handle_event(event, store=store)
        with open_store(store) as sure:
            found.append(sure.ledger.find(limit=1).decisions[0].detail["answer"]["signals"][READ])
    assert found[0] > 0.6
    assert found[1] < 0.4
