"""Staging: the stages of one synthesis, each held to what it promises; what one fails at is told and made up for."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from howsure.errors import InputError, shown
from howsure.shapes import Amount, Count, Unit, decode_as
from howsure.syntheses import stages
from howsure.syntheses.stages import (
    Claim,
    Combined,
    Combiner,
    Conflict,
    Detected,
    Detector,
    Extracted,
    Extractor,
    Material,
    Opinion,
    Scorer,
)
from howsure.syntheses.synthesis import Factor, SubResult, checked_text, one_line

if TYPE_CHECKING:
    from howsure.formulas.spec import Spec

NEUTRAL = 0.5
"""Confidence of a sub-result that could not be scored."""
_CLAIMS = tuple[tuple[str, Unit, str], ...]
_CONFLICTS = tuple[tuple[Count, Count, Literal["contradiction", "inconsistency", "ambiguity"], Unit, str], ...]
_FACTORS = tuple[tuple[str, Unit, Amount], ...]


class Staging:
    """Runs the stages of one synthesis. Whatever a stage does, what comes back can be used, and nothing is silent."""

    def __init__(self) -> None:
        """Begin, with nothing to tell."""
        self.warnings: list[str] = []
        """What went wrong, or should be known, in order."""
        self.specs: dict[str, Spec] = {}
        """The models that numbers were computed by."""
        self._by: dict[str, dict[str, None]] = {}

    @property
    def done(self) -> dict[str, str]:
        """Who did each stage that was reached."""
        return {stage: ", ".join(names) for stage, names in self._by.items()}

    def score(self, scorer: Scorer, result: SubResult, query: str, context: str) -> Opinion:
        """Return how sure a sub-result is: 0 for one that failed, and neutral where its scorer fails."""
        if result.error is not None:
            return stages.heuristic(result)
        try:
            opinion = _opinion(scorer(result, query, context))
        except Exception as error:  # noqa: BLE001 - a scorer may be anybody's; its failure is told, never silent
            why = f"the scorer failed for {one_line(result.id)}: {_told(error)}"
            opinion = Opinion(NEUTRAL, "the scorer failed: neutral", why, "neutral")
        self._note("scored by", opinion.by or _name(scorer), opinion.warning)
        if opinion.spec is not None:
            self.specs[opinion.spec.name] = opinion.spec
        return opinion

    def extract(self, extractor: Extractor, result: SubResult, confidence: float) -> Sequence[Claim]:
        """Return the claims of a sub-result; its sentences, where its extractor fails."""

        def run(by: Extractor) -> Extracted:
            found = by(result, confidence)
            found = found if isinstance(found, Extracted) else Extracted(found)
            return found._replace(claims=_claims(found.claims))

        what = f"claims of {one_line(result.id)} could not be extracted"
        found = self._run("extracted by", what, extractor, stages.extract, run)
        return () if found is None else found.claims

    def detect(self, detector: Detector, statements: Sequence[str]) -> Sequence[Conflict]:
        """Return the conflicts among statements; those that are found offline, where the detector fails."""

        def run(by: Detector) -> Detected:
            found = by(statements)
            found = found if isinstance(found, Detected) else Detected(found)
            return found._replace(conflicts=_conflicts(found.conflicts, len(statements)))

        found = self._run("detected by", "conflicts could not be looked for", detector, stages.detect, run)
        return () if found is None else found.conflicts

    def combine(self, combiner: Combiner, material: Material) -> str:
        """Return the merged text; an extract, where the combiner fails."""
        try:
            found = _combined(combiner(material))
        except Exception as error:  # noqa: BLE001 - likewise
            warning = f"the combiner failed, this is an extract: {_told(error)}"
            found = stages.extractive(material)._replace(warning=warning)
        self._note("combined by", found.by or _name(combiner), found.warning)
        return found.content

    def _run(self, stage: str, what: str, own: Any, offline: Any, run: Callable[[Any], Any]) -> Any:
        """Run a stage, and the offline one where it fails; nothing comes back where that fails, too."""
        for function in (own,) if own is offline else (own, offline):
            try:
                found = run(function)
                self._note(stage, found.by or _name(function), checked_text(found.warning, "warning"))
            except Exception as error:  # noqa: BLE001 - likewise
                instead = "" if function is offline else f" by {_name(function)}, so it was done offline"
                self.warnings.append(f"{what}{instead}: {_told(error)}")
            else:
                return found
        return None

    def _note(self, stage: str, by: str, warning: str) -> None:
        self._by.setdefault(stage, {})[one_line(checked_text(by, "by"))] = None
        if warning:
            self.warnings.append(warning)


def _opinion(found: object) -> Opinion:
    """Return what a scorer gave, if it is an opinion."""
    if not isinstance(found, Opinion):
        raise InputError(f"{shown(found)} is no Opinion", field="scorer", hint="howsure.syntheses.stages.Opinion")
    factors = tuple(Factor(*one) for one in decode_as(_FACTORS, found.factors, "factors"))
    for name in ("why", "warning", "by"):
        checked_text(getattr(found, name), name)
    return found._replace(confidence=decode_as(Unit, found.confidence, "confidence"), factors=factors)


def _claims(found: Any) -> tuple[Claim, ...]:
    """Return what an extractor gave, if these are claims: statement, confidence and evidence of each."""
    claims: tuple[Claim, ...] = decode_as(_CLAIMS, list(found), "claims")
    for place, (statement, _, evidence) in enumerate(claims):
        checked_text(statement + evidence, f"claims[{place}]")
    return tuple(claim for claim in claims if claim[0].strip())


def _conflicts(found: Any, count: int) -> tuple[Conflict, ...]:
    """Return what a detector gave, if these are conflicts among so many statements."""
    conflicts: tuple[Conflict, ...] = decode_as(_CONFLICTS, list(found), "conflicts")
    for place, (first, second, _, _, reason) in enumerate(conflicts):
        checked_text(reason, f"conflicts[{place}]")
        if max(first, second) >= count:
            raise InputError(f"there is no statement {max(first, second)} of {count}", field=f"conflicts[{place}]")
    return tuple(conflict for conflict in conflicts if conflict[0] != conflict[1])


def _combined(found: object) -> Combined:
    """Return what a combiner gave, if it is a text."""
    if not isinstance(found, Combined):
        raise InputError(f"{shown(found)} is no Combined", field="combiner", hint="howsure.syntheses.stages.Combined")
    for name in ("content", "warning", "by"):
        checked_text(getattr(found, name), name)
    if not found.content.strip():
        raise InputError("it says nothing", field="content")
    return found


def _name(stage: Any) -> str:
    """Return what a stage is called."""
    if stage is stages.extract or stage is stages.detect:
        return stages.OFFLINE
    return str(getattr(stage, "__qualname__", type(stage).__qualname__))


def _told(error: Exception) -> str:
    """Return what an exception says, in one line; its name, if it says nothing."""
    try:
        return one_line(str(error))[:500] or type(error).__name__
    except Exception:  # noqa: BLE001 - likewise
        return type(error).__name__
