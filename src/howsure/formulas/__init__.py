"""The models, one file each. From this table follow the command line, the docs pages and the contract tests."""

from howsure.formulas.registry import Registry

MODELS = Registry(
    {
        "noisy_or": "howsure.formulas.noisy_or:NoisyOr",
        "subjective_logic": "howsure.formulas.subjective_logic:SubjectiveLogic",
        "dempster_shafer": "howsure.formulas.dempster_shafer:DempsterShafer",
        "beta": "howsure.formulas.beta:Beta",
        "derived": "howsure.formulas.derived:Derived",
        "investigation": "howsure.formulas.investigation:Investigation",
        "response": "howsure.formulas.response:Response",
        "subresult": "howsure.formulas.subresult:Subresult",
        "overall": "howsure.formulas.overall:Overall",
        "document": "howsure.formulas.document:Document",
        "automaton": "howsure.formulas.automaton:Automaton",
        "patterns": "howsure.formulas.patterns:Patterns",
    },
    group="howsure.models",
)
"""Every model by name."""
