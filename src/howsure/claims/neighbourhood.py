"""A neighbourhood: the claims around one, and how they are related."""

from dataclasses import dataclass
from typing import NamedTuple

from howsure.claims.find import StoredClaim, read_one
from howsure.errors import InputError
from howsure.formulas.claim import RelationKind
from howsure.graph.sql import ReadOptions
from howsure.store.claims import relations_of
from howsure.store.database import Transaction
from howsure.store.session import Session


class Relation(NamedTuple):
    """One claim, what it does, and to which other."""

    source: str
    kind: RelationKind
    target: str
    strength: float


@dataclass(frozen=True)
class Neighbourhood:
    """What is related to a claim, up to some steps away."""

    claims: list[StoredClaim]
    """The claim itself, then the others, the nearest first."""
    distances: dict[str, int]
    """How many steps each claim is away, by its id."""
    relations: list[Relation]
    """Every relation between these claims; the same pair and kind once, at its highest strength."""
    left_out: int
    """Claims within reach that are too many."""


def neighbourhood(session: Session, claim: str, reading: ReadOptions, depth: int, most: int) -> Neighbourhood:
    """Return the claims around one, at most so many; forgotten ones and those of later are left out."""
    with session.database.read() as transaction:
        first, key = read_one(transaction, claim, reading)
        found, distances = {key: first}, {key: 0}
        edge, left_out = [key], 0
        for step in range(1, depth + 1):
            beyond = dict.fromkeys(
                end
                for source, _, target, _ in relations_of(transaction, edge, reading.as_of)
                for end in (source, target)
                if end not in found
            )
            near = {end: one for end in beyond if (one := _read(transaction, end, reading)) is not None}
            edge = sorted(near, key=lambda end: (-near[end].interval.midpoint, end))[: most - len(found)]
            left_out += len(near) - len(edge)
            found |= {end: near[end] for end in edge}
            distances |= dict.fromkeys(edge, step)
        strongest: dict[tuple[str, RelationKind, str], float] = {}
        for source, kind, target, strength in relations_of(transaction, list(found), reading.as_of):
            if source in found and target in found:
                pair = (found[source].id, kind, found[target].id)
                strongest[pair] = max(strength, strongest.get(pair, 0.0))
    relations = [Relation(*pair, strength) for pair, strength in strongest.items()]
    by_id = {found[end].id: step for end, step in distances.items()}
    return Neighbourhood(list(found.values()), by_id, relations, left_out)


def _read(transaction: Transaction, key: int, reading: ReadOptions) -> StoredClaim | None:
    """Return a claim by its key; nothing, if it is forgotten or was not there yet."""
    id_ = transaction.value("SELECT id FROM claims WHERE key = ?", [key])
    try:
        found, _ = read_one(transaction, str(id_), reading)
    except InputError:
        return None
    return None if found.status == "forgotten" else found
