"""Marker phrases by language: words that say how certain an author is.

Phrases match whole words without regard to case; a blank matches any white space. To add a language, add a table of the
same form and an entry in `LISTS`. This is Python and not TOML because `howsure gate` needs it at start-up and importing
`tomllib` takes 14 ms.
"""

MarkerPhrases = dict[str, list[str]]
"""Phrases by their role: "certain" and "uncertain"; optionally "negations", words that turn a certain phrase into an
uncertain one if they are among the few words before it, and "negation_endings", endings of words that do the same."""

ENGLISH: dict[str, MarkerPhrases] = {
    # Phrases in a response to a user.
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
        "negations": ["not", "no", "never", "nothing", "neither", "nor", "without", "cannot"],
        "negation_endings": ["n't"],
    },
    # Phrases in the result of a sub-task.
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

LISTS: dict[str, dict[str, MarkerPhrases]] = {"en": ENGLISH}
"""Marker phrases by language code and kind of text."""
