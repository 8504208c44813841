"""Tokens: made once, kept as digests, and gone when they are revoked or too old."""

import re

import pytest

from howsure.errors import InputError, NotFoundError
from howsure.serve.tokens import Tokens, token_state
from howsure.sure import Sure
from tests.conftest import NOW, Clock


@pytest.fixture
def tokens(sure: Sure) -> Tokens:
    return Tokens(sure.session)


def test_a_token_is_shown_once_and_kept_as_a_digest(sure: Sure, tokens: Tokens) -> None:
    token, secret = tokens.create("ci", "write", lifetime=3600.0)
    assert re.fullmatch(r"howsure_[\w-]{43}", secret)
    assert (token.name, token.scope, token.created_at, token.expires_at) == ("ci", "write", NOW, NOW + 3600)
    assert tokens.find(secret) == token
    with sure.session.database.read() as transaction:
        rows = transaction.rows("SELECT * FROM tokens")
    assert secret not in str(rows)
    assert secret.removeprefix("howsure_")[:12] not in str(rows)
    head, *records = sure.claims.export()
    assert head["left_out"]["tokens"] == 1
    assert not [one for one in (head, *records) if secret in str(one) or token.id in str(one)]


def test_two_tokens_are_independent(tokens: Tokens) -> None:
    first, second = tokens.create("a"), tokens.create("b")
    assert first[0].id != second[0].id
    assert first[1] != second[1]
    assert tokens.find(first[1]) == first[0]


@pytest.mark.parametrize("secret", ["", "howsure_", "howsure_" + "x" * 43, "howsure_" + "é" * 43, "x" * 10_000, "\x00"])
def test_invalid_tokens_are_unknown(tokens: Tokens, secret: str) -> None:
    tokens.create("ci")
    assert tokens.find(secret) is None


def test_a_token_ends_when_it_is_revoked_or_too_old(tokens: Tokens, clock: Clock) -> None:
    short, _ = tokens.create("short", lifetime=10.0)
    long, secret = tokens.create("long")
    assert tokens.any_valid()
    clock.now += 10
    assert (token_state(short, clock.now), token_state(long, clock.now)) == ("expired", "valid")
    assert tokens.revoke("long").revoked_at == clock.now
    found = tokens.find(secret)
    assert found is not None
    assert token_state(found, clock.now) == "revoked"
    assert not tokens.any_valid()
    clock.now += 5
    assert tokens.revoke(long.id).revoked_at == clock.now - 5, "revoked is revoked"


def test_names_are_unique_among_valid_tokens(tokens: Tokens) -> None:
    tokens.create("ci")
    with pytest.raises(InputError, match="a token named 'ci' already exists"):
        tokens.create("ci")
    tokens.revoke("ci")
    tokens.create("ci")
    assert [token.name for token in tokens.all()] == ["ci", "ci"]
    with pytest.raises(NotFoundError, match="unknown token 'cd'"):
        tokens.revoke("cd")


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "a\nb", "\x1b[2J", "\ud800", None, 7])
def test_a_token_needs_a_name_that_can_be_shown(tokens: Tokens, name: str) -> None:
    with pytest.raises(InputError, match="invalid name|not a text"):
        tokens.create(name)


def test_scopes_and_times_are_checked(tokens: Tokens) -> None:
    with pytest.raises(InputError, match="did you mean write?"):
        tokens.create("ci", "writ")  # type: ignore[arg-type]
    for lifetime in (0.0, -1.0, 1e11, float("nan")):
        with pytest.raises(InputError, match="invalid lifetime"):
            tokens.create("ci", lifetime=lifetime)


def test_the_use_of_a_token_is_recorded_once_a_minute(sure: Sure, tokens: Tokens, clock: Clock) -> None:
    token, secret = tokens.create("ci")
    tokens.mark_used(token)
    assert tokens.all()[0].used_at == NOW
    clock.now += 30
    found = tokens.find(secret)
    assert found is not None
    tokens.mark_used(found)
    assert tokens.all()[0].used_at == NOW
    tokens.flush()
    assert tokens.all()[0].used_at == NOW + 30
    clock.now += 60
    tokens.mark_used(token)
    assert tokens.all()[0].used_at == NOW + 90


def test_a_busy_store_does_not_delay_token_checks(sure: Sure, address: str) -> None:
    from threading import Thread

    from howsure.sure import open as open_store

    tokens = Tokens(sure.session)
    token, _ = tokens.create("ci")
    with open_store(address) as other, other.session.write():
        thread = Thread(target=tokens.mark_used, args=[token])
        thread.start()
        thread.join(timeout=20)
        assert not thread.is_alive()
        assert tokens.all()[0].used_at is None
    tokens.flush()
    assert tokens.all()[0].used_at == NOW
