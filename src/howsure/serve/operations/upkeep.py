"""Upkeep: what the janitor does."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from howsure.claims.janitor import Action
from howsure.serve.operations.operation import FEW, operation

if TYPE_CHECKING:
    from howsure.sure import Sure


@dataclass(frozen=True)
class Cleaning:
    """Whether to clean, or only to look."""

    dry_run: bool = True
    """Only tell what would be done."""


class Actions(TypedDict):
    """What was done, or would be."""

    actions: list[Action]


@operation(
    "clean",
    "POST /v1/janitor",
    scope="admin",
    answer=Actions,
    example={"dry_run": True},
    tool=FEW,
    slow=True,
)
def clean(sure: "Sure", given: Cleaning) -> Any:
    """Expire, demote and collect claims, and delete old decisions; or tell what would be done."""
    return {"actions": [action._asdict() for action in sure.clean(dry_run=given.dry_run)]}
