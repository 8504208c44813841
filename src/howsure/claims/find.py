"""Find claims page by page, count them, and read one."""

import base64
import binascii
from dataclasses import asdict, dataclass, field

import orjson

from howsure.claims.claim import Claim, ClaimEvent, claim_from_row, read_claim
from howsure.errors import InputError, UnknownNameError
from howsure.graph.sql import ReadOptions
from howsure.shapes import Count, Moment, Unit, decode, decode_as
from howsure.store.claim_tables.claims import events_of, key_of
from howsure.store.claim_tables.selection import Position, Selection, count, select, select_alone
from howsure.store.session import Session, claim_formula
from howsure.store.text_rules import check_text


@dataclass(frozen=True)
class ClaimPage:
    """A page of claims."""

    claims: list[Claim]
    cursor: str | None
    """Pass it to `find` to get the next page; None on the last one."""
    searched_by: str = "words"
    """What the text was compared by: `words`, or name and version of the embedder of a search by meaning."""
    cosines: list[float] = field(default_factory=list)
    """How near each claim is to the text in meaning, from -1 to 1; empty unless it was a search by meaning."""
    missing: int = 0
    """Claims without a vector, which a search by meaning cannot find; `claims.embed` makes their vectors."""


@dataclass(frozen=True)
class ClaimCounts:
    """How many claims there are. Each is strong, uncertain, weak or unknown; the other counts overlap."""

    total: int
    """Claims that are active or challenged."""
    strong: int
    """Lower bound at least 0.7."""
    uncertain: int
    """In between."""
    weak: int
    """Upper bound at most 0.5."""
    unknown: int
    """Without evidence: no source counts."""
    wide: int
    """Width at least 0.4."""
    unverified: int
    """Upper bound at least 0.7, lower bound below 0.5: perhaps important, not verified."""
    challenged: int
    """Contradicted and not resolved."""
    stale: int
    """Losing confidence by age."""


def decode_selection(selection: Selection) -> Selection:
    """Decode a selection; raise InputError if a type, a range or a text is wrong."""
    decoded = decode(Selection, selection)
    for name in ("text", "subject", "predicate", "object", "namespace"):
        check_text("statement", getattr(decoded, name), name)
    return decoded


def find(
    session: Session, selection: Selection, options: ReadOptions, limit: int | None, cursor: str | None = None
) -> ClaimPage:
    """Return a page of claims. A cursor replaces selection and options by those of the page before."""
    after = None
    if cursor is not None:
        selection, options, after = _unpack(cursor)
    with session.database.read() as transaction:
        rows = select(transaction, options, selection, None if limit is None else limit + 1, after)
    more = limit is not None and len(rows) > limit
    rows = rows[:limit] if more else rows
    session.accessed([row[-1] for row in rows])
    cursor = _pack(selection, options, Position(*rows[-1][-2:])) if more else None
    return ClaimPage([claim_from_row(row) for row in rows], cursor)


def _pack(selection: Selection, options: ReadOptions, position: Position) -> str:
    content = {
        "selection": asdict(selection),
        "formula": options.formula.spec._asdict(),
        "now": options.now,
        "trust": options.trust,
        "as_of": options.as_of,
        "after": list(position),
    }
    return base64.urlsafe_b64encode(orjson.dumps(content)).decode().rstrip("=")


def _unpack(cursor: str) -> tuple[Selection, ReadOptions, Position]:
    from howsure.formulas.scoring import with_parameters

    try:
        content = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        spec = content["formula"]
        formula = with_parameters(claim_formula(spec["name"]), spec["parameters"])
        selection = decode_selection(content["selection"])
        now, trust, as_of = (
            decode_as(shape, content[name], name)
            for name, shape in (("now", Moment), ("trust", Unit), ("as_of", Moment | None))
        )
        value, key = content["after"]
        position = Position(decode_as(str | Moment, value, "after"), decode_as(Count, key, "after"))
        return selection, ReadOptions(formula, now, trust, as_of), position
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error, InputError, UnknownNameError) as error:
        raise InputError("invalid cursor", field="cursor", hint="pass it as it was returned") from error


def count_claims(session: Session, namespace: str | None, options: ReadOptions) -> ClaimCounts:
    """Count active and challenged claims by their intervals and statuses."""
    with session.database.read() as transaction:
        counts = count(transaction, options, Selection(namespace=namespace))
    certain = counts["strong"] + counts["weak"] + counts["unknown"]
    return ClaimCounts(**counts, uncertain=counts["total"] - certain)


def get(session: Session, claim: str, options: ReadOptions) -> Claim:
    """Return a claim, whatever its status."""
    claim = decode_as(str, claim, "claim")
    row = select_alone(session.database, options, claim)
    if row is not None:
        found, key = claim_from_row(row), row[-1]
    else:
        with session.database.read(point=True) as transaction:
            found, key = read_claim(transaction, claim, options)
    session.accessed([key])
    return found


def history(session: Session, claim: str) -> list[ClaimEvent]:
    """Return every event of a claim, in order."""
    with session.database.read() as transaction:
        return [ClaimEvent(*row) for row in events_of(transaction, key_of(transaction, claim))]
