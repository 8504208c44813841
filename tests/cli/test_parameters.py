"""Files and standard input, as commands read them."""

import os
import sys
from pathlib import Path

import pytest

from howsure.cli.parameters import read_text
from howsure.errors import InputError


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_bytes(b"\xef\xbb\xbfIt works.\n")
    assert read_text(str(file)) == "It works.\n"
    file.write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match="note.txt is not UTF-8"):
        read_text(str(file))


def test_a_terminal_is_told_that_it_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal, end = os.openpty()
    os.write(terminal, b"Said by hand.\n\x04")  # Ctrl-D
    with os.fdopen(end) as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        assert read_text("-") == "Said by hand.\n"
    os.close(terminal)
    assert capsys.readouterr().err == "howsure: reading from the terminal; end with Ctrl-D\n"
