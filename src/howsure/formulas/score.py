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

    answer: Annotated[dict[str, Any], Inline()]
    """The result as JSON-ready data: scores, level, decision, reason."""
    row: Any
    """The numbers that went into the formula."""
    steps: Any
    """The numbers that came out of it, in order."""
    spec: ModelSpec
    """Which model made it."""

    def __eq__(self, other: object) -> bool:
        """Return whether another score is the same, including its reasons."""
        return isinstance(other, Score) and self._parts() == other._parts()

    def _parts(self) -> tuple[Any, ...]:
        return self.answer, self.row, self.steps, self.spec

    def __repr__(self) -> str:
        """Return the model's name and its answer."""
        return f"Score({self.spec.name}, {self.answer})"

    def __getitem__(self, name: str) -> Any:
        """Return one part of the answer."""
        return self.answer[name]
