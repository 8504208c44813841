"""howsure serve: options that cannot be met are refused before anything is served."""

from pathlib import Path

import pytest

from tests.conftest import Run


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--rate", "5"), "rate: a rate is of a token, and no token is required (add --tokens;"),
        (("--rate", "-1", "--tokens"), "rate: invalid rate -1"),
        (("--rate", "5", "--tokens"), "no valid token exists"),
        (("--root-path", "howsure"), "root-path: invalid root path 'howsure' (like /howsure)"),
        (("--cors", "app.example"), "cors: invalid origin 'app.example'"),
        (("--cors", "*"), "cors: any site could change the store (name an origin, or use --tokens)"),
    ],
)
def test_options_that_cannot_be_met_are_refused(
    howsure: Run, tmp_path: Path, options: tuple[str, ...], problem: str
) -> None:
    found = howsure("serve", "--port", "0", *options, HOWSURE_STORE=str(tmp_path / "a.db"), COLUMNS="200")
    assert found.returncode == 2, found.stderr
    assert problem in " ".join(found.stderr.decode().split())
    assert found.stdout == b""


def test_help_names_the_options(howsure: Run) -> None:
    text = howsure("serve", "--help").stdout.decode()
    assert all(option in text for option in ("--root-path", "--cors", "--rate", "--tokens"))
