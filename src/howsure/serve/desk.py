"""Authenticate, authorize and rate-limit a call, then run the operation as that caller."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import copy
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from howsure.errors import InputError, ShapeError, StoreError
from howsure.ledger.retention import trim_if_due
from howsure.operation import Scope
from howsure.serve.errors import AccessDeniedError
from howsure.serve.idempotency import Backlog, run_once
from howsure.serve.limits import RateLimits
from howsure.serve.operations import Operation
from howsure.serve.tokens import SCOPES, Tokens, token_state
from howsure.store.backends.database import PartsDone, Transaction
from howsure.store.session import Session

if TYPE_CHECKING:
    from howsure.sure import Sure

MAX_STORES = 256
"""Callers whose view of the store is cached."""
_FACADES = ("claims", "peers", "syntheses", "ledger", "fits", "sources", "responses", "investigations", "documents")


class Caller(NamedTuple):
    """Who makes a call."""

    id: str
    """Id of the token; empty for the owner of this machine, who needs none."""
    name: str
    """Name in the history; empty for the store's own actor."""
    scope: Scope


OWNER = Caller("", "", "admin")
"""The user of this machine."""


class RunResult(NamedTuple):
    """The result of a call."""

    result: Any
    replayed: bool = False
    """Whether it is the stored result of an earlier request with the same idempotency key."""


class Desk:
    """Runs operations for callers. Thread-safe."""

    def __init__(self, sure: "Sure", *, requires_tokens: bool, limits: RateLimits | None = None) -> None:
        """Serve this store. Without `requires_tokens` every caller is the owner of this machine."""
        self.sure = sure
        self.requires_tokens = requires_tokens
        self.limits: RateLimits = limits or RateLimits()
        self.tokens: Tokens = Tokens(sure.session)
        self.backlog: Backlog = Backlog()
        read_only = sure.session.database.read_only
        self.owner: Caller = OWNER._replace(scope="read") if read_only else OWNER
        """The user of this machine, who can only look at a store that is read-only."""
        self._stores: OrderedDict[str, Sure] = OrderedDict()
        if sure.learning is not None:
            sure.learning.background = True
        self._lock = Lock()

    def authenticate(self, secret: str | None) -> Caller:
        """Return the caller with this token.

        Raises:
            AccessDeniedError: if the token is missing, unknown, expired or revoked.
        """
        if secret is None:
            if self.requires_tokens:
                raise AccessDeniedError("a token is required", authenticated=False, hint="Authorization: Bearer TOKEN")
            return self.owner
        token = self.tokens.find(secret)
        if token is None:
            hint = "create one with: howsure token create"
            raise AccessDeniedError("unknown token", authenticated=False, hint=hint)
        state = token_state(token, self.sure.session.at(None))
        if state != "valid":
            problem = f"the token {token.name} {'was revoked' if state == 'revoked' else 'has expired'}"
            raise AccessDeniedError(problem, authenticated=False, hint="create another with: howsure token create")
        self.tokens.mark_used(token)
        scope = "read" if self.sure.session.database.read_only else token.scope
        return Caller(token.id, token.name, scope)  # type: ignore[arg-type]

    def authorize(self, caller: Caller, operation: Operation) -> None:
        """Check the caller's scope and count the call against the rate limit.

        Raises:
            AccessDeniedError: if the scope is too small.
            RateLimitError: if the caller has to wait.
        """
        if operation.changes and self.sure.session.database.read_only:
            hint = "serve it without --read-only, from a place that can be written to"
            raise AccessDeniedError("the store is read-only", authenticated=True, hint=hint)
        check_scope(caller, operation.scope)
        if self.requires_tokens:
            self.limits.count_operation(caller.id, operation)

    def call(self, caller: Caller, operation: Operation, arguments: Any) -> Any:
        """Run an operation with the arguments that its `decode` returned, as this caller.

        Raises:
            ShapeError: if the method decodes its arguments, and one does not have the described shape.
            InputError: also instead of any other ShapeError inside the operation, since its arguments were decoded.
        """
        try:
            with PartsDone():
                return operation.call(self.store_as(caller), arguments)
        except ShapeError as error:
            if operation.route.decodes:
                raise
            raise InputError(error.problem, field=error.field, hint=error.hint, line=error.line) from error

    def run(self, caller: Caller, operation: Operation, data: Any, key: str | None = None) -> RunResult:
        """Decode the arguments and run an operation; with an idempotency key, only the first time."""
        arguments = operation.decode(data)
        if key is None:
            return RunResult(self.call(caller, operation, arguments))

        def work() -> Any:
            return self.call(caller, operation, arguments)

        return RunResult(*run_once(self.sure.session, caller.id, key, operation, data, work, self.backlog))

    def store_as(self, caller: Caller) -> "Sure":
        """Return the store with this caller as the actor of all changes."""
        if not caller.name:
            return self.sure
        with self._lock:
            store = self._stores.pop(caller.name, None) or _with_actor(self.sure, caller.name)
            store.learning = self.sure.learning  # one for all callers, so that one fit is learned at a time
            self._stores[caller.name] = store
            if len(self._stores) > MAX_STORES:
                self._stores.popitem(last=False)
        return store

    def maintain(self) -> None:
        """Do what otherwise only opening a ledger and closing a store do, since a server may run for months.

        Write down which claims were read and which tokens were used, and trim the ledger if that is due.
        """
        with suppress(StoreError):
            with self.sure.session.write(wait=False):
                pass  # any write also notes which claims were read
            trim_if_due(self.sure.session, self.sure.settings)
        self.backlog.flush(self.sure.session)
        if self.sure.session.database.unsettled:
            self.sure.session.database.settled()
        self.tokens.flush()

    def close(self) -> None:
        """Write what is pending. The store stays open."""
        self.tokens.flush()


def check_scope(caller: Caller, scope: Scope) -> None:
    """Raise AccessDeniedError unless the caller's scope includes this one."""
    if SCOPES.index(caller.scope) < SCOPES.index(scope):
        problem = f"this needs a token of scope {scope}; {caller.name} has {caller.scope}"
        raise AccessDeniedError(problem, authenticated=True, hint=f"howsure token create NAME --scope {scope}")


class _ActorSession(Session):
    """A session of the same store with another actor. Reads are noted in the owner's session."""

    def __init__(self, owner: Session, actor: str) -> None:
        super().__init__(owner.database, owner.formula, actor, owner.clock, owner.settings)
        self._owner = owner

    def signature(self, by: str | None) -> str:
        """Return who is recorded: the token, and who it says that it speaks for. A token cannot sign as another."""
        return f"{by} (token {self.actor})" if by and by != self.actor else self.actor

    @contextmanager
    def write(self, *, wait: bool = True, large: bool = False) -> Iterator[Transaction]:
        """Open a write transaction of the owner's session."""
        with self._owner.write(wait=wait, large=large) as transaction:
            yield transaction

    def accessed(self, keys: list[int]) -> None:
        """Note that claims were read."""
        self._owner.accessed(keys)

    def last_read(self, key: int) -> float:
        """Return when a claim was last read."""
        return self._owner.last_read(key)


def _with_actor(sure: "Sure", actor: str) -> "Sure":
    """Return a copy of a store whose facades write as this actor."""
    store = copy(sure)
    for facade in _FACADES:  # they hold the owner's session, if they were used before
        vars(store).pop(facade, None)
    store.session = _ActorSession(sure.session, actor)
    return store
