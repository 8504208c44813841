"""Access tokens: create, list, revoke and look them up.

A token is a secret of 256 random bits. It is shown once, when it is created; the store keeps only its digest. A fast
hash is enough for random secrets.
"""

import re
import secrets
from threading import Lock
from typing import Any, Literal, NamedTuple, get_args

from howsure.errors import InputError, NotFoundError, StoreError, nearest, shown
from howsure.files import sha256
from howsure.operation import Scope
from howsure.store import tokens as table
from howsure.store.session import Session
from howsure.store.text_rules import check_name
from howsure.store.tokens import Token

SCOPES: tuple[Scope, ...] = get_args(Scope)
"""From least to most; each scope includes those before it."""
State = Literal["valid", "expired", "revoked"]
PREFIX = "howsure_"
"""The start of every secret, so that secret scanners recognise it."""
SECRET = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")
MAX_NAME_LENGTH = 100
MAX_LIFETIME = 1e10
"""Seconds; about 300 years."""
USED_AT_INTERVAL = 60.0
"""Seconds between two writes of when a token was last used."""


def token_state(token: Token, at: float) -> State:
    """Return whether a token is valid, expired or revoked at a moment."""
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at is not None and token.expires_at <= at else "valid"


class NewToken(NamedTuple):
    """A token that was just created."""

    token: Token
    secret: str
    """What callers send; the store keeps only its digest."""


class Tokens:
    """The access tokens of a store."""

    def __init__(self, session: Session) -> None:
        """Use the tokens of this session's store."""
        self._session = session
        self._unwritten: dict[str, float] = {}
        self._written: dict[str, float] = {}
        self._lock = Lock()

    def create(self, name: str, scope: Scope = "read", lifetime: float | None = None) -> NewToken:
        """Create a token. Its secret is returned once and cannot be retrieved again.

        Args:
            name: Who or what it is for; unique among valid tokens.
            scope: What it allows: read, write or admin; each includes those before.
            lifetime: Seconds until it expires; None for never.
        """
        _check_name(name)
        if scope not in SCOPES:
            raise InputError(f"unknown scope {shown(scope)}", field="scope", hint=nearest(str(scope), SCOPES))
        at = self._session.at(None)
        if lifetime is not None and not 0 < lifetime <= MAX_LIFETIME:
            raise InputError(f"invalid lifetime of {lifetime:g} seconds", field="expires")
        secret = PREFIX + secrets.token_urlsafe(32)
        expires_at = None if lifetime is None else at + lifetime
        token = Token(f"t{secrets.token_hex(5)}", name, scope, at, expires_at, None, None)
        with self._session.write() as transaction:
            if any(other.name == name and token_state(other, at) == "valid" for other in table.list_all(transaction)):
                raise InputError(f"a token named {shown(name)} already exists", field="name", hint="revoke it first")
            table.insert(transaction, token, _digest(secret))
        return NewToken(token, secret)

    def all(self) -> list[Token]:
        """Return all tokens, oldest first."""
        with self._session.database.read() as transaction:
            return table.list_all(transaction)

    def any_valid(self) -> bool:
        """Return whether at least one token is valid."""
        at = self._session.at(None)
        return any(token_state(token, at) == "valid" for token in self.all())

    def revoke(self, token: str) -> Token:
        """Revoke a token; it is refused from this moment on.

        Args:
            token: Id or name of the token.
        """
        at = self._session.at(None)
        with self._session.write() as transaction:
            tokens = table.list_all(transaction)
            matches = [one for one in tokens if one.id == token]
            matches = matches or [one for one in tokens if one.name == token and one.revoked_at is None]
            if not matches:
                raise NotFoundError(f"unknown token {shown(token)}", field="token", hint="howsure token list")
            table.revoke(transaction, matches[-1].id, at)
        return matches[-1]._replace(revoked_at=matches[-1].revoked_at or at)

    def find(self, secret: str) -> Token | None:
        """Return the token with this secret, valid or not, or None."""
        if not SECRET.fullmatch(secret):
            return None
        with self._session.database.read() as transaction:
            return table.find_by_digest(transaction, _digest(secret))

    def mark_used(self, token: Token) -> None:
        """Remember that a token was used; it is written about once a minute, so that reads stay cheap."""
        at = self._session.at(None)
        with self._lock:
            self._unwritten[token.id] = at
            if at - self._written.get(token.id, token.used_at or 0.0) < USED_AT_INTERVAL:
                return
            self._written[token.id] = at
            due, self._unwritten = self._unwritten, {}
        self._write(due)

    def flush(self) -> None:
        """Write what `mark_used` has not written yet."""
        with self._lock:
            due, self._unwritten = self._unwritten, {}
        if due:
            self._write(due)

    def _write(self, due: dict[str, float]) -> None:
        try:
            with self._session.write(wait=False) as transaction:
                table.set_used_at(transaction, due)
        except StoreError:  # another writer is at work: try again with the next use
            with self._lock:
                self._unwritten = due | self._unwritten
                for token_id in due:
                    self._written.pop(token_id, None)


def _check_name(name: Any) -> None:
    """Raise InputError unless the name is printable and short."""
    if not check_name(name, "name").strip() or not name.isprintable() or len(name) > MAX_NAME_LENGTH:
        hint = f"who it is for, in at most {MAX_NAME_LENGTH} printable characters"
        raise InputError(f"invalid name {shown(name)}", field="name", hint=hint)


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
