"""The models, one file each. From this table follow the command line, the docs pages and the contract tests."""

from howsure.core.registry import Registry

MODELS = Registry(
    {
        "noisy_or": "howsure.models.noisy_or:NoisyOr",
        "subjective_logic": "howsure.models.subjective_logic:SubjectiveLogic",
        "dempster_shafer": "howsure.models.dempster_shafer:DempsterShafer",
        "beta": "howsure.models.beta:Beta",
        "derived": "howsure.models.derived:Derived",
        "investigation": "howsure.models.investigation:Investigation",
        "response": "howsure.models.response:Response",
        "subresult": "howsure.models.subresult:Subresult",
        "overall": "howsure.models.overall:Overall",
        "document": "howsure.models.document:Document",
        "automaton": "howsure.models.automaton:Automaton",
        "patterns": "howsure.models.patterns:Patterns",
    },
    group="howsure.models",
)
"""Every model by name."""
