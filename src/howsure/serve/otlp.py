"""Receive spans by OTLP over HTTP at /v1/traces, in JSON and protobuf, and answer as the protocol demands."""

import zlib
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Send
from starlette.types import Scope as ASGIScope

from howsure.agents.otlp_protobuf import decode_request, encode_answer, encode_status
from howsure.errors import HowsureError
from howsure.serve.desk import Caller
from howsure.serve.errors import HTTPError, describe_error, log_hidden
from howsure.serve.http import Service
from howsure.serve.operations import operation
from howsure.serve.requests import JSON, read_body

PATH = "/v1/traces"
PROTOBUF = "application/x-protobuf"
RECORD = operation("investigations.record")
"""Whoever may record tool calls may send spans; both count against one rate limit."""
_GZIP = 31
"""The window of zlib that reads gzip."""
_CODES = {400: 3, 401: 16, 403: 7, 408: 4, 413: 8, 415: 3, 422: 3, 429: 8, 503: 14, 504: 4}
"""Codes of google.rpc.Status by HTTP status; 2 is "unknown"."""


class TracesEndpoint:
    """An ASGI application that stores the tool calls of received spans."""

    def __init__(self, service: Service) -> None:
        """Store in this service."""
        self._service = service

    async def __call__(self, scope: ASGIScope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        scope["howsure.operation"] = "traces"
        binary = _content_type(request) == PROTOBUF
        try:
            response = await self._receive(request, binary=binary)
        except HowsureError as error:
            log_hidden(error, scope)
            response = _refuse(error, binary=binary)
        await response(scope, receive, send)

    async def _receive(self, request: Request, *, binary: bool) -> Response:
        service = self._service
        if request.method != "POST":
            raise HTTPError(405, "not_allowed", "this path does not support this method", hint="POST", Allow="POST")
        caller = await service.authenticate(request)
        service.desk.authorize(caller, RECORD)
        if not binary and _content_type(request) != JSON:
            hint = f"{PROTOBUF} or {JSON}"
            raise HTTPError(415, "wrong_type", "unsupported content type", field="Content-Type", hint=hint)
        largest = service.capacity.max_body
        body = await service.receive_body(read_body(request, largest))
        body = _unpack(body, request.headers.get("content-encoding", ""), largest)
        recorded = await service.write(self._record, caller, body, binary)
        if binary:
            return Response(encode_answer(recorded.rejected, recorded.problem), media_type=PROTOBUF)
        partial = {"rejectedSpans": str(recorded.rejected), "errorMessage": recorded.problem}
        return Response(orjson.dumps({"partialSuccess": partial} if recorded.rejected else {}), media_type=JSON)

    def _record(self, caller: Caller, body: bytes, binary: bool) -> Any:
        data = decode_request(body) if binary else _parse(body)
        return self._service.desk.store_as(caller).investigations.record_spans(data)


def _content_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _unpack(body: bytes, encoding: str, largest: int) -> bytes:
    """Return the body without gzip.

    Raises:
        HTTPError: if it is not gzip, is too large without it, or has another encoding.
    """
    if encoding.lower() in ("", "identity"):
        return body
    if encoding.lower() != "gzip":
        raise HTTPError(415, "wrong_type", "unsupported encoding", field="Content-Encoding", hint="gzip, or none")
    unpacker = zlib.decompressobj(_GZIP)
    try:
        content = unpacker.decompress(body, largest + 1)
    except zlib.error as error:
        raise HTTPError(400, "invalid_input", f"the body is not gzip: {error}") from None
    if len(content) > largest:
        raise HTTPError(413, "too_large", "the body is too large", hint=f"at most {largest:,} bytes without gzip")
    if not unpacker.eof:
        raise HTTPError(400, "invalid_input", "the body ends before its gzip data does")
    return content


def _parse(body: bytes) -> dict[str, Any]:
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise HTTPError(400, "invalid_json", f"invalid JSON: {error.msg} at position {error.pos}") from None
    if not isinstance(data, dict):
        raise HTTPError(400, "invalid_input", "the body is not an object", hint='like {"resourceSpans": []}')
    return data


def _refuse(error: HowsureError, *, binary: bool) -> Response:
    """Return an error as a google.rpc.Status, in the format of the request."""
    status, described, headers = describe_error(error)
    status = 400 if status == 422 else status  # noqa: PLR2004 - the protocol knows only 400 for bad data
    field, hint = described["field"], described["hint"]
    message = (f"{field}: " if field else "") + described["message"] + (f" ({hint})" if hint else "")
    code = _CODES.get(status, 2)
    if binary:
        return Response(encode_status(code, message), status, headers, PROTOBUF)
    return Response(orjson.dumps({"code": code, "message": message}), status, headers, JSON)
