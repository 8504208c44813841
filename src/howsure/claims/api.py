"""Claims, as the library offers them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, overload

from howsure.asynchronous import add_twins
from howsure.claims import add as adding
from howsure.claims import explain as explaining
from howsure.claims import find as finding
from howsure.claims import learn as learning
from howsure.claims import relate as relating
from howsure.claims import tiers
from howsure.claims.add import Added, check_text
from howsure.claims.explain import Explanation, Reflection
from howsure.claims.find import Page, StoredClaim
from howsure.claims.learn import Conflicts, Learned
from howsure.claims.relate import Challenge
from howsure.claims.tiers import Gatekeeper, Verdict
from howsure.datafiles import numbered, read_records
from howsure.errors import InputError
from howsure.formulas.claim import ClaimFormula
from howsure.formulas.decay import Tier
from howsure.progress import Progress, silent
from howsure.shapes import decode
from howsure.store.selection import Selection
from howsure.store.session import Session, key_of

if TYPE_CHECKING:
    from howsure.claims.federation.form import Told
    from howsure.claims.federation.page import FederatedPage
    from howsure.claims.federation.peers import Peers
    from howsure.judge.question import Judge

Formula = str | ClaimFormula | None
MOST = 10**9
"""Claims on one page, at most."""


class Claims:
    """What is believed, on what grounds, and how sure that is at the moment it is asked.

    Every method has an asynchronous twin whose name starts with an a: `aadd`, `afind`, ...
    """

    def __init__(
        self,
        session: Session,
        gatekeeper: Gatekeeper = tiers.by_bounds,
        judge: "Judge | None" = None,
        peers: "Callable[[], Peers | None] | None" = None,
    ) -> None:
        """Take the session to write in, who decides about promotions, the language model and the peers to ask."""
        self.session = session
        """What is written in."""
        self._judge = judge
        self._peers = peers or (lambda: None)
        self.gatekeeper = gatekeeper

    def add(self, statement: str, *, now: float | None = None, **given: Any) -> Added:
        """Add one claim, or corroborate the one that says the same. Raises if it cannot be added."""
        (result,) = adding.add(self.session, [{"statement": statement, **given}], now)
        if result.outcome == "failed":
            raise InputError(result.reason)
        return result

    def add_many(self, claims: Sequence[Any], *, now: float | None = None) -> list[Added]:
        """Add several claims; each result says created, corroborated, or failed and why."""
        return adding.add(self.session, claims, now)

    def get(
        self, claim: str, *, now: float | None = None, as_of: float | None = None, formula: Formula = None
    ) -> StoredClaim:
        """Return one claim as it stands, whatever its status."""
        return finding.get(self.session, claim, self.session.read_options(now, as_of, formula))

    @overload
    def find(
        self, text: str | None = ..., *, now: float | None = ..., as_of: float | None = ..., formula: Formula = ...,
        limit: int = ..., federated: Literal[True], **wanted: Any,
    ) -> "FederatedPage": ...  # fmt: skip

    @overload
    def find(
        self, text: str | None = ..., *, now: float | None = ..., as_of: float | None = ..., formula: Formula = ...,
        trust: float = ..., limit: int | None = ..., cursor: str | None = ..., deliberate: bool | str = ...,
        federated: Literal[False] = ..., **wanted: Any,
    ) -> Page: ...  # fmt: skip

    def find(
        self,
        text: str | None = None,
        *,
        now: float | None = None,
        as_of: float | None = None,
        formula: Formula = None,
        trust: float = 1.0,
        limit: int | None = 50,
        cursor: str | None = None,
        deliberate: bool | str = False,
        federated: bool = False,
        **wanted: Any,
    ) -> "Page | FederatedPage":
        """Return claims that fit: by text, subject, namespace, tier, status, time, or by their interval.

        `as_of` a past moment uses only what was recorded by then; `now` alone ages today's evidence. A cursor from the
        page before pins moment, formula and selection, so that paging is stable. `deliberate` asks the judge, too:
        about the text, or about a question given instead of True; nothing that is stored changes. `federated` asks
        all peers, too, scores what they tell by this store's formula and its trust in each, and says who answered.
        """
        selection, reading = _selection(text, wanted), self.session.read_options(now, as_of, formula, trust)
        if federated:
            from howsure.claims.federation import find as everywhere

            everywhere.check(limit, cursor, deliberate, trust)
            return everywhere.find(self.session, self._peers, selection, reading, limit or 0)
        if limit is not None and not 1 <= limit <= MOST:
            raise InputError(f"{limit} is no number of claims", field="limit", hint=f"from 1 to {MOST:,}")
        page = finding.find(self.session, selection, reading, limit, cursor)
        if deliberate is False:
            return page
        from howsure.claims.deliberate import deliberate as ask

        explained = [explaining.explain(self.session, claim.id, reading) for claim in page.claims]
        question = deliberate if isinstance(deliberate, str) else text or ""
        return replace(page, deliberation=ask(self._asked(), question, explained))

    def inputs(
        self,
        text: str | None = None,
        *,
        now: float | None = None,
        as_of: float | None = None,
        formula: Formula = None,
        limit: int = 50,
        **wanted: Any,
    ) -> "Told":
        """Return claims of this store as the numbers that a formula needs, for another store to score.

        Bounds hold at full trust. Nobody else is asked, so that stores which ask each other never go in circles.
        """
        from howsure.claims.federation.offer import tell

        return tell(self.session, _selection(text, wanted), self.session.read_options(now, as_of, formula), limit)

    def _asked(self) -> "Judge":
        """Return the language model to ask; an error says how to set one, where there is none."""
        if self._judge is None:
            raise InputError("there is no judge to ask", field="judge", hint="set judge.base_url and judge.model")
        return self._judge

    def extract(self, text: str, *, source: str, namespace: str = "default", now: float | None = None) -> list[Added]:
        """Add the claims that the judge finds in a text, resting on the source that is named.

        Where the judge fails, or does not get to see all of the text, the last result is `failed` and says so.
        """
        from howsure.claims.deliberate import extracted

        found = extracted(self._asked(), text, source)
        added = self.add_many([claim | {"namespace": namespace} for claim in found.claims], now=now)
        return [*added, Added("failed", reason=found.failure)] if found.failure else added

    def explain(
        self, claim: str, *, now: float | None = None, as_of: float | None = None, formula: Formula = None
    ) -> Explanation:
        """Return why a claim is believed as far as it is, step by step, and what would change it most."""
        return explaining.explain(self.session, claim, self.session.read_options(now, as_of, formula))

    def history(self, claim: str) -> list[dict[str, Any]]:
        """Return every change of a claim: when, who, what."""
        with self.session.database.read() as transaction:
            query = "SELECT at, actor, action, status, detail FROM events WHERE claim = ? ORDER BY key"
            rows = transaction.rows(query, [key_of(transaction, claim)])
        return [dict(zip(("at", "actor", "action", "status", "detail"), row, strict=True)) for row in rows]

    def relate(self, source: str, kind: str, target: str, *, strength: float = 1.0, now: float | None = None) -> None:
        """Say that one claim supports, contradicts, refines, ... another."""
        relating.relate(self.session, source, kind, target, strength, now)

    def challenge(
        self, target: str, by: str | None = None, *, strength: float = 1.0, now: float | None = None, **claim: Any
    ) -> Challenge:
        """Contradict a claim by another, given by id, or as a statement with its source."""
        return relating.challenge(self.session, target, by, claim or None, strength, now)

    def resolve(
        self, target: str, by: str | None = None, *, uphold: bool, note: str = "", now: float | None = None
    ) -> None:
        """End a challenge: uphold the claim, or give it up."""
        relating.resolve(self.session, target, by, uphold=uphold, note=note, now=now)

    def supersede(self, old: str, new: str, *, now: float | None = None) -> None:
        """Let one claim take the place of another."""
        relating.supersede(self.session, old, new, now)

    def derive(
        self,
        statement: str,
        constituents: Sequence[str],
        *,
        assessed: float = 0.5,
        by: str = "inference",
        now: float | None = None,
        **given: Any,
    ) -> Added:
        """Add a claim inferred from others; `assessed` says how sure the inference itself is at best."""
        return relating.derive(self.session, {"statement": statement, **given}, constituents, assessed, by, now)

    def invalidate_source(self, source_type: str, source_id: str, *, reason: str = "", now: float | None = None) -> int:
        """Let a source count for nothing; return how many claims rested on it."""
        return relating.invalidate_source(self.session, source_type, source_id, reason, now)

    def restore_source(self, source_type: str, source_id: str, *, now: float | None = None) -> int:
        """Take back that a source was invalidated."""
        return relating.restore_source(self.session, source_type, source_id, now)

    def promote(self, claim: str, to: Tier | None = None, *, now: float | None = None) -> Verdict:
        """Ask the gatekeeper to move a claim up; the answer is promoted, rejected or deferred, with reasons."""
        return tiers.promote(self.session, claim, to, self.gatekeeper, now)

    def demote(self, claim: str, to: Tier | None = None, *, reason: str = "", now: float | None = None) -> Tier:
        """Move a claim down; return its tier."""
        return tiers.demote(self.session, claim, to, reason, now)

    def forget(self, claim: str, *, reason: str = "", now: float | None = None) -> bool:
        """Stop believing a claim; return whether that changed anything."""
        return tiers.forget(self.session, claim, reason, now)

    def purge(self, claim: str) -> None:
        """Take a claim away for good, with its history."""
        tiers.purge(self.session, claim)

    def learn(
        self,
        records: str | Path | BinaryIO | Iterable[Any],
        *,
        trust: float = 1.0,
        conflicts: Conflicts = "flag",
        progress: Progress = silent,
    ) -> Learned:
        """Add claims in bulk: from a JSON Lines, CSV or Parquet file, an open file of JSON Lines, or records."""
        if isinstance(records, str | Path):
            given: Iterable[tuple[int, Any]] = read_records(Path(records))
        else:
            given = numbered(records) if hasattr(records, "readline") else enumerate(records, start=1)
        return learning.learn(self.session, given, trust, conflicts, progress)

    def reflect(
        self,
        topic: str,
        *,
        namespace: str | None = None,
        now: float | None = None,
        formula: Formula = None,
        prose: bool = False,
    ) -> Reflection:
        """Return what is known about a topic: strongest, weakest, widest, contradicted; in prose too, by the judge."""
        found = explaining.reflect(self.session, topic, namespace, self.session.read_options(now, None, formula))
        if not prose:
            return found
        from howsure.claims.deliberate import in_prose

        groups = (found.strongest, found.weakest, found.widest, found.contradicted)
        claims = list({claim.id: claim for group in groups for claim in group}.values())
        said = in_prose(self._asked(), topic, claims)
        return replace(found, prose=said.text, failure=said.failure)

    def standing(
        self, namespace: str | None = None, *, now: float | None = None, formula: Formula = None
    ) -> dict[str, int]:
        """Return how many claims there are, and how many are strong, uncertain, weak, wide, challenged, stale, ..."""
        check_text("namespace", namespace)
        return finding.standing(self.session, namespace, self.session.read_options(now, None, formula))

    def export(self) -> Iterator[dict[str, Any]]:
        """Give everything in the store, record by record, so that `import_` can rebuild it."""
        from howsure.claims.transfer import export

        return export(self.session)

    def import_(self, records: Iterable[Any], *, progress: Progress = silent) -> dict[str, int]:
        """Read what `export` gave, all or nothing."""
        from howsure.claims.transfer import import_

        return import_(self.session, enumerate(records, start=1), progress)


def _selection(text: str | None, wanted: dict[str, Any]) -> Selection:
    """Return what is looked for; refuse what no store can look for."""
    selection = decode(Selection, {"text": text, **wanted})
    for name in ("text", "subject", "predicate", "object", "namespace"):
        check_text("statement", getattr(selection, name), name)
    return selection


add_twins(Claims)
