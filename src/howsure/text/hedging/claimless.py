"""Recognize responses that claim nothing: clarifying questions and honest "I don't know" answers.

Both functions are strict, because a gate lets such responses pass: every sentence must be of a known harmless form, and
one that may hold a claim makes the result False. English only: the result is False for any other language.
"""

import re
from collections.abc import Iterator
from typing import Literal

from howsure.text.blocks import split_blocks
from howsure.text.hedging.presuppositions import names_answer, presupposes
from howsure.text.phrases import fold_case
from howsure.text.sentences import split_span
from howsure.text.stems import stem
from howsure.text.words import claimless, inflection

Role = Literal["question", "choice", "harmless", "claim"]

_MAX_WORDS, _MAX_CHARACTERS = 150, 2000
"""Length up to which a response can be a question or an abstention as a whole."""
_MAX_SENTENCE = 40
"""Words of a sentence up to which it is read."""
_MAX_ITEM = 8
"""Words of a list item that names one of the choices."""
_MAX_LEAD_IN = 10
"""Words before the question of a sentence ("When you say slow, ...")."""

_CODE_OR_TABLE = re.compile(r"^[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+){0,9}(?:```|~~~|\|)", re.MULTILINE)
_NUMERAL = re.compile(r"^[^\S\n]*(\d{1,9})[.)]\s", re.MULTILINE)
# Words, marks between the parts of a sentence, and symbols such as emoji, which separate parts too.
_WORD = re.compile(r"[^\W_]+(?:['./:-][^\W_]+)*|[,;:()\u2013\u2014]|(?<= )-{1,2}(?= )|[\u2190-\U0010ffff](?<!\w)")
# The end of a sentence with no blank after it, as in "know./Sydney" and "know...Sydney", but not in "config.yaml".
_GLUED_END = re.compile(r"(?<=\w)(?:[!?\u2026]|[.!?\u2026]{2,}|[.!?\u2026]+[-/\\_|~=+#&@%$^]+)(?=\w)")
# Letters that are drawn as symbols, braille, HTML, and invisible characters can hide what is said. A
# zero-width joiner between two emoji is fine.
_UNREADABLE = re.compile(
    r"</?[a-zA-Z!]|[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
    r"|(?<=\w)\u200d|\u200d(?=\w)|[\u2460-\u24ff\u2800-\u28ff\U0001f100-\U0001f1ff\U000e0000-\U000e0fff]"
)
_FINITE = frozenset(claimless.FINITE.split())
_INVERTED = frozenset(claimless.INVERTED.split())
_WH = frozenset(claimless.WH.split())
_WH_IS = frozenset(f"{word}'s" for word in _WH)
_LEAD_INS = frozenset(claimless.LEAD_INS.split())
_TIMES = frozenset(claimless.TIMES.split())
_OPENERS = frozenset(claimless.CLAUSE_OPENERS.split())
_SPEAKERS = frozenset(claimless.SPEAKERS.split())
_USER = frozenset(claimless.USER.split())
_ARGUING = frozenset(claimless.ARGUING.split())
_FACTIVE = frozenset(claimless.FACTIVE.split())
_NOUN_BEFORE = frozenset(claimless.NOUN_BEFORE.split())
_AFTERTHOUGHTS = frozenset(claimless.AFTERTHOUGHTS.split())
_FAULTS = frozenset(claimless.FAULTS.split())
_FAULT = frozenset(claimless.FAULT.split())
_AFTER_NOUN = frozenset(claimless.AFTER_NOUN.split())
_VERB_STEMS = frozenset(stem(word) for word in inflection.VERBS.split())


def _any_of(forms: str) -> re.Pattern[str]:
    """Compile forms, one on each line; an indented line continues the one before."""
    lines = re.sub(r"\n +", "", forms.strip()).splitlines()
    return re.compile("(?:" + "|".join(lines) + r")(?![\w']|[./:-]\w)")


_ACKNOWLEDGEMENT = _any_of(claimless.ACKNOWLEDGEMENTS)
_PREAMBLE = _any_of(claimless.PREAMBLES)
_REQUEST = _any_of(claimless.REQUESTS)
_ABSTENTION = _any_of(claimless.ABSTENTIONS)
_LEAD_IN = _any_of(claimless.ABSTENTION_LEAD_INS)
_OFFER = _any_of(claimless.OFFERS)
_BARE_NOUNS = (
    *("no information", "no info", "no data", "no context", "no mention", "no answer", "no detail", "no details"),
    *("unknown", "insufficient information", "insufficient context", "insufficient data", "enough information"),
    *("enough context", "enough data", "n't information", "any data", "any context", "have no evidence"),
)
_DENIES_CLAUSE = (
    *("information", "info", "data", "evidence", "idea", "mention", "context", "detail", "details"),
    *("say", "mention", "state", "specify", "show", "cover", "describe", "explain", "record"),
)
"""Ends of abstentions after which a clause with "that" is denied."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_TAG = re.compile(claimless.TAG_QUESTION)
_CLOSING = re.compile(claimless.CLOSING_QUESTION)
_CLOSING_REQUEST = re.compile(claimless.CLOSING_REQUEST)
_DISGUISED = re.compile(claimless.DISGUISED_CLAIM)
_GUESS = re.compile(claimless.GUESS)
_ORDER = re.compile(claimless.ORDER)


def is_clarifying_question(text: str) -> bool:
    """Return True if a response only asks the user for what it needs to know.

    A polite question after an answer ("Does that help?"), a statement with a question mark, a tag question
    ("..., right?") and a rhetorical question are not clarifying questions.

    >>> is_clarifying_question("Happy to help. Which version of Python do you use?")
    True
    >>> is_clarifying_question("The port is 8080. Does that help?"), is_clarifying_question("The port is 8080?")
    (False, False)
    """
    roles = []
    for _, role in sentence_roles(text):
        if role == "claim":
            return False
        roles.append(role)
    return "question" in roles and roles.count("choice") != 1  # a single choice is an answer


def sentence_roles(text: str) -> Iterator[tuple[str, Role]]:
    """Yield each sentence of a response with what it does: ask, name a choice, nothing, or perhaps claim something.

    >>> [role for _, role in sentence_roles("Thanks. The port is 8080. Which host do you use?")]
    ['harmless', 'claim', 'question']
    """
    asked = False
    for sentence, is_item in _sentences(text):
        role = _role(sentence, is_item=is_item, asked=asked)
        asked |= role == "question"
        yield sentence, role


def is_abstention(text: str) -> bool:
    """Return True if a response says that it does not know, and claims nothing else.

    >>> is_abstention("I don't know which port it uses; the context does not mention it.")
    True
    >>> is_abstention("I don't know, but the port is definitely 8080."), is_abstention("I don't know. Use 8080.")
    (False, False)
    """
    abstains = asked = False
    for sentence, _ in _sentences(text):
        words = _words(sentence)
        if not any(word[0].isalnum() for word in words):
            continue
        if len(words) > _MAX_SENTENCE:
            return False
        plain = _plain(words)
        if _is_question(sentence):
            if not _CLOSING.match(plain) and (_guesses(plain) or not _is_plain_question(words, plain, follows=asked)):
                return False
            asked = True
        elif _abstains(plain):
            if names_answer(sentence):
                return False
            abstains = True
        elif not abstains and _is_harmless(_ACKNOWLEDGEMENT, plain):
            continue
        elif not (_is_offer(plain) or _is_harmless(_PREAMBLE, plain) or _is_harmless(_CLOSING_REQUEST, plain)):
            return False
    return abstains


def _role(sentence: str, *, is_item: bool, asked: bool) -> Role:
    """Return what a sentence does in a response that only asks; `asked`: there was a question before it."""
    words = _words(sentence)
    if not any(word[0].isalnum() for word in words):
        return "harmless"
    if len(words) > _MAX_SENTENCE:
        return "claim"
    plain = _plain(words)
    if _is_question(sentence):
        if _CLOSING.match(plain):
            return "harmless"
        return "question" if _is_plain_question(words, plain, follows=asked) else "claim"
    if _is_harmless(_REQUEST, plain) and "why" not in words and not _CLOSING_REQUEST.match(plain):
        return "question"
    if is_item and asked and _names_choice(sentence, words):
        return "choice"
    forms = (_PREAMBLE, _CLOSING_REQUEST) if asked else (_PREAMBLE, _CLOSING_REQUEST, _ACKNOWLEDGEMENT)
    return "harmless" if any(_is_harmless(form, plain) for form in forms) else "claim"


def _is_question(sentence: str) -> bool:
    return sentence.rstrip("\"')*_ ").endswith("?")


def _sentences(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each sentence, and whether it is in a list; an unreadable one if there is code or a table."""
    # Numbers in front of lines must count 1, 2, 3: "8080. Which host?" answers something.
    if (
        len(text) > _MAX_CHARACTERS
        or len(text.split()) > _MAX_WORDS
        or _CODE_OR_TABLE.search(text)
        or _UNREADABLE.search(text.replace("\r\n", "\n"))
        or any(int(number) != place for place, number in enumerate(_NUMERAL.findall(text), start=1))
    ):
        yield "this is not read", False
        return
    for block in split_blocks(text):
        for sentence in split_span(text, block.start, block.end):
            yield sentence.text, block.kind == "item"


def _words(sentence: str) -> list[str]:
    """Return the words and the marks between parts of a sentence, in lower case."""
    return _WORD.findall(_GLUED_END.sub("; ", fold_case(sentence).replace("\u2019", "'").replace("\u2018", "'")))


def _is_mark(word: str) -> bool:
    return not word[0].isalnum()


def _plain(words: list[str]) -> str:
    """Return words as one line, without blanks before commas."""
    return re.sub(r" (?=[,;:)])", "", " ".join(words))


def _segments(words: list[str]) -> list[list[str]]:
    """Split the words of a sentence at commas, colons, dashes and brackets."""
    segments: list[list[str]] = [[]]
    for word in words:
        if _is_mark(word):
            segments.append([])
        else:
            segments[-1].append(word)
    return [segment for segment in segments if segment]


def _is_harmless(form: re.Pattern[str], plain: str) -> bool:
    """Return True if a sentence begins with a harmless form and goes on without a claim."""
    match = form.match(plain)
    return match is not None and not _holds_claim(_words(plain[match.end() :]))


def _guesses(plain: str) -> bool:
    """Return True if a question after "I don't know" may name the answer: "What about 8080?"."""
    return bool(_GUESS.search(plain))


def _is_offer(plain: str) -> bool:
    """Return True for an offer to find out or advice where to look, which names no value and gives no answer."""
    if any(character.isdigit() for character in plain) or not _is_harmless(_OFFER, plain):
        return False
    # "If you need the answer, Sydney."
    condition, *rest = re.split(r"[,;:(]\s*", plain)
    return not re.match(r"(?:if|once|when)\b", condition) or all(
        re.match(r"(?:i|i'll|i'd|we|please|let|and|or|so|then)\b", part) for part in rest
    )


def _is_plain_question(words: list[str], plain: str, *, follows: bool) -> bool:
    """Return True for a question to the user that carries no claim."""
    if _TAG.search(plain) or _DISGUISED.search(plain) or _ORDER.search(plain) or _argues(words):
        return False
    segments = _segments(words)
    start = next((place for place, segment in enumerate(segments) if _asks(segment)), None)
    if start is None:
        # "And the version?", "Staging or production?" after a question.
        return follows and len(words) <= _MAX_ITEM and not _holds_claim(words)
    lead_in = [word for segment in segments[:start] for word in segment]
    if lead_in and not _is_lead_in(lead_in):
        return False
    question = segments[start]
    is_to_user = bool(_USER & set(words)) or (question[0] in _WH and len(question) <= _MAX_ITEM)
    is_choice = question[0] in {"should", "shall"} or (question[0] in _INVERTED and "or" in question)
    if not (is_to_user or is_choice or follows):
        return False
    if _states_fact(question):
        return False
    # "Do you use 8080?" may be the answer to a question; "Are you on v2 or v3?" and "Which of the 2?" are none.
    if question[0] in _INVERTED and "or" not in question and any(word[0].isdigit() for word in question):
        return False
    # "Is the port, 8080, open?" names a value; "3.10, 3.11 or 3.12" are choices.
    values = [segment for segment in segments[start + 1 :] if segment[0][0].isdigit()]
    listed = any({"or", "and"} & set(segment) for segment in segments[start + 1 :])
    if values and not any("or" in segment for segment in segments[start:]):
        return False
    # "Do you want the answer, Sydney?" names one; "..., if you have it?" and "..., please?" do not.
    if not listed and any(segment[0] not in _AFTERTHOUGHTS and not _asks(segment) for segment in segments[start + 1 :]):
        return False
    return not any(
        segment[0] == "as" or _describes(segment) or (_holds_claim(segment) and not _asks(segment))
        for segment in segments[start + 1 :]
    )


def _is_lead_in(words: list[str]) -> bool:
    """Return True for what may stand before a question: "When you say slow", "For the migration", "Happy to help"."""
    if len(words) > _MAX_LEAD_IN or _argues(words):
        return False
    plain = " ".join(words)
    if _is_harmless(_PREAMBLE, plain) or _is_harmless(_ACKNOWLEDGEMENT, plain):
        return True
    return words[0] in _LEAD_INS and (words[0] in {"if", "when"} or not _holds_claim(words))


def _describes(segment: list[str]) -> bool:
    """Return True for a relative clause: "which stores everything in memory"."""
    if segment[0] not in {"which", "who", "whose", "where"} or len(segment) < 2:  # noqa: PLR2004
        return False
    verb = segment[1]
    return verb in _FINITE or (verb.endswith(("s", "ed")) and stem(verb) in _VERB_STEMS)


def _argues(words: list[str]) -> bool:
    """Return True if words argue for something, unless "since" is a time."""
    for place, word in enumerate(words):
        if word in _ARGUING and not (word == "since" and words[place + 1 : place + 2] and words[place + 1] in _TIMES):
            return True
    return False


def _asks(segment: list[str]) -> bool:
    """Return True if words have the form of a question: a question word, or a verb before its subject."""
    rest = segment
    while rest and rest[0] in {"and", "or", "also", "so", "but", "then", "just", "sorry", "please", "ok", "okay"}:
        rest = rest[1:]
    if not rest:
        return False
    if rest[0] in {"in", "on", "for", "to", "from", "with", "at", "by", "under"} and rest[1:2] and rest[1] in _WH:
        rest = rest[1:]
    if rest[0] in _WH_IS:
        return len(rest) > 1
    if rest[0] in _WH:
        # "What is clear is that ..." and "How the cache works is ..." are statements.
        verbs = sum(word in _FINITE for word in rest)
        return (not (rest[0] in {"what", "how", "why", "where"} and " is that " in " ".join(rest)) and verbs > 0) or (
            len(rest) <= _MAX_ITEM and verbs == 0
        )
    return rest[0] in _INVERTED and len(rest) > 1


def _states_fact(question: list[str]) -> bool:
    """Return True if a question has a verb like "know" with a statement after it: "Did you know that ..."."""
    # "Why not use 8080?" and "Should you not use it?" argue for something.
    if "why" in question[1:] or "not" in question[1:4] or _has_that_clause(question) or presupposes(question):
        return True
    for place, word in enumerate(question):
        if word in _FACTIVE:
            after = question[place + 1 :]
            if after[:1] == ["that"] or (not _WH & set(after[:3]) and _FINITE & set(after)):
                return True
    # A second finite verb without a word that subordinates it: "Do you use it is fast". The first verb takes a base
    # form or a participle ("Does it have", "Is it sorted"), which is not finite.
    if question[0] not in _INVERTED:
        return False
    return _holds_claim(
        [
            word
            for word in question[2:]
            if (word not in {"be", "have", "do"} and not word.endswith(("s", "ed")))
            or word in {"is", "was", "has", "does"}
        ]
    )


def _has_that_clause(words: list[str]) -> bool:
    """Return True for a clause like "that the earth is flat" whose subject is neither the speaker nor the user."""
    for place in range(1, len(words)):
        if _is_finite(words, place) and "that" in words[:place]:
            start = place - words[:place][::-1].index("that")
            if not _SPEAKERS & set(words[start:place]) and not _WH & set(words[start:place]):
                return True
    return False


def _holds_claim(words: list[str]) -> bool:
    """Return True if words may state something: a finite verb whose subject is neither the speaker nor the user.

    A clause after a question word, "if" or "whether" states nothing.
    """
    if _argues(words):
        return True
    for place, word in enumerate(words):
        if not _is_finite(words, place):
            continue
        opener, between = "", []
        for before in reversed(words[:place]):
            if before in _OPENERS or _is_mark(before):
                opener = before
                break
            between.append(before)
        if (opener in _WH and opener != "why") or opener in {"if", "whether"}:
            continue
        if between and any(one in _SPEAKERS for one in between[:2]):
            continue
        if word == "have" and between[:1] in (["to"], ["you"]):
            continue
        return True
    return False


def _is_finite(words: list[str], place: int) -> bool:
    """Return True for an auxiliary verb, or a verb in the third person or past tense that follows a noun."""
    word = words[place]
    if word in _FINITE or word.endswith(("n't", "'re", "'ll")):
        return True
    if word.endswith("'s"):
        return word in {"it's", "that's", "there's", "he's", "she's"}
    if place == 0 or not word.endswith(("s", "ed")) or word.endswith("ss"):
        return False
    return stem(word) in _VERB_STEMS and words[place - 1] not in _NOUN_BEFORE


def _names_choice(sentence: str, words: list[str]) -> bool:
    """Return True for a list item that names something and states nothing."""
    return not sentence.endswith((".", "!")) and len(words) <= _MAX_ITEM and not _holds_claim(words)


def _abstains(plain: str) -> bool:
    """Return True if a sentence says that something is not known, and nothing else."""
    rest = plain
    while lead_in := _LEAD_IN.match(rest):
        rest = rest[lead_in.end() :].lstrip(" ,")
    match = _ABSTENTION.match(rest)
    if match is None or "why" in rest.split() or _DISGUISED.search(rest):
        return False
    words = _words(rest[match.end() :])
    if _ARGUING & set(words) - {"because", "since", "given"}:
        return False
    object_, tails = _split_tail(words)
    # "No information that it is unsafe" and "The text does not say that it is unsafe" say that it is safe.
    if _holds_claim_about(object_) or (object_[:1] == ["that"] and match[0].endswith(_DENIES_CLAUSE)):
        return False
    if _denies(object_) or (match[0].endswith(_BARE_NOUNS) and object_ and object_[0] not in _AFTER_NOUN):
        return False
    return all(_is_harmless_tail(tail) for tail in tails)


def _denies(object_: list[str]) -> bool:
    """Return True if something is denied instead of unknown: "no mention of errors", "no evidence of 8080 failing"."""
    if not object_ or object_[0] in _WH or object_[0] in {"if", "whether"}:
        return False
    for place, word in enumerate(object_):
        if word in _FAULTS and object_[place - 1] not in {"the", "these", "those", "your"}:
            return True
        if word in _FAULT and object_[place - 1] in {"any", "a", "an", "of"} and place == len(object_) - 1:
            return True
    return any(word[0].isdigit() and not _YEAR.fullmatch(word) for word in object_)


def _split_tail(words: list[str]) -> tuple[list[str], list[list[str]]]:
    """Split what follows "I don't know" into its object and further parts, at marks and conjunctions."""
    parts: list[list[str]] = [[]]
    for place, word in enumerate(words):
        if _is_mark(word):
            parts.append([])
        elif word in {"but", "so", "because", "since", "yet", "although", "though"} or (
            word == "and"
            and words[place + 1 : place + 2]
            and words[place + 1] in {"i", "i'm", "i've", "the", "it", "there"}
        ):
            parts.append([word])
        else:
            parts[-1].append(word)
    return parts[0], [part for part in parts[1:] if part]


def _holds_claim_about(object_: list[str]) -> bool:
    """Return True if the object of "I don't know" states something, unless it is a clause like "if it is so"."""
    object_ = object_[1:] if object_[:1] == ["you"] else object_
    if not object_:
        return False
    if object_[0] == "why" or (object_[0] == "how" and object_[1:2] and object_[1] not in claimless.HOW.split()):
        return True
    if object_[0] in {"that", "if", "whether"} or object_[0] in _WH:
        return sum(_is_finite(object_, place) for place in range(1, len(object_))) > 2  # noqa: PLR2004
    return _holds_claim(object_)


def _is_harmless_tail(words: list[str]) -> bool:
    """Return True if a further part of such a sentence gives a reason or an offer and states nothing else."""
    bare = list(words)
    while bare and bare[0] in {
        "but",
        "so",
        "because",
        "since",
        "as",
        "and",
        "yet",
        "although",
        "though",
        "sorry",
        "or",
    }:
        bare = bare[1:]
    if not bare or " ".join(bare) in {"i'm afraid", "unfortunately", "to be honest", "honestly", "however", "please"}:
        return True
    plain = _plain(bare)
    if _ABSTENTION.match(plain):
        return _abstains(plain)
    if _is_offer(plain) or _is_harmless(_PREAMBLE, plain):
        return True
    return (
        words[0] == "or"
        and not _holds_claim(words)
        and len(words) <= _MAX_ITEM
        and not any(word[0].isdigit() for word in words)
    )
