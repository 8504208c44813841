"""Once: a request that is sent twice is done once, and answered the same.

A caller gives a request a key of its own. What was answered is kept for a day. It is written down that the request is
under way before it is done, so that this holds for several servers on one store, and for one that crashes, too.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import orjson

from howsure.errors import InputError, StoreError, shown
from howsure.files import sha256
from howsure.formulas.decay import DAY
from howsure.serve.operations.table import AnyOperation as Operation
from howsure.serve.refusals import KeyTakenError
from howsure.store.session import Session

KEPT = DAY
"""Seconds for which an answer is kept."""
LONGEST = 200
"""Characters of a key."""
_WHERE = "WHERE caller = ? AND name = ?"


def once(
    session: Session, caller: str, key: str, operation: Operation, data: Any, do: Callable[[], Any]
) -> tuple[Any, bool]:
    """Do something, unless it was done under the same key; return the answer, and whether it was given before."""
    if not 0 < len(key) <= LONGEST or not all("!" <= letter <= "~" for letter in key):
        hint = f"at most {LONGEST} letters, digits and signs, like a UUID"
        raise InputError(f"{shown(key)} is no key", field="Idempotency-Key", hint=hint)
    content = orjson.dumps(data, option=orjson.OPT_SORT_KEYS, default=bytes.hex)
    digest = sha256(operation.name.encode() + b"\0" + content).hexdigest()
    place = [caller, sha256(key.encode()).hexdigest()]
    at = session.at(None)
    with session.write() as transaction:
        transaction.run("DELETE FROM requests WHERE at < ?", [at - KEPT])
        found = transaction.one(f"SELECT digest, answer FROM requests {_WHERE}", place)
        if found is None:
            row = [*place, at, operation.name, digest]
            transaction.run("INSERT INTO requests (caller, name, at, operation, digest) VALUES (?, ?, ?, ?, ?)", row)
    if found is not None:
        before, answer = found
        return _answered(before == digest, answer), True
    try:
        answer = do()
    except BaseException:
        with suppress(StoreError), session.write() as transaction:
            transaction.run(f"DELETE FROM requests {_WHERE}", place)
        raise
    with (
        suppress(StoreError),
        session.write() as transaction,
    ):  # it is done: that comes before being able to repeat it
        transaction.run(f"UPDATE requests SET answer = ? {_WHERE}", [orjson.dumps(answer).decode(), *place])
    return answer, False


def _answered(same: bool, answer: str | None) -> Any:
    if not same:
        hint = "use another key for another request"
        raise KeyTakenError("this key was used for another request", pending=False, hint=hint)
    if answer is None:
        hint = "wait; if that goes on, see whether it was done, and use another key"
        raise KeyTakenError("this request is under way, or was broken off", pending=True, hint=hint)
    return orjson.loads(answer)
