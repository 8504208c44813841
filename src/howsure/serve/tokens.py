"""Tokens: who may come in by a door, to do what, and for how long.

A token is a secret of 256 random bits. It is shown once, when it is made; what is kept is its digest, from which nobody
can get it back.
"""

import re
import secrets
from threading import Lock
from typing import Any, Literal, get_args

from howsure.errors import InputError, NotFoundError, StoreError, nearest, shown
from howsure.files import sha256
from howsure.ledger.api import check_name
from howsure.operation import Scope
from howsure.store import tokens as table
from howsure.store.session import Session
from howsure.store.tokens import Token

SCOPES: tuple[Scope, ...] = get_args(Scope)
"""From the smallest to the largest; each includes those before it."""
State = Literal["valid", "expired", "revoked"]
PREFIX = "howsure_"
"""How every token begins, so that it is recognised where it should not be."""
SECRET = re.compile(rf"{PREFIX}[A-Za-z0-9_-]{{43}}")
LONGEST = 100
"""Characters of a name."""
OFTEN = 60.0
"""Seconds after which it is written down again that a token is in use."""


def state(token: Token, at: float) -> State:
    """Say whether a token still allows anything."""
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at is not None and token.expires_at <= at else "valid"


class Tokens:
    """The tokens of a store."""

    def __init__(self, session: Session) -> None:
        """Take the session that they are written in."""
        self._session = session
        self._used: dict[str, float] = {}
        self._noted: dict[str, float] = {}
        self._lock = Lock()

    def create(self, name: str, scope: Scope = "read", lasting: float | None = None) -> tuple[Token, str]:
        """Make a token; return what is known about it, and the secret, which nobody can tell again."""
        _check(name)
        if scope not in SCOPES:
            raise InputError(f"{shown(scope)} is no scope", field="scope", hint=nearest(str(scope), SCOPES))
        at = self._session.at(None)
        if lasting is not None and not 0 < lasting <= 1e10:  # noqa: PLR2004 - three hundred years
            raise InputError(f"{lasting:g} seconds are no time to last", field="expires")
        secret = PREFIX + secrets.token_urlsafe(32)
        token = Token(
            f"t{secrets.token_hex(5)}", name, scope, at, None if lasting is None else at + lasting, None, None
        )
        with self._session.write() as transaction:
            if any(other.name == name and state(other, at) == "valid" for other in table.every(transaction)):
                raise InputError(f"there is a token {shown(name)} already", field="name", hint="revoke it first")
            table.add(transaction, token, _digest(secret))
        return token, secret

    def all(self) -> list[Token]:
        """Return every token, from the oldest on."""
        with self._session.database.read() as transaction:
            return table.every(transaction)

    def some_valid(self) -> bool:
        """Say whether there is a token that allows anything."""
        at = self._session.at(None)
        return any(state(token, at) == "valid" for token in self.all())

    def revoke(self, which: str) -> Token:
        """Let a token, given by its id or its name, allow nothing any more, from this moment on."""
        at = self._session.at(None)
        with self._session.write() as transaction:
            known = table.every(transaction)
            fitting = [token for token in known if token.id == which]
            fitting = fitting or [token for token in known if token.name == which and token.revoked_at is None]
            if not fitting:
                raise NotFoundError(f"there is no token {shown(which)}", field="token", hint="howsure token list")
            table.revoke(transaction, fitting[-1].id, at)
        return fitting[-1]._replace(revoked_at=fitting[-1].revoked_at or at)

    def find(self, secret: str) -> Token | None:
        """Return the token that a secret belongs to, whether or not it still allows anything; nothing for no token."""
        if not SECRET.fullmatch(secret):
            return None
        with self._session.database.read() as transaction:
            return table.by_digest(transaction, _digest(secret))

    def used(self, token: Token) -> None:
        """Remember that a token was used. It is written down now and then, since looking must stay cheap."""
        at = self._session.at(None)
        with self._lock:
            self._used[token.id] = at
            if at - self._noted.get(token.id, token.used_at or 0.0) < OFTEN:
                return
            self._noted[token.id] = at
            due, self._used = self._used, {}
        self._note(due)

    def close(self) -> None:
        """Write down what was not yet."""
        with self._lock:
            due, self._used = self._used, {}
        if due:
            self._note(due)

    def _note(self, due: dict[str, float]) -> None:
        try:
            with self._session.write(wait=False) as transaction:
                table.note_uses(transaction, due)
        except StoreError:  # others are writing: it is written down another time
            with self._lock:
                self._used = due | self._used
                for id_ in due:
                    self._noted.pop(id_, None)


def _check(name: Any) -> None:
    """Refuse a name that cannot be shown."""
    if not check_name(name, "name").strip() or not name.isprintable() or len(name) > LONGEST:
        hint = f"who it is for, in at most {LONGEST} characters"
        raise InputError(f"{shown(name)} is no name", field="name", hint=hint)


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
