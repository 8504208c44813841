"""The wire: one request to an OpenAI-compatible endpoint, and what comes back as data."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from howsure.judge.fence import Messages
from howsure.judge.question import Question
from howsure.judge.redaction import Redactor
from howsure.judge.reply import Reader, Reply, Trouble, waiting
from howsure.judge.schema import closed, without_lengths

if TYPE_CHECKING:
    import openai


class Form(NamedTuple):
    """How an answer is asked for."""

    format: Literal["json_schema", "json_object", "text"] = "json_schema"
    """What the endpoint is told about the answer."""
    cool: bool = True
    """Whether temperature 0 is asked for; some models refuse any temperature."""

    def lowered(self, complaint: str) -> "Form | None":
        """Return what to try after an endpoint complained, if anything is left."""
        if self.cool and "temperature" in complaint.lower():
            return self._replace(cool=False)
        if self.format == "json_schema":
            return self._replace(format="json_object")
        return self._replace(format="text") if self.format == "json_object" else None

    def options(self, question: Question) -> dict[str, Any]:
        """Return what this form adds to a request."""
        given: dict[str, Any] = {"temperature": 0} if self.cool else {}
        if self.format == "json_schema":
            schema = {"name": question.task, "schema": without_lengths(question.schema)}
            strict = closed(question.schema)
            given["response_format"] = {"type": "json_schema", "json_schema": schema | {"strict": strict}}
        elif self.format == "json_object":
            given["response_format"] = {"type": "json_object"}
        return given


@dataclass(frozen=True)
class Address:
    """Where a model is, and what is sent along with each question."""

    base_url: str
    model: str
    key: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    extra: Mapping[str, Any] = field(repr=False)
    """Further fields of each request."""
    largest: int
    """Bytes of an answer that are read."""


class Endpoint:
    """Sends requests over one client, from one event loop."""

    def __init__(self, address: Address, redacted: Redactor) -> None:
        """Remember where to send; nothing is loaded or opened yet."""
        self._address, self._redacted = address, redacted
        self._reader = Reader(address.base_url, address.model, redacted)
        self._client: openai.AsyncOpenAI | None = None

    def open(self) -> "openai.AsyncOpenAI":
        """Load what is needed, and make the client; within the event loop that will use it."""
        if self._client is None:
            self._client = _client(self._address)
        return self._client

    async def close(self) -> None:
        """Close all connections."""
        if self._client is not None:
            await self._client.close()

    def _without_key(self) -> dict[str, Any]:
        """Return what keeps the client from sending the stand-in for a key where there is none."""
        import openai

        named = any(name.lower() == "authorization" for name in self._address.headers)
        return {} if self._address.key or named else {"Authorization": openai.Omit()}

    async def send(self, messages: Messages, form: Form, question: Question) -> Reply | Trouble:
        """Send one request, and return what the model wrote or why nothing came."""
        import openai

        said: Any = messages
        headers: Any = self._without_key()
        create = self.open().chat.completions.with_streaming_response.create
        try:
            async with create(
                model=self._address.model,
                messages=said,
                extra_headers=headers,
                extra_body=dict(self._address.extra),
                timeout=None,  # the whole ask is timed
                **form.options(question),
            ) as response:
                body = await _read(response.iter_bytes(), self._address.largest)
        except openai.APIStatusError as error:
            return self._reader.status(error.status_code, error.body, waiting(error.response.headers))
        except (openai.OpenAIError, _transport_error()) as error:
            why = self._redacted.line(str(error.__cause__ or error)) or type(error).__name__
            sent = not type(error.__cause__).__name__.startswith("Connect")
            return Trouble("unreachable", f"{self._address.base_url} cannot be reached: {why}", "wait", charged=sent)
        if body is None:
            return Trouble("truncated", f"the answer is larger than {self._address.largest} bytes", "shorter")
        return self._reader.completion(body)


async def _read(chunks: AsyncIterator[bytes], largest: int) -> bytes | None:
    """Return a body, or nothing as soon as it gets too large."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > largest:
            return None
    return bytes(body)


def _transport_error() -> type[Exception]:
    """Return the error of the HTTP package that the SDK uses, whichever that is."""
    from importlib import import_module

    import openai

    packages = (parent.__module__.partition(".")[0] for parent in openai.DefaultAsyncHttpxClient.__mro__)
    error: type[Exception] = import_module(next(name for name in packages if name != "openai")).HTTPError
    return error


def _client(address: Address) -> "openai.AsyncOpenAI":
    """Return a client that sends nothing but what it is given: nothing of the environment, nothing of the machine."""
    import openai

    usual = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "howsure"}
    if address.key and "authorization" not in map(str.lower, address.headers):
        usual["Authorization"] = f"Bearer {address.key}"

    class Client(openai.AsyncOpenAI):
        @property
        def default_headers(self) -> Any:
            return {**usual, **address.headers}

    return Client(
        base_url=address.base_url,
        api_key=address.key or "none",
        max_retries=0,
        # What was meant for one address is not sent on to another.
        http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
    )
