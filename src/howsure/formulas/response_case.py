"""What the models of responses share: checks of code, an agent's track record, levels and thresholds."""

from dataclasses import fields
from functools import cached_property, lru_cache
from typing import Annotated, Protocol

from howsure.errors import InputError
from howsure.formulas.level import Level, level_of, with_starts
from howsure.shapes import Count, Within
from howsure.shapes.types import Record, record

LEVELS = (
    Level("HIGH", 0.90, "very confident", exclusive=True),
    Level("MODERATE", 0.75, "confident, with caution"),
    Level("LOW", 0.50, 'consider "I don\'t know"'),
    Level("VERY_LOW", 0.0, 'say "I don\'t know"'),
)
"""What a composite means. The threshold decides; the level informs."""

THRESHOLDS = {"planner": 0.75, "patcher": 0.80, "validator": 0.85, "dgts_enforcer": 0.90, "clerk": 0.70}
"""Composite that a response must reach, by type of agent."""
DEFAULT_THRESHOLD = 0.80
"""Composite that it must reach for any other type."""

MOST_SHOWN = 100
"""Markers of each kind that a result lists."""
FACTORS = ("knowledge_base", "code_validation", "certainty", "history")


Similarity = Annotated[float, Within(-1.0, 1.0)]
"""Similarity of a retrieved document to the question."""


@record(frozen=True, eq=False, repr=False)
class CodeChecks(Record):
    """Results of the checks of the code in a response. A check that was not made is null and adds nothing."""

    exists: bool | None = None
    """The code that the response refers to exists."""
    syntax_valid: bool | None = None
    """It parses."""
    types_valid: bool | None = None
    """Its types check."""
    tests_exist: bool | None = None
    """It has tests."""
    tests_pass: bool | None = None
    """Its tests pass."""


CHECKS = tuple(check.name for check in fields(CodeChecks))


@record(frozen=True, eq=False, repr=False)
class AgentHistory(Record):
    """The agent's track record within the look-back window."""

    met: Count = 0
    """Responses that met their threshold."""
    total: Count = 0
    """All responses."""
    right: Count = 0
    """Responses that turned out right."""
    outcomes: Count = 0
    """Responses with a known outcome."""

    def __post_init__(self) -> None:
        """Raise InputError if a part is larger than its whole."""
        for part, whole in (("met", "total"), ("right", "outcomes")):
            if getattr(self, part) > getattr(self, whole):
                raise InputError(f"{getattr(self, part)} is more than {whole}, {getattr(self, whole)}", field=part)


@lru_cache(maxsize=256)
def agent_kind(name: str) -> str:
    """Return the type of an agent in the form in which types are compared.

    >>> agent_kind(" DGTS Enforcer")
    'dgts_enforcer'
    """
    return "_".join(name.replace("-", " ").replace("_", " ").lower().split())


def apart(low: float, high: float, scale: float = 1.0) -> tuple[str, str]:
    """Return two different numbers with enough digits to see that they differ.

    >>> apart(0.5, 0.8), apart(0.796, 0.8), apart(0.796, 0.8, 100.0)
    (('0.50', '0.80'), ('0.796', '0.800'), ('79.6', '80.0'))
    """
    start = 0 if scale > 1 else 2
    for digits in (*range(start, 12), start):
        texts = f"{low * scale:.{digits}f}", f"{high * scale:.{digits}f}"
        if texts[0] != texts[1]:
            break
    return texts


def check_given_once(case: object, ways: tuple[tuple[str, str], ...]) -> None:
    """Raise InputError if a factor is given in two ways, such as a number and what it is computed from."""
    for one, other in ways:
        if getattr(case, one) is not None and getattr(case, other) is not None:
            raise InputError(f"this factor is given by {other} too", field=one, hint="give one of them")


def counted(factor: float | None) -> tuple[float, float]:
    """Return a factor and 1 if it is known, else zeros.

    >>> counted(0.7), counted(None)
    ((0.7, 1.0), (0.0, 0.0))
    """
    return (0.0, 0.0) if factor is None else (factor + 0.0, 1.0)  # a float, and never minus zero


class ThresholdsAndLevels:
    """What the models of responses do with their parameters `thresholds`, `default_threshold` and `level_starts`."""

    thresholds: dict[str, float]
    default_threshold: float
    level_starts: tuple[float, float, float]

    def threshold(self, case: "ThresholdCase") -> float:
        """Return the composite that the response must reach."""
        if case.threshold is not None:
            return case.threshold
        return self.threshold_of(case.agent_type)

    def threshold_of(self, agent_type: str) -> float:
        """Return the composite that responses of a type of agent must reach."""
        return self._needed.get(agent_kind(agent_type), self.default_threshold)

    @cached_property
    def _needed(self) -> dict[str, float]:
        """Thresholds by type of agent, in the form in which types are compared; the first of two equal types wins."""
        return {agent_kind(kind): needed for kind, needed in reversed(self.thresholds.items())}

    def level(self, sure: float) -> str:
        """Return the level of a composite or probability."""
        return level_of(sure, self._levels).name

    @cached_property
    def _levels(self) -> tuple[Level, ...]:
        return with_starts(LEVELS, self.level_starts)


class ThresholdCase(Protocol):
    """A case with an agent type, and with a threshold of its own or None."""

    @property
    def agent_type(self) -> str:
        """Type of the agent."""

    @property
    def threshold(self) -> float | None:
        """Threshold for this response."""
