"""An answer: what is known about it when it is judged."""

from dataclasses import dataclass, fields
from typing import Annotated

from howsure.errors import InputError
from howsure.shapes import Count, Unit, Within

Similarity = Annotated[float, Within(-1.0, 1.0)]


@dataclass(frozen=True)
class Code:
    """What was checked of the code in an answer. A check that was not made is null and earns nothing."""

    exists: bool | None = None
    """The code that the answer speaks of is there."""
    syntax_valid: bool | None = None
    """It parses."""
    types_valid: bool | None = None
    """Its types check."""
    tests_exist: bool | None = None
    """There are tests for it."""
    tests_pass: bool | None = None
    """They pass."""


CHECKS = tuple(check.name for check in fields(Code))


@dataclass(frozen=True)
class History:
    """How the agent has done within the look-back window."""

    met: Count = 0
    """Answers that met their threshold."""
    total: Count = 0
    """Answers in all."""
    right: Count = 0
    """Answers that turned out right."""
    outcomes: Count = 0
    """Answers of which that is known."""

    def __post_init__(self) -> None:
        """Refuse parts that are larger than their whole."""
        for part, whole in (("met", "total"), ("right", "outcomes")):
            if getattr(self, part) > getattr(self, whole):
                raise InputError(f"{getattr(self, part)} is more than {whole}, {getattr(self, whole)}", field=part)


@dataclass(frozen=True)
class Answer:
    """An answer and what is known about it. What is null or missing was not looked at."""

    agent_type: str = ""
    """Type of the agent; sets the threshold."""
    similarities: tuple[Similarity, ...] | None = None
    """Similarity of each retrieved document. An empty list: retrieval found nothing."""
    code: Code | None = None
    """Checks of the code in the answer."""
    response: str | None = None
    """Text of the answer; null before it is generated."""
    history: History | Unit | None = None
    """How the agent has done, as counts or as a share."""
    knowledge_base: Unit | None = None
    """Knowledge factor as a number, instead of similarities."""
    code_validation: Unit | None = None
    """Code factor as a number, instead of checks."""
    certainty: Unit | None = None
    """Certainty factor as a number, instead of a text."""
    threshold: Unit | None = None
    """Threshold for this answer, instead of the agent type's."""

    def __post_init__(self) -> None:
        """Refuse a factor that is given twice."""
        for number, evidence in (("knowledge_base", "similarities"), ("code_validation", "code")):
            if getattr(self, number) is not None and getattr(self, evidence) is not None:
                raise InputError(
                    f"this factor is given as a number and by {evidence}",
                    field=number,
                    hint="give one of them",
                )
