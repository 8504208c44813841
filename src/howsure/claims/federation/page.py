"""The results of a federated query: claims with their origins, and which peers answered."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from howsure.formulas.claim import Status
from howsure.formulas.decay import Tier
from howsure.formulas.interval import Interval
from howsure.shapes import Inline
from howsure.shapes.types import json_property
from howsure.wording import pluralize

PeerStatus = Literal["answered", "unreachable", "refused"]
"""The result of asking a peer: it answered, no answer came in time, or its answer was invalid."""


@dataclass(frozen=True)
class ClaimOrigin:
    """A claim as one store shares it, scored by this store."""

    peer: str | None
    """The peer that shares it; None for this store."""
    id: str
    """Its id in that store."""
    statement: str
    subject: str | None
    predicate: str | None
    object: str | None
    namespace: str
    tier: Tier
    status: Status
    created_at: float
    stale_at: float | None
    valid_from: float | None
    valid_until: float | None
    sources: int
    """Number of independent sources in that store."""
    trust: float
    """Trust in that store."""
    interval: Annotated[Interval, Inline()]
    """The interval by this store's formula and its trust in the other."""


def _surest_first(origin: ClaimOrigin) -> tuple[Any, ...]:
    """Return the sort key of origins. Of two that are equally sure, this store's own comes first."""
    lower, upper = (round(bound, 9) for bound in origin.interval)
    return -lower, -upper, origin.peer is not None, -origin.trust, origin.peer or "", origin.id


@dataclass(frozen=True)
class FederatedClaim:
    """A claim and every store that shares it."""

    id: str
    """Its id in the store that `peer` names."""
    peer: str | None
    """The peer whose id and words these are; None for this store."""
    statement: str
    subject: str | None
    predicate: str | None
    object: str | None
    namespace: str
    sources: int
    """Number of independent sources of its surest origin. [0, 0] without any means unknown, not false."""
    interval: Annotated[Interval, Inline()]
    """The interval of its surest origin. The others may rest on the same sources, so they add nothing."""
    origins: tuple[ClaimOrigin, ...]
    """The stores that share it, the surest first."""

    @property
    def named(self) -> ClaimOrigin:
        """The origin whose id and words the claim has."""
        return _named(self.origins)


def _named(origins: tuple[ClaimOrigin, ...]) -> ClaimOrigin:
    """Return this store's own origin, or else the surest."""
    return next((origin for origin in origins if origin.peer is None), origins[0])


def federated_claim(origins: Iterable[ClaimOrigin]) -> FederatedClaim:
    """Return one claim from several origins that say the same."""
    ordered = tuple(sorted(origins, key=_surest_first))
    named = _named(ordered)
    return FederatedClaim(
        id=named.id,
        peer=named.peer,
        statement=named.statement,
        subject=named.subject,
        predicate=named.predicate,
        object=named.object,
        namespace=named.namespace,
        sources=ordered[0].sources,
        interval=ordered[0].interval,
        origins=ordered,
    )


@dataclass(frozen=True)
class PeerReport:
    """The result of asking one peer."""

    name: str
    status: PeerStatus
    milliseconds: float
    """How long it took."""
    claims: int = 0
    """Number of its claims that were accepted."""
    left_out: int = 0
    """Number of its claims that were invalid."""
    more: bool = False
    """Whether it has more matching claims than it was asked for."""
    reason: str = ""
    """Why it was unreachable or refused, or what is wrong with its first invalid claim."""


@dataclass(frozen=True)
class PeerCoverage:
    """Which peers were asked, and which answered."""

    peers: tuple[PeerReport, ...]
    """Each peer, by name."""

    def _count(self, status: PeerStatus) -> int:
        return sum(peer.status == status for peer in self.peers)

    @json_property
    def asked(self) -> int:
        """Number of peers that were asked."""
        return len(self.peers)

    @json_property
    def answered(self) -> int:
        """Number of peers that answered."""
        return self._count("answered")

    @json_property
    def unreachable(self) -> int:
        """Number of peers from which no answer came in time."""
        return self._count("unreachable")

    @json_property
    def refused(self) -> int:
        """Number of peers whose answer was invalid."""
        return self._count("refused")

    def __str__(self) -> str:
        """Return the coverage as a sentence.

        >>> str(PeerCoverage((PeerReport("a", "answered", 3.0), PeerReport("b", "unreachable", 5000.0))))
        '2 peers asked: 1 answered, 1 unreachable'
        """
        counts = {"answered": self.answered, "unreachable": self.unreachable, "refused": self.refused}
        parts = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        return f"{pluralize(self.asked, 'peer')} asked" + (f": {parts}" if parts else "")


@dataclass(frozen=True)
class FederatedClaimPage:
    """The claims of this store and its peers that match a selection."""

    claims: list[FederatedClaim]
    coverage: PeerCoverage
    more: bool
    """Whether more claims match, here or at a peer."""
