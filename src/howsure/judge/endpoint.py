"""Send one request to an OpenAI-compatible endpoint by the openai SDK, and return what comes back as data."""

import re
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from howsure.errors import InputError, shown
from howsure.judge.fence import Messages, short_line
from howsure.judge.question import Question
from howsure.judge.reply import Problem, Reply, ReplyReader, retry_after
from howsure.judge.schema import is_strict, without_lengths
from howsure.redaction import SecretFilter

if TYPE_CHECKING:
    import openai

_SENDABLE = re.compile(r"[\x20-\x7e]*")
"""Header values: printable ASCII."""


class RequestForm(NamedTuple):
    """Which features of the API a request uses; endpoints that know fewer get a simpler one."""

    format: Literal["json_schema", "json_object", "text"] = "json_schema"
    """How the endpoint is told the shape of the answer."""
    temperature: bool = True
    """Whether temperature 0 is requested; some models reject any temperature."""

    def simpler(self, complaint: str) -> "RequestForm | None":
        """Return the form to try after an endpoint rejected this one, or None if none is left."""
        if self.temperature and "temperature" in complaint.lower():
            return self._replace(temperature=False)
        if self.format == "json_schema":
            return self._replace(format="json_object")
        return self._replace(format="text") if self.format == "json_object" else None

    def options(self, question: Question) -> dict[str, Any]:
        """Return the fields that this form adds to a request."""
        fields: dict[str, Any] = {"temperature": 0} if self.temperature else {}
        if self.format == "json_schema":
            schema = {"name": question.task, "schema": without_lengths(question.schema)}
            strict = is_strict(question.schema)
            fields["response_format"] = {"type": "json_schema", "json_schema": schema | {"strict": strict}}
        elif self.format == "json_object":
            fields["response_format"] = {"type": "json_object"}
        return fields


@dataclass(frozen=True)
class Address:
    """Where a model is, and what is sent with each question."""

    base_url: str
    model: str
    key: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    extra: Mapping[str, Any] = field(repr=False)
    """Further fields of each request."""
    max_bytes: int
    """Bytes of a reply that are read at most."""


def check_base_url(base_url: str) -> str:
    """Return the address of an endpoint; raise InputError unless it is http(s) without user, password and query."""
    try:
        parts = urlsplit(base_url)
        host = (parts.hostname or "").encode("idna") if parts.port != 0 else b""
    except ValueError:  # an invalid port or host
        host = b""
    if not host or parts.scheme not in ("http", "https"):
        raise InputError(f"invalid address {shown(base_url)}", field="base_url", hint="like https://host/v1")
    if parts.username or parts.password or parts.query or parts.fragment:  # not quoted: it may hold a password
        problem = "the address has a user, a password or a query"
        raise InputError(problem, field="base_url", hint="pass secrets as key or headers")
    return base_url


def parse_header(value: str, name: str) -> str:
    """Return a header value without surrounding space; raise InputError, without quoting it, if it cannot be sent."""
    if not _SENDABLE.fullmatch(value.strip()):
        raise InputError("it has characters that cannot be sent in a header", field=name)
    return value.strip()


class Endpoint:
    """Sends requests by one client, from one event loop."""

    def __init__(self, address: Address, redact: SecretFilter) -> None:
        """Remember the address; nothing is loaded or opened yet."""
        self._address, self._redact = address, redact
        self._reader = ReplyReader(address.base_url, address.model, redact)
        self._client: openai.AsyncOpenAI | None = None

    def open(self) -> "openai.AsyncOpenAI":
        """Load the SDK and create the client, in the event loop that will use it."""
        if self._client is None:
            self._client = _client(self._address)
        return self._client

    async def close(self) -> None:
        """Close all connections."""
        if self._client is not None:
            await self._client.close()

    def _without_key(self) -> dict[str, Any]:
        """Return the header that keeps the SDK from sending a placeholder if there is no key."""
        import openai

        own = any(name.lower() == "authorization" for name in self._address.headers)
        return {} if self._address.key or own else {"Authorization": openai.Omit()}

    async def send(self, messages: Messages, form: RequestForm, question: Question) -> Reply | Problem:
        """Send one request; return the model's reply, or why there is none."""
        import openai

        sent: Any = messages
        headers: Any = self._without_key()
        create = self.open().chat.completions.with_streaming_response.create
        try:
            # Streamed, so that an endless body can be cut off at max_bytes.
            async with create(
                model=self._address.model,
                messages=sent,
                extra_headers=headers,
                extra_body=dict(self._address.extra),
                timeout=None,  # the SDK limits each read, not the whole; ChatJudge limits the whole question
                **form.options(question),
            ) as response:
                body = await _read(response.iter_bytes(), self._address.max_bytes)
        except openai.APIStatusError as error:
            return self._reader.read_status(error.status_code, error.body, retry_after(error.response.headers))
        except (openai.OpenAIError, _transport_error()) as error:
            reason = short_line(self._redact(str(error.__cause__ or error))) or type(error).__name__
            connected = not type(error.__cause__).__name__.startswith("Connect")
            message = f"{self._address.base_url} cannot be reached: {reason}"
            return Problem("unreachable", message, "wait", charged=connected)
        if body is None:
            return Problem("truncated", f"the answer is larger than {self._address.max_bytes} bytes", "shorten")
        return self._reader.read_completion(body)


async def _read(chunks: AsyncIterator[bytes], max_bytes: int) -> bytes | None:
    """Return a body, or None as soon as it is too large."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > max_bytes:
            return None
    return bytes(body)


def _transport_error() -> type[Exception]:
    """Return the error class of the HTTP package below the SDK.

    A body that breaks off while it is read raises this error, which the SDK does not wrap. The package is httpx or its
    successor, depending on the SDK's version.
    """
    import openai

    packages = (parent.__module__.partition(".")[0] for parent in openai.DefaultAsyncHttpxClient.__mro__)
    error: type[Exception] = sys.modules[next(name for name in packages if name != "openai")].HTTPError
    return error


def _client(address: Address) -> "openai.AsyncOpenAI":
    """Return a client that sends only what it is given, nothing about the environment or the machine."""
    import openai

    default = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "howsure"}
    if address.key and "authorization" not in map(str.lower, address.headers):
        default["Authorization"] = f"Bearer {address.key}"

    class Client(openai.AsyncOpenAI):
        @property
        def default_headers(self) -> Any:
            return {**default, **address.headers}

    return Client(
        base_url=address.base_url,
        api_key=address.key or "none",
        max_retries=0,  # see howsure.judge.attempts
        # Redirects would send the key and the question to another address.
        http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
    )
