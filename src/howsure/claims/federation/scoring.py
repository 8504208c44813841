"""Scoring what a peer tells: its inputs, by our formula, at our moment, with our trust."""

from collections.abc import Mapping

from howsure.claims.federation.form import STEPS, Ground
from howsure.errors import InputError
from howsure.formulas.claim import ClaimCase, ClaimFormula
from howsure.formulas.derived import Case, Derived
from howsure.formulas.interval import Interval
from howsure.formulas.ops import FLOATS
from howsure.graph.python import DEEPEST, Node

PATIENCE = 5 * STEPS
"""Steps from an inference to what it rests on that are gone in one answer: what cannot be scored is tried again."""
_GONE = Interval(0.0, 0.0)
"""What a constituent that no longer counts holds up: nothing."""


class Scorer:
    """Scores claims of one peer."""

    def __init__(self, formula: ClaimFormula, now: float, trust: float, known: Mapping[str, Ground]) -> None:
        """Take the formula, the moment, the trust in the peer, and all that it tells, by id."""
        self.formula, self.now, self.trust = formula, now, trust
        self._known, self._row = known, formula.folds()
        self._found: dict[str, tuple[Interval, int]] = {}
        self._patience = PATIENCE

    def interval(self, claim: Ground) -> Interval:
        """Return how sure a claim is; refuse one that cannot be scored."""
        return self._scored(claim, 0)[0]

    def _scored(self, claim: Ground, above: int) -> tuple[Interval, int]:
        """Return the interval of a claim, and how many inferences in a row it rests on."""
        if claim.id not in self._found:
            own = self._own(claim)
            parts = [self._part(id_, above + 1) for id_ in claim.derived_from]
            depth = max((deep + 1 for _, deep in parts), default=0)
            if depth > DEEPEST:
                problem = "it was derived from itself, or by too many inferences in a row"
                raise InputError(problem, field="derived_from", hint=f"at most {DEEPEST}")
            self._found[claim.id] = (self._inferred(own, parts) if parts else own, depth)
        return self._found[claim.id]

    def _part(self, id_: str, above: int) -> tuple[Interval, int]:
        """Return the interval of a constituent, and how many inferences in a row it rests on."""
        part = self._known.get(id_)
        self._patience -= 1
        if self._patience < 0:
            raise InputError("too much of what it rests on cannot be scored", field="derived_from")
        if part is None or above > DEEPEST:
            problem = f"it rests on {id_}, which is not told, or on too many inferences in a row"
            raise InputError(problem, field="derived_from")
        interval, depth = self._scored(part, above)
        standing = Node(id_, (), part.tier, part.stale_at, part.status, part.valid_from, part.valid_until)
        return (interval if standing.counts(self.now) else _GONE), depth

    def _own(self, claim: Ground) -> Interval:
        """Return the interval by a claim's own inputs. Its age and the trust in who tells it are ours to say."""
        age = self.formula.age(ClaimCase(self.now, (), claim.tier, claim.stale_at))
        ours = {"half_lives": age, "trust": self.trust}
        numbers = [
            ours[by.name] if getattr(by, "name", "") in ours else claim.inputs[name]
            for name, by in self._row._asdict().items()
        ]
        try:
            steps = self.formula.formula(self._row._make(numbers), FLOATS)
            return _checked(steps.lower, steps.upper)
        except ArithmeticError as error:
            raise InputError(f"it cannot be scored ({type(error).__name__})", field="inputs") from None

    def _inferred(self, own: Interval, parts: list[tuple[Interval, int]]) -> Interval:
        model = Derived()
        case = Case(tuple(interval for interval, _ in parts), own.upper)
        steps = model.formula(model.features(case), FLOATS)
        return _checked(steps.lower, steps.upper)


def _checked(lower: float, upper: float) -> Interval:
    """Return an interval that is one, whatever a formula from elsewhere makes of odd numbers."""
    if not 0.0 <= lower <= upper <= 1.0:
        raise InputError(f"it comes to {lower:g} and {upper:g}, which is no interval", field="inputs")
    return Interval(lower, upper)
