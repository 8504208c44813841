"""Rules by which a document needs attention, and the most serious one that applies to each document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from howsure.documents.document import Action, Document, Group, Report


@dataclass(frozen=True)
class Rule:
    """A reason why a document needs attention."""

    id: str
    level: Literal["error", "warning", "note"]
    short: str
    """The problem, in one sentence."""
    full: str
    """What it means."""
    help: str
    """What to do about it."""


BELOW_LIMIT = Rule(
    "below-limit",
    "error",
    "The score is below the limit.",
    "The document's score is below the limit that was asked for, or it is unknown.",
    "Do what the message says would raise the score, or remove the document.",
)
PROBLEM = Rule(
    "problem",
    "warning",
    "Something in the document is wrong.",
    "A link leads nowhere, a file or code it names is gone, it has expired, or its metadata cannot be read.",
    "Fix what the message names.",
)
GAP = Rule(
    "gap",
    "note",
    "The document leaves something out.",
    "The document describes code by hand, and the code takes parameters that the description does not have.",
    "Add what the message names.",
)
DUE_RULES: dict[Action, Rule] = {
    "refresh_or_remove": Rule(
        "refresh-or-remove",
        "note",
        "The document is so old that it should be refreshed or removed.",
        "Nobody has validated or changed the document for so long that nobody should rely on it.",
        "Update it and add the date of its validation, or remove it.",
    ),
    "human_validation": Rule(
        "human-validation",
        "note",
        "A person should validate the document.",
        "The document has not been validated or changed for so long that a person should check what it says.",
        "Check its content, and add the date of its validation.",
    ),
    "review": Rule(
        "review",
        "note",
        "The document is due for a review.",
        "The document has reached the age, or the day, of its review.",
        "Read it again, and add the date of its validation.",
    ),
    "unknown": Rule(
        "unknown-age",
        "note",
        "The age of the document is unknown.",
        "The document has no date of validation, and git does not know when it was changed.",
        "Add the date of its validation to the document, or commit it.",
    ),
}
"""The rule for each action that is due; a note, since age says nothing about what is on the page."""
RULES = (BELOW_LIMIT, PROBLEM, GAP, *DUE_RULES.values())
"""Every rule, the most serious first."""


def find_issues(report: Report) -> list[tuple[Document, Rule]]:
    """Return the documents that need attention, in the report's order, each with its most serious rule."""
    below = {id(one) for one in report.below}
    issues = []
    for one in report.documents:
        wrong = PROBLEM if one.problems else GAP if one.gaps else None
        rule = BELOW_LIMIT if id(one) in below else wrong or DUE_RULES.get(one.action)
        if rule is not None:
            issues.append((one, rule))
    return issues


def most_urgent_groups(groups: Sequence[Group], limit: int) -> list[Group]:
    """Return the groups with the most due documents and the lowest scores, in their original order."""
    order = sorted(range(len(groups)), key=lambda index: (-groups[index].due, groups[index].score or 0.0, index))
    return [groups[index] for index in sorted(order[: max(limit, 0)])]
