"""Apply a policy of the gate: score what is known about a response with a model, and decide."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from howsure.errors import InputError, nearest, shown
from howsure.formulas.ops import FLOATS
from howsure.formulas.score import Score
from howsure.responses.fitted import FitUse, apply_fit
from howsure.responses.signals import Signals
from howsure.settings import OUTCOMES, POLICIES, POLICY, RELEVANT_CENTRE, RELEVANT_WIDTH, Policy, Settings
from howsure.shapes import decode

if TYPE_CHECKING:  # each policy loads its model when it is used, so that the gate starts fast
    from howsure.formulas.evidence import Evidence
    from howsure.formulas.evidence_case import EvidenceCase
    from howsure.formulas.response import Response, ResponseCase

M = TypeVar("M", bound="Response | Evidence")
MODEL = "response"
"""The model under which decisions of every policy are recorded, so that history and statistics go on."""


class Policies:
    """The models of the policies, with the parameters of the settings."""

    def __init__(self, settings: Settings, model: "Response | Evidence | None" = None) -> None:
        """Read the settings; `model` replaces the model of its policy, and its policy becomes the default."""
        self._settings = settings
        self._models: dict[Policy, Response | Evidence] = {}
        self.default: Policy = settings.value(POLICY)
        if model is not None:
            self.default = policy_of(model)
            self._models[self.default] = model

    def model(self, policy: Policy | None = None) -> "Response | Evidence":
        """Return the model of a policy; default: that of the settings.

        Raises:
            InputError: if there is no such policy.
        """
        chosen = self.default if policy is None else policy
        if chosen not in POLICIES:
            raise InputError(f"unknown policy {shown(chosen)}", field="policy", hint=nearest(str(chosen), POLICIES))
        model = self._models.get(chosen)
        return self._build(chosen) if model is None else model

    def _build(self, policy: Policy) -> "Response | Evidence":
        if policy == "nlnh":
            return self.nlnh
        from howsure.formulas.evidence import Evidence

        centre, width = self._settings.value(RELEVANT_CENTRE), self._settings.value(RELEVANT_WIDTH)
        model = self._configured(Evidence, relevant_centre=centre, relevant_width=width)
        if not self._settings.value(OUTCOMES):
            model = replace(model, weight_history=0.0)
        self._models[policy] = model
        return model

    def _configured(self, model: type[M], **defaults: Any) -> M:
        """Return a model with the parameters of the settings."""
        if not self._settings.sets_parameters:  # usual, and faster than loading what reads them
            return model(**defaults)
        from howsure.parameters import configured

        return configured(model, self._settings, **defaults)

    @property
    def nlnh(self) -> "Response":
        """The model of the source document."""
        from howsure.formulas.response import Response

        known = self._models.get("nlnh")
        if not isinstance(known, Response):
            known = self._configured(Response)
            if not self._settings.value(OUTCOMES):
                known = replace(known, outcomes_from=2**53)
            self._models["nlnh"] = known
        return known


def policy_of(model: "Response | Evidence") -> Policy:
    """Return the policy that decides by a model."""
    return "nlnh" if is_nlnh(model) else "evidence"


def is_nlnh(model: Any) -> bool:
    """Say whether a model is that of the source document, without loading it."""
    return bool(model.name == MODEL)


class Basis(NamedTuple):
    """What a decision and its reasons are computed from."""

    model: "Response | Evidence"
    case: "ResponseCase | EvidenceCase"
    score: Score
    signals: Signals
    """The signals, with how they were computed."""
    use: FitUse | None = None
    """The fit and the promise; None with the policy nlnh."""


def decide(model: "Response | Evidence", case: Any, signals: Signals, use: FitUse | None = None) -> Score:
    """Return the score of a case: the one place where factors and signals become a score and a decision.

    The model computes the score (`combine` of Evidence) and holds it against the threshold (`formula`). With a fit, the
    probability that it learned takes the place of the score; with a promise, its threshold that of the threshold.
    """
    if use is not None and (use.fit is not None or use.risk is not None):
        evidence: Any = model
        row = evidence.features(case)
        steps = evidence.formula(row, FLOATS)
        return apply_fit(evidence, Score(evidence.describe(case, row, steps), row, steps, evidence.spec), use)
    score = model.judge(case)
    if signals.values and is_nlnh(model):
        score.answer["signals"] = signals.flat  # recorded, though the source document knows none
    return score


_CHECKED_FIELDS = {"agent_type", "response", "threshold", "knowledge_base", "code_validation"}
"""Fields of a case that `check` has checked or computed, if neither a threshold nor lookups are given."""


def read_case(kind: Any, given: dict[str, Any], *, checked: bool) -> Any:
    """Return a case of a model.

    If all that is given was checked before, as in most calls, it is not decoded: that would first read the types of all
    fields, 3 % of a one-shot decision.
    """
    if not checked or not given.keys() <= _CHECKED_FIELDS:
        return decode(kind, given)
    case = object.__new__(kind)
    vars(case).update({"signals": {}} if "signals" in kind.__match_args__ else {}, **given)
    case.__post_init__()
    return case


def with_history(case: Any, history: Any) -> Any:
    """Return a case with another history, keeping what was computed about its text.

    Like `dataclasses.replace`, but without validating again, and with the cached markers.
    """
    copy = object.__new__(type(case))
    vars(copy).update(vars(case), history=history)
    return copy
