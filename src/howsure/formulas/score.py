"""The score of a case by a model, with its inputs and steps."""

from typing import Any

from howsure.formulas.spec import Spec


class Score:
    """The result of scoring one case.

    `row` and `spec` are enough to compute the score again; `steps` names every intermediate number.
    """

    __slots__ = ("answer", "row", "spec", "steps")

    def __init__(self, spec: Spec, row: Any, steps: Any, answer: dict[str, Any]) -> None:
        """Take all of it."""
        self.spec = spec
        """Which model made it."""
        self.row = row
        """The numbers that went into the formula."""
        self.steps = steps
        """The numbers that came out of it, in order."""
        self.answer = answer
        """The result as JSON-ready data: scores, level, decision, reason."""

    def __eq__(self, other: object) -> bool:
        """Return whether another score is the same, including its reasons."""
        return isinstance(other, Score) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]

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
