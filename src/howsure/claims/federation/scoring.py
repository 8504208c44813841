"""Score claims of a peer: its inputs, with this store's formula, moment and trust."""

from collections.abc import Mapping

from howsure.claims.federation.wire import MAX_STEPS, SharedNumbers
from howsure.errors import InputError
from howsure.formulas.claim import ClaimCase, ClaimFormula
from howsure.formulas.derived import DEEPEST, Case, Derived
from howsure.formulas.interval import Interval
from howsure.formulas.ops import FLOATS
from howsure.graph.python import Node

MAX_VISITS = 5 * MAX_STEPS
"""Constituents visited in one answer. Those that cannot be scored are not cached, so they are visited again."""
_NOTHING = Interval(0.0, 0.0)
"""The interval of a constituent that does not count any more."""


class Scorer:
    """Scores the claims of one peer."""

    def __init__(self, formula: ClaimFormula, now: float, trust: float, known: Mapping[str, SharedNumbers]) -> None:
        """Use a formula, a moment and the trust in the peer; `known` holds its claims and constituents by id."""
        self.formula: ClaimFormula = formula
        self.now: float = now
        self.trust: float = trust
        self._known, self._row = known, formula.folds()
        self._scores: dict[str, tuple[Interval, int]] = {}
        self._visits_left = MAX_VISITS

    def interval(self, claim: SharedNumbers) -> Interval:
        """Return the interval of a claim; raise InputError if it cannot be scored."""
        return self._scored(claim, 0)[0]

    def _scored(self, claim: SharedNumbers, above: int) -> tuple[Interval, int]:
        """Return the interval of a claim, and the length of its longest chain of inferences."""
        if claim.id not in self._scores:
            own = self._own(claim)
            parts = [self._part(id_, above + 1) for id_ in claim.derived_from]
            depth = max((deep + 1 for _, deep in parts), default=0)
            if depth > DEEPEST:
                problem = "it was derived from itself, or its chain of inferences is too long"
                raise InputError(problem, field="derived_from", hint=f"at most {DEEPEST}")
            self._scores[claim.id] = (self._inferred(own, parts) if parts else own, depth)
        return self._scores[claim.id]

    def _part(self, id_: str, above: int) -> tuple[Interval, int]:
        """Return the interval of a constituent, and the length of its longest chain of inferences."""
        part = self._known.get(id_)
        self._visits_left -= 1
        if self._visits_left < 0:
            raise InputError("too many of its constituents cannot be scored", field="derived_from")
        if part is None or above > DEEPEST:
            problem = f"its constituent {id_} is missing, or its chain of inferences is too long"
            raise InputError(problem, field="derived_from")
        interval, depth = self._scored(part, above)
        node = Node(id_, (), part.tier, part.stale_at, part.status, part.valid_from, part.valid_until)
        return (interval if node.counts(self.now) else _NOTHING), depth

    def _own(self, claim: SharedNumbers) -> Interval:
        """Return the interval by a claim's own inputs, with the age and trust that this store computes."""
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
    """Return an interval; raise InputError if a formula made an invalid one of odd numbers."""
    if not 0.0 <= lower <= upper <= 1.0:
        raise InputError(f"[{lower:g}, {upper:g}] is not a valid interval", field="inputs")
    return Interval(lower, upper)
