"""The form in which one store tells another what it believes: folded inputs of its own claims, and no intervals.

Whoever asks scores them, by its own formula and its own trust. What a claim was derived from comes along as numbers,
without words, since an inference can only be scored with what it rests on.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import orjson

from howsure.claims.add import check_namespace, check_text
from howsure.errors import InputError, shown
from howsure.formulas.claim import ClaimFormula, Status
from howsure.formulas.decay import Tier
from howsure.formulas.folds import Fold
from howsure.formulas.ops import FLOATS
from howsure.shapes import Moment, Within, decode, field_decoders

FORMAT = 1
"""Version of this form. It goes up when an older reader would misunderstand."""
MOST = 1000
"""Claims in one answer."""
GROUNDS = 10_000
"""Claims besides, on which those rest."""
STEPS = 20_000
"""Steps from an inference to what it rests on, in one answer."""
ROWS = 1e6
"""Sources or neighbours that one claim may have."""
SKEW = 300.0
"""Seconds by which another clock may be ahead."""
_DIGITS = 1.0 + 1e-9
"""Room for the last digits of a sum."""
_ID = re.compile(r"[!-~]{1,200}")

Number = Annotated[float, Within(-1e30, 1e30)]
"""A number of a formula's row."""


@dataclass(frozen=True, kw_only=True)
class Ground:
    """A claim as numbers."""

    id: str
    """Its id, in the store that tells it."""
    tier: Tier
    """How long it is meant to live; sets its half-life."""
    status: Status
    """How it stands: deprecated and forgotten claims hold nothing up."""
    stale_at: Moment | None
    """When it starts to lose confidence; never, if null."""
    valid_from: Moment | None
    """When it starts to hold."""
    valid_until: Moment | None
    """When it stops to hold."""
    inputs: dict[str, Number]
    """The row of the formula that was asked for, less half_lives and trust, which the reader brings."""
    derived_from: tuple[str, ...]
    """Ids of the claims that it was derived from, all of which are told, too."""

    def __post_init__(self) -> None:
        """Refuse what no store can hold."""
        for name in (self.id, *self.derived_from):
            if not _ID.fullmatch(name):
                raise InputError(f"{shown(name)} is no id", field="id", hint="at most 200 visible characters of ASCII")
        if self.valid_from is not None and self.valid_until is not None and self.valid_from >= self.valid_until:
            raise InputError("it would never be valid", field="valid_until", hint="it has to be after valid_from")


@dataclass(frozen=True, kw_only=True)
class Offered(Ground):
    """A claim that was asked for: its words, and its numbers."""

    statement: str
    """What is claimed, in words."""
    subject: str | None
    """What it is about."""
    predicate: str | None
    """What is said of it."""
    object: str | None
    """The value that it is said to have."""
    namespace: str
    """Where it belongs."""
    created_at: Moment
    """When it was first told."""
    sources: Annotated[int, Within(0, ROWS)]
    """How many independent sources speak for it."""

    def __post_init__(self) -> None:
        """Refuse what no store can hold."""
        super().__post_init__()
        for name in ("statement", "subject", "predicate", "object", "namespace"):
            check_text(name, getattr(self, name))
        if not self.statement.strip():
            raise InputError("a claim needs a statement", field="statement")
        check_namespace(self.namespace)


@dataclass(frozen=True)
class Told:
    """What one store tells another: claims of its own that fit, the surest first."""

    format: int
    """Version of this form: 1."""
    own: bool
    """True: all of it is the answering store's own; nobody else was asked for it."""
    formula: str
    """The formula whose inputs these are."""
    version: int
    """Its version."""
    claims: tuple[Offered, ...]
    """The claims."""
    grounds: tuple[Ground, ...]
    """What they were derived from, as far as it is not among them."""
    more: bool
    """Whether there are more that fit."""

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as JSON-ready data."""
        parts = {name: [dict(vars(one)) for one in getattr(self, name)] for name in ("claims", "grounds")}
        return vars(self) | parts


class Heard(NamedTuple):
    """What could be read of what a peer told."""

    claims: list[Offered]
    known: dict[str, Ground]
    """The claims and what they rest on, by id."""
    wrong: list[str]
    """What is wrong with each claim that could not be read."""
    more: bool


def hear(content: bytes, formula: ClaimFormula, most: int, at: float) -> Heard:
    """Read what a peer tells. A claim that cannot be is left out; an answer that is none raises an `InputError`."""
    try:
        data = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InputError(f"its answer is not JSON: {error.msg}") from None
    claims, grounds, more = _parts(data, formula)
    heard = Heard([], {}, [], more)
    for number, given in enumerate(claims):
        try:
            claim = _read(Offered, given, formula)
            _check(heard, claim, most, at)
        except InputError as error:
            heard.wrong.append(str(error.under(f"claims[{number}]")))
        else:
            heard.claims.append(claim)
            heard.known[claim.id] = claim
    for given in grounds:
        try:
            ground = _read(Ground, given, formula)
        except InputError:  # what rests on it is left out, then
            continue
        heard.known.setdefault(ground.id, ground)
    if sum(len(one.derived_from) for one in heard.known.values()) > STEPS:
        raise InputError("its inferences rest on too much", hint=f"at most {STEPS:,} steps in one answer")
    return heard


def _parts(data: Any, formula: ClaimFormula) -> tuple[list[Any], list[Any], bool]:
    """Return the parts of an answer; refuse one that is none, or speaks of something else."""
    if not isinstance(data, dict):
        raise InputError("its answer is not an object")
    if data.get("format") != FORMAT or data.get("own") is not True:
        problem = f"its answer is of format {shown(data.get('format'))}, or not its own"
        raise InputError(problem, hint=f"this program reads format {FORMAT}")
    if (data.get("formula"), data.get("version")) != (formula.name, formula.version):
        problem = f"it answers by {shown(data.get('formula'))}, version {shown(data.get('version'))}"
        raise InputError(problem, hint=f"asked was {formula.name}, version {formula.version}")
    claims, grounds, more = data.get("claims"), data.get("grounds"), data.get("more")
    if not isinstance(claims, list) or not isinstance(grounds, list) or not isinstance(more, bool):
        raise InputError("its answer lacks claims, grounds or more")
    if len(claims) > MOST:  # before any of them is looked at: whoever tells millions should not keep us busy
        raise InputError(f"it tells {len(claims):,} claims", hint=f"at most {MOST:,} in one answer")
    if len(grounds) > GROUNDS:
        raise InputError(f"its claims rest on {len(grounds)} others", hint=f"at most {GROUNDS:,}")
    return claims, grounds, more


def _read(shape: Any, given: Any, formula: ClaimFormula) -> Any:
    """Read a claim. Fields that are not known are left out: a newer store may tell more."""
    known = field_decoders(shape)
    plain = {name: value for name, value in given.items() if name in known} if isinstance(given, dict) else given
    claim: Ground = decode(shape, plain)
    sources = claim.sources if isinstance(claim, Offered) else ROWS
    for name, (low, high) in limits_of(formula, sources).items():
        if name not in claim.inputs:
            raise InputError("this number is missing", field=f"inputs.{name}")
        if not low <= claim.inputs[name] <= high:
            problem = f"{shown(claim.inputs[name])} is not between {low:g} and {high:g}"
            raise InputError(problem, field=f"inputs.{name}", hint=f"with {sources:g} sources")
    return claim


def _check(heard: Heard, claim: Offered, most: int, at: float) -> None:
    if len(heard.claims) >= most:
        raise InputError(f"it was asked for {most} and tells more")
    if claim.id in heard.known:
        raise InputError(f"{claim.id} is there twice", field="id")
    if claim.created_at > at + SKEW:
        raise InputError(f"it is from the future, by {claim.created_at - at:.0f} s", field="created_at")


def limits_of(formula: ClaimFormula, sources: float = ROWS) -> Mapping[str, Within]:
    """Return within which limits each number is that a peer tells, by what is folded, how, and by how many sources.

    >>> from howsure.formulas.noisy_or import NoisyOr
    >>> {name: (limits.low, limits.high) for name, limits in limits_of(NoisyOr()).items()}["doubt"]
    (0.0, 1.0)
    """
    found: dict[str, Within] = {}
    for name, by in formula.folds()._asdict().items():
        if isinstance(by, Fold):
            found[name] = _limits(by, sources if by.over == "sources" else ROWS)
        elif by.name == "source_types":
            found[name] = Within(0.0, sources)
    return found


def _limits(fold: Fold, most: float) -> Within:
    """Return what a fold over so many numbers from 0 to 1 can come to."""
    if not most:
        return Within(fold([]), fold([]))
    low, high = sorted(float(fold.term(end, FLOATS)) for end in (0.0, 1.0))
    if fold.how == "sum":
        return Within(min(low, 0.0) * most * _DIGITS, max(high, 0.0) * most * _DIGITS)
    return Within(min(low, 0.0), max(high, 1.0))
