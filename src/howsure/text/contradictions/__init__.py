"""Find statements that contradict each other, by rules for English. Import from here, not from the modules inside."""

from howsure.text.contradictions.clause import Clash, ConflictKind
from howsure.text.contradictions.compatible import excepts, reverses, speaks_of_another_time
from howsure.text.contradictions.conflicts import Conflict, ReadUnreported, find_conflicts
from howsure.text.contradictions.pair_features import find_clash
from howsure.text.contradictions.pairs import VERSION, PairReading, read_pair
from howsure.text.contradictions.roles import find_exchanged_roles

__all__ = [
    "VERSION",
    "Clash",
    "Conflict",
    "ConflictKind",
    "PairReading",
    "ReadUnreported",
    "excepts",
    "find_clash",
    "find_conflicts",
    "find_exchanged_roles",
    "read_pair",
    "reverses",
    "speaks_of_another_time",
]
