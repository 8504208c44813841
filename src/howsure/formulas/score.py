"""The score of a case by a model, with its inputs and steps."""

from dataclasses import dataclass
from typing import Annotated, Any

from howsure.formulas.spec import ModelSpec
from howsure.shapes.types import Inline


@dataclass(eq=False, repr=False, slots=True)
class Score:  # noqa: PLW1641 - scores are compared, not hashed
    """The result of scoring one case.

    `row` and `spec` are enough to compute the score again; `steps` names every intermediate number.
    """

    spec: ModelSpec
    """Which model made it."""
    row: Any
    """The numbers that went into the formula."""
    steps: Any
    """The numbers that came out of it, in order."""
    answer: Annotated[dict[str, Any], Inline()]
    """The result as JSON-ready data: scores, level, decision, reason."""

    def __eq__(self, other: object) -> bool:
        """Return whether another score is the same, including its reasons."""
        return isinstance(other, Score) and self.as_dict() == other.as_dict()

    def __repr__(self) -> str:
        """Return the model's name and its answer."""
        return f"Score({self.spec.name}, {self.answer})"

    def __getitem__(self, name: str) -> Any:
        """Return one part of the answer."""
        return self.answer[name]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return self.answer | {
            "row": self.row._asdict(),
            "steps": self.steps._asdict(),
            "spec": self.spec._asdict(),
        }
