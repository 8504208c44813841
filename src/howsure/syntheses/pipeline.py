"""Run the stages of one synthesis: validate what each returns, replace failed stages, and collect warnings."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from howsure.errors import InputError, shown
from howsure.shapes import Amount, Count, Unit, decode_as
from howsure.syntheses import stages
from howsure.syntheses.stages import (
    ClaimTuple,
    Combination,
    Combiner,
    ConflictTuple,
    Detection,
    Detector,
    Extraction,
    Extractor,
    Material,
    Opinion,
    Scorer,
)
from howsure.syntheses.synthesis import SubResult, SynthesisFactor, check_unicode, one_line

if TYPE_CHECKING:
    from howsure.formulas.spec import ModelSpec

NEUTRAL = 0.5
"""Confidence of a sub-result that could not be scored."""
_CLAIMS = tuple[tuple[str, Unit, str], ...]
_CONFLICTS = tuple[tuple[Count, Count, Literal["contradiction", "inconsistency", "ambiguity"], Unit, str], ...]
_FACTORS = tuple[tuple[str, Unit, Amount], ...]


class StageRunner:
    """Runs the stages of one synthesis.

    Whatever a stage does, the result is valid: if it fails, the offline stage takes its place, and a warning says so.
    """

    def __init__(self) -> None:
        """Start without warnings."""
        self.warnings: list[str] = []
        """What went wrong or should be known, in order."""
        self.specs: dict[str, ModelSpec] = {}
        """The models that computed confidences, by name."""
        self._by: dict[str, dict[str, None]] = {}

    @property
    def done(self) -> dict[str, str]:
        """Who did each stage that was reached, by stage."""
        return {stage: ", ".join(names) for stage, names in self._by.items()}

    def score(self, scorer: Scorer, result: SubResult, query: str, context: str) -> Opinion:
        """Return the confidence of a sub-result: 0 if it failed or is blank, neutral if its scorer fails."""
        if result.error is not None or result.is_blank:
            return stages.score(result)
        try:
            opinion = _check_opinion(scorer(result, query, context))
        except Exception as error:  # noqa: BLE001 - a scorer may be a user's; its failure becomes a warning
            why = f"the scorer failed for {one_line(result.id)}: {_describe(error)}"
            opinion = Opinion(NEUTRAL, "the scorer failed: neutral", why, "neutral")
        self._note("scored by", opinion.by or _name(scorer), opinion.warning)
        if opinion.spec is not None:
            self.specs[opinion.spec.name] = opinion.spec
        return opinion

    def extract(self, extractor: Extractor, result: SubResult, confidence: float) -> Sequence[ClaimTuple]:
        """Return the claims of a sub-result; extracted offline if its extractor fails."""

        def run(by: Extractor) -> Extraction:
            claims = by(result, confidence)
            extraction = claims if isinstance(claims, Extraction) else Extraction(claims)
            return extraction._replace(claims=_check_claims(extraction.claims))

        what = f"claims of {one_line(result.id)} could not be extracted"
        extraction = self._run("extracted by", what, extractor, stages.extract, run)
        return () if extraction is None else extraction.claims

    def detect(self, detector: Detector, statements: Sequence[str]) -> Sequence[ConflictTuple]:
        """Return the conflicts among statements; detected offline if the detector fails."""

        def run(by: Detector) -> Detection:
            conflicts = by(statements)
            detection = conflicts if isinstance(conflicts, Detection) else Detection(conflicts)
            return detection._replace(conflicts=_check_conflicts(detection.conflicts, len(statements)))

        detection = self._run("detected by", "conflicts could not be looked for", detector, stages.detect, run)
        return () if detection is None else detection.conflicts

    def combine(self, combiner: Combiner, material: Material) -> str:
        """Return the merged text; an extract if the combiner fails."""
        try:
            combination = _check_combination(combiner(material))
        except Exception as error:  # noqa: BLE001 - likewise
            warning = f"the combiner failed, this is an extract: {_describe(error)}"
            combination = stages.combine(material)._replace(warning=warning)
        self._note("combined by", combination.by or _name(combiner), combination.warning)
        return combination.content

    def _run(self, stage: str, what: str, own: Any, offline: Any, run: Callable[[Any], Any]) -> Any:
        """Run a stage, or the offline one if it fails; return None if that fails too."""
        for function in (own,) if own is offline else (own, offline):
            try:
                result = run(function)
                self._note(stage, result.by or _name(function), check_unicode(result.warning, "warning"))
            except Exception as error:  # noqa: BLE001 - likewise
                instead = "" if function is offline else f" by {_name(function)}, so it was done offline"
                self.warnings.append(f"{what}{instead}: {_describe(error)}")
            else:
                return result
        return None

    def _note(self, stage: str, by: str, warning: str) -> None:
        self._by.setdefault(stage, {})[one_line(check_unicode(by, "by"))] = None
        if warning:
            self.warnings.append(warning)


def _check_opinion(opinion: object) -> Opinion:
    """Return what a scorer returned; raise InputError unless it is a valid opinion."""
    if not isinstance(opinion, Opinion):
        raise InputError(
            f"expected an Opinion, not {shown(opinion)}", field="scorer", hint="howsure.syntheses.stages.Opinion"
        )
    factors = tuple(SynthesisFactor(*one) for one in decode_as(_FACTORS, opinion.factors, "factors"))
    for name in ("why", "warning", "by"):
        check_unicode(getattr(opinion, name), name)
    return opinion._replace(confidence=decode_as(Unit, opinion.confidence, "confidence"), factors=factors)


def _check_claims(data: Any) -> tuple[ClaimTuple, ...]:
    """Return what an extractor returned, without blank claims; raise InputError unless these are valid claims."""
    claims: tuple[ClaimTuple, ...] = decode_as(_CLAIMS, list(data), "claims")
    for place, (statement, _, evidence) in enumerate(claims):
        check_unicode(statement + evidence, f"claims[{place}]")
    return tuple(claim for claim in claims if claim[0].strip())


def _check_conflicts(data: Any, count: int) -> tuple[ConflictTuple, ...]:
    """Return what a detector returned; raise InputError unless these are conflicts among `count` statements."""
    conflicts: tuple[ConflictTuple, ...] = decode_as(_CONFLICTS, list(data), "conflicts")
    for place, (first, second, _, _, reason) in enumerate(conflicts):
        check_unicode(reason, f"conflicts[{place}]")
        if max(first, second) >= count:
            raise InputError(f"there is no statement {max(first, second)} of {count}", field=f"conflicts[{place}]")
    return tuple(conflict for conflict in conflicts if conflict[0] != conflict[1])


def _check_combination(combination: object) -> Combination:
    """Return what a combiner returned; raise InputError unless it is a text that is not blank."""
    if not isinstance(combination, Combination):
        hint = "howsure.syntheses.stages.Combination"
        raise InputError(f"expected a Combination, not {shown(combination)}", field="combiner", hint=hint)
    for name in ("content", "warning", "by"):
        check_unicode(getattr(combination, name), name)
    if not combination.content.strip():
        raise InputError("the text is blank", field="content")
    return combination


def _name(stage: Any) -> str:
    """Return the name of a stage."""
    if stage is stages.extract or stage is stages.detect:
        return stages.OFFLINE
    return str(getattr(stage, "__qualname__", type(stage).__qualname__))


def _describe(error: Exception) -> str:
    """Return the message of an exception in one line, or its class if it has none."""
    try:
        return one_line(str(error))[:500] or type(error).__name__
    except Exception:  # noqa: BLE001 - likewise
        return type(error).__name__
