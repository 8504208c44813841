"""The public methods that decide how long claims live: verify, promote, demote, forget, purge."""

from typing import TYPE_CHECKING, Annotated

from howsure.asynchronous import asynchronous
from howsure.claims.claim import EXAMPLE_ID, Claim, ClaimId
from howsure.claims.queries import ClaimQueries
from howsure.formulas.decay import Tier
from howsure.operation import Tool, operation
from howsure.shapes import Doc, Now, Unit

if TYPE_CHECKING:  # loaded by the methods that need them, so that adding and finding claims starts fast
    from howsure.claims.tiers import ClaimPromotion, Gatekeeper, PurgedClaim

SourceName = Annotated[str, Doc("Who says so, as TYPE:ID.", example="user_input:ann")]
Contribution = Annotated[Unit | None, Doc("How much the source counts, from 0 to 1; 0.5 by default.")]


class ClaimLifetimes(ClaimQueries):
    """Operations on one claim that change how long it lives."""

    _gatekeeper: "Gatekeeper | None"

    @operation(
        "POST /v1/claims/{claim}/verify",
        scope="write",
        example={"claim": EXAMPLE_ID, "source": "user_input:ann", "contribution": 0.8},
        tool=Tool(
            "verify_claim",
            "Verify a claim",
            "Say that you checked a known claim again and that it still holds, with who checked it (`source` as "
            "TYPE:ID). A stale or deprecated one counts again.",
        ),
    )
    def verify(
        self, claim: ClaimId, *, source: SourceName, contribution: Contribution = None, now: Now = None
    ) -> Claim:
        """Say that a claim still holds: add the source that checked it, and renew its stale date.

        The stale date and the expiry are counted again from now, by the rule of its tier. Later ones stay as they are.
        A deprecated claim (refuted, given up or superseded) counts again: nothing else brings it back.

        Raises:
            InputError: if the claim is forgotten, the source is invalidated, or all that it was inferred from is gone.
            NotFoundError: if there is no such claim.

        >>> import howsure, tempfile
        >>> sure = howsure.open(tempfile.mkdtemp() + "/claims.db")
        >>> sky = sure.claims.add("The sky is blue", source="user_input:ann", stale_at=1.0)
        >>> sure.claims.verify(sky.id, source="user_input:ann").stale_at > 1.0
        True
        """
        from howsure.claims.tiers import verify

        return verify(self.session, claim, source, contribution, now)

    @operation(
        "POST /v1/claims/{claim}/refute",
        scope="write",
        example={"claim": EXAMPLE_ID, "source": "user_input:ann", "note": "measured: it does not hold"},
    )
    def refute(self, claim: ClaimId, *, source: SourceName, note: str = "", now: Now = None) -> Claim:
        """Say that a claim was checked and is wrong: it is deprecated, and counts against its sources.

        The opposite of `verify`. If only another claim speaks against it, use `challenge`.

        Args:
            source: Who checked it, as TYPE:ID.
            note: Why, for the history.

        Raises:
            InputError: if the claim is deprecated or forgotten already.
            NotFoundError: if there is no such claim.

        >>> import howsure, tempfile
        >>> sure = howsure.open(tempfile.mkdtemp() + "/claims.db")
        >>> sky = sure.claims.add("The sky is green", source="agent:7")
        >>> sure.claims.refute(sky.id, source="user_input:ann", note="looked up").status
        'deprecated'
        """
        from howsure.claims.tiers import refute

        return refute(self.session, claim, source, note, now)

    @operation("POST /v1/claims/{claim}/promote", scope="write", example={"claim": EXAMPLE_ID, "to": "project"})
    def promote(self, claim: ClaimId, to: Tier | None = None, *, now: Now = None) -> "ClaimPromotion":
        """Move a claim to a higher tier, if the gatekeeper agrees.

        Args:
            to: The tier; by default the next one.
        """
        from howsure.claims.tiers import by_bounds, promote

        return promote(self.session, claim, to, self._gatekeeper or by_bounds, now)

    @operation(
        "POST /v1/claims/{claim}/demote", scope="write", example={"claim": EXAMPLE_ID, "reason": "no longer needed"}
    )
    def demote(self, claim: ClaimId, to: Tier | None = None, *, reason: str = "", now: Now = None) -> Claim:
        """Move a claim to a lower tier.

        Args:
            to: The tier; by default the next one.
            reason: Why, for the history.
        """
        from howsure.claims.tiers import demote

        return demote(self.session, claim, to, reason, now)

    @operation("POST /v1/claims/{claim}/forget", scope="write", example={"claim": EXAMPLE_ID, "reason": "proved wrong"})
    def forget(self, claim: ClaimId, *, reason: str = "", now: Now = None) -> bool:
        """Mark a claim as forgotten, so that queries leave it out.

        The result is false if it is forgotten already.

        Args:
            reason: Why, for the history.
        """
        from howsure.claims.tiers import forget

        return forget(self.session, claim, reason, now)

    @operation("DELETE /v1/claims/{claim}", scope="admin", example={"claim": EXAMPLE_ID})
    def purge(self, claim: ClaimId) -> "PurgedClaim":
        """Delete a claim for good, with its sources, relations and history."""
        from howsure.claims.tiers import purge

        return purge(self.session, claim)

    averify = asynchronous(verify)
    arefute = asynchronous(refute)
    apromote = asynchronous(promote)
    ademote = asynchronous(demote)
    aforget = asynchronous(forget)
    apurge = asynchronous(purge)
