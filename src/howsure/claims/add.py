"""Adding claims: what is new is created, what is known is corroborated, what is wrong is told."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from howsure.errors import InputError, shown
from howsure.files import new_id
from howsure.formulas.claim import ClaimFormula, Source
from howsure.formulas.decay import DAY, HOUR, HalfLives, Tier
from howsure.shapes import Amount, Moment, Unit, decode
from howsure.store import claims as table
from howsure.store.claims import NewClaim
from howsure.store.database import Transaction
from howsure.store.session import Session

DEFAULT_CONTRIBUTION = 0.5
TTL: dict[Tier, float | None] = {"ephemeral": 12 * HOUR, "task": 7 * DAY, "project": 90 * DAY, "persistent": None}
"""Seconds after which a claim expires, by tier."""
DEEPEST_NAMESPACE = 5
LATEST = 1e12
"""The last moment that there is."""
LONGEST = {"statement": 65_536, "namespace": 500, "source_type": 500, "source_id": 1000}
"""Bytes that a text may have; any other 2000."""


@dataclass(frozen=True)
class ClaimInput:
    """A claim as it is handed in."""

    statement: str
    """What is claimed, in words."""
    subject: str | None = None
    """What it is about."""
    predicate: str | None = None
    """What is said of it."""
    object: str | None = None
    """The value that it is said to have."""
    namespace: str = "default"
    """Where it belongs: a path of at most five parts, like `team/project`."""
    tier: Tier = "task"
    """How long it is meant to live. Persistent only by promotion."""
    source: str | None = None
    """Who says so, as TYPE:ID."""
    contribution: Unit | None = None
    """How much that counts; 0.5, if not given."""
    provenance: tuple[Source, ...] = ()
    """Who says so, as several entries."""
    stale_at: Moment | Literal["never"] | None = None
    """When it starts to lose confidence, or `never`; one half-life after it is created, if not given."""
    ttl: Amount | None = None
    """Seconds until it expires; by tier, if not given."""
    valid_from: Moment | None = None
    """When it starts to hold."""
    valid_until: Moment | None = None
    """When it stops to hold."""

    def __post_init__(self) -> None:
        """Refuse what cannot be kept."""
        named = [entry.source_type + entry.source_id + entry.context for entry in self.provenance]
        if not _harmless("".join((self.statement, self.namespace, self.source or "", *named))):
            self._check_each_text()
        check_text("subject", self.subject)
        check_text("predicate", self.predicate)
        check_text("object", self.object)
        if not self.statement.strip():
            raise InputError("a claim needs a statement", field="statement")
        check_namespace(self.namespace)
        if self.tier == "persistent":
            raise InputError(
                "a claim becomes persistent by promotion only", field="tier", hint="add it, then promote it"
            )
        if self.source is not None:
            kind, colon, name = self.source.partition(":")
            if not (kind and colon and name):
                raise InputError(f"{shown(self.source)} is not TYPE:ID", field="source", hint="like user_input:ann")
            check_text("source_type", kind, "source")
            check_text("source_id", name, "source")
        if self.valid_from is not None and self.valid_until is not None and self.valid_from >= self.valid_until:
            raise InputError(
                "the claim would never be valid", field="valid_until", hint="it has to be after valid_from"
            )

    def _check_each_text(self) -> None:
        for name in ("statement", "namespace"):
            check_text(name, getattr(self, name))
        for index, entry in enumerate(self.provenance):
            for name in ("source_type", "source_id", "context"):
                check_text(name, getattr(entry, name), f"provenance[{index}].{name}")


@lru_cache(maxsize=1024)
def check_namespace(namespace: str) -> None:
    """Refuse what is no namespace: empty parts, wildcards, too many parts."""
    parts = namespace.split("/")
    if not all(part.strip() for part in parts) or "*" in namespace:
        raise InputError(f"{shown(namespace)} is no namespace", field="namespace", hint="like team/project")
    if len(parts) > DEEPEST_NAMESPACE:
        raise InputError(f"{len(parts)} parts are too deep", field="namespace", hint=f"at most {DEEPEST_NAMESPACE}")


def _harmless(text: str) -> bool:
    """Say at once what holds of nearly every text: it is plain, and short enough for any field."""
    return len(text) <= LONGEST["namespace"] and text.isascii() and "\x00" not in text


class Added(NamedTuple):
    """What became of a claim that was handed in."""

    outcome: Literal["created", "corroborated", "failed"]
    id: str | None = None
    """Id of the claim that was created or corroborated."""
    reason: str = ""
    """Why it failed."""


def check_text(name: str, text: str | None, field: str = "") -> None:
    """Refuse a text that the stores cannot keep: NUL bytes, lone surrogates, and what is too long."""
    if text is None or _harmless(text):
        return
    if "\x00" in text:
        raise InputError("a text cannot hold a NUL byte", field=field or name)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InputError("the text is broken Unicode (a lone surrogate)", field=field or name) from None
    longest = LONGEST.get(name, 2000)
    if size > longest:
        hint = f"at most {longest}; a claim is a statement, not a document"
        raise InputError(f"{size} bytes are too many", field=field or name, hint=hint)


def normalised(text: str) -> str:
    """Return a statement as it is compared with others: without case, needless white space and a final full stop.

    >>> normalised("  The Sky  is blue. ")
    'the sky is blue'
    """
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.split()).rstrip(".! ")


def _digest(*parts: str) -> str:
    return sha256("\x1f".join(map(normalised, parts)).encode()).hexdigest()[:32]


def statement_key(statement: str) -> str:
    """Return what two statements have in common if they say the same."""
    return _digest(statement)


def triple_key(subject: str | None, predicate: str | None, object_: str | None) -> str | None:
    """Return what two triples have in common if they say the same; nothing for an incomplete one."""
    if subject is None or predicate is None or object_ is None:
        return None
    return _digest(subject, predicate, object_)


def entries_of(given: ClaimInput, at: float) -> tuple[Source, ...]:
    """Return the provenance entries of a claim handed in, with defaults filled in."""
    entries = given.provenance
    if given.source is not None:
        kind, _, name = given.source.partition(":")
        entries = (*entries, Source(kind, name, given.contribution))
    elif given.contribution is not None and not entries:
        raise InputError("a contribution needs a source", field="source", hint="like user_input:ann")
    return tuple(
        Source(
            entry.source_type,
            entry.source_id,
            DEFAULT_CONTRIBUTION if entry.contribution is None else entry.contribution,
            at if entry.at is None else entry.at,
            entry.context,
        )
        for entry in entries
    )


_date = attrgetter("at")


def prepared(given: ClaimInput, now: float, formula: ClaimFormula) -> NewClaim:
    """Return a claim ready to be written, with defaults filled in."""
    entries = entries_of(given, now)
    ttl = TTL[given.tier] if given.ttl is None else given.ttl
    return NewClaim(
        id=new_id("c", now),
        statement=given.statement,
        statement_key=statement_key(given.statement),
        namespace=given.namespace,
        tier=given.tier,
        created_at=now,
        base=formula.alone(min(entries, key=_date).contribution if entries else None),
        provenance=entries,
        subject=given.subject,
        predicate=given.predicate,
        object=given.object,
        triple_key=triple_key(given.subject, given.predicate, given.object),
        stale_at=_stale_at(given, now, formula.half_life),
        expires_at=None if ttl is None else min(now + ttl, LATEST),
        valid_from=given.valid_from,
        valid_until=given.valid_until,
    )


def _stale_at(given: ClaimInput, now: float, half_life: HalfLives) -> float | None:
    if isinstance(given.stale_at, str):
        return None
    return min(now + half_life.of(given.tier), LATEST) if given.stale_at is None else given.stale_at


def add(session: Session, given: Sequence[Any], now: float | None = None) -> list[Added]:
    """Add claims. Each is done as a whole or not at all; one that fails does not harm the others."""
    at = session.at(now)
    results = []
    with session.write() as transaction:
        for one in given:
            try:
                with transaction.savepoint():
                    results.append(add_one(transaction, session, decode(ClaimInput, one), at))
            except InputError as error:
                results.append(Added("failed", reason=str(error)))
    return results


def add_one(transaction: Transaction, session: Session, given: ClaimInput, at: float) -> Added:
    """Create a claim, or corroborate the one that says the same."""
    new = prepared(given, at, session.formula)
    known = table.same_claim(transaction, new.namespace, new.statement_key, new.triple_key)
    if known is None:
        (key,) = table.insert(transaction, [new.ready()])
        transaction.run(table.INSERT_EVENT, [key, at, session.actor, "created", "active", ""])
        return Added("created", new.id)
    table.add_sources(transaction, known, new.provenance, at)
    said = ", ".join(f"{entry.source_type}:{entry.source_id}" for entry in new.provenance)
    table.record(transaction, known, at, session.actor, "corroborated", said[:500])
    return Added("corroborated", str(transaction.value("SELECT id FROM claims WHERE key = ?", [known])))
