"""Secrets are never kept, in texts and in what tools were asked."""

import pytest

from howsure.agents.evidence import load_tool_calls, record_tool_calls, summarize_tool_call
from howsure.agents.outputs.tool_output import read_output
from howsure.redaction import redact_secrets
from howsure.responses.code_checks import blocks
from howsure.responses.code_parsers import is_valid
from howsure.sure import Sure

SECRETS = [
    "DB_PASSWORD=hunter2secret",
    "AWS_SECRET_ACCESS_KEY=abcd1234efgh",
    "export GITHUB_TOKEN=abcd1234efgh",
    "OPENAI_API_KEY: abcd1234efgh",
    "client_secret: abcd1234efgh",
    'password: "my pass phrase"',
    "redis://:abcd1234@host/0",
    "github_pat_abcd1234efgh",
    "glpat-abcd1234efgh",
    "AIzaabcd1234efghabcd1234efgh",
    "ASIAABCD1234EFGH5678",
    "Authorization: Basic abcd1234efgh==",
    "Authorization: Bearer abcd1234efgh",
    "eyJabcd1234efgh.abcd1234efgh.sig",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nabcd1234\n",
    "sk-abcd1234efgh",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_texts_that_look_like_secrets_are_never_stored(secret: str) -> None:
    found = redact_secrets(f"before {secret} after")
    for part in ("hunter2secret", "abcd1234", "ABCD1234", "pass phrase"):
        assert part not in found
    assert found.startswith("before ")
    assert (
        redact_secrets("The key idea: a token of thanks, basic as it is.")
        == "The key idea: a token of thanks, basic as it is."
    )


def test_secrets_in_what_a_tool_was_asked_are_not_kept(sure: Sure) -> None:
    for tool, given in (
        ("Bash", {"command": "grep -r 'password=Hunter2Secret' ."}),
        ("Grep", {"pattern": "api_key=Hunter2Secret"}),
        ("Read", {"file_path": "/home/u/ACME-4711/x.txt"}),
    ):
        record_tool_calls(sure.session, "s", summarize_tool_call(tool, given, "found it", redact=(r"ACME-\d+",)))
    assert "Hunter2Secret" not in str(load_tool_calls(sure.session, "s"))
    assert "ACME-4711" not in str(load_tool_calls(sure.session, "s"))


HOSTILE = {
    "blank lines": ("\n" * 200_000, "pytest"),
    "blanks": (" " * 200_000 + "x", "grep x"),
    "fences": ("```a\n" * 50_000, "cat x"),
    "tokens": ("-eyJ" * 50_000, "cat x"),
    "colons": ("a:" * 100_000, "cat x"),
    "keys": ("key_" * 50_000, "cat x"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_more_than_linear_time(name: str) -> None:
    text, command = HOSTILE[name]
    redact_secrets(text)
    blocks(text)
    summarize_tool_call("Bash", {"command": command}, text)
    read_output(text).judge_check("test")
    for language, content in (
        ("yaml", "[" * 100_000),
        ("toml", "a." * 100_000 + "b = 1"),
        ("toml", "a = " + "[" * 100_000),
    ):
        assert is_valid(language, content) is None
