"""Make labelled pairs by editing sentences of running text: negation, opposites, numbers, names, dates, quantifiers."""

import random
import re
from collections.abc import Iterable

from technical import CONTRADICTION, ENTAILMENT, MONTHS, NEUTRAL, NUMBER_WORDS, Pair, words

AUXILIARY = re.compile(
    r"\b(is|was|are|were|has been|have been|will|can|could|would|should|must)\b(?! (?:not|never|n't)\b)(?=\s+\w)"
)
NEGATED = re.compile(r"\b(is|was|are|were|will|can|could|would|should|must|do|does|did) not\b")
NUMBER = re.compile(r"(?<![\w.-])\d{1,3}(?:,\d{3})+|(?<![\w.,-])\d+(?:\.\d+)?(?![\w,]|\.\d)")
NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-zé]+(?: [A-Z][a-zé]+)*")
NUMBER_WORD = re.compile(r"\b(" + "|".join(NUMBER_WORDS[2:]) + r")\b")
MONTH = re.compile(r"\b(" + "|".join(month for month in MONTHS if month != "May") + r")\b")
CAPTION = re.compile(r"^(?:An?|The|Two|Three|Some) ((?:[a-z-]+ ){0,3}[a-z-]+) (is|are) ([a-z]+ing .*)$")
QUANTIFIER = re.compile(
    r"\b(all|every|always|some|most|many|no|none|never|few|only|both|each|several)\b", re.IGNORECASE
)
QUANTIFIERS = {
    "all": "no",
    "every": "no",
    "always": "never",
    "no": "many",
    "never": "always",
    "most": "few",
    "many": "no",
    "few": "most",
    "both": "neither of the",
    "each": "no",
    "several": "no",
}
OPPOSITES = dict(
    one.split(" ", 1)
    for one in words("""first last; last first; largest smallest; smallest largest; before after; after before; north south; south north; east west; west east;
northern southern; southern northern; eastern western; western eastern; male female; female male; won lost; lost won; increased decreased; decreased increased; rose fell; highest lowest; lowest highest; oldest newest;
early late; late early; public private; private public; married unmarried; born killed; above below; below above; inside outside; outside inside; successful unsuccessful; opened closed; closed opened; began ended; ended began;
accepted rejected; rejected accepted; more fewer; fewer more; less more; higher lower; lower higher; major minor; minor major; single double; living dead; dead living; young old; old young; large small; small large; left right; right left;
open closed; standing sitting; sitting standing; walking running; outdoors indoors; indoors outdoors; man woman; woman man; men women; women men; boy girl; girl boy; black white; white black; red blue; blue green; sleeping awake; empty full; full empty;
happy sad; smiling frowning; winter summer; summer winter; day night; night day; true false; possible impossible; legal illegal; safe dangerous; common rare; rare common; hot cold; cold hot; fast slow; slow fast; long short; short long;
wide narrow; strong weak; weak strong; rich poor; poor rich; easy difficult; difficult easy; good bad; bad good; new old; same different; different same; include exclude; includes excludes; allow forbid; allows forbids; supports opposes; enabled disabled;
temporary permanent; permanent temporary; minimum maximum; maximum minimum; positive negative; negative positive; active inactive; modern ancient; ancient modern; urban rural; rural urban; internal external; external internal""")
)
OPPOSITE = re.compile(r"\b(" + "|".join(sorted(OPPOSITES, key=len, reverse=True)) + r")\b")


def clean(text: str) -> str:
    """Undo the tokenisation of Wikipedia text in FEVER."""
    text = (
        text.replace("-LSB-", "[")
        .replace("-RSB-", "]")
        .replace("-LRB-", "(")
        .replace("-RRB-", ")")
        .replace("``", '"')
        .replace("''", '"')
    )
    text = re.sub(r" ([,.;:!?%)\]]|'s\b|n't\b)", r"\1", text)
    return re.sub(r"([(\[]) ", r"\1", text).strip()


def sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph that are long and short enough to be edited."""
    return [one for one in re.split(r"(?<=[.!?]) +(?=[A-Z])", text) if 5 <= len(one.split()) <= 40]


class Editor:
    """Changes one thing in a sentence, with names drawn from a pool."""

    def __init__(self, texts: Iterable[str], rng: random.Random) -> None:
        self.rng = rng
        self.names = sorted({name for text in texts for name in NAME.findall(text)})
        self.kinds = [
            self.negate,
            self.affirm,
            self.number,
            self.name,
            self.name,
            self.opposite,
            self.quantify,
            self.date,
            self.deny,
        ]

    def edit(self, text: str) -> str | None:
        """Return the text with one thing changed so that it contradicts the original, or None."""
        for kind in self.rng.sample(self.kinds, len(self.kinds)):
            changed = kind(text)
            if changed and changed != text:
                return changed
        return None

    def _swap(self, pattern: re.Pattern[str], text: str, new: str) -> str:
        found = self.rng.choice(list(pattern.finditer(text)))
        return text[: found.start()] + new + text[found.end() :]

    def negate(self, text: str) -> str | None:
        """Insert a negation."""
        match = AUXILIARY.search(text)
        if not match or QUANTIFIER.search(text[: match.start()]):
            return None
        word = match[1]
        negated = (
            word.replace(" been", " not been") if " " in word else f"{word} {self.rng.choice(['not', 'not', 'never'])}"
        )
        if self.rng.random() < 0.3 and word in {"is", "was", "are", "were", "could", "would", "should"}:
            negated = f"{word}n't"
        return text[: match.start()] + negated + text[match.end() :]

    def deny(self, text: str) -> str | None:
        """Deny that there is such a thing: "A man is playing" becomes "There is no man playing"."""
        match = CAPTION.match(text)
        if not match:
            return None
        who, verb, rest = match[1], match[2], match[3]
        if match[0].startswith(("Two", "Three", "Some", "The")):
            return f"There {verb} no {who} {rest}" if self.rng.random() < 0.5 else f"No {who} {verb} {rest}"
        return self.rng.choice(
            [f"There is no {who} {rest}", f"No {who} {verb} {rest}", f"{match[0].split()[0]} {who} {verb} not {rest}"]
        )

    def affirm(self, text: str) -> str | None:
        """Remove a negation."""
        match = NEGATED.search(text)
        return text[: match.end() - 4] + text[match.end() :] if match else None

    def number(self, text: str) -> str | None:
        """Change a number."""
        found = list(NUMBER.finditer(text))
        if not found:
            match = NUMBER_WORD.search(text)
            return (
                text.replace(match[0], self.rng.choice([one for one in NUMBER_WORDS[2:] if one != match[0]]), 1)
                if match
                else None
            )
        match = self.rng.choice(found)
        old = match[0]
        if re.fullmatch(r"1[5-9]\d\d|20[0-2]\d", old):
            new = str(int(old) + self.rng.choice([-1, 1]) * self.rng.randint(1, 40))
        else:
            value = float(old.replace(",", ""))
            value = (
                value * self.rng.choice([0.5, 2, 3, 10])
                if self.rng.random() < 0.5 and value
                else value + self.rng.randint(1, 9)
            )
            new = f"{value:,.0f}" if "," in old else f"{value:.1f}" if "." in old else f"{value:.0f}"
        return None if new == old else text[: match.start()] + new + text[match.end() :]

    def name(self, text: str) -> str | None:
        """Replace a name by another one."""
        found = [match for match in NAME.finditer(text) if match[0] not in MONTHS]
        if not found or not self.names:
            return None
        match = self.rng.choice(found)
        new = self.rng.choice(self.names)
        return None if new == match[0] or new in text else text[: match.start()] + new + text[match.end() :]

    def date(self, text: str) -> str | None:
        """Change a month."""
        match = MONTH.search(text)
        return (
            text.replace(match[0], self.rng.choice([month for month in MONTHS if month != match[0]]), 1)
            if match
            else None
        )

    def opposite(self, text: str) -> str | None:
        """Replace a word by its opposite."""
        found = list(OPPOSITE.finditer(text))
        if not found:
            return None
        match = self.rng.choice(found)
        return text[: match.start()] + OPPOSITES[match[0]] + text[match.end() :]

    def quantify(self, text: str) -> str | None:
        """Change a quantifier."""
        found = [match for match in QUANTIFIER.finditer(text) if match[0].lower() in QUANTIFIERS]
        if not found:
            return None
        match = self.rng.choice(found)
        new = QUANTIFIERS[match[0].lower()]
        return text[: match.start()] + (new.capitalize() if match[0][0].isupper() else new) + text[match.end() :]


BENIGN = [
    (re.compile(r"\b(is|was|are|were|do|does|did|could|would|should) not\b"), r"\1n't"),
    (re.compile(r"\bcannot\b"), "can't"),
    (re.compile(r"\b(\d{1,3}),(\d{3})\b"), r"\1\2"),
    (
        re.compile(
            r"\b(\d{1,2}) (January|February|March|April|June|July|August|September|October|November|December) (\d{4})"
        ),
        r"\2 \1, \3",
    ),
    (re.compile(r"^In (\d{4}), (.*)\.$"), r"\2 in \1."),
    (re.compile(r"\bbegan\b"), "started"),
    (re.compile(r"\bmovie\b"), "film"),
    (re.compile(r" \([^()]{3,60}\)"), ""),
    (re.compile(r"^(.{30,}?), (?:which|who|where|including|such as|and|but|with) [^,]*\.$"), r"\1."),
    (re.compile(r"(?<= )(?:also|later|very|small|large|young|old|famous|popular|American|British|new) "), ""),
    (re.compile(r"\b(?:big|large)\b"), "sizeable"),
    (re.compile(r"\bman\b"), "person"),
    (re.compile(r"\bwoman\b"), "person"),
    (re.compile(r"\b(?:boy|girl)\b"), "child"),
    (re.compile(r"^(.{25,}?) (?:in|at|on|near|with|while) (?:the|a|an) [^,]{3,40}\.$"), r"\1."),
]


HARMLESS = 7
"""The first so many of these never undo an edit."""


def relax(text: str, rng: random.Random, *, harmless: bool = False) -> str | None:
    """Return a sentence that follows from this one and is nearly the same, or None."""
    if rng.random() < 0.06:
        return f"It is true that {text[0].lower() if text.startswith(('A ', 'The ', 'Two ', 'In ', 'It ', 'He ', 'She ')) else text[0]}{text[1:]}"
    kinds = BENIGN[:HARMLESS] if harmless else BENIGN
    for pattern, new in rng.sample(kinds, len(kinds)):
        changed = pattern.sub(new, text, count=1)
        if changed != text:
            return changed[0].upper() + changed[1:]
    return None


def make_edits(paragraphs: list[str], count: int, seed: int, *, strangers: bool = True) -> list[Pair]:
    """Return pairs of a text and one of its sentences: as it is, edited, or taken from another text."""
    rng = random.Random(seed)
    editor = Editor(rng.sample(paragraphs, min(len(paragraphs), 4000)), rng)
    pairs: list[Pair] = []
    for _ in range(count * 10):
        if len(pairs) >= count:
            break
        text = rng.choice(paragraphs)
        parts = sentences(text)
        if not parts:
            continue
        sentence = rng.choice(parts)
        context = sentence if rng.random() < 0.45 else text
        roll = rng.random()
        changed = editor.edit(sentence)
        same = relax(sentence, rng)
        if roll < 0.40:
            if changed:
                # Sometimes a harmless change beside the harmful one, so that "nearly the same" is no sign by itself.
                changed = relax(changed, rng, harmless=True) or changed if rng.random() < 0.3 else changed
                swapped = context == sentence and rng.random() < 0.5
                pairs.append(
                    Pair(changed, context, CONTRADICTION) if swapped else Pair(context, changed, CONTRADICTION)
                )
        elif roll < 0.78:
            if same or context != sentence or rng.random() < 0.05:
                pairs.append(Pair(context, same or sentence, ENTAILMENT))
        elif roll < 0.90:  # the text without the sentence does not say what the sentence says
            rest = " ".join(part for part in parts if part is not sentence)
            if len(parts) > 1 and rest:
                pairs.append(Pair(rest, changed or sentence if rng.random() < 0.5 else sentence, NEUTRAL))
        elif strangers:
            other = sentences(rng.choice(paragraphs))
            if other and other[0] not in text:
                pairs.append(Pair(context, rng.choice(other), NEUTRAL))
    return pairs
