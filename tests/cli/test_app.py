"""The command line itself: version, help, completion and --verbose."""

import json

from tests.conftest import Run

CASE = json.dumps(
    {
        "now": 0,
        "provenance": [{"source_type": "user", "source_id": "ann", "contribution": 0.8}],
        "contradicted_by": [{"influence": 0.5}],
    }
).encode()


def test_the_version_is_told(howsure: Run) -> None:
    from howsure import __version__

    for flag in ("--version", "-V"):
        assert howsure(flag).stdout.decode().strip() == f"howsure {__version__}"
    assert howsure("-v", "--version").stdout.decode().strip() == f"howsure {__version__}"


def test_verbose_says_more_on_stderr(howsure: Run) -> None:
    quiet, loud = howsure("score", "noisy_or", stdin=CASE), howsure("-vv", "score", "noisy_or", stdin=CASE)
    assert (quiet.stderr, loud.stdout) == (b"", quiet.stdout)
    assert b"noisy_or version 1, fingerprint" in loud.stderr
    assert b"parameters: " in loud.stderr


def test_help_is_short_and_names_every_command(howsure: Run) -> None:
    shown = howsure("--help").stdout.decode()
    for command in ("models", "score", "explain", "demo", "doctor"):
        assert command in shown
    assert "Exit codes" in shown


def test_shell_completion_knows_the_models(howsure: Run) -> None:
    done = howsure(_HOWSURE_COMPLETE="complete_bash", COMP_WORDS="howsure score nois", COMP_CWORD="2")
    assert done.stdout.split() == [b"noisy_or"]
