"""What the adapters for agent frameworks share: a gate with its options, and what to do with a blocked response."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from howsure.asynchronous import asynchronous
from howsure.default_gate import gate as default_gate
from howsure.errors import BlockedError
from howsure.responses.gate import ResponseDecision
from howsure.responses.signals import MOST_TEXTS, read_context
from howsure.settings import Policy

if TYPE_CHECKING:
    from howsure.sure import Sure

OnBlocked = Literal["raise", "replace", "retry"]
"""What to do with a response that does not pass: raise BlockedError, say "I don't know", or ask the model again."""


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
        context: str | Sequence[str] | None = None,
        question: str = "",
        task_id: str | None = None,
    ) -> ResponseDecision:
        """Decide about a response, given the texts that the framework has retrieved for it.

        Raises:
            InputError: if the context or an option is invalid.
            StoreError: if the decision cannot be recorded.
        """
        check = default_gate if self.sure is None else self.sure.responses.check
        options = {**vars(self), "agent": self.agent or agent, "question": question, "task_id": task_id}
        del options["sure"]
        return check(text, **options, context=read_context(context)[-MOST_TEXTS:] or None)

    acheck = asynchronous(check)


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
    advice = "Look up what is missing and answer again from what you find, or say that you don't know."
    return f"Your response was not sent: {decision.reason}.{needed} {advice}"


def confidence(decision: ResponseDecision) -> float:
    """Return the probability that a response is right, or its composite until a fit has been learned."""
    return decision.composite if decision.probability is None else decision.probability
