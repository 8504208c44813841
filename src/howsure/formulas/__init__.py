"""The models, one file each. The commands, the docs and the contract tests follow from `MODELS`."""

from howsure.formulas.registry import Registry

MODELS = Registry(
    {
        "noisy_or": "howsure.formulas.noisy_or:NoisyOr",
        "subjective_logic": "howsure.formulas.subjective_logic:SubjectiveLogic",
        "dempster_shafer": "howsure.formulas.dempster_shafer:DempsterShafer",
        "beta": "howsure.formulas.beta:Beta",
        "reliability": "howsure.formulas.reliability:Reliability",
        "derived": "howsure.formulas.derived:Derived",
        "investigation": "howsure.formulas.investigation:Investigation",
        "chance": "howsure.formulas.chance:Chance",
        "response": "howsure.formulas.response:Response",
        "evidence": "howsure.formulas.evidence:Evidence",
        "subresult": "howsure.formulas.subresult:Subresult",
        "overall": "howsure.formulas.overall:Overall",
        "document": "howsure.formulas.document:Document",
        "automaton": "howsure.formulas.automaton:Automaton",
        "patterns": "howsure.formulas.patterns:Patterns",
        "learned": "howsure.formulas.learned:LearnedModel",
    },
    group="howsure.models",
)
"""Every model by name."""
