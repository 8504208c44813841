"""The public methods on claims. Each is also an operation of the HTTP API; some are tools of agents."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, Literal

from howsure.asynchronous import asynchronous
from howsure.claims import add as adding
from howsure.claims.add import AddedClaim, ClaimAddition, ClaimRecord
from howsure.claims.lifetime import Contribution, SourceName
from howsure.claims.relations import ClaimRelations, Namespace, Statement
from howsure.errors import HowsureError, InputError
from howsure.formulas.claim import Source
from howsure.formulas.decay import Tier
from howsure.operation import Tool, operation
from howsure.progress import Progress, silent
from howsure.shapes import Amount, Doc, Local, Moment, Now, Unchecked, Unit, Wire, decode, decode_as
from howsure.store.session import Session

if TYPE_CHECKING:  # loaded by the methods that need them, so that adding and finding claims starts fast
    from howsure.claims.federation.peers import Peers
    from howsure.claims.learn import Conflicts, LearnReport
    from howsure.claims.meaning import EmbedReport, Meaning
    from howsure.claims.relate import SourceChange
    from howsure.claims.tiers import Gatekeeper
    from howsure.judge.question import Judge
    from howsure.store.transfer import ImportReport

log: logging.Logger = logging.getLogger(__name__)

MAX_BATCH = 1000
"""Claims in one call of `add_many`; `learn` takes more."""

Sources = Annotated[Sequence[Source | Mapping[str, Any]], Wire(tuple[Source, ...])]
Records = list[Annotated[Any, Unchecked(ClaimRecord)]]
Lines = Annotated[
    str | Path | BinaryIO | Iterable[Any], Wire(Records), Doc("The claims, each with the fields of `claims.add`.")
]


class Claims(ClaimRelations):
    """Claims with their sources, relations and confidence intervals.

    Every method has an async version whose name starts with an a: `aadd`, `afind`, ...
    """

    def __init__(
        self,
        session: Session,
        gatekeeper: "Gatekeeper | None" = None,
        judge: "Judge | None" = None,
        peers: "Callable[[], Peers] | None" = None,
        meaning: "Meaning | None" = None,
    ) -> None:
        """Use an open store.

        Args:
            session: The open store.
            gatekeeper: Decides about promotions; by default by the bounds of the interval.
            judge: The language model to ask.
            peers: Returns the peers to ask in federated queries; loaded only then.
            meaning: Compares new claims by meaning; by default they are compared by words.
        """
        self.session = session
        self._gatekeeper = gatekeeper
        self._judge = judge
        self._peers = peers
        self.meaning_if_on = meaning

    @operation(
        "POST /v1/claims",
        scope="write",
        decodes=True,
        example={
            "statement": "The cache is thread-safe",
            "source": "user_input:ann",
            "contribution": 0.8,
            "namespace": "team/project",
        },
        tool=Tool(
            "remember_claim",
            "Remember a claim",
            "Store what was found out, with who says so. A known statement is corroborated: independent sources make "
            "it surer. Give `source` as TYPE:ID, like extraction:README.md, user_input:ann or agent:reviewer. "
            "The result names known claims that contradict it (conflicts) or say nearly the same (similar).",
            parameters=("statement", "subject", "predicate", "object", "namespace", "tier", "source", "contribution"),
        ),
    )
    def add(
        self,
        statement: Statement,
        *,
        source: SourceName | None = None,
        contribution: Contribution = None,
        sources: Sources = (),
        tier: Tier | None = None,
        namespace: Namespace = "default",
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002 - the word for it
        stale_at: Moment | Literal["never"] | None = None,
        ttl: Amount | None = None,
        valid_from: Moment | None = None,
        valid_until: Moment | None = None,
        compare: bool = True,
        now: Now = None,
    ) -> AddedClaim:
        """Add a claim, or corroborate the one with the same statement or triple.

        Dates that are given with a corroboration replace those of the claim, and a higher tier its tier; a lower tier
        has no effect, which the `notes` of the result say. `verify` makes a stale claim fresh.

        Args:
            sources: Several sources, instead of one.
            tier: How long it is meant to live: ephemeral, task (the default) or project; persistent only by promotion.
            subject: What it is about.
            predicate: Which property of the subject.
            object: The value of that property.
            stale_at: When it starts to lose confidence, or `never`; by default after one half-life of its tier.
            ttl: Seconds until it expires; by default those of its tier.
            valid_from: When it starts being true.
            valid_until: When it stops being true.
            compare: Report known claims that contradict it or say nearly the same.

        >>> import howsure, tempfile
        >>> sure = howsure.open(tempfile.mkdtemp() + "/claims.db")
        >>> added = sure.claims.add("The sky is blue", source="user_input:ann", contribution=0.8)
        >>> added.outcome, str(added.claim.interval)
        ('created', '[0.53, 0.80]')
        """
        record = {
            "statement": statement,
            "source": source,
            "contribution": contribution,
            "sources": sources,
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
        compared = decode_as(bool, compare, "compare")
        return adding.add(self.session, decode(ClaimRecord, record), now, compare=compared, meaning=self.meaning_if_on)

    @operation(
        "POST /v1/claims/batch",
        scope="write",
        example={"claims": [{"statement": "The cache is bounded", "source": "extraction:README.md"}]},
    )
    def add_many(
        self, claims: Annotated[Sequence[Any], Wire(Records)], *, compare: bool = True, now: Now = None
    ) -> list[ClaimAddition]:
        """Add several claims; one that fails does not affect the others.

        Args:
            claims: The claims, each with the fields of `claims.add`; at most 1,000.
            compare: Report known claims that contradict them or say nearly the same, for up to 100 claims.
        """
        if len(claims) > MAX_BATCH:
            hint = f"at most {MAX_BATCH:,}; claims.learn takes more"
            raise InputError(f"{len(claims):,} claims are too many", field="claims", hint=hint)
        return adding.add_many(self.session, claims, now, compare=compare, meaning=self.meaning_if_on)

    @operation(
        "POST /v1/claims/extract",
        scope="write",
        example={"text": "The cache holds 1,000 entries and is cleared at night.", "source": "extraction:README.md"},
        slow=True,
    )
    def extract(
        self, text: str, *, source: SourceName, namespace: Namespace = "default", now: Now = None
    ) -> list[ClaimAddition]:
        """Add the claims that the judge finds in a text. It may cost money.

        If the judge fails, or does not see all of the text, the last result is `failed` and says so.

        Args:
            text: The text.
        """
        from howsure.claims.deliberate import extract

        extraction = extract(self._require_judge(), text, source, namespace)
        results = self.add_many(extraction.claims, now=now)
        return [*results, ClaimAddition("failed", reason=extraction.failure)] if extraction.failure else results

    @operation(
        "POST /v1/sources/invalidate",
        scope="write",
        example={"source_type": "extraction", "source_id": "almanac", "reason": "out of date"},
    )
    def invalidate_source(
        self, source_type: str, source_id: str, *, reason: str = "", now: Now = None
    ) -> "SourceChange":
        """Stop counting a source in every claim that rests on it.

        Args:
            source_type: Type of the source.
            source_id: Id of the source.
            reason: Why, for the history.
        """
        from howsure.claims.relate import invalidate_source

        return invalidate_source(self.session, source_type, source_id, reason, now)

    @operation("POST /v1/sources/restore", scope="write", example={"source_type": "extraction", "source_id": "almanac"})
    def restore_source(self, source_type: str, source_id: str, *, now: Now = None) -> "SourceChange":
        """Count an invalidated source again.

        Args:
            source_type: Type of the source.
            source_id: Id of the source.
        """
        from howsure.claims.relate import restore_source

        return restore_source(self.session, source_type, source_id, now)

    @operation(
        "POST /v1/claims/learn",
        scope="write",
        example={"records": [{"statement": "The cache is bounded", "source": "file:facts"}], "trust": 0.5},
        lines="records",
        slow=True,
    )
    def learn(
        self,
        records: Lines,
        *,
        trust: Unit = 1.0,
        conflicts: "Conflicts" = "flag",
        progress: Annotated[Progress, Local()] = silent,
    ) -> "LearnReport":
        """Add claims in bulk. Records that cannot be read are counted and reported.

        Python callers may also pass a JSON Lines, CSV or Parquet file, or an open file of JSON Lines.

        Args:
            trust: Scales every contribution.
            conflicts: What to do with a claim that gives a known subject and predicate another object: relate the two
                as contradicting (flag), ignore it (quiet) or leave the claim out (reject).
        """
        from howsure.claims.learn import learn
        from howsure.datafiles import number_lines, read_records

        if isinstance(records, str | Path):
            lines: Iterable[tuple[int, Any]] = read_records(Path(records))
        else:
            lines = number_lines(records) if hasattr(records, "readline") else enumerate(records, start=1)
        learned = learn(self.session, lines, trust, conflicts, progress)
        if self.meaning_if_on is not None:
            try:
                self.meaning.embed_missing(progress)
            except HowsureError as error:  # the claims are stored; `embed` makes their vectors later
                log.warning("claims were learned, but cannot be found by meaning: %s", error)
        return learned

    def embed(self, *, prune: bool = False, progress: Progress = silent) -> "EmbedReport":
        """Make the vectors of claims that have none, so that they can be found by meaning.

        What was made before an interruption stays; another call goes on there.

        Args:
            prune: Delete the vectors of other embedders afterwards.
            progress: Told how many claims are done.

        Raises:
            MissingExtraError: if no embedder is installed.
            ReaderError: if it fails.
        """
        return self.meaning.embed_missing(progress, prune=prune)

    @operation(
        "POST /v1/claims/import",
        scope="admin",
        example={"records": [{"howsure": 1, "claims": 0, "relations": 0, "invalidations": 0}]},
        lines="records",
        slow=True,
    )
    def import_(
        self,
        records: Annotated[Iterable[Any], Wire(list[Any])],
        *,
        progress: Annotated[Progress, Local()] = silent,
    ) -> "ImportReport":
        """Import the records of an export; if one is invalid, import none.

        Args:
            records: The records, in their order.
        """
        from howsure.store.transfer import import_records

        with self.session.write() as transaction:
            return import_records(transaction, enumerate(records, start=1), progress)

    aadd = asynchronous(add)
    aadd_many = asynchronous(add_many)
    aextract = asynchronous(extract)
    ainvalidate_source = asynchronous(invalidate_source)
    arestore_source = asynchronous(restore_source)
    alearn = asynchronous(learn)
    aembed = asynchronous(embed)
    aimport_ = asynchronous(import_)
