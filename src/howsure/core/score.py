"""A score: the answer of a model, with all that led to it."""

from dataclasses import dataclass
from typing import Any

from howsure.core.spec import Spec


@dataclass(frozen=True)
class Score:
    """What a model made of one case.

    `row` and `spec` are enough to compute the score again; `steps` names every intermediate number.
    """

    spec: Spec
    """Which model made it."""
    row: Any
    """The numbers that went into the formula."""
    steps: Any
    """The numbers that came out of it, in order."""
    answer: dict[str, Any]
    """The result as JSON-ready data: scores, level, decision, reason."""

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
