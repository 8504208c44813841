"""Recognize interim messages, in which an agent says what it is about to do, is doing or needs, and claims nothing."""

import re

from howsure.text.sentences import split_span

_MAX_CHARACTERS, _MAX_SENTENCES = 600, 6
"""Length up to which a message can be an interim one."""

_START = r"(?:(?:ok(?:ay)?|sure|alright|great|thanks|first|next|now|then|after that|meanwhile|so)\b[,:!]? +)*"
_VERBS = (
    "look|check|read|run|rerun|search|start|begin|open|inspect|try|see|verify|test|investigate|find|grep|list|build|"
    "continue|go|work|wait|review|explore|examine|locate|trace|reproduce|measure|compare|gather|take|have|do|report|"
    "get back|let you know|tell you|write|add|update|implement|fix|refactor|move|install"
)
_DOING = (
    "looking|checking|reading|running|rerunning|searching|starting|opening|inspecting|trying|verifying|testing|"
    "investigating|finding|listing|building|continuing|working|waiting|reviewing|exploring|examining|installing"
)
_JOBS = "build|tests?|test suite|suite|ci|pipeline|job|migration|command|script|scan|download|upload"
_JOB = rf"(?:the )?(?:\w+ )?(?:{_JOBS})"
_RUNNING = "running|building|pending|in progress|under way|queued"
_INTEND = "let me|let's|i'll|i will|i'm going to|i am going to|i'm about to"
_PLANS = (
    rf"{_START}(?:{_INTEND})(?: (?:now|first|also|then|next|quickly))? (?:{_VERBS})\b.*",
    rf"{_START}(?:(?:i'm|i am|we're) )?(?:still |now |currently |just )*(?:{_DOING})\b.*",
    rf"{_JOB} (?:is|are) (?:still |now |currently )?(?:{_RUNNING})\b.*",
    r"i(?:'ve| have) (?:just |now )?(?:started|begun|kicked off|launched)\b.*",
    r"i (?:still )?need (?:the|a|an|your|access to|more|some)\b.*\b(?:to (?:continue|go on|proceed)|from you)",
    r"please (?:provide|send|share|give|paste|confirm|tell|let me know|wait|stand by)\b.*",
    r"(?:ok(?:ay)?|sure|alright|got it|understood|thanks|thank you|one moment|stand by|on it)",
)
_FORMS = re.compile("|".join(_PLANS))
# What is said about the end of the work claims nothing about it.
_ENDS = "done|finished|finishes|finish|ready|complete|completed|completes|passes?|fails?"
_LATER = re.compile(
    r"\b(?:when|once|after|as soon as|until|if|whether) (?:it|they|that|this|the \w+(?: \w+)?)"
    rf"(?:'s| is| are| has| have)?(?: been)? ?(?:{_ENDS})?\b"
)
# A finite verb, a reason or a colon may bring a claim with it: "I'll fix it, the cause is the cache".
_CLAIM = re.compile(
    r"[:=]|\b(?:is|are|was|were|has|had|does|did|isn't|aren't|wasn't|because|since|as|which|who|whose|thus|therefore|"
    r"but|although|already|works?|worked|passed|passes|fails?|failed|fixed|found|returns?|causes?|caused|cause|due|"
    r"correctly|successfully|safe|done|means?|shows?|confirms?|proves?|verified|tested)\b"
)


def is_interim(text: str) -> bool:
    """Return True if every sentence of a message says what the agent will do, is doing or needs, and nothing else.

    It is strict, because such messages are not judged: a sentence of any other form makes the result False. English
    only.

    >>> is_interim("Let me look at the tests first."), is_interim("I'll commit it. The bug is fixed.")
    (True, False)
    """
    plain = text.strip().replace("\u2019", "'").replace("\u2026", ".")
    if not plain or len(plain) > _MAX_CHARACTERS or "\n\n" in plain or "```" in plain or "|" in plain:
        return False
    sentences = [sentence.text for sentence in split_span(plain, 0, len(plain))]
    return len(sentences) <= _MAX_SENTENCES and all(is_plan(sentence) for sentence in sentences)


def is_plan(sentence: str) -> bool:
    """Return True if a sentence only says what the agent will do, is doing or needs.

    >>> is_plan("I'll run the tests."), is_plan("I'll run the tests, the cause is the cache.")
    (True, False)
    """
    for part in re.split(r";\s+|:\s+(?=the\b|i\b|i'|running|waiting)", sentence.strip(" .!\u2026").casefold()):
        form = _FORMS.fullmatch(part.strip())
        if form is None or part.rstrip().endswith("?"):
            return False
        # The job itself may be said to run; what follows may not claim anything.
        if may_claim(re.sub(rf"^{_JOB} (?:is|are)\b", "", _LATER.sub("", part.strip()))):
            return False
    return True


def may_claim(words: str) -> bool:
    """Return True if words, in lower case, may bring a claim with them: a finite verb, a reason or a colon."""
    return bool(_CLAIM.search(words))
