"""Pairs of the groups of statements in `written/`: one statement, the same in other words, what clashes, what is open."""

import hashlib
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations, product
from pathlib import Path

from edits import sentences
from technical import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from unlabelled import UNKNOWN

PARTIAL = "partial"
SAME, LESS, PARTLY, CLASH, OPEN = "+", ">", "?", "-", "~"
Group = dict[str, list[str]]


def read_groups(path: Path) -> list[Group]:
    """Return the groups of a file: lines by their mark; "=" is the statement or the evidence that the others are about."""
    groups = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        group: Group = {}
        for line in block.strip().splitlines():
            if line[:2] in {"= ", "+ ", "> ", "? ", "- ", "~ "}:
                group.setdefault(line[0], []).append(line[2:].strip())
            else:
                raise ValueError(f"{path.name}: a line without a mark: {line!r}")
        if group:
            groups.append(group)
    return groups


def read_passages(folder: Path, passages: Iterable[str]) -> list[Group]:
    """Return the groups of claims about passages of a data set, which the files name by a key."""
    known = {hashlib.sha256(passage.encode()).hexdigest()[:16]: passage for passage in passages}
    groups = [group for path in sorted(folder.glob("passages_*.txt")) for group in read_groups(path)]
    return [group | {"=": [known[key] for key in group["="]]} for group in groups]


def pair_statements(group: Group) -> Iterator[Pair]:
    """Yield the pairs of a group of statements of the same kind."""
    same = [*group["="], *group.get(SAME, ())]
    for one, other in permutations(same, 2):
        yield Pair(one, other, ENTAILMENT)
    for one, less in product(same, group.get(LESS, ())):
        yield Pair(one, less, ENTAILMENT)
        yield Pair(less, one, NEUTRAL)
    for one, clash in product(same, group.get(CLASH, ())):
        yield Pair(one, clash, CONTRADICTION)
    for number, (one, other) in enumerate(product(same, group.get(OPEN, ()))):
        yield Pair(*((one, other) if number % 2 else (other, one)), NEUTRAL)


def pair_evidence(group: Group) -> Iterator[Pair]:
    """Yield the pairs of evidence and claims about it; a claim of which one half is not said is "partial"."""
    (evidence,) = group["="]
    for mark, label in ((SAME, ENTAILMENT), (PARTLY, PARTIAL), (CLASH, CONTRADICTION), (OPEN, NEUTRAL)):
        for claim in group.get(mark, ()):
            yield Pair(evidence, claim, label)


def pair_kin(group: Group) -> Iterator[Pair]:
    """Yield the pairs of a group about which its marks say nothing."""
    for one, other in combinations([*group.get(LESS, ()), *group.get(CLASH, ()), *group.get(OPEN, ())], 2):
        yield Pair(one, other, UNKNOWN)


def pair_astray(groups: Sequence[Group], each: int, seed: int) -> Iterator[Pair]:
    """Yield claims beside the evidence of another group, so many of each."""
    rng = random.Random(seed)
    for group in groups:
        for claim in rng.sample([*group[SAME], *group[CLASH], *group[OPEN]], each):
            (other,) = rng.choice(groups)["="]
            if other != group["="][0]:
                yield Pair(other, claim, NEUTRAL)


def join_bases(groups: Sequence[Group], size: int) -> list[str]:
    """Return paragraphs of the statements of so many groups in turn, whole sentences alone."""
    bases = [group["="][0] for group in groups if group["="][0].endswith(".")]
    return [" ".join(bases[at : at + size]) for at in range(0, len(bases), size)]


def pair_parts(group: Group, seed: int) -> Iterator[Pair]:
    """Yield each claim beside two sentences of the evidence, of which nobody said whether they support it."""
    (evidence,) = group["="]
    rng = random.Random(f"{seed} {evidence}")
    parts = sentences(evidence)
    for claim in [claim for mark in (SAME, PARTLY, CLASH, OPEN) for claim in group.get(mark, ())] if parts else ():
        at = rng.randrange(len(parts))
        yield Pair(" ".join(parts[at : at + 2]), claim, UNKNOWN)
