"""What the adapters for agent frameworks share: a gate with its options, texts out of messages, what to do if blocked.

Messages of a framework are data. Texts are taken out of them; nothing that they say is followed.
"""

from asyncio import to_thread
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import TYPE_CHECKING, Any, Literal

from howsure.default_gate import gate as default_gate
from howsure.errors import BlockedError
from howsure.responses.gate import ResponseDecision
from howsure.responses.signals import MOST_TEXTS
from howsure.settings import Policy

if TYPE_CHECKING:
    from howsure.sure import Sure

OnBlocked = Literal["raise", "replace", "retry"]
"""What to do with a response that does not pass: raise BlockedError, say "I don't know", or ask the model again."""
_TOOL = frozenset({"tool", "function", "function_call_output"})
"""Roles and types of messages that hold what a tool returned."""


@dataclass(frozen=True)
class ResponseGate:
    """Decides about the responses of an agent in a framework, and records each decision before returning it."""

    agent: str = ""
    """Name of the agent in the ledger; default: the name that the framework knows."""
    agent_type: str = ""
    """Type of the agent; sets the threshold."""
    project: str | None = None
    threshold: float | None = None
    """The composite that is needed; default: by agent, agent type, project or settings."""
    promise: float | None = None
    """At most this share of what passes is wrong, instead of a threshold."""
    policy: Policy | None = None
    shadow: bool | None = None
    """Decide and record, but let everything through; default: the setting `gate.shadow`."""
    sure: "Sure | None" = None
    """The open store; default: the store of the settings."""

    def check(
        self,
        text: str,
        *,
        agent: str = "",
        context: Sequence[str] | None = None,
        question: str = "",
        task_id: str | None = None,
    ) -> ResponseDecision:
        """Decide about a response, given the texts that the framework has retrieved for it.

        Raises:
            InputError: if an option is invalid.
            StoreError: if the decision cannot be recorded.
        """
        check = default_gate if self.sure is None else self.sure.responses.check
        texts = [one for one in context or () if one.strip()]
        return check(
            text,
            agent=self.agent or agent,
            agent_type=self.agent_type,
            project=self.project,
            threshold=self.threshold,
            promise=self.promise,
            policy=self.policy,
            shadow=self.shadow,
            context=texts[-MOST_TEXTS:] or None,
            question=question,
            task_id=task_id,
        )

    async def acheck(
        self,
        text: str,
        *,
        agent: str = "",
        context: Sequence[str] | None = None,
        question: str = "",
        task_id: str | None = None,
    ) -> ResponseDecision:
        """Do the same as `check` without blocking the event loop."""
        return await to_thread(self.check, text, agent=agent, context=context, question=question, task_id=task_id)


def replace_blocked(decision: ResponseDecision, on_blocked: OnBlocked = "replace") -> str:
    """Return what to say instead of a blocked response.

    Raises:
        BlockedError: if an error was asked for.
    """
    if on_blocked == "raise":
        raise BlockedError(decision.reason, decision=decision)
    return decision.message


def ask_again(decision: ResponseDecision) -> str:
    """Return what to tell a model whose response was blocked: why, and what would help."""
    needed = f" Needed: {decision.lifts[0].words}." if decision.lifts else ""
    return (
        f"Your response was not sent: {decision.reason}.{needed} Look up what is missing and answer again from what "
        "you find, or say that you don't know."
    )


def confidence(decision: ResponseDecision) -> float:
    """Return the probability that a response is right, or its composite until a fit has been learned."""
    return decision.composite if decision.probability is None else decision.probability


def content_text(content: Any) -> str:
    """Return the text of a message's content: a string, or a list of parts of which some are text.

    >>> content_text(["Hello ", {"type": "text", "text": "world"}, {"type": "image", "url": "..."}])
    'Hello world'
    """
    parts = content if isinstance(content, list | tuple) else [content]
    texts = [part if isinstance(part, str) else _get(part, "text") for part in parts]
    return "".join(text for text in texts if isinstance(text, str))


def output_text(output: Any) -> str:
    """Return the final output of an agent as text; fields of a structured output as lines.

    >>> print(output_text({"port": 8443, "hosts": ["a", "b"]}))
    port: 8443
    hosts: a, b
    """
    if hasattr(output, "model_dump"):
        output = output.model_dump()
    elif is_dataclass(output) and not isinstance(output, type):
        output = asdict(output)
    if isinstance(output, Mapping):
        return "\n".join(f"{name}: {output_text(value)}" for name, value in output.items())
    if isinstance(output, list | tuple):
        return ", ".join(map(output_text, output))
    return "" if output is None else str(output)


def tool_results(messages: Iterable[Any]) -> list[str]:
    """Return what tools returned without an error, from messages with a role or a type.

    >>> tool_results([{"role": "user", "content": "Which port?"}, {"role": "tool", "content": "port 8443"}])
    ['port 8443']
    """
    texts = []
    for message in messages:
        kind = _get(message, "role") or _get(message, "type")
        if (
            isinstance(kind, str)
            and kind in _TOOL
            and not _get(message, "error")
            and _get(message, "status") not in ("error", "incomplete")
        ):
            texts.append(content_text(_get(message, "content") or _get(message, "output")))
    return [text for text in texts if text.strip()]


def _get(message: Any, name: str) -> Any:
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)
