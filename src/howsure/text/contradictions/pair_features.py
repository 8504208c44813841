"""Compare two texts by words alone: what they share, what differs, and whether the difference excludes one of them."""

import itertools
import math
import re
from functools import lru_cache
from typing import NamedTuple

from howsure.text.contradictions.antonyms import find_opposition
from howsure.text.contradictions.clause import Clash, Clause
from howsure.text.contradictions.clause import Word as ClauseWord
from howsure.text.contradictions.compare import compare_clauses, speaks_of_others
from howsure.text.contradictions.denials import is_change
from howsure.text.contradictions.exclusive_values import find_exclusion, words_in_same_slot
from howsure.text.contradictions.paraphrases import say_same
from howsure.text.contradictions.parser import parse_statement
from howsure.text.contradictions.polarities import (
    Pole,
    compare_poles,
    find_opposed_poles,
    normalize,
    read_poles,
    without_articles,
)
from howsure.text.contradictions.tokens import PLAIN_SIGNS
from howsure.text.passages import Passage, Word, read_passage
from howsure.text.quantities.measures import Measure, are_comparable, measure_gap
from howsure.text.stems import meaning_of, meanings_of, stem
from howsure.text.words import values

_MAX_CHARACTERS = 3000
"""Characters that are read of each text; the caller chooses the part of a longer one."""
_MAX_WORDS = 40
"""Words without a partner that are compared with each other, which bounds the time."""
_NAME_WEIGHT = 1.5
_ADJACENT = 4
_CLASSES = {word: name for name, listed in values.CLASSES.items() for word in meanings_of(listed)}
_TIMES = frozenset({"date", "weekday", "month", "clock", "recurrence"})
_LINKS = frozenset(
    ["in", "by", "as", "under", "from", "on", "at", "to", "of", "for", "with", "via", "through", "into", "per"]
)
_BE = frozenset(stem(word) for word in ["is", "are", "was", "were", "be", "been"]) | frozenset(
    ["is", "are", "was", "were", "be"]
)
_ADDITIVE = meanings_of(values.ADDITIVE) | frozenset(stem(word) for word in values.ADDITIVE.split())
_MIN_EQUAL, _MAX_SPAN = 2, 5
"""Words before and after a replaced span that must be equal, and its size at most."""
_CONDITIONS = frozenset(["if", "unless", "when", "whenever", "while", "until", "once", "except"])
_ADDING = frozenset(["also", "too", "additionally", "besides", "furthermore", "likewise"])
_SUBJECT_REACH = 4
"""Words at the start of a text in which a number says which thing is meant."""
_ROLES = """
subject_same subject_other subject_part verb_same slot_replaced slot_exclusive slot_other hedged hedged_back other_scope
quantifier tense modal
"""
_MAX_UNEXPLAINED = 0.34
"""Words that may differ besides those that say opposite things: 2 of the 6 that `unexplained` counts."""
_NOT_DENIED = re.compile(r"\b(?:never fail(?:s|ed)?|not (?:fail|forget|hesitate)|never forgets?) to\b")
_SIGNS = str.maketrans({"-": " ", ",": " ", ".": " ", ";": " ", ":": " ", "\n": " "})


class Side(NamedTuple):
    """One of two texts, read."""

    text: str
    passage: Passage
    keys: tuple[frozenset[str], ...]
    """For each content word the forms by which it may be the same as another."""
    all_keys: frozenset[str]
    clauses: tuple[Clause, ...]
    poles: tuple[Pole, ...]
    pole_stems: tuple[str, ...]
    words: tuple[str, ...]
    """The words in lower case, without articles."""


@lru_cache(maxsize=1 << 12)
def read_side(text: str) -> Side:
    """Read a text."""
    text = " ".join(text[:_MAX_CHARACTERS].translate(PLAIN_SIGNS).split())
    passage = read_passage(text, 0, len(text))
    keys = tuple(frozenset((word.stem, word.root, meaning_of(word.text.lower()))) for word in passage.words)
    lower = text.lower().replace("can't", "can not").replace("won't", "will not").replace("n't", " not")
    words = _NOT_DENIED.sub(" ", lower.translate(_SIGNS)).split()
    poles = tuple(read_poles(words))
    return Side(
        text,
        passage,
        keys,
        frozenset().union(*keys),
        parse_statement(text),
        poles,
        normalize(words),
        tuple(without_articles(words)),
    )


class PairFeatures(NamedTuple):
    """The differences between two texts, as numbers."""

    covered: float
    """Share of the second text's content words that the first has."""
    covered_back: float
    lacking: float
    """Words of the second that the first lacks, up to 4, divided by 4."""
    lacking_back: float
    same_words: float
    """1 if neither has a content word that the other lacks."""
    contained: float
    """1 if the first has every word of the second."""
    unexplained: float
    """Words without a partner on either side that no other feature explains, up to 6, divided by 6."""
    other_name: float
    missing_name: float
    disorder: float
    length: float
    opposite: float
    exclusive: float
    """1 if words without a partner are values of one class, such as two colours."""
    negated: float
    """1 if one text has an odd number of negations more than the other."""
    negated_same: float
    negated_covered: float
    denied: float
    both_negated: float
    numbers_same: float
    numbers_clash: float
    numbers_missing: float
    numbers_clash_same: float
    poles_agree: float
    poles_oppose: float
    poles_oppose_subject: float
    subject_same: float
    subject_other: float
    subject_part: float
    verb_same: float
    slot_replaced: float
    slot_exclusive: float
    slot_replaced_subject: float
    slot_other: float
    rule_contradiction: float
    rule_inconsistency: float
    rule_ambiguity: float
    hedged: float
    hedged_back: float
    quantifier: float
    opposite_subject: float
    opposite_negated: float
    """Two reversals, which cancel each other out."""
    tense: float
    modal: float
    numbers_differ: float
    """1 if a number of the second differs from a comparable one, even if both are limits."""
    dates_differ: float
    span_replaced: float
    """1 if the texts are equal but for a few words in one place."""
    span_predicate: float
    """The same, after the verb."""
    span_value: float
    """The same, after the verb and a preposition or a form of be."""
    span_additive: float
    """The same, after a verb that takes many values, such as "supports"."""
    span_inserted: float
    """1 if one text only has some words more than the other, in one place."""
    span_class: float
    other_identifier: float
    """1 if each text has a name, or a word with a digit, that the other lacks."""
    other_scope: float
    """1 if each text has a word after a preposition, or before the verb, that the other lacks."""
    condition: float
    """1 if only one text has "if", "unless", "when" or the like."""
    agreed: float
    """1 if both state the same need, limit or lifetime in other words."""
    poles_mixed: float
    """Things of which one text says one thing, and the other both."""
    only: float
    """1 if only one text has "only"."""
    adding: float
    """1 if a text says that something holds too: "also", "as well"."""


def compare_pair(first: str, second: str) -> tuple[PairFeatures, Clash | None]:
    """Return the differences between two texts, and the worst clash that the rules find."""
    one, other = read_side(first), read_side(second)
    clash = _find_clash(one.clauses, other.clauses)
    return compare_sides(one, other, clash), clash


def compare_sides(one: Side, other: Side, clash: Clash | None) -> PairFeatures:
    """Return the differences between two texts, given the worst clash that the rules find."""
    mine = _unmatched(one, other.all_keys)
    theirs = _unmatched(other, one.all_keys)
    opposite = _find_opposite(mine, theirs)
    classes = _share_class(mine, theirs)
    same, clashing, missing = _compare_measures(one.passage.measures, other.passage.measures)
    poles = compare_poles(one.poles, other.poles)
    explained = _pole_words(one, poles.shared) | _pole_words(other, poles.shared)
    rest = [word for word in (*mine, *theirs) if word.stem not in explained and word not in (opposite or ())]
    negated = (one.passage.negations - other.passage.negations) % 2 == 1
    roles = _compare_roles(one, other)
    covered = _covered(other, one.all_keys)
    subject_other = roles["subject_other"]
    length = math.log((len(other.passage.words) + 1) / (len(one.passage.words) + 1))
    reversed_ = opposite is not None
    names_mine = [word for word in mine if word.is_name]
    names_theirs = [word for word in theirs if word.is_name]
    small = 1.0 if len(rest) <= 1 else 0.5 if len(rest) == 2 else 0.0  # noqa: PLR2004 - words
    return PairFeatures(
        covered=covered,
        covered_back=_covered(one, other.all_keys),
        lacking=min(4, len(theirs)) / 4,
        lacking_back=min(4, len(mine)) / 4,
        same_words=float(not mine and not theirs),
        contained=float(not theirs),
        unexplained=min(6, len(rest)) / 6,
        other_name=float(bool(names_mine and names_theirs)),
        missing_name=float(bool(names_theirs)),
        disorder=_disorder(one, other),
        length=max(-2.0, min(2.0, length)),
        opposite=float(reversed_),
        exclusive=float(classes),
        negated=float(negated),
        negated_same=float(negated) * small,
        negated_covered=float(negated) * covered,
        denied=float(_is_denied(one, other) or _is_denied(other, one)),
        both_negated=float(bool(one.passage.negations and other.passage.negations)),
        numbers_same=float(same > 0),
        numbers_clash=float(clashing > 0),
        numbers_missing=float(missing > 0),
        numbers_clash_same=float(clashing > 0) * small * (1.0 - subject_other),
        poles_agree=min(2.0, poles.agree),
        poles_oppose=min(2.0, poles.oppose),
        poles_oppose_subject=min(2.0, poles.oppose) * (1.0 - subject_other) * small,
        subject_same=roles["subject_same"],
        subject_other=subject_other,
        subject_part=roles["subject_part"],
        verb_same=roles["verb_same"],
        slot_replaced=roles["slot_replaced"],
        slot_exclusive=roles["slot_exclusive"],
        slot_replaced_subject=roles["slot_replaced"] * roles["subject_same"] * roles["verb_same"],
        slot_other=roles["slot_other"],
        rule_contradiction=clash.severity if clash and clash.kind == "contradiction" else 0.0,
        rule_inconsistency=clash.severity if clash and clash.kind == "inconsistency" else 0.0,
        rule_ambiguity=clash.severity if clash and clash.kind == "ambiguity" else 0.0,
        hedged=roles["hedged"],
        hedged_back=roles["hedged_back"],
        quantifier=roles["quantifier"],
        opposite_subject=float(reversed_) * (1.0 - subject_other) * small,
        opposite_negated=float(reversed_ and negated),
        tense=roles["tense"],
        modal=roles["modal"],
        numbers_differ=float(_numbers_differ(one.passage.measures, other.passage.measures)),
        dates_differ=float(_dates_differ(one.passage.measures, other.passage.measures)),
        **_compare_spans(one, other),
        span_class=float(classes) * roles["subject_same"],
        other_identifier=float(_has_identifier(mine, one) and _has_identifier(theirs, other)),
        other_scope=roles["other_scope"],
        condition=float(bool(_CONDITIONS & set(one.words)) != bool(_CONDITIONS & set(other.words))),
        agreed=float(say_same(one.clauses, other.clauses)),
        poles_mixed=min(2.0, poles.mixed),
        only=float(_says_only(one) != _says_only(other)),
        adding=float(bool(_ADDING & {*one.words, *other.words})),
    )


def find_clash(first: str, second: str) -> Clash | None:
    """Return the worst clash that the rules find between two texts, or None.

    >>> find_clash("The tap is on.", "The tap is off.").kind
    'contradiction'
    """
    return _find_clash(read_clauses(" ".join(first.split())), read_clauses(" ".join(second.split())))


read_clauses = lru_cache(maxsize=1 << 13)(parse_statement)


def _find_clash(ones: tuple[Clause, ...], others: tuple[Clause, ...]) -> Clash | None:
    texts, other_texts = {clause.text for clause in ones}, {clause.text for clause in others}
    worst: Clash | None = None
    for mine in ones:
        for theirs in others:
            if mine.text in other_texts or theirs.text in texts:
                continue
            clash = compare_clauses(*sorted((mine, theirs), key=lambda clause: clause.text))
            if clash is not None and (worst is None or clash.severity > worst.severity):
                worst = clash
    return worst


def is_change_of(one: Side, other: Side) -> bool:
    """Return True if one text says that something was so, and the other that it is not any more."""
    if len(one.clauses) != 1 or len(other.clauses) != 1:
        return False
    mine, theirs = one.clauses[0].affirmation, other.clauses[0].affirmation
    return mine is not None and theirs is not None and is_change(mine, theirs)


def _unmatched(side: Side, keys: frozenset[str]) -> list[Word]:
    words = zip(side.passage.words, side.keys, strict=True)
    return [word for word, own in words if own.isdisjoint(keys) and not _has_form(word, keys)][:_MAX_WORDS]


def _has_form(word: Word, keys: frozenset[str]) -> bool:
    """Return True if a longer form of a word is among the keys: "german" and "germany"."""
    return len(word.root) >= 6 and any(key.startswith(word.root) for key in keys)  # noqa: PLR2004 - letters


def _covered(side: Side, keys: frozenset[str]) -> float:
    total = found = 0.0
    for word, own in zip(side.passage.words, side.keys, strict=True):
        weight = _NAME_WEIGHT if word.is_name else 1.0
        total += weight
        found += weight * (not own.isdisjoint(keys) or _has_form(word, keys))
    return found / total if total else 0.0


def _as_clause_word(word: Word) -> ClauseWord:
    text = word.text.lower()
    return ClauseWord(meaning_of(text), text, subject=False, link="", head="", name=False)


def _find_opposite(mine: list[Word], theirs: list[Word]) -> tuple[Word, Word] | None:
    others = [_as_clause_word(word) for word in theirs]
    for word in mine:
        own = _as_clause_word(word)
        for written, match in zip(theirs, others, strict=True):
            if find_opposition(own, match):
                return word, written
    return None


def _share_class(mine: list[Word], theirs: list[Word]) -> bool:
    classes = {_CLASSES.get(meaning_of(word.text.lower()), "") for word in mine} - {""}
    return bool(classes & {_CLASSES.get(meaning_of(word.text.lower()), "") for word in theirs})


def _compare_measures(ones: tuple[Measure, ...], others: tuple[Measure, ...]) -> tuple[int, int, int]:
    """Return how many numbers of the second are in the first, differ from a comparable one, and have none."""
    same = clashing = missing = 0
    for measure in others[:_MAX_WORDS]:
        comparable = [one for one in ones[:_MAX_WORDS] if are_comparable(one, measure)]
        if any(not measure_gap(one, measure) for one in comparable):
            same += 1
        elif comparable:
            clashing += 1
        else:
            missing += 1
    return same, clashing, missing


def _numbers_differ(ones: tuple[Measure, ...], others: tuple[Measure, ...]) -> bool:
    """Return True if a number that is not a date differs from all comparable ones, taken as what is written."""
    for measure in others[:_MAX_WORDS]:
        comparable = [one for one in ones[:_MAX_WORDS] if are_comparable(one, measure)]
        if (
            comparable
            and measure.dimension not in _TIMES
            and not any(_ends(one) & _ends(measure) for one in comparable)
        ):
            return True
    return False


def _dates_differ(ones: tuple[Measure, ...], others: tuple[Measure, ...]) -> bool:
    dates = (measure for measure in others[:_MAX_WORDS] if measure.dimension in _TIMES)
    gaps = ([measure_gap(one, date) for one in ones[:_MAX_WORDS] if are_comparable(one, date)] for date in dates)
    return any(own and all(own) for own in gaps)


def _ends(measure: Measure) -> frozenset[float]:
    return frozenset(end for end in (measure.low, measure.high) if math.isfinite(end))


def _compare_spans(one: Side, other: Side) -> dict[str, float]:
    """Return what is known if two texts are equal but for a few words in one place."""
    names = ("span_replaced", "span_predicate", "span_value", "span_additive", "span_inserted")
    found = dict.fromkeys(names, 0.0)
    ones, others = one.pole_stems, other.pole_stems
    start = next((n for n, (a, b) in enumerate(zip(ones, others, strict=False)) if a != b), min(len(ones), len(others)))
    stop = 0
    while stop < min(len(ones), len(others)) - start and ones[-1 - stop] == others[-1 - stop]:
        stop += 1
    sizes = len(ones) - start - stop, len(others) - start - stop
    if start + stop < _MIN_EQUAL or max(sizes) > _MAX_SPAN or sizes == (0, 0):
        return found
    if min(sizes) == 0:
        found["span_inserted"] = 1.0
        return found
    found["span_replaced"] = 1.0
    before = ones[:start]
    verbs = {clause.verb for side in (one, other) for clause in side.clauses} - {""}
    if any(word in _BE or word in verbs for word in before):
        found["span_predicate"] = 1.0
        found["span_value"] = float(before[-1] in _LINKS or before[-1] in _BE)
        found["span_additive"] = float(before[-1] in _ADDITIVE)
    return found


def _says_only(side: Side) -> bool:
    return any(word == "only" and before != "not" for before, word in itertools.pairwise(("", *side.words)))


def _has_identifier(words: list[Word], side: Side) -> bool:
    """Return True if one of the words is a name or has a digit, or the text begins with a number of its own."""
    return any(word.is_name or any(map(str.isdigit, word.text)) for word in words) or any(
        any(map(str.isdigit, word)) for word in side.words[:_SUBJECT_REACH]
    )


def is_about_same(one: Side, other: Side, features: PairFeatures) -> bool:
    """Return True if nothing shows that two texts speak of different things, cases or times.

    Two needs, limits or lifetimes are left to the rules, which know when they agree.
    """
    strangers = features.other_identifier or features.other_name or features.subject_other or features.other_scope
    others = speaks_of_others(one.text.lower()) != speaks_of_others(other.text.lower())
    cases = others or features.condition or features.dates_differ or features.numbers_same or features.numbers_clash
    if strangers or cases or features.unexplained > _MAX_UNEXPLAINED or _is_dated(one) != _is_dated(other):
        return False
    kinds, other_kinds = ({p.kind for clause in side.clauses for p in clause.paraphrases} for side in (one, other))
    return not kinds & other_kinds and "life" not in kinds | other_kinds


def _is_dated(side: Side) -> bool:
    return any(measure.dimension in _TIMES for measure in side.passage.measures)


def find_opposed(one: Side, other: Side) -> tuple[str, str] | None:
    """Return the words by which two texts say opposite things, such as "accepts writes" and "read only", or None.

    >>> find_opposed(read_side("The primary accepts writes."), read_side("The primary is read-only."))
    ('accepts writes', 'read only')
    """
    poles = find_opposed_poles(one.poles, other.poles)
    if poles is None:
        return None
    left, right = poles
    return " ".join(one.words[left.start : left.end]), " ".join(other.words[right.start : right.end])


def _pole_words(side: Side, things: frozenset[str]) -> set[str]:
    return {word for pole in side.poles if pole.thing in things for word in side.pole_stems[pole.start : pole.end]}


def _disorder(one: Side, other: Side) -> float:
    """Return the share of neighbouring words of the second that do not follow each other in the first."""
    places = {word.root: place for place, word in reversed(list(enumerate(one.passage.words)))}
    roots = [word.root for word in other.passage.words]
    pairs = [(a, b) for a, b in itertools.pairwise(roots) if a in places and b in places]
    kept = sum(0 <= places[b] - places[a] <= _ADJACENT for a, b in pairs)
    return 1.0 - kept / len(pairs) if pairs else 0.0


def _is_denied(one: Side, other: Side) -> bool:
    """Return True if a word is denied on one side, and on the other it occurs and is never negated."""
    negated = {word.root for word in other.passage.words if word.negated}
    plain = {word.root for word in other.passage.words} - negated
    return any(word.denied and word.root in plain for word in one.passage.words)


def _compare_roles(one: Side, other: Side) -> dict[str, float]:
    """Compare subject, verb and what depends on it, for the two clauses that share most words."""
    best: tuple[float, Clause, Clause] | None = None
    for mine in one.clauses:
        for theirs in other.clauses:
            shared = len(mine.words.keys() & theirs.words.keys()) / (1 + min(len(mine.words), len(theirs.words)))
            if best is None or shared > best[0]:
                best = shared, mine, theirs
    roles = dict.fromkeys(_ROLES.split(), 0.0)
    if best is None:
        return roles
    _, mine, theirs = best
    rest = [word for stem, word in mine.words.items() if stem not in theirs.words]
    others = [word for stem, word in theirs.words.items() if stem not in mine.words]
    left = [word for word in rest if word.subject and not word.link]
    right = [word for word in others if word.subject and not word.link]
    crossed = mine.passive != theirs.passive
    roles["subject_other"] = float(bool(left and right) and not crossed)
    roles["subject_part"] = float(bool(left) != bool(right) and not crossed)
    roles["subject_same"] = float(not left and not right and bool(mine.subject & theirs.subject))
    roles["verb_same"] = float(bool(mine.verb) and mine.verb == theirs.verb)
    slots = {(word.link, word.head) for word in rest if not word.subject}
    other_slots = {(word.link, word.head) for word in others if not word.subject}
    roles["slot_replaced"] = float(bool(slots & other_slots))
    roles["slot_other"] = float(bool(other_slots - slots))
    slot, other_slot = words_in_same_slot(rest, others)
    if slot and other_slot:
        exclusion = find_exclusion(mine, theirs, slot, other_slot)
        roles["slot_exclusive"] = exclusion.strength if exclusion else 0.0
    scopes = [word for word in rest if word.subject or word.link]
    other_scopes = [word for word in others if word.subject or word.link]
    roles["other_scope"] = float(bool(scopes and other_scopes) and not crossed)
    roles["hedged"], roles["hedged_back"] = float(bool(theirs.hedges)), float(bool(mine.hedges))
    low, high = theirs.share
    roles["quantifier"] = float(mine.share[0] > high or low > mine.share[1])
    roles["tense"] = float(mine.past != theirs.past)
    roles["modal"] = float(mine.modal != theirs.modal)
    return roles
