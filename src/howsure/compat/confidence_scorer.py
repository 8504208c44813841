"""Names of the document "confidence score definition": `ConfidenceScorer`, over the document model.

Its numbers are the corrected ones: `merge` earns 0.01, and `decay_warning` leads back to the start.
"""

from howsure.formulas.automaton import STATES, SYMBOLS
from howsure.formulas.document import Case, Document
from howsure.formulas.ops import FLOATS, clamp
from howsure.shapes import Amount, Unit, decode, decode_as

_MODEL = Document()


class ConfidenceScorer:
    """A confidence that grows with each piece of evidence.

    >>> scorer = ConfidenceScorer()
    >>> scorer.add_evidence(1.0, 1.0)
    >>> round(scorer.confidence, 4), round(scorer.apply_modifiers(validation=True), 4)
    (0.5414, 0.5914)
    """

    C_MIN = _MODEL.c_min
    C_MAX = _MODEL.c_max

    def __init__(self, base: float | None = None) -> None:
        """Start from a base, or from the minimum."""
        self.confidence: float = decode_as(Unit, base, "base") if base else self.C_MIN

    def add_evidence(self, evidence: float, observation: float, alpha: float = 0.2, delta: float = 0.1) -> None:
        """Count one source: its weight and its observation. Raises InputError if one is out of range."""
        fields = {"observations": [[evidence, observation]], "alpha": alpha, "delta": delta}
        case = decode(Case, fields)
        self.confidence = _MODEL.compound(self.confidence, case)

    def apply_modifiers(
        self,
        validation: bool = False,
        aho_corasick: bool = False,
        code_refactor: float = 0.0,
        vv_integration: bool = False,
        non_md_penalty: float = 0.0,
        data_decay: float = 0.0,
    ) -> float:
        """Add bonuses and subtract penalties; return the confidence, clamped to 0 and 1."""
        self.confidence += _MODEL.validated_gain if validation else 0.0
        self.confidence += _MODEL.matched_gain if aho_corasick else 0.0
        self.confidence += decode_as(Amount, code_refactor, "code_refactor")
        self.confidence += _MODEL.integrated_gain if vv_integration else 0.0
        self.confidence -= decode_as(Amount, non_md_penalty, "non_md_penalty")
        self.confidence -= decode_as(Amount, data_decay, "data_decay")
        return clamp(self.confidence, FLOATS)

    def qfa_transition(self, state: str, symbol: str) -> tuple[str, float]:
        """Return the state after a symbol and its gain; the same state and 0 if there is no such transition.

        >>> ConfidenceScorer().qfa_transition("INIT", "visit")
        ('OBSERVE', 0.05)
        """
        if symbol in SYMBOLS and state == STATES[SYMBOLS.index(symbol)]:
            place = SYMBOLS.index(symbol)
            return STATES[(place + 1) % len(STATES)], _MODEL.event_gains[place]
        return state, 0.0
