"""Replies: answers as JSON, and every error in one shape."""

import math
from collections.abc import Mapping
from typing import Any

import orjson
from starlette.responses import Response

from howsure.errors import HowsureError, InputError, MissingExtraError, NotFoundError, StoreError
from howsure.serve.desk import MalformedError
from howsure.serve.refusals import DeniedError, KeyTakenError, TooManyError

JSON = "application/json"


class WebError(HowsureError):
    """What is wrong with a request as such, whatever it asks for."""

    def __init__(
        self, status: int, code: str, problem: str, *, field: str = "", hint: str = "", **headers: str
    ) -> None:
        """Take the status to answer with, and a word for programs."""
        super().__init__(problem, field=field, hint=hint)
        self.status = status
        self.code = code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


CODES = {
    "invalid_input": "400: a field is missing, unknown, of the wrong kind or out of range",
    "invalid_json": "400: the body is not JSON",
    "unauthorized": "401: a token is needed, or the one given is wrong, expired or revoked",
    "forbidden": "403: the token's scope is too small, or the request comes from another page",
    "not_found": "404: there is nothing of that id, or no such path",
    "not_allowed": "405: the path takes other methods",
    "in_progress": "409: a request with this Idempotency-Key has not ended",
    "too_large": "413: the body is larger than the server takes",
    "wrong_type": "415: the body has to be application/json, or JSON Lines where that is described",
    "refused": "422: as described, but it cannot be: the message says why",
    "key_reused": "422: this Idempotency-Key was used for another request",
    "too_many": "429: too many requests; Retry-After says how long to wait",
    "internal": "500: a fault in howsure; the log has more",
    "missing_extra": "501: an optional part of howsure is not installed on the server",
    "judge_failed": "502: the language model did not answer as it should; nothing was changed",
    "store_failed": "503: the store could not be read or written; nothing was changed",
    "busy": "503: too much is going on; try again",
    "timeout": "408 or 504: it took too long, and may still be done; ask again with the same Idempotency-Key",
}
"""Every code of an error, and what it means."""


def answer(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return data as JSON."""
    return Response(orjson.dumps(data), status, headers, JSON)


def refusal(error: HowsureError) -> Response:
    """Return an error in the one shape that all have."""
    status, said, headers = told(error)
    return answer({"error": said}, status, headers)


def told(error: HowsureError) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Return the status of an error, what is said of it, and the headers that belong to it."""
    status, code, headers = _kind(error)
    said: dict[str, Any] = {"code": code, "message": error.problem, "field": error.field, "hint": error.hint}
    if isinstance(error, StoreError):  # its words name files and addresses of the server
        said |= {"message": "the store could not be read or written", "hint": "nothing was changed; try again"}
    if error.line is not None:
        said["line"] = error.line
    return status, _clean(said), headers


def _clean(said: dict[str, Any]) -> dict[str, Any]:
    """Return an error whose texts can be written, whatever was handed in."""
    return {
        name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in said.items()
    }


def _kind(error: HowsureError) -> tuple[int, str, dict[str, str]]:
    """Return the status, the code and the headers of an error."""
    if isinstance(error, WebError):
        return error.status, error.code, error.headers
    if isinstance(error, DeniedError):
        return (403, "forbidden", {}) if error.known else (401, "unauthorized", {"WWW-Authenticate": "Bearer"})
    if isinstance(error, TooManyError):
        return 429, "too_many", {"Retry-After": str(math.ceil(error.wait))}
    if isinstance(error, KeyTakenError):
        return (409, "in_progress", {"Retry-After": "1"}) if error.pending else (422, "key_reused", {})
    for kind, status, code in _KINDS:
        if isinstance(error, kind):
            return status, code, {}
    return 502, "judge_failed", {}


_KINDS = (
    (MissingExtraError, 501, "missing_extra"),
    (StoreError, 503, "store_failed"),
    (NotFoundError, 404, "not_found"),
    (MalformedError, 400, "invalid_input"),
    (InputError, 422, "refused"),
)
