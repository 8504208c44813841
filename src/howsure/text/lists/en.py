"""Marker phrases in English. A list in another language is another file of this form, named by its language code.

Phrases are matched without case, as whole words; a blank stands for any white space.
"""

LISTS = {
    # Words of an answer that say how certain its author is.
    "response": {
        "certain": [
            "definitely", "certainly", "absolutely", "confirmed",
            "verified", "tested", "proven", "documented",
        ],
        "uncertain": [
            "I think", "maybe", "possibly", "perhaps", "might",
            "I'm not sure", "uncertain", "unclear",
            "I don't know", "unsure", "probably", "likely",
        ],
        # One of these among the few words before a certain word turns it into an uncertain one.
        "negations": ["not", "no", "never", "nothing", "neither", "nor", "without", "cannot"],
        "negation_endings": ["n't"],
    },
    # Words of a sub-result that hedge, or that insist.
    "subresult": {
        "certain": [
            "definitely", "certainly", "always", "never",
            "must be", "clearly", "obviously", "undoubtedly",
        ],
        "uncertain": [
            "might", "maybe", "perhaps", "possibly", "could be",
            "I think", "I believe", "it seems", "probably",
            "not sure", "uncertain", "unclear",
        ],
    },
}  # fmt: skip
