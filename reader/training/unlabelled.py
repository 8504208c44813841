"""Pairs of texts without a label, for a small model to learn from what a large one says of them."""

import ast
import random
import re
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from technical import Pair

UNKNOWN = "unknown"
"""The label of pairs of which nothing is known."""
PROSE = re.compile(r"^[A-Z][\w ,;:'\"()/%.-]+\.$")
COMMON = 400
"""Words that are in more sentences than this say nothing about what two sentences have in common."""


def read_documentation() -> list[str]:
    """Return paragraphs of the documentation inside Python's standard library: docstrings and help topics."""
    from pydoc_data.topics import topics

    texts = [text for _, text in sorted(topics.items())]
    root = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(root.rglob("*.py")):
        if {"test", "tests", "site-packages", "idlelib", "lib2to3"} & set(path.relative_to(root).parts):
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        texts += [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds)]
    paragraphs: dict[str, None] = {}
    for text in texts:
        for block in re.split(r"\n\s*\n", text):
            plain = re.sub(r'["*`]+|\(\*[^)]*\*\)', "", " ".join(block.split()))
            sentences = [one for one in re.split(r"(?<=[.]) +(?=[A-Z])", plain) if PROSE.match(one)]
            if sentences and len(" ".join(sentences)) < 900:
                paragraphs[" ".join(sentences)] = None
    return list(paragraphs)


def pair_near(sentences: Sequence[str], count: int, seed: int) -> list[Pair]:
    """Return pairs of different sentences that share rare words."""
    rng = random.Random(seed)
    words = [set(re.findall(r"[a-z]{3,}", sentence.lower())) for sentence in sentences]
    holders: dict[str, list[int]] = defaultdict(list)
    for place, some in enumerate(words):
        for word in sorted(some):
            holders[word].append(place)
    pairs: dict[tuple[int, int], None] = {}
    for _ in range(count * 20):
        if len(pairs) >= count:
            break
        first = rng.randrange(len(sentences))
        shared = Counter(
            other
            for word in sorted(words[first])
            if len(holders[word]) <= COMMON
            for other in holders[word]
            if other != first
        )
        near = [other for other, _ in shared.most_common(6) if sentences[other] != sentences[first]]
        if near:
            pairs[first, rng.choice(near)] = None
    return [Pair(sentences[first], sentences[second], UNKNOWN) for first, second in pairs]


def pair_within(groups: Iterable[Sequence[str]], count: int, seed: int) -> list[Pair]:
    """Return pairs of texts that are about the same: of one scene, or one piece of evidence."""
    rng = random.Random(seed)
    known = [sorted(set(group)) for group in groups]
    known = [group for group in known if len(group) > 1]
    pairs: dict[tuple[str, str], None] = {}
    for _ in range(count * 10):
        if len(pairs) >= count:
            break
        first, second = rng.sample(rng.choice(known), 2)
        pairs[first, second] = None
    return [Pair(first, second, UNKNOWN) for first, second in pairs]


def pair_windows(claims: Iterable[tuple[str, Sequence[str]]], count: int, seed: int) -> list[Pair]:
    """Return texts of two sentences with claims about them; of each evidence, its claims are given."""
    pairs: dict[tuple[str, str], None] = {}
    for evidence, some in claims:
        parts = re.split(r"(?<=[.!?]) +(?=[A-Z])", evidence)
        windows = [" ".join(parts[at : at + 2]) for at in range(max(len(parts) - 1, 1))]
        pairs.update(dict.fromkeys((window, claim) for window in windows if window != evidence for claim in some))
    chosen = random.Random(seed).sample(list(pairs), min(len(pairs), count))
    return [Pair(window, claim, UNKNOWN) for window, claim in chosen]


def pair_crossed(stances: Iterable[Pair], responses: Iterable[Sequence[str]]) -> list[Pair]:
    """Return claims with the evidence that was found for other claims of the same response."""
    evidence: dict[str, list[str]] = defaultdict(list)
    for pair in stances:
        evidence[pair.second].append(pair.first)
    pairs: dict[tuple[str, str], None] = {}
    for claims in responses:
        known = [claim for claim in dict.fromkeys(claims) if claim in evidence]
        pairs.update(
            dict.fromkeys(
                (text, claim)
                for claim in known
                for other in known
                for text in evidence[other]
                if text not in evidence[claim]
            )
        )
    return [Pair(text, claim, UNKNOWN) for text, claim in pairs]
