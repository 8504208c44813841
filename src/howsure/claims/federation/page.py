"""What a federated query gives: claims with everybody who tells them, and who was asked."""

from dataclasses import dataclass
from typing import Any, Literal

from howsure.formulas.claim import Status
from howsure.formulas.decay import Tier
from howsure.formulas.interval import Interval

Standing = Literal["answered", "unreachable", "refused"]
"""What became of asking a peer: it answered; nothing came in time; what came was not taken."""


@dataclass(frozen=True)
class Origin:
    """A claim as one store tells it, scored here."""

    peer: str | None
    """The peer that tells it; nothing for this store."""
    id: str
    """Its id there."""
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
    """How many independent sources speak for it there."""
    trust: float
    """How far that store is trusted."""
    interval: Interval
    """How sure it is by this store's formula, and by that trust."""

    def as_dict(self) -> dict[str, Any]:
        """Return the origin as JSON-ready data; the bounds stand at the top."""
        return {name: value for name, value in vars(self).items() if name != "interval"} | self.interval.as_dict()


def surest_first(origin: Origin) -> tuple[Any, ...]:
    """Return what origins are ordered by. Where two are equally sure, this store's own comes first."""
    lower, upper = (round(bound, 9) for bound in origin.interval)
    return -lower, -upper, origin.peer is not None, -origin.trust, origin.peer or "", origin.id


@dataclass(frozen=True)
class FederatedClaim:
    """A claim, and every store that tells it."""

    origins: tuple[Origin, ...]
    """Who tells it, the surest first."""

    @property
    def named(self) -> Origin:
        """The origin that it is called by: this store's own, or else the surest."""
        return next((origin for origin in self.origins if origin.peer is None), self.origins[0])

    @property
    def id(self) -> str:
        """Its id, in the store that it is called by."""
        return self.named.id

    @property
    def peer(self) -> str | None:
        """The peer that the id belongs to; nothing for this store."""
        return self.named.peer

    @property
    def statement(self) -> str:
        """What is claimed."""
        return self.named.statement

    @property
    def interval(self) -> Interval:
        """How sure we are: by its surest origin. The others may rest on the same sources, so they add nothing."""
        return self.origins[0].interval

    @property
    def sources(self) -> int:
        """How many independent sources its surest origin has. [0, 0] with none means unknown, not false."""
        return self.origins[0].sources

    def as_dict(self) -> dict[str, Any]:
        """Return the claim as JSON-ready data; the bounds stand at the top."""
        named = ("id", "peer", "statement", "subject", "predicate", "object", "namespace")
        about = {name: getattr(self.named, name) for name in named} | {"sources": self.sources}
        return about | self.interval.as_dict() | {"origins": [origin.as_dict() for origin in self.origins]}


@dataclass(frozen=True)
class Asked:
    """What became of asking one peer."""

    name: str
    status: Standing
    milliseconds: float
    """How long it took."""
    claims: int = 0
    """Claims of it that were taken."""
    left_out: int = 0
    """Claims of it that were not, because something is wrong with them."""
    more: bool = False
    """Whether it has more that fits than it was asked for."""
    reason: str = ""
    """Why it was not reached or not taken; or what is wrong with the first claim that was left out."""


@dataclass(frozen=True)
class Coverage:
    """Who was asked, and who answered."""

    peers: tuple[Asked, ...]
    """Each peer, by name."""

    def of(self, status: Standing) -> int:
        """Return how many peers it went that way with."""
        return sum(peer.status == status for peer in self.peers)

    @property
    def asked(self) -> int:
        """How many peers were asked."""
        return len(self.peers)

    @property
    def answered(self) -> int:
        """How many answered."""
        return self.of("answered")

    @property
    def unreachable(self) -> int:
        """From how many nothing came in time."""
        return self.of("unreachable")

    @property
    def refused(self) -> int:
        """Of how many what came was not taken."""
        return self.of("refused")

    def as_dict(self) -> dict[str, Any]:
        """Return the coverage as JSON-ready data."""
        counts = {name: getattr(self, name) for name in ("asked", "answered", "unreachable", "refused")}
        return counts | {"peers": [dict(vars(peer)) for peer in self.peers]}

    def __str__(self) -> str:
        """Return the coverage as a sentence.

        >>> str(Coverage((Asked("a", "answered", 3.0), Asked("b", "unreachable", 5000.0))))
        '2 peers asked: 1 answered, 1 unreachable'
        """
        found = [f"{self.of(status)} {status}" for status in ("answered", "unreachable", "refused") if self.of(status)]
        return f"{self.asked} peer{'' if self.asked == 1 else 's'} asked" + (f": {', '.join(found)}" if found else "")


@dataclass(frozen=True)
class FederatedPage:
    """The claims that were found, here and elsewhere, and who was asked for them."""

    claims: list[FederatedClaim]
    coverage: Coverage
    more: bool
    """Whether there is more that fits, here or elsewhere, than is shown."""

    def as_dict(self) -> dict[str, Any]:
        """Return the page as JSON-ready data."""
        claims = [claim.as_dict() for claim in self.claims]
        return {"claims": claims, "more": self.more, "coverage": self.coverage.as_dict()}
