"""Choose the threshold of a response from the settings, or else the model's default."""

from typing import TYPE_CHECKING, NamedTuple

from howsure.formulas.response_case import DEFAULT_THRESHOLD, THRESHOLDS, agent_kind
from howsure.ledger.recorder import Subject
from howsure.settings import THRESHOLD, THRESHOLD_AGENTS, THRESHOLD_PROJECTS, THRESHOLD_TYPES, Settings

if TYPE_CHECKING:  # each policy loads its model when it is used
    from howsure.formulas.evidence import Evidence
    from howsure.formulas.response import Response


class ResponseThreshold(NamedTuple):
    """The composite that a response has to reach."""

    threshold: float
    threshold_from: str
    """Where it comes from: given, set for the agent, its type, the project or all responses, or the default."""


class Thresholds:
    """The thresholds of the settings. The most specific one applies: agent, agent type, project, all responses."""

    def __init__(self, settings: Settings) -> None:
        """Read the settings; where they are silent, the default for the agent's type applies."""
        self._agents: dict[str, float] = settings.value(THRESHOLD_AGENTS)
        self._types = {agent_kind(kind): value for kind, value in settings.value(THRESHOLD_TYPES).items()}
        self._projects: dict[str, float] = settings.value(THRESHOLD_PROJECTS)
        self._all: float | None = settings.value(THRESHOLD)

    def resolve(self, subject: Subject, model: "Response | Evidence | None" = None) -> ResponseThreshold:
        """Return the threshold that applies to responses of an agent; a model has its own defaults."""
        places = (
            ("the agent", self._agents.get(subject.agent)),
            ("the agent type", self._types.get(agent_kind(subject.agent_type)) if self._types else None),
            ("the project", self._projects.get(subject.project)),
            ("all responses", self._all),
        )
        for place, value in places:
            if value is not None:
                return ResponseThreshold(value, f"set for {place}")
        if model is None:
            default = THRESHOLDS.get(agent_kind(subject.agent_type), DEFAULT_THRESHOLD)
        else:
            default = model.threshold_of(subject.agent_type)
        return ResponseThreshold(default, "the default for the agent type")
