"""A concern: why a document needs attention; the gravest one is told."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from howsure.documents.document import Action, Document, Group, Report


@dataclass(frozen=True)
class Rule:
    """A reason to look at a document."""

    id: str
    level: Literal["error", "warning", "note"]
    short: str
    """What is the matter, in one sentence."""
    full: str
    """What that means."""
    help: str
    """What to do about it."""


BELOW = Rule(
    "below-limit",
    "error",
    "The score is below the limit.",
    "The document's score is below the limit that was asked for, or cannot be known, and so is not above it.",
    "Do what the message says would raise the score, or remove the document.",
)
PROBLEM = Rule(
    "problem",
    "note",
    "Something in the document could not be read, or is missing.",
    "What the document says about itself could not be read in full, so its score rests on less than it might.",
    "Correct what the message names.",
)
DUE: dict[Action, Rule] = {
    "refresh_or_remove": Rule(
        "refresh-or-remove",
        "warning",
        "The document is so old that it is to be refreshed or removed.",
        "Nobody has validated or changed the document for so long that nobody should rely on it.",
        "Bring it up to date and say when it was validated, or remove it.",
    ),
    "human_validation": Rule(
        "human-validation",
        "warning",
        "A person is to validate the document.",
        "The document has not been validated or changed for so long that a person should check what it says.",
        "Check what it says, and say when it was validated.",
    ),
    "review": Rule(
        "review",
        "note",
        "The document is due for a review.",
        "The document has reached the age, or the day, at which it is to be reviewed.",
        "Read it again, and say when it was validated.",
    ),
    "unknown": Rule(
        "unknown-age",
        "note",
        "The age of the document is unknown.",
        "The document does not say when it was validated, and git does not know when it was changed.",
        "Say in the document when it was validated, or commit it.",
    ),
}
"""For each action that is due, the concern."""
RULES = (BELOW, *DUE.values(), PROBLEM)
"""Every concern, the gravest first."""


def concerns(report: Report) -> list[tuple[Document, Rule]]:
    """Return the documents that need attention, in the report's order, each with its gravest concern."""
    below = {id(one) for one in report.below}
    found = []
    for one in report.documents:
        concern = BELOW if id(one) in below else DUE.get(one.action, PROBLEM if one.problems else None)
        if concern is not None:
            found.append((one, concern))
    return found


def neediest(groups: Sequence[Group], limit: int) -> list[Group]:
    """Return the groups in which most is due and the scores are lowest, in the order given."""
    order = sorted(range(len(groups)), key=lambda place: (-groups[place].due, groups[place].score or 0.0, place))
    return [groups[place] for place in sorted(order[: max(limit, 0)])]
