"""Register and test peers: other stores that federated queries ask. Only registered addresses are called."""

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Annotated
from urllib.parse import urlsplit

from howsure.claims.federation.page import PeerReport
from howsure.claims.federation.survey import Question, Survey
from howsure.errors import InputError, NotFoundError, StoreError, nearest, shown
from howsure.shapes import Unit, Within, decode_as
from howsure.store import peers as table
from howsure.store.claim_tables.selection import Selection
from howsure.store.peers import Peer
from howsure.store.session import Session

MAX_PEERS = 32
"""Peers of one store."""
TIME_LIMIT = 5.0
"""Default time limit of a call, in seconds."""
NOTE_INTERVAL = 60.0
"""Seconds after which the result of a call is stored again, even if it is the same."""
_Seconds = Annotated[float, Within(0.05, 60.0)]
_NAME = re.compile(r"[A-Za-z0-9\[][A-Za-z0-9._:\[\]-]{0,99}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
_TOKEN = re.compile(r"[!-~]{1,4096}")
_MAX_PATH, _MAX_TOKEN_FILE = 500, 5000


class Peers:
    """The peers of a store."""

    def __init__(self, session: Session, environment: Mapping[str, str]) -> None:
        """Use an open store and the environment variables, which may hold tokens."""
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
        """Register a peer by the address of its server.

        Args:
            url: Address of its server, like https://howsure.example.
            trust: Trust in its claims, from 0 to 1.
            name: Name for it; by default its host.
            token_env: Environment variable that holds its token. The token itself is not stored.
            token_file: File that holds its token.
            time_limit: Seconds that a call may take.
        """
        address = checked_address(url)
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
            known = table.all_peers(transaction)
            for other in known:
                if peer.name == other.name or address == other.url:
                    problem = f"the peer {other.name} at {other.url} exists already"
                    raise InputError(
                        problem, field="name" if peer.name == other.name else "url", hint="remove it first"
                    )
            if len(known) >= MAX_PEERS:
                raise InputError(f"there are {MAX_PEERS} peers already", field="url", hint="remove one first")
            table.insert(transaction, peer)
        return peer

    def all(self) -> list[Peer]:
        """Return all peers, sorted by name."""
        with self._session.database.read() as transaction:
            return table.all_peers(transaction)

    def get(self, name: str) -> Peer:
        """Return a peer.

        Raises:
            NotFoundError: if there is no peer of this name.
        """
        known = {peer.name: peer for peer in self.all()}
        if name not in known:
            raise NotFoundError(f"unknown peer {shown(name)}", field="name", hint=nearest(name, known))
        return known[name]

    def remove(self, name: str) -> Peer:
        """Remove a peer, so that it is not asked any more.

        Args:
            name: Name of the peer.
        """
        peer = self.get(name)
        with self._session.write() as transaction:
            table.delete(transaction, name)
        return peer

    def test(self, name: str) -> PeerReport:
        """Ask a peer for any one claim, to see whether it answers.

        Args:
            name: Name of the peer.
        """
        peer = self.get(name)
        question = Question(Selection(), self._session.read_options(), 1, self._session.clock())
        (answer,) = Survey(question, [(peer, self._token(peer))])
        self.note([answer.result])
        return answer.result

    def with_tokens(self) -> list[tuple[Peer, str | InputError | None]]:
        """Return every peer with its token, None, or the error why its token cannot be read."""
        return [(peer, self._token(peer)) for peer in self.all()]

    def note(self, results: Iterable[PeerReport]) -> None:
        """Store which peers answered, at most once a minute and only if no other process is writing."""
        at = self._session.at(None)
        with self._lock:
            due = [one for one in results if self._due(one, at)]
            self._noted |= {one.name: (one.status, at) for one in due}
        if due:
            with suppress(StoreError), self._session.write(wait=False) as transaction:
                for one in due:
                    failure = "" if one.status == "answered" else f"{one.status}: {one.reason}"
                    table.note_result(transaction, one.name, at, failure)

    def _due(self, one: PeerReport, at: float) -> bool:
        status, before = self._noted.get(one.name, ("", 0.0))
        return status != one.status or not 0 <= at - before < NOTE_INTERVAL

    def _token(self, peer: Peer) -> str | InputError | None:
        """Read the token of a peer; return None if it needs none, or the error."""
        kind, _, place = peer.token.partition(":")
        if not kind:
            return None
        try:
            if kind == "env":
                found = self._environment.get(place, "")
            else:
                with Path(place).open("rb") as file:
                    found = file.read(_MAX_TOKEN_FILE).decode("ascii", "replace").strip()
        except OSError as error:
            return InputError(f"its token cannot be read from {place}: {error.strerror}")
        if not _TOKEN.fullmatch(found):  # the content is not shown: it may still be a secret
            return InputError(f"there is no token in {'the variable' if kind == 'env' else 'the file'} {place}")
        return found


def checked_address(url: str) -> str:
    """Return the address of a server in normal form; raise InputError if it is invalid or contains a password.

    >>> checked_address("HTTPS://Peer.Example/howsure/")
    'https://peer.example/howsure'
    """
    hint = "like https://howsure.example, or http://127.0.0.1:8765"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise InputError("invalid address", field="url", hint=hint) from None
    if "@" in parts.netloc:  # not shown: it may hold a password
        hint = "leave out name and password, and name a token with --token-env or --token-file"
        raise InputError("an address must not contain credentials", field="url", hint=hint)
    plain = re.fullmatch(r"[!-~]{1,500}", url) and not re.search(r"[?#\\]", url)
    if parts.scheme not in ("http", "https") or not host or not plain:
        raise InputError(f"invalid address {shown(url)}", field="url", hint=hint)
    return f"{parts.scheme}://{parts.netloc.lower().rstrip(':')}{parts.path.rstrip('/')}"


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        hint = "at most 100 letters, digits, dots, colons and hyphens"
        raise InputError(f"invalid name {shown(name)}", field="name", hint=hint)
    return name


def _place(variable: str | None, file: str | None) -> str:
    """Return where a token is stored, as `env:NAME` or `file:PATH`; empty if neither is given."""
    if variable is not None and file is not None:
        raise InputError("pass either token_env or token_file", field="token_file")
    if variable is not None:
        if not _VARIABLE.fullmatch(variable) or variable.startswith("howsure_"):
            # Not shown: it may be the token itself.
            raise InputError("invalid variable name", field="token_env", hint="the name of a variable, not the token")
        return f"env:{variable}"
    if file is None:
        return ""
    place = os.path.abspath(os.path.expanduser(file))  # noqa: PTH100, PTH111 - no name of a user raises
    if not place.isprintable() or len(place) > _MAX_PATH:
        raise InputError(f"invalid path {shown(file)}", field="token_file")
    return f"file:{place}"
