"""The public methods that relate claims to each other. Each is also an operation of the HTTP API."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from howsure.asynchronous import asynchronous
from howsure.claims.add import AddedClaim, ClaimRecord
from howsure.claims.claim import EXAMPLE_ID, OTHER_ID, Claim, ClaimId, ClaimRelation
from howsure.claims.lifetime import ClaimLifetimes, Contribution, SourceName
from howsure.errors import InputError
from howsure.formulas.claim import RelationKind, Source
from howsure.formulas.decay import Tier
from howsure.operation import Tool, operation
from howsure.shapes import Amount, Doc, Moment, Now, Unit, decode, decode_as

if TYPE_CHECKING:  # loaded by the methods that need them, so that adding and finding claims starts fast
    from howsure.claims.relate import Challenge

Statement = Annotated[str, Doc("What is claimed, in words.", example="The cache is thread-safe")]
Namespace = Annotated[str, Doc("Where it belongs: a path of at most five parts, like `team/project`.")]
Strength = Annotated[Unit, Doc("How strong the relation is, from 0 to 1.")]


class ClaimRelations(ClaimLifetimes):
    """Operations on how claims relate to each other."""

    @operation(
        "POST /v1/claims/{claim}/relate",
        scope="write",
        example={"claim": EXAMPLE_ID, "kind": "supports", "target": OTHER_ID, "strength": 0.8},
    )
    def relate(
        self, claim: ClaimId, kind: RelationKind, target: ClaimId, *, strength: Strength = 1.0, now: Now = None
    ) -> ClaimRelation:
        """Record that one claim supports, contradicts, refines or supersedes another, or is derived from it.

        A pair counts once, at its highest strength, which the result has. `unrelate` takes a relation back.

        Args:
            claim: Id of the claim that supports, contradicts, ...
            kind: The kind of relation.
            target: Id of the other claim.
        """
        from howsure.claims.relate import relate

        return relate(self.session, claim, kind, target, strength, now)

    @operation(
        "POST /v1/claims/{claim}/unrelate",
        scope="write",
        example={"claim": EXAMPLE_ID, "kind": "related_to", "target": OTHER_ID, "note": "the wrong cache"},
    )
    def unrelate(
        self, claim: ClaimId, kind: RelationKind, target: ClaimId, *, note: str = "", now: Now = None
    ) -> ClaimRelation:
        """Take back a relation that was recorded by mistake. No status changes; `resolve` ends a challenge.

        Args:
            claim: Id of the claim that supports, contradicts, ...
            kind: The kind of relation.
            target: Id of the other claim.
            note: Why, for the history.

        Raises:
            InputError: if there is no such relation, it is a challenge, or an inference would rest on nothing.
            NotFoundError: if a claim does not exist.

        >>> import howsure, tempfile
        >>> sure = howsure.open(tempfile.mkdtemp() + "/claims.db")
        >>> rain, wet = (sure.claims.add(text, source="user_input:ann").id for text in ("It rains", "It is wet"))
        >>> sure.claims.relate(rain, "supports", wet, strength=0.8).strength
        0.8
        >>> sure.claims.unrelate(rain, "supports", wet).strength
        0.8
        >>> sure.claims.explain(wet).neighbours
        []
        """
        from howsure.claims.relate import unrelate

        return unrelate(self.session, claim, kind, target, note, now)

    @operation(
        "POST /v1/claims/{claim}/challenge",
        scope="write",
        decodes=True,
        example={
            "claim": EXAMPLE_ID,
            "statement": "The cache loses writes",
            "source": "agent:reviewer",
            "contribution": 0.6,
        },
        tool=Tool(
            "challenge_claim",
            "Challenge a claim",
            "Contradict a claim that you have evidence against, with another claim (`by`, its id) or with a statement "
            "and its source. Both are kept; the claim becomes less sure until somebody "
            "resolves it.",
        ),
    )
    def challenge(
        self,
        claim: ClaimId,
        by: ClaimId | None = None,
        *,
        statement: Statement | None = None,
        source: SourceName | None = None,
        contribution: Contribution = None,
        strength: Strength = 1.0,
        now: Now = None,
    ) -> "Challenge":
        """Contradict a claim with another one and mark it as challenged.

        Pass either the id of an existing claim (`by`) or a `statement` with its `source`, which is added as a new claim
        or corroborates the one that already says it. If it is known to contradict the claim, that keeps its strength.

        Args:
            claim: Id of the claim that is challenged.
            by: Id of the claim that contradicts it.
        """
        from howsure.claims.relate import challenge, namespace_of

        claim, strength = decode_as(str, claim, "claim"), decode_as(Unit, strength, "strength")
        if (by is None) == (statement is None):
            raise InputError("pass either `by` or `statement`", field="by", hint="a claim's id, or a new statement")
        if by is not None:
            if source is not None or contribution is not None:
                raise InputError("an existing claim has its own sources", field="source", hint="leave it out")
            return challenge(self.session, claim, decode_as(str, by, "by"), strength, now)
        record = {
            "statement": statement,
            "source": source,
            "contribution": contribution,
        }
        challenger = decode(ClaimRecord, record)
        challenger = replace(challenger, namespace=namespace_of(self.session, claim))
        return challenge(self.session, claim, challenger, strength, now)

    @operation(
        "POST /v1/claims/{claim}/resolve",
        scope="write",
        example={"claim": EXAMPLE_ID, "uphold": True, "note": "measured again"},
    )
    def resolve(
        self, claim: ClaimId, by: ClaimId | None = None, *, uphold: bool, note: str = "", now: Now = None
    ) -> Claim:
        """End a challenge: uphold the claim, or give it up.

        Args:
            claim: Id of the claim that is challenged.
            by: Id of the challenging claim; all of them by default.
            uphold: Whether the claim is upheld; otherwise it is deprecated.
            note: Why, for the history.
        """
        from howsure.claims.relate import resolve

        return resolve(self.session, claim, by, uphold=uphold, note=note, now=now)

    @operation("POST /v1/claims/{claim}/supersede", scope="write", example={"claim": EXAMPLE_ID, "by": OTHER_ID})
    def supersede(self, claim: ClaimId, by: ClaimId, *, now: Now = None) -> Claim:
        """Replace a claim by another one, and mark it as deprecated.

        Args:
            claim: Id of the old claim.
            by: Id of the new one.
        """
        from howsure.claims.relate import supersede

        return supersede(self.session, claim, by, now)

    @operation(
        "POST /v1/claims/derive",
        scope="write",
        decodes=True,
        example={"statement": "The cache can be shared", "constituents": [EXAMPLE_ID], "confidence": 0.9},
    )
    def derive(
        self,
        statement: Statement,
        constituents: Sequence[str],
        *,
        confidence: Unit = 0.5,
        by: str = "inference",
        tier: Tier | None = None,
        namespace: Namespace = "default",
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002 - the word for it
        stale_at: Moment | Literal["never"] | None = None,
        ttl: Amount | None = None,
        valid_from: Moment | None = None,
        valid_until: Moment | None = None,
        now: Now = None,
    ) -> AddedClaim:
        """Add a claim inferred from others; its lower bound is at most the lowest of theirs, its upper the highest.

        That holds whenever it is read. The lower bound is also as far below the upper as the widest of theirs. Claims
        that are deprecated, forgotten or outside their validity window count as [0, 0].

        Args:
            constituents: Ids of the claims that it is inferred from.
            confidence: How sure the inference itself is at most.
            by: Who infers it.
            tier: How long it is meant to live: ephemeral, task (the default) or project.
            subject: What it is about.
            predicate: Which property of the subject.
            object: The value of that property.
            stale_at: When it starts to lose confidence, or `never`; by default after one half-life of its tier.
            ttl: Seconds until it expires; by default those of its tier.
            valid_from: When it starts being true.
            valid_until: When it stops being true.
        """
        record = {
            "statement": statement,
            "tier": tier,
            "namespace": namespace,
            "subject": subject,
            "predicate": predicate,
            "object": object,
            "stale_at": stale_at,
            "ttl": ttl,
            "valid_from": valid_from,
            "valid_until": valid_until,
        }
        from howsure.claims.relate import derive

        inference = Source("inference", decode_as(str, by, "by"), decode_as(Unit, confidence, "confidence"))
        inferred = replace(decode(ClaimRecord, record), sources=(inference,))
        return derive(self.session, inferred, decode_as(tuple[str, ...], constituents, "constituents"), now)

    arelate = asynchronous(relate)
    aunrelate = asynchronous(unrelate)
    achallenge = asynchronous(challenge)
    aresolve = asynchronous(resolve)
    asupersede = asynchronous(supersede)
    aderive = asynchronous(derive)
