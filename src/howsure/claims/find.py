"""Finding claims, and reading one with its interval and its reasons."""

import base64
import binascii
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from howsure.errors import InputError, UnknownNameError
from howsure.formulas.claim import ClaimCase, Neighbour, Source, Status
from howsure.formulas.decay import Tier
from howsure.formulas.interval import Interval
from howsure.graph.sql import IntervalQuery, ReadOptions, interval_query, invalid_now
from howsure.shapes import Count, Moment, Unit, decode, decode_as
from howsure.store.claims import DISPLAYED, sources_of
from howsure.store.database import Transaction
from howsure.store.selection import Place, Selection, count, select
from howsure.store.session import Session, claim_formula, key_of

if TYPE_CHECKING:
    from howsure.claims.deliberate import Deliberation

_KEY = "SELECT CAST(:key AS BIGINT)"


@dataclass(frozen=True)
class StoredClaim:
    """A claim as it stands at the moment it is read."""

    id: str
    statement: str
    subject: str | None
    predicate: str | None
    object: str | None
    namespace: str
    tier: Tier
    created_at: float
    stale_at: float | None
    expires_at: float | None
    valid_from: float | None
    valid_until: float | None
    accessed_at: float
    base: Interval
    """Interval by the earliest source alone, as it was written; for audit."""
    sources: int
    """How many independent sources speak for it. [0, 0] with none means unknown, not false."""
    status: Status
    interval: Interval
    """How sure we are, now."""

    def as_dict(self) -> dict[str, Any]:
        """Return the claim as JSON-ready data; the bounds stand at the top."""
        plain = {name: value for name, value in vars(self).items() if name not in ("base", "interval")}
        base = {"base_lower": self.base.lower, "base_upper": self.base.upper}
        return plain | self.interval.as_dict() | base


@dataclass(frozen=True)
class Page:
    """Some of the claims that were found, and where the rest begins."""

    claims: list[StoredClaim]
    cursor: str | None
    """Hand it to `find` to read on; nothing, at the end."""
    deliberation: "Deliberation | None" = None
    """What the judge makes of them, if that was asked for."""


def find(
    session: Session, wanted: Selection, reading: ReadOptions, limit: int | None, cursor: str | None = None
) -> Page:
    """Return the claims that fit. A cursor pins the moment, the formula, its parameters and the selection."""
    after = None
    if cursor is not None:
        wanted, reading, after = _unpacked(cursor)
    with session.database.read() as transaction:
        rows = select(transaction, reading, wanted, None if limit is None else limit + 1, after)
    more = limit is not None and len(rows) > limit
    rows = rows[:limit] if more else rows
    session.accessed([row[-1] for row in rows])
    return Page([as_claim(row) for row in rows], _packed(wanted, reading, Place(*rows[-1][-2:])) if more else None)


def standing(session: Session, namespace: str | None, reading: ReadOptions) -> dict[str, int]:
    """Return how many claims there are, and how many of them stand where."""
    with session.database.read() as transaction:
        found = count(transaction, reading, Selection(namespace=namespace))
    uncertain = found["total"] - found["strong"] - found["weak"]
    names = ("total", "strong", "uncertain", "weak", "wide", "unverified", "challenged", "stale")
    return {name: uncertain if name == "uncertain" else found[name] for name in names}


def as_claim(row: tuple[Any, ...]) -> StoredClaim:
    """Return a claim from the columns that a selection gives."""
    values: dict[str, Any] = dict(zip(DISPLAYED, row, strict=False))
    lower, upper = row[len(DISPLAYED) : len(DISPLAYED) + 2]
    base = Interval(values.pop("base_lower"), values.pop("base_upper"))
    return StoredClaim(**values, base=base, interval=Interval(lower, upper))


def _packed(wanted: Selection, reading: ReadOptions, place: Place) -> str:
    content = {
        "selection": asdict(wanted),
        "formula": reading.formula.spec._asdict(),
        "now": reading.now,
        "trust": reading.trust,
        "as_of": reading.as_of,
        "after": list(place),
    }
    return base64.urlsafe_b64encode(orjson.dumps(content)).decode().rstrip("=")


def _unpacked(cursor: str) -> tuple[Selection, ReadOptions, Place]:
    try:
        content = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        spec = content["formula"]
        formula = claim_formula(spec["name"], spec["parameters"])
        selection = decode(Selection, content["selection"])
        now, trust, as_of = (
            decode_as(shape, content[name], name)
            for name, shape in (("now", Moment), ("trust", Unit), ("as_of", Moment | None))
        )
        value, key = content["after"]
        place = Place(decode_as(str | Moment, value, "after"), decode_as(Count, key, "after"))
        return selection, ReadOptions(formula, now, trust, as_of), place
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error, InputError, UnknownNameError) as error:
        raise InputError("this is no cursor of ours", field="cursor", hint="use it as it was given") from error


def get(session: Session, claim: str, reading: ReadOptions) -> StoredClaim:
    """Return one claim with its interval, whatever its status."""
    with session.database.read() as transaction:
        found, key = read_one(transaction, claim, reading)
    session.accessed([key])
    return found


def read_one(transaction: Transaction, claim: str, reading: ReadOptions) -> tuple[StoredClaim, int]:
    """Return one claim and its key."""
    key = key_of(transaction, claim)
    row = transaction.one(_one(_query(transaction, reading)), reading.parameters() | {"key": key})
    found = None if row is None else as_claim(row)
    if found is None or (reading.as_of is not None and found.created_at > reading.as_of):
        raise InputError(f"the claim {claim} was not there yet", field="as_of")
    return found, key


@lru_cache(maxsize=128)
def _one(query: IntervalQuery) -> str:
    """Write the query for a single claim. That takes longer than running it, so it is done once."""
    return (
        f"SELECT {query.displayed(DISPLAYED, 'c')}, s.lower, s.upper FROM ({query.intervals(_KEY)}) AS s "
        "JOIN claims c ON c.key = s.claim_key"
    )


def _query(transaction: Transaction, reading: ReadOptions) -> IntervalQuery:
    derived = bool(transaction.value("SELECT 1 FROM claims WHERE depth > 0 LIMIT 1"))
    return interval_query(reading.formula, transaction.dialect, derived=derived, past=reading.as_of is not None)


@dataclass(frozen=True)
class Surroundings:
    """All that acts on a claim."""

    evidence: ClaimCase
    """What its formula looks at."""
    entries: list[Source]
    """Every provenance entry, notes that count for nothing included."""
    neighbours: list[dict[str, Any]]
    """Claims that support or contradict it, each with its strength and influence."""
    constituents: list[StoredClaim]
    """Claims that it was derived from."""


def surroundings(transaction: Transaction, key: int, claim: StoredClaim, reading: ReadOptions) -> Surroundings:
    """Return all that acts on a claim."""
    query = _query(transaction, reading)
    parameters = reading.parameters() | {"key": key}
    names = ("kind", "id", "statement", "strength", "influence")
    rows = transaction.rows(query.neighbours(_KEY), parameters)
    neighbours = [dict(zip(names, row, strict=True)) for row in rows]

    def lent(kind: str) -> tuple[Neighbour, ...]:
        return tuple(Neighbour(n["influence"], n["strength"]) for n in neighbours if n["kind"] == kind)

    entries = sources_of(transaction, key, reading.as_of)
    found = transaction.rows(query.constituents(_KEY), parameters)
    ids = [transaction.value("SELECT id FROM claims WHERE key = ?", [k]) for (k,) in found]
    evidence = ClaimCase(
        reading.now,
        tuple(counting(transaction, key, entries, reading.as_of)),
        claim.tier,
        claim.stale_at,
        lent("supports"),
        lent("contradicts"),
        reading.trust,
    )
    return Surroundings(evidence, entries, neighbours, [read_one(transaction, str(i), reading)[0] for i in ids])


def counting(transaction: Transaction, key: int, entries: list[Source], as_of: float | None = None) -> list[Source]:
    """Return the entries whose source was not invalid."""
    query = (
        "SELECT DISTINCT s.source_type, s.source_id FROM sources s JOIN invalidations v "
        "ON v.source_type = s.source_type AND v.source_id = s.source_id "
        f"WHERE {invalid_now(past=as_of is not None)} AND s.claim = :key"
    )
    invalid = set(transaction.rows(query, {"key": key} | ({} if as_of is None else {"as_of": as_of})))
    return [entry for entry in entries if (entry.source_type, entry.source_id) not in invalid]
