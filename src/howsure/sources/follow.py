"""Follow what claims and outcomes say about their sources, between two fits.

A change of a claim changes the probability of the claims that it competes with, and so what their sources are known
for. The counts of these sources are brought up to date at once, from the weights as they are: one step of the
expectation maximization on one item. A claim that is forgotten, superseded or purged takes back what it had added. A
weight is then renewed if it has moved by more than `TOLERANCE` and the source has few claims, since all of these are
folded again. The next fit makes everything exact.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from howsure.formulas.claim import COPY_SHARE, PRIOR_RIGHTS, PRIOR_WRONGS, UNKNOWN_WEIGHT
from howsure.sources import counts
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import source_weights as table
from howsure.store.claim_tables.source_weights import Candidate, Vote, WeightRow

TOLERANCE = 0.1
"""How far a weight may be from its counts, in log-odds."""
FEW_CLAIMS = 200
"""Claims that are folded again at once when the weight of their source is renewed."""
MANY_CHANGES = 1000
"""Claims changed in one transaction from which on nothing is followed: a bulk load, after which a fit is due anyway."""
LARGEST_ITEM = 200
"""Competing claims that are looked at."""

Name = tuple[str, str]


def follow(transaction: Transaction, changed: Sequence[int]) -> None:
    """Bring the counts of sources up to date after some claims were changed."""
    if len(changed) > MANY_CHANGES:
        return
    seen: set[int] = set()
    for key in changed:
        for start in [key] if key in seen else _held(transaction, key):
            if start not in seen:
                item = _item(transaction, start)
                seen |= item.keys()
                _count_item(transaction, item)


def _held(transaction: Transaction, key: int) -> list[int]:
    """Return a claim if it counts. If it no longer does, take back what it has added, and return its rivals."""
    if list(table.read_candidates(transaction, [key])):
        return [key]
    _withdraw(transaction, key)
    about = table.get_candidate(transaction, key)
    rivals = set() if about is None else table.find_rivals(transaction, [about])
    return [one.claim for one in table.read_candidates(transaction, sorted(rivals)[:LARGEST_ITEM])]


def _withdraw(transaction: Transaction, key: int) -> None:
    """Take back what the votes for a claim have added to the counts of their sources."""
    rows = table.list_counted(transaction, key)
    table.set_counted(transaction, [(None, None, key, row.position) for row in rows])
    changes: dict[Name, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in rows:
        change = changes[row.source_type, row.source_id]
        change[0] -= row.rights
        change[1] -= row.wrongs
    for name in sorted(changes):
        if known := table.get(transaction, *name):
            _update(transaction, name, known, changes[name], known.log_choices)


def _item(transaction: Transaction, key: int) -> dict[int, Candidate]:
    """Return a claim and all that directly or indirectly compete with it."""
    item: dict[int, Candidate] = {}
    waiting = [key]
    while waiting and len(item) < LARGEST_ITEM:
        found = list(table.read_candidates(transaction, waiting))
        item |= {one.claim: one for one in found}
        waiting = sorted(table.find_rivals(transaction, found) - item.keys())
    return item


def _count_item(transaction: Transaction, item: Mapping[int, Candidate]) -> None:
    """Compute the probabilities of competing claims, and what they change in the counts of their sources."""
    votes = list(table.read_votes(transaction, sorted(item)))
    counted = [vote for vote in votes if not vote.checks]
    names = sorted({(vote.source_type, vote.source_id) for vote in counted})
    known = {name: table.get(transaction, *name) for name in names}
    log_choices = next((row.log_choices for row in known.values() if row is not None), None)
    if log_choices is None:
        log_choices = table.log_choices(transaction)
    outcomes = read_outcomes(item.values(), votes)
    answers = share_answers(counted)
    chances = believe(counted, answers, known, outcomes, log_choices)
    informative = len(names) > 1 or bool(outcomes)
    changes: dict[Name, list[float]] = defaultdict(lambda: [0.0, 0.0])
    rows = []
    for vote in votes:
        share = answers.get((vote.claim, vote.source_type, vote.source_id), 0.0) if informative else 0.0
        right = share * chances[vote.claim] if share else None
        wrong = share - right if right is not None else None
        if right == vote.rights and wrong == vote.wrongs:
            continue
        change = changes[vote.source_type, vote.source_id]
        change[0] += (right or 0.0) - (vote.rights or 0.0)
        change[1] += (wrong or 0.0) - (vote.wrongs or 0.0)
        rows.append((right, wrong, vote.claim, vote.position))
    table.set_counted(transaction, rows)
    for name in sorted({*changes, *(name for name in names if known[name] is None)}):
        _update(transaction, name, known.get(name), changes.get(name, [0.0, 0.0]), log_choices)


def _update(
    transaction: Transaction, name: Name, row: WeightRow | None, change: Sequence[float], log_choices: float
) -> None:
    """Change the counts of a source, and renew its weight if that is due."""
    before = row or WeightRow(*name, math.inf, 0.0, "", PRIOR_RIGHTS, PRIOR_WRONGS, log_choices)
    rights = max(before.rights + change[0], PRIOR_RIGHTS)
    wrongs = max(before.wrongs + change[1], PRIOR_WRONGS)
    after = before._replace(rights=rights, wrongs=wrongs)
    weight = counts.weight(rights, wrongs, log_choices)
    moved = abs(weight - before.weight) > TOLERANCE
    few = row is None or table.count_claims(transaction, *name, FEW_CLAIMS + 1) <= FEW_CLAIMS
    if moved and few:
        after = after._replace(weight=weight, variance=counts.variance(rights, wrongs))
    table.put(transaction, [after])
    if moved and few:
        table.refresh_source(transaction, *name)


def read_outcomes(candidates: Iterable[Candidate], votes: Iterable[Vote]) -> dict[int, bool]:
    """Return which claims were found right or wrong.

    A verification counts only if it was made by somebody who does not claim the same: nobody proves himself right.
    """
    checked = {vote.claim for vote in votes if vote.checks}
    found = {}
    for one in candidates:
        if one.outcome is False or (one.outcome and (one.upheld or one.claim in checked)):
            found[one.claim] = bool(one.outcome)
    return found


def share_answers(votes: Iterable[Vote]) -> dict[tuple[int, str, str], float]:
    """Return how much each vote of an item counts: a source that says several of its claims divides its vote."""
    listed = list(votes)
    several = Counter((vote.source_type, vote.source_id) for vote in listed)
    return {
        (vote.claim, vote.source_type, vote.source_id): 1.0 / several[vote.source_type, vote.source_id]
        for vote in listed
    }


def believe(
    votes: Iterable[Vote],
    answers: Mapping[tuple[int, str, str], float],
    known: Mapping[Name, WeightRow | None],
    outcomes: Mapping[int, bool],
    log_choices: float,
) -> dict[int, float]:
    """Return the probability of each claim of an item, which compete with each other and with none of them."""
    by_claim: dict[int, list[Name]] = defaultdict(list)
    for vote in votes:
        by_claim[vote.claim].append((vote.source_type, vote.source_id))
    evidence: dict[int, float] = {}
    said: dict[int, float] = {}
    for claim, names in by_claim.items():
        groups = Counter(row.copy_group for name in names if (row := known.get(name)) and row.copy_group)
        total = counted = 0.0
        for name in names:
            row = known.get(name)
            copies = groups[row.copy_group] if row and row.copy_group else 1
            share = (1.0 + COPY_SHARE * (copies - 1)) / copies
            own = UNKNOWN_WEIGHT + log_choices if row is None else counts.weight(row.rights, row.wrongs, log_choices)
            total += answers[(claim, *name)] * share * own
            counted += answers[(claim, *name)] * share
        evidence[claim] = total
        said[claim] = min(counted, 1.0)  # as in `softmax_with_none`
    if True in outcomes.values():
        return {claim: float(outcomes.get(claim, False)) for claim in evidence}
    open_claims = [claim for claim in evidence if claim not in outcomes]
    top = max([0.0, *(evidence[claim] for claim in open_claims)])
    none = math.exp(-top)
    powers = {claim: said[claim] * math.exp(evidence[claim] - top) for claim in open_claims}
    total = none + math.fsum(powers.values())
    return {claim: powers[claim] / total if claim in powers else 0.0 for claim in evidence}
