"""Asking peers: one question to all of them at once, and what each answer comes to."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple

import orjson

from howsure.claims.federation.exchange import Call, Reply
from howsure.claims.federation.exchanges import Exchanges
from howsure.claims.federation.fitting import BOUNDS, amiss, unbounded
from howsure.claims.federation.form import MOST, Offered, hear
from howsure.claims.federation.page import Asked, Origin
from howsure.claims.federation.scoring import Scorer
from howsure.errors import InputError
from howsure.formulas.noisy_or import NoisyOr
from howsure.graph.sql import ReadOptions
from howsure.store.peers import Peer
from howsure.store.selection import Selection

PATH = "/v1/claims/inputs"
"""Where a server tells others what its store believes."""
LONGEST = 300
"""Characters of a reason."""


@dataclass(frozen=True)
class Question:
    """What peers are asked, and how what they tell is read."""

    wanted: Selection
    reading: ReadOptions
    limit: int
    at: float
    """What our clock says, whatever moment is asked for."""

    @property
    def most(self) -> int:
        """How many claims each is asked for: more than are wanted, where we decide on bounds that leave some out."""
        decided = [name for name in BOUNDS if getattr(self.wanted, name) not in (None, False)]
        return self.limit if set(decided) <= set(self._passed_on()) else MOST

    def _passed_on(self) -> dict[str, Any]:
        """Return the bounds that a peer may decide on: by this formula, trust only takes its share of them."""
        if type(self.reading.formula) is not NoisyOr:
            return {}
        return {name: getattr(self.wanted, name) for name in ("min_lower", "min_upper", "min_width")}

    def body(self) -> bytes:
        """Return the question as it is sent. How far a peer is trusted is not told."""
        selection = replace(self.wanted, **(unbounded() | self._passed_on()))
        plain = asdict(selection)
        given = {field.name: plain[field.name] for field in fields(selection) if plain[field.name] != field.default}
        name, version, parameters = self.reading.formula.spec
        how = {"formula": name, "version": version, "parameters": parameters, "now": self.reading.now}
        return orjson.dumps(given | how | {"as_of": self.reading.as_of, "limit": self.most})


class Answer(NamedTuple):
    """What one peer's answer comes to."""

    asked: Asked
    origins: list[Origin]


class Survey:
    """Peers that are being asked. Give it each one's token, or why there is none."""

    def __init__(self, question: Question, peers: Sequence[tuple[Peer, str | InputError | None]]) -> None:
        """Ask them all."""
        self._question = question
        self._peers = {peer.name: peer for peer, _ in peers}
        self._untold = {peer.name: token for peer, token in peers if isinstance(token, InputError)}
        body = question.body()
        self._exchanges = Exchanges(
            Call(peer.name, peer.url + PATH, body, peer.time_limit, token)
            for peer, token in peers
            if not isinstance(token, InputError)
        )

    def __iter__(self) -> Iterator[Answer]:
        """Give each answer as it comes, or why there is none."""
        for name, error in self._untold.items():
            yield Answer(Asked(name, "unreachable", 0.0, reason=str(error)[:LONGEST]), [])
        for name, reply in self._exchanges:
            yield self._answer(self._peers[name], reply)

    def _answer(self, peer: Peer, reply: Reply) -> Answer:
        took = round(reply.seconds * 1000, 1)
        if reply.status != "answered":
            return Answer(Asked(peer.name, reply.status, took, reason=reply.reason[:LONGEST]), [])
        question = self._question
        try:
            heard = hear(reply.content, question.reading.formula, question.most, question.at)
        except InputError as error:
            return Answer(Asked(peer.name, "refused", took, reason=str(error)[:LONGEST]), [])
        scorer = Scorer(question.reading.formula, question.reading.now, peer.trust, heard.known)
        origins, wrong = [], heard.wrong
        for claim in heard.claims:
            try:
                origins.append(self._origin(peer, claim, scorer))
            except InputError as error:
                wrong.append(str(error.under(claim.id)))
        reason = wrong[0][:LONGEST] if wrong else ""
        return Answer(Asked(peer.name, "answered", took, len(origins), len(wrong), heard.more, reason), origins)

    def _origin(self, peer: Peer, claim: Offered, scorer: Scorer) -> Origin:
        field = amiss(self._question.wanted, claim, self._question.reading.now)
        if field:
            raise InputError("this is not what was asked for", field=field)
        same = {
            field.name: getattr(claim, field.name)
            for field in fields(Origin)
            if field.name not in ("peer", "trust", "interval")
        }
        return Origin(peer=peer.name, trust=peer.trust, interval=scorer.interval(claim), **same)
