"""The format in which stores share claims: the folded inputs of a formula, without intervals.

The store that asks scores them with its own formula and its own trust. Constituents of derived claims are included as
numbers, without words, since a derived claim can only be scored together with them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any, NamedTuple

import orjson

from howsure.claims.federation import MAX_CLAIMS
from howsure.errors import InputError, shown
from howsure.formulas.claim import ClaimFormula, Status
from howsure.formulas.decay import Tier
from howsure.formulas.folds import Fold, SourceNumber
from howsure.formulas.ops import FLOATS
from howsure.shapes import Moment, Within, decode, field_decoders
from howsure.store.text_rules import check_namespace, check_text

FORMAT = 1
"""Version of the format. It goes up when an older program would misread an answer."""
MAX_CONSTITUENTS = 10_000
"""Constituents in one answer, besides those claims."""
MAX_STEPS = 20_000
"""Links from derived claims to constituents in one answer."""
MAX_ROWS = 1e6
"""Sources or neighbours of one claim."""
CLOCK_SKEW = 300.0
"""Seconds by which the clock of a peer may be ahead."""
_ROUNDING = 1.0 + 1e-9
"""Room for rounding errors of a sum."""
_ID = re.compile(r"[!-~]{1,200}")

Number = Annotated[float, Within(-1e30, 1e30)]
"""An input of a formula."""


@dataclass(frozen=True, kw_only=True)
class SharedNumbers:
    """A claim as the numbers that a formula needs."""

    id: str
    """Its id in the store that shares it."""
    tier: Tier
    """How long it is meant to live; sets its half-life."""
    status: Status
    """Its status; deprecated and forgotten constituents do not count."""
    stale_at: Moment | None
    """When it starts to lose confidence; never if null."""
    valid_from: Moment | None
    """When it starts being true."""
    valid_until: Moment | None
    """When it stops being true."""
    inputs: dict[str, Number]
    """The inputs of the formula, without half_lives and trust, which the other store adds."""
    derived_from: tuple[str, ...]
    """Ids of its constituents, all of which are included in the answer."""

    def __post_init__(self) -> None:
        """Raise InputError if no store could hold such a claim."""
        for name in (self.id, *self.derived_from):
            if not _ID.fullmatch(name):
                raise InputError(f"invalid id {shown(name)}", field="id", hint="at most 200 visible ASCII characters")
        if self.valid_from is not None and self.valid_until is not None and self.valid_from >= self.valid_until:
            raise InputError("it would never be valid", field="valid_until", hint="must be after valid_from")


@dataclass(frozen=True, kw_only=True)
class SharedClaim(SharedNumbers):
    """A claim of a peer: its words and its numbers."""

    statement: str
    """What is claimed, in words."""
    subject: str | None
    """What it is about."""
    predicate: str | None
    """Which property of the subject."""
    object: str | None
    """The value of that property."""
    namespace: str
    """Where it belongs."""
    created_at: Moment
    """When it was added."""
    sources: Annotated[int, Within(0, MAX_ROWS)]
    """Number of independent sources."""

    def __post_init__(self) -> None:
        """Raise InputError if no store could hold such a claim."""
        super().__post_init__()
        for name in ("statement", "subject", "predicate", "object", "namespace"):
            check_text(name, getattr(self, name))
        if not self.statement.strip():
            raise InputError("the statement is empty", field="statement")
        check_namespace(self.namespace)


@dataclass(frozen=True)
class SharedClaims:
    """Claims of a store that match a selection, in its order."""

    format: int
    """Version of the format: 1."""
    own: bool
    """True: all claims are the answering store's own; no other store was asked."""
    formula: str
    """The formula whose inputs these are."""
    version: int
    """Its version."""
    claims: tuple[SharedClaim, ...]
    """The claims."""
    constituents: tuple[SharedNumbers, ...]
    """Claims that they are derived from and that are not among them."""
    more: bool
    """Whether more claims match."""


class PeerAnswer(NamedTuple):
    """The valid part of a peer's answer."""

    claims: list[SharedClaim]
    known: dict[str, SharedNumbers]
    """Claims and constituents, by id."""
    errors: list[str]
    """What is wrong with each claim that was left out."""
    more: bool


def read_answer(content: bytes, formula: ClaimFormula, most: int, at: float) -> PeerAnswer:
    """Decode and check the answer of a peer. Invalid claims are left out.

    Raises:
        InputError: if the answer as a whole is invalid.
    """
    try:
        data = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InputError(f"its answer is not JSON: {error.msg}") from None
    claims, constituents, more = _parts(data, formula)
    answer = PeerAnswer([], {}, [], more)
    for number, data in enumerate(claims):
        try:
            claim = _read(SharedClaim, data, formula)
            _check(answer, claim, most, at)
        except InputError as error:
            answer.errors.append(str(error.under(f"claims[{number}]")))
        else:
            answer.claims.append(claim)
            answer.known[claim.id] = claim
    for data in constituents:
        try:
            constituent = _read(SharedNumbers, data, formula)
        except InputError:  # claims that are derived from it are left out when they are scored
            continue
        answer.known.setdefault(constituent.id, constituent)
    if sum(len(one.derived_from) for one in answer.known.values()) > MAX_STEPS:
        raise InputError(
            "its claims are derived from too many others", hint=f"at most {MAX_STEPS:,} links in one answer"
        )
    return answer


def _parts(data: Any, formula: ClaimFormula) -> tuple[list[Any], list[Any], bool]:
    """Return claims, constituents and `more` of an answer; raise InputError if it is for another formula or format."""
    if not isinstance(data, dict):
        raise InputError("its answer is not an object")
    if data.get("format") != FORMAT or data.get("own") is not True:
        problem = f"its answer is of format {shown(data.get('format'))}, or not its own"
        raise InputError(problem, hint=f"this program reads format {FORMAT}")
    if (data.get("formula"), data.get("version")) != (formula.name, formula.version):
        problem = f"it answers by {shown(data.get('formula'))}, version {shown(data.get('version'))}"
        raise InputError(problem, hint=f"asked was {formula.name}, version {formula.version}")
    claims, constituents, more = data.get("claims"), data.get("constituents"), data.get("more")
    if not isinstance(claims, list) or not isinstance(constituents, list) or not isinstance(more, bool):
        raise InputError("its answer lacks claims, constituents or more")
    if len(claims) > MAX_CLAIMS:  # before any is decoded, so that millions of them cost nothing
        raise InputError(f"it sends {len(claims):,} claims", hint=f"at most {MAX_CLAIMS:,} in one answer")
    if len(constituents) > MAX_CONSTITUENTS:
        raise InputError(f"it sends {len(constituents)} constituents", hint=f"at most {MAX_CONSTITUENTS:,}")
    return claims, constituents, more


def _read(shape: Any, data: Any, formula: ClaimFormula) -> Any:
    """Decode a claim. Unknown fields are ignored: a newer store may send more."""
    known = field_decoders(shape)
    plain = {name: value for name, value in data.items() if name in known} if isinstance(data, dict) else data
    claim: SharedNumbers = decode(shape, plain)
    sources = claim.sources if isinstance(claim, SharedClaim) else MAX_ROWS
    for name, (low, high) in limits_of(formula, sources).items():
        if name not in claim.inputs:
            raise InputError("this number is missing", field=f"inputs.{name}")
        if not low <= claim.inputs[name] <= high:
            problem = f"{shown(claim.inputs[name])} is not between {low:g} and {high:g}"
            raise InputError(problem, field=f"inputs.{name}", hint=f"with {sources:g} sources")
    return claim


def _check(answer: PeerAnswer, claim: SharedClaim, most: int, at: float) -> None:
    if len(answer.claims) >= most:
        raise InputError(f"it was asked for {most} claims and sends more")
    if claim.id in answer.known:
        raise InputError(f"{claim.id} is there twice", field="id")
    if claim.created_at > at + CLOCK_SKEW:
        raise InputError(f"it is from the future, by {claim.created_at - at:.0f} s", field="created_at")


_ENDS: dict[SourceNumber, tuple[float, float]] = {
    "contribution": (0.0, 1.0),
    "weight": (-50.0, 50.0),
    "variance": (0.0, 1000.0),
    "copies": (1.0, float(MAX_ROWS)),
}
"""The smallest and largest value of each number of a source."""


def limits_of(formula: ClaimFormula, sources: float = MAX_ROWS) -> Mapping[str, Within]:
    """Return the possible range of each input of a formula for a number of sources.

    >>> from howsure.formulas.noisy_or import NoisyOr
    >>> {name: (limits.low, limits.high) for name, limits in limits_of(NoisyOr()).items()}["doubt"]
    (0.0, 1.0)
    """
    limits: dict[str, Within] = {}
    for name, by in formula.folds()._asdict().items():
        if isinstance(by, Fold):
            limits[name] = _limits(by, sources if by.over == "sources" else MAX_ROWS)
        elif by.name == "source_types":
            limits[name] = Within(0.0, sources)
    return limits


def _limits(fold: Fold, most: float) -> Within:
    """Return the range of a fold over at most so many rows."""
    if not most:
        return Within(fold([]), fold([]))
    ends = product(*(_ENDS[name] for name in fold.of))
    terms = [float(fold.term(*numbers, FLOATS)) for numbers in ends]
    low, high = min(terms), max(terms)
    if fold.how == "sum":
        return Within(min(low, 0.0) * most * _ROUNDING, max(high, 0.0) * most * _ROUNDING)
    return Within(min(low, 0.0), max(high, 1.0))
