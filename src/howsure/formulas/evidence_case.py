"""What the evidence model reads: a response, what supports it, and how such responses turned out."""

from dataclasses import field
from typing import Generic, NamedTuple

from howsure.errors import InputError
from howsure.formulas.ops import N
from howsure.formulas.response_case import CodeChecks, Similarity, check_given_once
from howsure.shapes import Count, Unit
from howsure.shapes.types import Record, record


@record(frozen=True, eq=False, repr=False)
class OutcomeCounts(Record):
    """Known outcomes within the look-back window: those of the agent, of its type, and of everybody."""

    right: Count = 0
    """The agent's responses that turned out right."""
    outcomes: Count = 0
    """The agent's responses with a known outcome."""
    type_right: Count = 0
    """Right responses of all agents of its type."""
    type_outcomes: Count = 0
    """Responses of its type with a known outcome."""
    all_right: Count = 0
    """Right responses of all agents."""
    all_outcomes: Count = 0
    """Responses of all agents with a known outcome."""
    met: Count = 0
    """Responses that met their threshold. Shown, and of no influence."""
    total: Count = 0
    """All responses. Shown, and of no influence."""

    def __post_init__(self) -> None:
        """Raise InputError if a part is larger than its whole."""
        pairs = (
            ("met", "total"),
            ("right", "outcomes"),
            ("type_right", "type_outcomes"),
            ("all_right", "all_outcomes"),
        )
        for part, whole in pairs:
            if getattr(self, part) > getattr(self, whole):
                raise InputError(f"{getattr(self, part)} is more than {whole}, {getattr(self, whole)}", field=part)


@record(frozen=True, eq=False, repr=False)
class EvidenceCase(Record):
    """A response and what is known about it. A field that is null or missing is not known."""

    agent_type: str = ""
    """Type of the agent; sets the threshold."""
    similarities: tuple[Similarity, ...] | None = None
    """Similarity of each retrieved document. An empty list: retrieval found nothing."""
    lookups: Unit | None = None
    """Score of the agent's lookups as an investigation, instead of similarities."""
    code: CodeChecks | None = None
    """Checks of the code in the response."""
    response: str | None = None
    """Text of the response; null before it is generated."""
    history: OutcomeCounts | Unit | None = None
    """Known outcomes, or the share of right responses as a number."""
    knowledge_base: Unit | None = None
    """Knowledge factor as a number, instead of similarities or lookups."""
    code_validation: Unit | None = None
    """Code factor as a number, instead of checks."""
    certainty: Unit | None = None
    """Certainty of the wording as a number, instead of by the text."""
    grounding: Unit | None = None
    """How much of the response is found in what was retrieved."""
    judge: Unit | None = None
    """How sure a judge is that the response is right."""
    samples: Unit | None = None
    """How far other answers to the same question agree with the response."""
    logprobs: Unit | None = None
    """Geometric mean of the probabilities of the response's tokens."""
    stated: Unit | None = None
    """Confidence that the language model states itself."""
    signals: dict[str, Unit] = field(default_factory=dict)
    """Other numbers by name. They count only if `signal_weights` has a weight for them."""
    threshold: Unit | None = None
    """Threshold for this response, instead of the agent type's."""

    def __post_init__(self) -> None:
        """Raise InputError if a factor is given in two ways."""
        check_given_once(self, _WAYS)


_WAYS = (
    ("knowledge_base", "similarities"),
    ("knowledge_base", "lookups"),
    ("lookups", "similarities"),
    ("code_validation", "code"),
)
"""Two ways each to give the same factor."""


class Row(NamedTuple, Generic[N]):
    """The factors and signals; `*_counts` is 1 for one that is known, else 0."""

    knowledge_base: N
    """Relevance of what was retrieved or looked up."""
    knowledge_base_counts: N
    """Something was retrieved or looked up."""
    code_validation: N
    """How well the code did in checks."""
    code_validation_counts: N
    """Code was checked."""
    grounding: N
    """How much of the response is found in what was retrieved."""
    grounding_counts: N
    """Grounding is known."""
    judge: N
    """How sure a judge is."""
    judge_counts: N
    """A judge was asked."""
    samples: N
    """Agreement with other answers."""
    samples_counts: N
    """There are other answers."""
    logprobs: N
    """Mean probability of a token."""
    logprobs_counts: N
    """Token probabilities are known."""
    named: N
    """Other signals, each times its weight, summed."""
    named_weight: N
    """Their weights, summed."""
    certainty: N
    """Certainty of the wording."""
    certainty_counts: N
    """Something in the text is hedged, or certainty is given as a number."""
    stated: N
    """Confidence that the model states."""
    stated_counts: N
    """The model states its confidence."""
    history: N
    """Share of right responses, as it was given."""
    history_counts: N
    """Such a share was given."""
    right: N
    """Right responses of the agent."""
    outcomes: N
    """Outcomes of the agent."""
    type_right: N
    """Right responses of its type."""
    type_outcomes: N
    """Outcomes of its type."""
    all_right: N
    """Right responses of everybody."""
    all_outcomes: N
    """Outcomes of everybody."""
    sendable: N
    """0 if the response is an empty text, else 1."""
    deferral: N
    """1 if the response asks back or says that the author does not know, else 0."""
    needed: N
    """Threshold to reach."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the factors to the decision."""

    weight: N
    """Weights of what is known, summed, without history."""
    supported_by: N
    """Weighted mean of what is known; the neutral score if nothing is."""
    rate_of_all: N
    """Share of everybody's right responses, drawn to `supported_by`."""
    rate_of_type: N
    """Share of the type's right responses, drawn to that of everybody."""
    track_record: N
    """Share of the agent's right responses, drawn to that of its type; or the share that was given."""
    history_weight: N
    """Weight of history; 0 if no outcome is known."""
    before_words: N
    """Weighted mean with history."""
    after_wording: N
    """Lowered by hedged wording."""
    composite: N
    """How sure the response is; lowered if the model itself states less."""
    supported: N
    """1 if knowledge, code, grounding or a judge supports it, else 0."""
    reached: N
    """1 if the composite reaches the threshold, else 0."""
    passed: N
    """1 if it may be sent: supported, and the threshold is reached; or it answers nothing."""
