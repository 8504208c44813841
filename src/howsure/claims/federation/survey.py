"""Ask all peers at once, and score the claims that they send."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple

import orjson

from howsure.claims.federation import MAX_CLAIMS
from howsure.claims.federation.client import Call, Calls, Reply
from howsure.claims.federation.matching import BOUNDS, mismatch, unbounded
from howsure.claims.federation.page import ClaimOrigin, PeerReport
from howsure.claims.federation.scoring import Scorer
from howsure.claims.federation.wire import SharedClaim, read_answer
from howsure.errors import InputError
from howsure.formulas.noisy_or import NoisyOr
from howsure.graph.sql import ReadOptions
from howsure.store.claim_tables.selection import Selection
from howsure.store.peers import Peer

PATH = "/v1/claims/inputs"
"""Where a server shares the claims of its store."""
MAX_REASON = 300
"""Characters of a reason."""


@dataclass(frozen=True)
class Question:
    """What to ask the peers, and how to score their answers."""

    selection: Selection
    options: ReadOptions
    limit: int
    at: float
    """The time of this store's clock, whatever moment is asked for."""

    @property
    def most(self) -> int:
        """Number of claims to ask each peer for: the maximum if this store applies bounds that may exclude some."""
        decided = [name for name in BOUNDS if getattr(self.selection, name) not in (None, False)]
        return self.limit if set(decided) <= set(self._passed_on()) else MAX_CLAIMS

    def _passed_on(self) -> dict[str, Any]:
        """Return the bounds that a peer may apply: with the default formula, trust below 1 only lowers them."""
        if type(self.options.formula) is not NoisyOr:
            return {}
        return {name: getattr(self.selection, name) for name in ("min_lower", "min_upper", "min_width")}

    def body(self) -> bytes:
        """Return the question as JSON. It does not contain the trust in the peer."""
        selection = replace(self.selection, **(unbounded() | self._passed_on()))
        plain = asdict(selection)
        where = {field.name: plain[field.name] for field in fields(selection) if plain[field.name] != field.default}
        name, version, parameters = self.options.formula.spec
        options = {"formula": name, "version": version, "parameters": parameters, "now": self.options.now}
        return orjson.dumps({"where": where} | options | {"as_of": self.options.as_of, "limit": self.most})


class Answer(NamedTuple):
    """The result of asking one peer, and its claims."""

    result: PeerReport
    origins: list[ClaimOrigin]


class Survey:
    """Peers that are being asked. Iterate to get their answers as they come."""

    def __init__(self, question: Question, peers: Sequence[tuple[Peer, str | InputError | None]]) -> None:
        """Start asking. Each peer comes with its token, None, or the error why there is none."""
        self._question = question
        self._peers = {peer.name: peer for peer, _ in peers}
        self._failed = {peer.name: token for peer, token in peers if isinstance(token, InputError)}
        body = question.body()
        self._calls = Calls(
            Call(peer.name, peer.url + PATH, body, peer.time_limit, token)
            for peer, token in peers
            if not isinstance(token, InputError)
        )

    def __iter__(self) -> Iterator[Answer]:
        """Yield each answer as it comes, or why there is none."""
        for name, error in self._failed.items():
            yield Answer(PeerReport(name, "unreachable", 0.0, reason=str(error)[:MAX_REASON]), [])
        for name, reply in self._calls:
            yield self._answer(self._peers[name], reply)

    def _answer(self, peer: Peer, reply: Reply) -> Answer:
        milliseconds = round(reply.seconds * 1000, 1)
        if reply.status != "answered":
            return Answer(PeerReport(peer.name, reply.status, milliseconds, reason=reply.reason[:MAX_REASON]), [])
        question = self._question
        try:
            shared = read_answer(reply.content, question.options.formula, question.most, question.at)
        except InputError as error:
            return Answer(PeerReport(peer.name, "refused", milliseconds, reason=str(error)[:MAX_REASON]), [])
        scorer = Scorer(question.options.formula, question.options.now, peer.trust, shared.known)
        origins, errors = [], shared.errors
        for claim in shared.claims:
            try:
                origins.append(self._origin(peer, claim, scorer))
            except InputError as error:
                errors.append(str(error.under(claim.id)))
        reason = errors[0][:MAX_REASON] if errors else ""
        return Answer(
            PeerReport(peer.name, "answered", milliseconds, len(origins), len(errors), shared.more, reason), origins
        )

    def _origin(self, peer: Peer, claim: SharedClaim, scorer: Scorer) -> ClaimOrigin:
        field = mismatch(self._question.selection, claim, self._question.options.now)
        if field:
            raise InputError("it does not match the query", field=field)
        same = {
            field.name: getattr(claim, field.name)
            for field in fields(ClaimOrigin)
            if field.name not in ("peer", "trust", "interval")
        }
        return ClaimOrigin(peer=peer.name, trust=peer.trust, interval=scorer.interval(claim), **same)
