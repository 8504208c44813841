"""Run a request with an idempotency key once, and repeat its result when it is sent again.

The key is stored before the work starts and the result after it. So it holds for several servers on one store, and
after a crash the key is reported as "still running or interrupted" instead of running the request twice.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import orjson

from howsure.errors import InputError, StoreError, shown
from howsure.files import sha256
from howsure.formulas.decay import DAY
from howsure.serve.errors import IdempotencyKeyError
from howsure.store import requests
from howsure.store.requests import StoredRequest
from howsure.store.session import Session

if TYPE_CHECKING:
    from howsure.serve.operations import Operation

KEEP_SECONDS = DAY
"""How long results are kept."""
MAX_KEY_LENGTH = 200


def run_once(
    session: Session, caller: str, key: str, operation: "Operation", data: Any, work: Callable[[], Any]
) -> tuple[Any, bool]:
    """Run `work` unless the caller has used this key before; return the result and whether it is a repetition.

    Raises:
        InputError: if the key is empty, too long or not printable ASCII.
        IdempotencyKeyError: if the key belongs to another request, or to one that is still running.
    """
    if not 0 < len(key) <= MAX_KEY_LENGTH or not all("!" <= letter <= "~" for letter in key):
        hint = f"at most {MAX_KEY_LENGTH} printable ASCII characters without spaces, like a UUID"
        raise InputError(f"invalid key {shown(key)}", field="Idempotency-Key", hint=hint)
    content = orjson.dumps(data, option=orjson.OPT_SORT_KEYS, default=bytes.hex)
    digest = sha256(operation.name.encode() + b"\0" + content).hexdigest()
    key_digest = sha256(key.encode()).hexdigest()
    at = session.at(None)
    with session.write() as transaction:
        requests.delete_older(transaction, at - KEEP_SECONDS)
        stored = requests.find(transaction, caller, key_digest)
        if stored is None:
            requests.insert(transaction, caller, key_digest, at, operation.name, digest)
    if stored is not None:
        return _stored_result(stored, digest), True
    try:
        result = work()
    except BaseException:
        with suppress(StoreError), session.write() as transaction:
            requests.delete(transaction, caller, key_digest)
        raise
    # The work is done: failing to store its result must not turn success into an error.
    with suppress(StoreError), session.write() as transaction:
        requests.set_result(transaction, caller, key_digest, orjson.dumps(result).decode())
    return result, False


def _stored_result(stored: StoredRequest, digest: str) -> Any:
    if stored.digest != digest:
        hint = "use another key for another request"
        raise IdempotencyKeyError("this key was used for another request", pending=False, hint=hint)
    if stored.result is None:
        hint = "wait; if this does not change, check whether the work was done, and use another key"
        raise IdempotencyKeyError("this request is still running or was interrupted", pending=True, hint=hint)
    return orjson.loads(stored.result)
