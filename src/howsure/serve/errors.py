"""Errors of the servers, and how every error is described in JSON."""

import logging
import math
from collections.abc import Mapping
from typing import Any

from howsure.errors import (
    HowsureError,
    InputError,
    MissingExtraError,
    NotFoundError,
    ShapeError,
    StoreError,
)
from howsure.redaction import redact_secrets

log: logging.Logger = logging.getLogger(__name__)

CODES = {
    "invalid_input": "400: a field is missing, unknown, of the wrong type or out of range",
    "invalid_json": "400: the body is not JSON",
    "unauthorized": "401: a token is required, or the token is unknown, expired or revoked",
    "forbidden": "403: the token's scope is too small, or the request comes from another site",
    "not_found": "404: the id or the path does not exist",
    "not_allowed": "405: the path does not support this method",
    "in_progress": "409: a request with this Idempotency-Key is still running",
    "too_large": "413: the body is larger than the server accepts",
    "wrong_type": "415: the body must be application/json, or JSON Lines where documented",
    "refused": "422: the input has the right shape but cannot be processed; the message says why",
    "key_reused": "422: this Idempotency-Key was used for another request",
    "too_many": "429: too many requests; Retry-After says how long to wait",
    "internal": "500: a bug in howsure; see the server's log",
    "missing_extra": "501: an optional part of howsure is not installed on the server",
    "judge_failed": "502: the language model failed; nothing was changed",
    "store_failed": "503: the store could not be read or written; the hint says whether anything was changed",
    "busy": "503: the server is busy; try again",
    "timeout": "408 or 504: it took too long and may still complete; retry with the same Idempotency-Key",
}
"""Every error code with its status and meaning."""


STORE_FAILED = "the store could not be read or written"
WHAT_WAS_DONE = {
    "nothing": "nothing was changed; try again",
    "some": "a part was done before it failed: check before you try again",
    "unknown": "it may have been done: check before you try again",
}
"""What a caller is told about the changes of a call that failed in the store."""


class AccessDeniedError(HowsureError):
    """The caller is not allowed to do this."""

    def __init__(self, problem: str, *, authenticated: bool, hint: str = "") -> None:
        """Store whether the caller has a valid token, whose scope is too small (403 instead of 401)."""
        super().__init__(problem, hint=hint)
        self.authenticated = authenticated


class RateLimitError(HowsureError):
    """The caller sends too many requests."""

    def __init__(self, problem: str, *, wait: float, hint: str = "") -> None:
        """Store how many seconds to wait."""
        super().__init__(problem, hint=hint)
        self.wait = wait


class IdempotencyKeyError(HowsureError):
    """An idempotency key was used for another request, or for one that is still running."""

    def __init__(self, problem: str, *, pending: bool, hint: str = "") -> None:
        """Store whether the first request may still be running."""
        super().__init__(problem, field="Idempotency-Key", hint=hint)
        self.pending = pending


class HTTPError(HowsureError):
    """Something is wrong with the HTTP request itself, whatever the operation."""

    def __init__(
        self, status: int, code: str, problem: str, *, field: str = "", hint: str = "", **headers: str
    ) -> None:
        """Store the status, one of `CODES`, and response headers (with `_` for `-` in their names)."""
        super().__init__(problem, field=field, hint=hint)
        self.status = status
        self.code = code
        self.headers: dict[str, str] = {name.replace("_", "-"): value for name, value in headers.items()}


def internal_error(request_id: str) -> HTTPError:
    """Return the error for an unexpected exception; details are only in the log."""
    problem = f"internal error in request {request_id}"
    return HTTPError(500, "internal", problem, hint="the server's log has more")


def describe_error(error: HowsureError) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Return the status, the JSON description and the headers of an error."""
    status, code, headers = _classify(error)
    described: dict[str, Any] = {
        "code": code,
        "message": redact_secrets(error.problem),  # clients log what they are told
        "field": redact_secrets(error.field),
        "hint": error.hint,
    }
    if isinstance(error, StoreError):  # its message names files and addresses of the server
        described |= {"message": STORE_FAILED, "hint": WHAT_WAS_DONE[error.done]}
    if error.line is not None:
        described["line"] = error.line
    return status, {name: _encodable(value) for name, value in described.items()}, headers


def log_hidden(error: HowsureError, scope: Mapping[str, Any]) -> None:
    """Log what `describe_error` does not tell callers: why the store failed, with the id of the request."""
    if isinstance(error, StoreError):
        log.warning("request %s: %s", scope["howsure.request"], error)


def _encodable(value: Any) -> Any:
    """Replace lone surrogates, which may come from the input and cannot be written as UTF-8."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _classify(error: HowsureError) -> tuple[int, str, dict[str, str]]:
    """Return the status, the code and the headers of an error."""
    match error:
        case HTTPError():
            return error.status, error.code, error.headers
        case AccessDeniedError(authenticated=True):
            return 403, "forbidden", {}
        case AccessDeniedError():
            return 401, "unauthorized", {"WWW-Authenticate": "Bearer"}
        case RateLimitError():
            return 429, "too_many", {"Retry-After": str(math.ceil(error.wait))}
        case IdempotencyKeyError(pending=True):
            return 409, "in_progress", {"Retry-After": "1"}
        case IdempotencyKeyError():
            return 422, "key_reused", {}
    return next(((status, code, {}) for kind, status, code in _STATUSES if isinstance(error, kind)), _JUDGE_FAILED)


_STATUSES: tuple[tuple[type[HowsureError], int, str], ...] = (
    (MissingExtraError, 501, "missing_extra"),
    (StoreError, 503, "store_failed"),
    (NotFoundError, 404, "not_found"),
    (ShapeError, 400, "invalid_input"),
    (InputError, 422, "refused"),
)
"""Status and code by class, derived classes before their parents."""
_JUDGE_FAILED: tuple[int, str, dict[str, str]] = (502, "judge_failed", {})
