"""Run a request with an idempotency key once, and repeat its result when it is sent again.

The key is stored before the work starts and the result after it. So it holds for several servers on one store, and
after a crash the key is reported as "still running or interrupted" instead of running the request twice.

A request that failed frees its key, unless something was done nevertheless. What the store did not take at the end of a
request, because it was locked or could not be reached, is written later: see `Backlog`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING, Any

import orjson

from howsure.errors import InputError, StoreError, shown
from howsure.files import sha256
from howsure.serve.errors import IdempotencyKeyError
from howsure.shapes import DAY
from howsure.store import requests
from howsure.store.backends.database import Transaction
from howsure.store.requests import StoredRequest
from howsure.store.session import Session

if TYPE_CHECKING:
    from howsure.serve.operations import Operation

KEEP_SECONDS = DAY
"""How long results are kept."""
MAX_KEY_LENGTH = 200


MAX_BACKLOG = 10_000
"""Ends of requests that wait to be written."""


class Backlog:
    """The ends of requests that the store did not take yet. Thread-safe.

    Without it, a key whose request failed while the store was locked would be "still running" for a day.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._waiting: dict[tuple[str, str], str | None] = {}
        self._lock = Lock()

    def end(self, session: Session, caller: str, key: str, result: str | None) -> None:
        """Store the result of a request, or free its key if that is None; later, if the store fails."""
        try:
            with session.write() as transaction:
                _end(transaction, caller, key, result)
        except StoreError:
            with self._lock:
                if len(self._waiting) < MAX_BACKLOG:
                    self._waiting[caller, key] = result

    @contextmanager
    def write(self, session: Session, only: tuple[str, str] | None = None) -> Iterator[Transaction]:
        """Open a write transaction that begins with what waits, of all requests or only of one.

        It is taken out after the transaction has begun, so a key that a retry has taken again is never freed.
        """
        taken: dict[tuple[str, str], str | None] = {}
        try:
            with session.write() as transaction:
                with self._lock:
                    names = list(self._waiting) if only is None else [only]
                    taken |= {name: self._waiting.pop(name) for name in names if name in self._waiting}
                for (caller, key), result in taken.items():
                    _end(transaction, caller, key, result)
                yield transaction
        except BaseException:
            with self._lock:
                self._waiting = taken | self._waiting
            raise

    def flush(self, session: Session) -> None:
        """Write all that waits; it goes on waiting if the store fails again."""
        if self._waiting:
            with suppress(StoreError), self.write(session):
                pass


def _end(transaction: Transaction, caller: str, key: str, result: str | None) -> None:
    if result is None:
        requests.delete(transaction, caller, key)
    else:
        requests.set_result(transaction, caller, key, result)


def run_once(
    session: Session,
    caller: str,
    key: str,
    operation: "Operation",
    data: Any,
    work: Callable[[], Any],
    backlog: Backlog | None = None,
) -> tuple[Any, bool]:
    """Run `work` unless the caller has used this key before; return the result and whether it is a repetition.

    Raises:
        InputError: if the key is empty, too long or not printable ASCII.
        IdempotencyKeyError: if the key belongs to another request, or to one that is still running.
    """
    if not 0 < len(key) <= MAX_KEY_LENGTH or not all("!" <= letter <= "~" for letter in key):
        hint = f"at most {MAX_KEY_LENGTH} printable ASCII characters without spaces, like a UUID"
        raise InputError(f"invalid key {shown(key)}", field="Idempotency-Key", hint=hint)
    backlog = backlog or Backlog()
    content = orjson.dumps(data, option=orjson.OPT_SORT_KEYS, default=bytes.hex)
    digest = sha256(operation.name.encode() + b"\0" + content).hexdigest()
    key_digest = sha256(key.encode()).hexdigest()
    at = session.at(None)
    with backlog.write(session, (caller, key_digest)) as transaction:
        requests.delete_older(transaction, at - KEEP_SECONDS)
        stored = requests.find(transaction, caller, key_digest)
        if stored is None:
            requests.insert(transaction, caller, key_digest, at, operation.name, digest)
    if stored is not None:
        return _stored_result(stored, digest), True
    try:
        result = work()
    except BaseException as error:
        # If a part was done, or may have been, a second run could do it twice: the key stays taken.
        if not isinstance(error, StoreError) or error.done == "nothing":
            backlog.end(session, caller, key_digest, None)
        raise
    # The work is done: failing to store its result must not turn success into an error.
    backlog.end(session, caller, key_digest, orjson.dumps(result).decode())
    return result, False


def _stored_result(stored: StoredRequest, digest: str) -> Any:
    if stored.digest != digest:
        hint = "use another key for another request"
        raise IdempotencyKeyError("this key was used for another request", pending=False, hint=hint)
    if stored.result is None:
        hint = "wait; if this does not change, check whether the work was done, and use another key"
        raise IdempotencyKeyError("this request is still running or was interrupted", pending=True, hint=hint)
    return orjson.loads(stored.result)
