"""Find statements that contradict each other, by rules for English. Import from here, not from the modules inside."""

from howsure.text.contradictions.clause import ConflictKind
from howsure.text.contradictions.conflicts import Conflict, find_conflicts

__all__ = ["Conflict", "ConflictKind", "find_conflicts"]
