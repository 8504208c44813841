"""The desk behind every door: who is calling, may they do that, and then it is done in their name."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import copy
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.errors import InputError, StoreError
from howsure.ledger.retention import trim_if_due
from howsure.operation import Scope
from howsure.serve.idempotency import once
from howsure.serve.limits import Limits
from howsure.serve.operations.shapes import fits
from howsure.serve.operations.table import AnyOperation as Operation
from howsure.serve.refusals import DeniedError
from howsure.serve.tokens import SCOPES, Tokens, state
from howsure.store.database import Transaction
from howsure.store.session import Session

if TYPE_CHECKING:
    from howsure.sure import Sure

MOST = 256
"""Callers whose view of the store is kept."""
_FACADES = ("claims", "syntheses", "ledger", "responses", "investigations", "documents")


class Caller(NamedTuple):
    """Somebody at a door."""

    id: str
    """Id of the token; empty for the owner of this machine, who needs none."""
    name: str
    """As the history shows who has written; empty for the store's own."""
    scope: Scope


OWNER = Caller("", "", "admin")
"""Whoever sits at this machine."""


class Answered(NamedTuple):
    """What came of a request."""

    answer: Any
    repeated: bool = False
    """Whether it was done before, and this is what was answered then."""


class MalformedError(InputError):
    """What was handed in is not as the operation describes it."""


class Desk:
    """Does operations for callers. Safe to use from several threads."""

    def __init__(self, sure: "Sure", *, guarded: bool, limits: Limits | None = None) -> None:
        """Take the store, and whether callers need a token; only on the owner's own machine they do not."""
        self.sure = sure
        self.guarded = guarded
        self.limits = limits or Limits()
        self.tokens = Tokens(sure.session)
        self._views: OrderedDict[str, Sure] = OrderedDict()
        self._lock = Lock()

    def caller(self, secret: str | None) -> Caller:
        """Return who is calling, by the token that they bring; refuse one that allows nothing."""
        if secret is None:
            if self.guarded:
                raise DeniedError("a token is needed", known=False, hint="Authorization: Bearer TOKEN")
            return OWNER
        token = self.tokens.find(secret)
        if token is None:
            raise DeniedError("this is no token of ours", known=False, hint="howsure token create makes one")
        found = state(token, self.sure.session.at(None))
        if found != "valid":
            problem = f"the token {token.name} {'was revoked' if found == 'revoked' else 'has expired'}"
            raise DeniedError(problem, known=False, hint="howsure token create makes another")
        self.tokens.used(token)
        return Caller(token.id, token.name, token.scope)  # type: ignore[arg-type]

    def allow(self, caller: Caller, operation: Operation) -> None:
        """Refuse what a caller may not do, or not so often."""
        allowed(caller, operation.scope)
        if self.guarded:
            self.limits.take(caller.id, operation)

    def read(self, operation: Operation, data: Any) -> Any:
        """Read what was handed in; an error says whether it is not as described, or only cannot be."""
        try:
            return operation.read(data)
        except InputError as error:
            if fits(operation.input_schema, data):
                raise
            raise MalformedError(error.problem, field=error.field, hint=error.hint) from None

    def do(self, caller: Caller, operation: Operation, data: Any, key: str | None = None) -> Answered:
        """Do an operation; under a key only once, however often it is asked for."""
        given = self.read(operation, data)
        sure = self.view(caller)
        if key is None:
            return Answered(operation.call(sure, given))
        return Answered(*once(self.sure.session, caller.id, key, operation, data, lambda: operation.call(sure, given)))

    def view(self, caller: Caller) -> "Sure":
        """Return the store as a caller writes in it: the history shows their name."""
        if not caller.name:
            return self.sure
        with self._lock:
            found = self._views.pop(caller.name, None) or _in_name(self.sure, caller.name)
            self._views[caller.name] = found
            if len(self._views) > MOST:
                self._views.popitem(last=False)
        return found

    def tend(self) -> None:
        """Do now and then what otherwise only opening and closing a store does: a server may run for months.

        What was read is noted, before it becomes much, and what the ledger has held for long enough is deleted.
        """
        with suppress(StoreError):
            with self.sure.session.write(wait=False):
                pass  # what was read is noted with whatever is written
            trim_if_due(self.sure.session, self.sure.settings)
        self.tokens.close()

    def close(self) -> None:
        """Write down what was not yet. The store stays open."""
        self.tokens.close()


def allowed(caller: Caller, scope: Scope) -> None:
    """Refuse what a caller's scope does not include."""
    if SCOPES.index(caller.scope) < SCOPES.index(scope):
        problem = f"this needs a token of scope {scope}; {caller.name} has {caller.scope}"
        raise DeniedError(problem, known=True, hint=f"howsure token create NAME --scope {scope}")


class _Signed(Session):
    """The same session, written in by somebody else. What was read is noted in the one that it is."""

    def __init__(self, own: Session, actor: str) -> None:
        super().__init__(own.database, own.formula, actor, own.clock)
        self._own = own

    @contextmanager
    def write(self, *, wait: bool = True, large: bool = False) -> Iterator[Transaction]:
        """Write, as the owner would."""
        with self._own.write(wait=wait, large=large) as transaction:
            yield transaction

    def accessed(self, keys: list[int]) -> None:
        """Remember that claims were read."""
        self._own.accessed(keys)

    def last_read(self, key: int) -> float:
        """Return when a claim was read last."""
        return self._own.last_read(key)


def _in_name(sure: "Sure", name: str) -> "Sure":
    """Return a store that writes in somebody's name."""
    found = copy(sure)
    for facade in _FACADES:
        vars(found).pop(facade, None)
    found.session = _Signed(sure.session, name)
    return found
