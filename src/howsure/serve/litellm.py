"""The endpoint that a LiteLLM proxy calls as a guardrail: `guardrail: generic_guardrail_api`, its documented contract.

The proxy posts the texts of a request, then those of the response. A request is not judged, but what tools returned in
it is kept as the evidence for the response of the same call. Fields that are not known are ignored: the contract grows.
"""

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from howsure.errors import HowsureError, InputError, nearest, shown
from howsure.integrations.messages import tool_results
from howsure.serve.errors import HTTPError
from howsure.serve.operations import operation
from howsure.serve.requests import error_response, json_response, read_arguments

if TYPE_CHECKING:
    from howsure.serve.desk import Caller
    from howsure.serve.http import Service

PATH = "/beta/litellm_basic_guardrail_api"
"""What LiteLLM adds to the `api_base` of a guardrail."""
PARAMETERS = frozenset(
    ("agent", "agent_type", "project", "knowledge", "code", "context", "question", "samples", "stated", "signals")
)
"""Options of `check` that a call may set. LiteLLM lets clients send some, so none that moves the threshold is here."""
ON_BLOCKED = ("block", "replace")
MOST_TEXTS = 100
"""Texts of one response: one for each choice."""
MOST_CHARACTERS = 20_000_000
"""Characters of evidence that are kept for responses to come."""
_NAMES = ("user_api_key_alias", "user_api_key_team_alias")
"""Fields of `request_data` that name the agent, the best first."""


class Evidence:
    """What tools returned in the requests whose responses are to come, by caller and call. The oldest go first."""

    def __init__(self) -> None:
        """Start without requests."""
        self._texts: OrderedDict[tuple[str, str], list[str]] = OrderedDict()
        self._size = 0

    def keep(self, key: tuple[str, str], texts: list[str]) -> None:
        """Keep the texts of a request."""
        if key in self._texts:
            self._size -= _count(self._texts.pop(key))
        self._texts[key] = texts
        self._size += _count(texts)
        while self._size > MOST_CHARACTERS:
            self._size -= _count(self._texts.popitem(last=False)[1])

    def find(self, key: tuple[str, str]) -> list[str]:
        """Return the texts of a request. They are kept: a stream is checked more than once."""
        return self._texts.get(key, [])


class GuardrailEndpoint:
    """An ASGI application that decides about texts for a LiteLLM proxy."""

    def __init__(self, service: "Service") -> None:
        """Decide with the operation `responses.check` of a service."""
        self._service = service
        self._check = operation("responses.check")
        self._evidence = Evidence()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        scope["howsure.operation"] = "litellm_guardrail"
        try:
            response = json_response(await self._respond(Request(scope, receive)))
        except HowsureError as error:
            response = error_response(error, scope)
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> dict[str, Any]:
        if request.method != "POST":
            raise HTTPError(405, "not_allowed", "this path does not support this method", hint="POST", Allow="POST")
        service = self._service
        caller = await self._authenticate(request)
        service.desk.authorize(caller, self._check)
        body = await service.receive_body(read_arguments(request, self._check, service.capacity.max_body))
        key = caller.id, str(body.get("litellm_call_id") or "")
        kind, texts = body.get("input_type"), _list(body, "texts")
        if kind == "request":
            self._evidence.keep(key, tool_results(_list(body, "structured_messages")))
            return {"action": "NONE"}
        if kind != "response":
            raise HTTPError(
                400, "invalid_input", f"{shown(kind)} is unknown", field="input_type", hint="request or response"
            )
        if len(texts) > MOST_TEXTS:
            hint = f"at most {MOST_TEXTS} in one response"
            raise HTTPError(413, "too_large", f"{len(texts)} are too many", field="texts", hint=hint)
        _check_texts(texts)
        options, replaces = _options(body)
        found = self._evidence.find(key) if key[1] else []
        if found:
            given = options.get("context") or []
            options["context"] = [*(given if isinstance(given, list) else [given]), *found]
        decisions = [await self._decide(caller, options | {"text": text}) if text.strip() else None for text in texts]
        blocked = [decision for decision in decisions if decision and decision["should_block"]]
        if not blocked:
            return {"action": "NONE"}
        if not replaces:
            return {"action": "BLOCKED", "blocked_reason": blocked[0]["message"]}
        said = [
            decision["message"] if decision and decision["should_block"] else text
            for text, decision in zip(texts, decisions, strict=True)
        ]
        return {"action": "GUARDRAIL_INTERVENED", "texts": said}

    async def _authenticate(self, request: Request) -> "Caller":
        """Return the caller. LiteLLM sends the `api_key` of a guardrail as X-API-Key."""
        secret = request.headers.get("x-api-key")
        if secret is None or "authorization" in request.headers:
            return await self._service.authenticate(request)
        caller = await self._service.check_token(secret)
        request.scope["howsure.caller"] = caller.id
        return caller

    async def _decide(self, caller: "Caller", arguments: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = (await self._service.run(caller, self._check, arguments)).result
        return result


def _options(body: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return the options of `check` for a response, and whether a blocked one is replaced.

    Raises:
        InputError: if a parameter of the guardrail is unknown.
    """
    field = "additional_provider_specific_params"
    given = dict(_mapping(body, field))
    on_blocked = given.pop("on_blocked", "block")
    if on_blocked not in ON_BLOCKED:
        raise InputError(
            f"unknown value {shown(on_blocked)}", field=f"{field}.on_blocked", hint=" or ".join(ON_BLOCKED)
        )
    for name in given:
        if name not in PARAMETERS:
            hint = nearest(name, {*PARAMETERS, "on_blocked"})
            raise InputError(f"unknown parameter {shown(name)}", field=field, hint=hint)
    about = _mapping(body, "request_data")
    agent = given.pop("agent", "") or next((about[name] for name in _NAMES if about.get(name)), "litellm")
    ids = {"task_id": body.get("litellm_call_id"), "trace_id": body.get("litellm_trace_id")}
    return {**given, "agent": agent, **{name: value for name, value in ids.items() if value}}, on_blocked == "replace"


def _check_texts(texts: list[Any]) -> None:
    """Raise HTTPError unless these are texts: what cannot be read must not be let through."""
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            hint = "a list of strings, one for each choice"
            raise HTTPError(400, "invalid_input", f"{shown(text)} is not a text", field=f"texts[{number}]", hint=hint)


def _list(body: Mapping[str, Any], name: str) -> list[Any]:
    value = body.get(name)
    if value is not None and not isinstance(value, list):
        raise HTTPError(400, "invalid_input", f"{shown(value)} is not a list", field=name)
    return value or []


def _mapping(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = body.get(name)
    if value is not None and not isinstance(value, Mapping):
        raise HTTPError(400, "invalid_input", f"{shown(value)} is not an object", field=name)
    return value or {}


def _count(texts: list[str]) -> int:
    return 100 + sum(map(len, texts))  # with something for the entry itself, so that empty ones are bounded too
