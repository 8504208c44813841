"""Peers: other stores, which may be asked what they believe. Only addresses that are registered are ever called."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Annotated
from urllib.parse import urlsplit

from howsure.claims.federation.page import Asked
from howsure.claims.federation.survey import Question, Survey
from howsure.errors import InputError, NotFoundError, StoreError, nearest, shown
from howsure.shapes import Unit, Within, decode_as
from howsure.store import peers as table
from howsure.store.peers import Peer
from howsure.store.selection import Selection
from howsure.store.session import Session

MOST = 32
"""Peers of one store."""
TIME_LIMIT = 5.0
"""Seconds that an exchange may take, if nothing else is said."""
OFTEN = 60.0
"""Seconds after which it is written down again that a peer answers, or does not."""
_Seconds = Annotated[float, Within(0.05, 60.0)]
_NAME = re.compile(r"[A-Za-z0-9\[][A-Za-z0-9._:\[\]-]{0,99}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
_TOKEN = re.compile(r"[!-~]{1,4096}")
_LONGEST = 500


class Peers:
    """The peers of a store."""

    def __init__(self, session: Session, environment: Mapping[str, str]) -> None:
        """Take the session that they are written in, and the environment, which may hold their tokens."""
        self._session = session
        self._environment = environment
        self._noted: dict[str, tuple[str, float]] = {}
        self._lock = Lock()

    def add(
        self,
        url: str,
        *,
        trust: float,
        name: str | None = None,
        token_env: str | None = None,
        token_file: str | None = None,
        time_limit: float = TIME_LIMIT,
    ) -> Peer:
        """Register a peer by the address of its server, and say how far it is trusted.

        If it demands a token, name the environment variable or the file that holds it: only that is kept.
        """
        address = checked(url)
        peer = Peer(
            _checked_name(urlsplit(address).netloc if name is None else name),
            address,
            decode_as(Unit, trust, "trust"),
            _place(token_env, token_file),
            decode_as(_Seconds, time_limit, "time_limit"),
            self._session.at(None),
            None,
            None,
            "",
        )
        with self._session.write() as transaction:
            known = table.every(transaction)
            for other in known:
                if peer.name == other.name or address == other.url:
                    problem = f"there is a peer {other.name} at {other.url} already"
                    raise InputError(
                        problem, field="name" if peer.name == other.name else "url", hint="remove it first"
                    )
            if len(known) >= MOST:
                raise InputError(f"there are {MOST} peers already", field="url", hint="remove one first")
            table.add(transaction, peer)
        return peer

    def all(self) -> list[Peer]:
        """Return every peer, by name."""
        with self._session.database.read() as transaction:
            return table.every(transaction)

    def get(self, name: str) -> Peer:
        """Return a peer by its name."""
        known = {peer.name: peer for peer in self.all()}
        if name not in known:
            raise NotFoundError(f"there is no peer {shown(name)}", field="name", hint=nearest(name, known))
        return known[name]

    def remove(self, name: str) -> Peer:
        """Take a peer out: it is not asked any more. Return what it was."""
        found = self.get(name)
        with self._session.write() as transaction:
            table.remove(transaction, name)
        return found

    def test(self, name: str) -> Asked:
        """Ask one peer for a claim, whatever claim, and say what came."""
        peer = self.get(name)
        question = Question(Selection(), self._session.read_options(), 1, self._session.clock())
        (answer,) = Survey(question, [(peer, self._token(peer))])
        self.note([answer.asked])
        return answer.asked

    def with_tokens(self) -> list[tuple[Peer, str | InputError | None]]:
        """Return every peer with its token, or with why there is none."""
        return [(peer, self._token(peer)) for peer in self.all()]

    def note(self, asked: Iterable[Asked]) -> None:
        """Write down who answered and who did not: now and then, and only if that can be had at once."""
        at = self._session.at(None)
        with self._lock:
            due = [one for one in asked if self._due(one, at)]
            self._noted |= {one.name: (one.status, at) for one in due}
        if due:
            with suppress(StoreError), self._session.write(wait=False) as transaction:
                for one in due:
                    failure = "" if one.status == "answered" else f"{one.status}: {one.reason}"
                    table.note(transaction, one.name, at, failure)

    def _due(self, one: Asked, at: float) -> bool:
        status, before = self._noted.get(one.name, ("", 0.0))
        return status != one.status or not 0 <= at - before < OFTEN

    def _token(self, peer: Peer) -> str | InputError | None:
        """Return the token that a peer demands, from where it lies; or why there is none."""
        kind, _, place = peer.token.partition(":")
        if not kind:
            return None
        try:
            if kind == "env":
                found = self._environment.get(place, "")
            else:
                with Path(place).open("rb") as file:
                    found = file.read(_LONGEST * 10).decode("ascii", "replace").strip()
        except OSError as error:
            return InputError(f"its token cannot be read from {place}: {error.strerror}")
        if not _TOKEN.fullmatch(found):  # what it is instead is not told: it may be a secret all the same
            return InputError(f"there is no token in {'the variable' if kind == 'env' else 'the file'} {place}")
        return found


def checked(url: str) -> str:
    """Return the address of a server as it is kept; refuse what is none, or holds what does not belong there.

    >>> checked("HTTPS://Peer.Example/howsure/")
    'https://peer.example/howsure'
    """
    hint = "like https://howsure.example, or http://127.0.0.1:8765"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise InputError("this is no address of a server", field="url", hint=hint) from None
    if "@" in parts.netloc:  # not shown: it may hold a password
        hint = "without a name or a password; a token has a place of its own"
        raise InputError("an address does not say who asks", field="url", hint=hint)
    plain = re.fullmatch(r"[!-~]{1,500}", url) and not re.search(r"[?#\\]", url)
    if parts.scheme not in ("http", "https") or not host or not plain:
        raise InputError(f"{shown(url)} is no address of a server", field="url", hint=hint)
    return f"{parts.scheme}://{parts.netloc.lower().rstrip(':')}{parts.path.rstrip('/')}"


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        hint = "at most 100 letters, digits, dots, colons and hyphens"
        raise InputError(f"{shown(name)} is no name for a peer", field="name", hint=hint)
    return name


def _place(variable: str | None, file: str | None) -> str:
    """Return where a token lies. What is no name of a variable may be the token itself, so it is not shown."""
    if variable is not None and file is not None:
        raise InputError("a token lies in one place", field="token_file", hint="a variable, or a file")
    if variable is not None:
        if not _VARIABLE.fullmatch(variable) or variable.startswith("howsure_"):
            raise InputError("this is no name of a variable", field="token_env", hint="its name, not the token")
        return f"env:{variable}"
    if file is None:
        return ""
    place = str(Path(file).expanduser().absolute())
    if not place.isprintable() or len(place) > _LONGEST:
        raise InputError(f"{shown(file)} is no path", field="token_file")
    return f"file:{place}"
