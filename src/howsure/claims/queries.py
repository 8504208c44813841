"""The public methods that read claims. Each is also an operation of the HTTP API."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from howsure.asynchronous import asynchronous
from howsure.claims import find as finding
from howsure.claims.claim import EXAMPLE_ID, AsOf, Claim, ClaimEvent, ClaimId, Formula, ReadAt
from howsure.claims.federation import MAX_CLAIMS
from howsure.claims.find import ClaimCounts, ClaimPage
from howsure.errors import InputError
from howsure.formulas.claim import IN_USE, Status
from howsure.formulas.decay import Tier
from howsure.operation import Tool, operation
from howsure.shapes import Doc, Local, Moment, Unit, Wire, Within, decode_as
from howsure.store.claim_tables.selection import Order, Selection
from howsure.store.session import Session, claim_formula
from howsure.store.text_rules import check_text

if TYPE_CHECKING:  # loaded by the methods that need them, so that adding and finding claims starts fast
    from howsure.claims.compare import ClaimComparison
    from howsure.claims.explain import ClaimExplanation, Deliberation, TopicReflection
    from howsure.claims.federation.page import FederatedClaimPage
    from howsure.claims.federation.peers import Peers
    from howsure.claims.federation.wire import SharedClaims
    from howsure.claims.meaning import Meaning
    from howsure.judge.question import Judge

MAX_LIMIT = 10**9
"""Claims on one page."""
NamespacePattern = Annotated[
    str | None, Doc("`a/b`, `a/b/*` (with everything below) or `a/b/*/1` (with one level below).")
]
Limit = Annotated[int | None, Wire(Annotated[int, Within(1, 1000)]), Doc("Number of claims on a page.")]
FederatedLimit = Annotated[int, Within(1, MAX_CLAIMS), Doc("Number of claims.")]
Where = Annotated[str | Selection, Doc("Words that the statements contain, or a selection.")]


class ClaimQueries:
    """The methods of `Claims` that read. `Claims` opens the store."""

    session: Session
    meaning_if_on: "Meaning | None"
    """Compares new claims by meaning, or None if that is not switched on."""
    _judge: "Judge | None"
    _peers: "Callable[[], Peers] | None"

    @cached_property
    def meaning(self) -> "Meaning":
        """Compares claims by meaning."""
        from howsure.claims.meaning import Meaning

        return self.meaning_if_on or Meaning(self.session)

    @operation("GET /v1/claims/{claim}", scope="read", example={"claim": EXAMPLE_ID})
    def get(self, claim: ClaimId, *, now: ReadAt = None, as_of: AsOf = None, formula: Formula = None) -> Claim:
        """Return a claim, whatever its status."""
        return finding.get(self.session, claim, self.session.read_options(now, as_of, formula))

    @operation(
        "GET /v1/claims",
        scope="read",
        example={"text": "cache", "min_lower": 0.4, "limit": 20},
        tool=Tool(
            "find_claims",
            "Find claims",
            "Look up what is known, and how sure that is, before you investigate or answer. Each claim has an "
            "interval: lower is how sure we are at least, upper at most. The surest come first.",
            parameters=(
                *("text", "subject", "predicate", "object", "namespace", "tiers", "statuses", "min_lower"),
                *("unverified", "meaning", "limit", "cursor"),
            ),
            idempotent=True,
        ),
    )
    def find(
        self,
        text: str | None = None,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,  # noqa: A002 - the word for it
        namespace: NamespacePattern = None,
        tiers: Sequence[Tier] = (),
        statuses: Sequence[Status] = IN_USE,
        created_from: Moment | None = None,
        created_until: Moment | None = None,
        min_lower: Unit | None = None,
        max_lower: Unit | None = None,
        min_upper: Unit | None = None,
        max_upper: Unit | None = None,
        min_width: Unit | None = None,
        max_width: Unit | None = None,
        wide: bool = False,
        unverified: bool = False,
        stale: bool | None = None,
        outside_validity: bool = False,
        meaning: bool = False,
        order: Order = "lower",
        ascending: bool = False,
        now: ReadAt = None,
        as_of: AsOf = None,
        formula: Formula = None,
        trust: Unit = 1.0,
        limit: Limit = 50,
        cursor: str | None = None,
    ) -> ClaimPage:
        """Find claims, the surest first. All conditions have to hold.

        `as_of` a past moment uses only what was recorded by then; `now` alone ages today's evidence.

        Args:
            text: Words that the statement contains, in any order.
            subject: The exact subject.
            predicate: The exact predicate.
            object: The exact object.
            tiers: Tiers; all if empty.
            statuses: Statuses; all if empty.
            created_from: Created at this moment or later.
            created_until: Created before this moment.
            min_lower: Smallest lower bound.
            max_lower: Largest lower bound.
            min_upper: Smallest upper bound.
            max_upper: Largest upper bound.
            min_width: Smallest width of the interval.
            max_width: Largest width of the interval.
            wide: Only wide intervals (at least 0.4).
            unverified: Only claims with upper bound at least 0.7 and lower bound below 0.5.
            stale: True: only claims that lose confidence by age. False: only those that do not yet.
            outside_validity: Include claims outside their validity window.
            meaning: Search by meaning, not words: the nearest first, on one page.
            order: The sort key.
            ascending: Smallest first.
            trust: Scale every interval by this.
            cursor: Continue after the page that returned this cursor, with its conditions, moment and formula.
        """
        selection = Selection(
            text=text,
            subject=subject,
            predicate=predicate,
            object=object,
            namespace=namespace,
            tiers=tuple(tiers),
            statuses=tuple(statuses),
            created_from=created_from,
            created_until=created_until,
            min_lower=min_lower,
            max_lower=max_lower,
            min_upper=min_upper,
            max_upper=max_upper,
            min_width=min_width,
            max_width=max_width,
            wide=wide,
            unverified=unverified,
            stale=stale,
            outside_validity=outside_validity,
            order=order,
            ascending=ascending,
        )
        options = self.session.read_options(now, as_of, formula, trust)
        if limit is not None and not 1 <= limit <= MAX_LIMIT:
            raise InputError(f"invalid limit {limit}", field="limit", hint=f"from 1 to {MAX_LIMIT:,}")
        if not meaning:
            return finding.find(self.session, finding.decode_selection(selection), options, limit, cursor)
        if cursor is not None:
            raise InputError("a search by meaning has one page", field="cursor", hint="raise the limit instead")
        return self.meaning.find(finding.decode_selection(selection), options, limit)

    @operation(
        "POST /v1/claims/federated",
        scope="read",
        example={"where": {"text": "cache", "min_lower": 0.4}, "limit": 20},
        slow=True,
    )
    def find_federated(
        self,
        where: Where = "",
        *,
        now: ReadAt = None,
        as_of: AsOf = None,
        formula: Formula = None,
        limit: FederatedLimit = 50,
    ) -> "FederatedClaimPage":
        """Find claims in this store and in those of all peers.

        What peers send is scored with this store's formula and its trust in them. The page says who answered.
        """
        from howsure.claims.federation.find import find_federated

        options = self.session.read_options(now, as_of, formula)
        return find_federated(self.session, self._peers, _selection(where), options, limit)

    @operation(
        "POST /v1/claims/inputs",
        scope="read",
        example={"where": {"text": "cache"}, "formula": "noisy_or", "limit": 20},
    )
    def inputs(
        self,
        where: Where = "",
        *,
        now: ReadAt = None,
        as_of: AsOf = None,
        formula: Formula = None,
        version: Annotated[int, Within(1, 1_000_000)] | None = None,
        parameters: dict[str, Any] | None = None,
        limit: FederatedLimit = 50,
    ) -> "SharedClaims":
        """Return claims as the folded inputs of a formula, for another store to score.

        Bounds of the selection hold at full trust. No peer is asked, so stores that ask each other never loop.

        Args:
            version: Version of the formula that they will be scored with; any by default.
            parameters: Parameters of the formula that differ from its defaults.
        """
        from howsure.claims.federation.share import share
        from howsure.formulas.scoring import with_parameters

        if parameters:
            if not isinstance(formula, str):
                raise InputError("parameters without the name of their formula", field="formula", hint="like noisy_or")
            formula = with_parameters(claim_formula(formula), parameters)
        options = self.session.read_options(now, as_of, formula)
        if version not in (None, options.formula.version):
            hint = "both stores need the same version of howsure, or of the package that provides the formula"
            problem = f"{options.formula.name} has version {options.formula.version} here"
            raise InputError(problem, field="version", hint=hint)
        return share(self.session, _selection(where), options, limit)

    @operation(
        "GET /v1/claims/{claim}/explain",
        scope="read",
        example={"claim": EXAMPLE_ID},
        tool=Tool(
            "explain_claim",
            "Explain a claim",
            "Why does a claim have its interval: sources, claims for and against it, reasons in words, and what would "
            "change it most. Use it before you rely on a claim or challenge it.",
            parameters=("claim",),
            omit=("score", "derived", "weights"),
            idempotent=True,
        ),
    )
    def explain(
        self, claim: ClaimId, *, now: ReadAt = None, as_of: AsOf = None, formula: Formula = None
    ) -> "ClaimExplanation":
        """Return why a claim has its interval, step by step, and what would change it most."""
        from howsure.claims.explain import explain

        return explain(self.session, claim, self.session.read_options(now, as_of, formula))

    @operation("GET /v1/claims/{claim}/compare", scope="read", example={"claim": EXAMPLE_ID})
    def compare(
        self,
        claim: ClaimId,
        *,
        reader: Annotated[
            Literal["words", "installed"],
            Doc("words: by rules and words. installed: also by the reader that is installed, if there is one."),
        ] = "words",
    ) -> "ClaimComparison":
        """Return the claims of its namespace that contradict a claim or say nearly the same, related or not."""
        from howsure.claims.compare import ComparisonReader, compare

        chosen: ComparisonReader = decode_as(ComparisonReader, reader, "reader")
        return compare(self.session, claim, chosen, self.meaning_if_on if chosen == "installed" else None)

    @operation("GET /v1/claims/{claim}/history", scope="read", example={"claim": EXAMPLE_ID})
    def history(self, claim: ClaimId) -> list[ClaimEvent]:
        """Return every change of a claim: when, by whom and what."""
        return finding.history(self.session, claim)

    @operation("GET /v1/claims/reflect", scope="read", example={"topic": "cache"})
    def reflect(
        self,
        topic: str = "",
        *,
        namespace: NamespacePattern = None,
        now: ReadAt = None,
        formula: Formula = None,
        prose: Annotated[bool, Local()] = False,
    ) -> "TopicReflection":
        """Return the strongest, weakest, widest and contradicted claims about a topic.

        With `prose`, the judge also summarizes them.

        Args:
            topic: Words that the claims contain; all claims if empty.
        """
        from howsure.claims.explain import reflect

        check_text("statement", topic, "topic")
        check_text("namespace", namespace)
        options = self.session.read_options(now, None, formula)
        reflection = reflect(self.session, topic, namespace, options)
        if not prose:
            return reflection
        from howsure.claims.deliberate import summarize

        groups = (reflection.strongest, reflection.weakest, reflection.widest, reflection.contradicted)
        claims = list({claim.id: claim for group in groups for claim in group}.values())
        summary = summarize(self._require_judge(), topic, claims)
        return replace(reflection, prose=summary.text, failure=summary.failure)

    @operation("GET /v1/claims/count", scope="read", example={"namespace": "team/*"})
    def count(self, namespace: NamespacePattern = None, *, now: ReadAt = None, formula: Formula = None) -> ClaimCounts:
        """Count claims: how many are strong, uncertain, weak, unknown, wide, unverified, challenged and stale."""
        check_text("namespace", namespace)
        return finding.count_claims(self.session, namespace, self.session.read_options(now, None, formula))

    @operation(
        "POST /v1/claims/deliberate",
        scope="write",
        example={"claims": [EXAMPLE_ID], "question": "Is the cache safe to share between threads?"},
        slow=True,
    )
    def deliberate(
        self,
        claims: Sequence[str],
        *,
        question: str = "",
        now: ReadAt = None,
        as_of: AsOf = None,
        formula: Formula = None,
    ) -> "Deliberation":
        """Ask the judge what it makes of several claims together. Nothing that is stored changes; it may cost money.

        Args:
            claims: Ids of the claims.
            question: What to ask about them.
        """
        from howsure.claims.deliberate import deliberate
        from howsure.claims.explain import explain

        judge = self._require_judge()
        options = self.session.read_options(now, as_of, formula)
        return deliberate(judge, question, [explain(self.session, claim, options) for claim in claims])

    def _require_judge(self) -> "Judge":
        """Return the judge; raise InputError if none is configured."""
        if self._judge is None:
            raise InputError("no judge is configured", field="judge", hint="set judge.base_url and judge.model")
        return self._judge

    @operation("GET /v1/claims/export", scope="admin", streams=True, slow=True)
    def export(self) -> Iterator[dict[str, Any]]:
        """Return everything in the store, record by record: claims with sources and history, relations, the ledger.

        The first record counts the others, so that `import_` notices an export that was cut short.
        """
        from howsure.store.transfer import export

        return export(self.session.database)

    aget = asynchronous(get)
    afind = asynchronous(find)
    afind_federated = asynchronous(find_federated)
    ainputs = asynchronous(inputs)
    adeliberate = asynchronous(deliberate)
    aexplain = asynchronous(explain)
    acompare = asynchronous(compare)
    ahistory = asynchronous(history)
    areflect = asynchronous(reflect)
    acount = asynchronous(count)
    aexport = asynchronous(export)


def _selection(where: str | Selection) -> Selection:
    """Return a checked selection; a text selects by words."""
    return finding.decode_selection(Selection(text=where or None) if isinstance(where, str) else where)
