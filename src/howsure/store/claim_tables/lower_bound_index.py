"""The index that finds claims by their lower bound, although lower bounds change with time and are never stored.

The lower bound by the default formula is at most a ceiling that follows from the claim's sources alone; age halves it
every half-life once the claim is stale. So two numbers that time does not change are stored beside each claim: the
bucket of its ceiling, and a decay key. Their index leaves out most claims that cannot reach a given bound now; the
exact bound is computed for the rest.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from howsure.formulas.claim import ClaimFormula
from howsure.formulas.decay import TIERS, Tier
from howsure.formulas.noisy_or import NoisyOr
from howsure.formulas.reliability import Reliability
from howsure.graph.sql import ReadOptions
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables.denormalized import BUCKETS, DEFAULT_FORMULA, HALF_LIVES, RELIABILITY, has_weights

WORTH_AN_INDEX = 0.02
"""Lower bound from which the index leaves out enough claims to be faster than reading all of them."""


def lowest_keys(lower: float, now: float) -> dict[Tier, tuple[int, float]]:
    """Return, for each tier, the lowest bucket and decay key of a claim with such a lower bound now."""
    start = lower - 1e-9
    # The difference of two large numbers loses its last digits, so the key gets that much room.
    return {
        tier: (
            int(start * BUCKETS),
            (math.log2(start) + now / HALF_LIVES.of(tier)) - 1e-9 * abs(now / HALF_LIVES.of(tier)),
        )
        for tier in TIERS
    }


def window_conditions(
    floor: float, top: float, tiers: Sequence[Tier], options: ReadOptions, parameters: dict[str, Any]
) -> list[list[str]]:
    """Return SQL conditions, two lists per tier, for the claims whose ceiling is between two numbers now, and few more.

    They hold for formulas with a ceiling, without trust. Values are added to `parameters`.
    """
    conditions = []
    highest = lowest_keys(top + 2e-9, options.now)
    for tier, (bucket, key) in lowest_keys(floor, options.now).items():
        if not tiers or tier in tiers:
            last, end = highest[tier]
            # As much room for lost digits as the lowest key has, above instead of below.
            end += 2e-9 * abs(options.now / HALF_LIVES.of(tier))
            parameters |= {f"key_{tier}": key, f"end_{tier}": end}
            for most, beyond in ((BUCKETS, "<="), (last, ">")):
                # Age has brought the ceiling below the top, or it began there.
                buckets = ", ".join(map(str, range(bucket, most + 1)))
                conditions.append(
                    [
                        f"c.tier = '{tier}'",
                        f"c.bucket IN ({buckets})",
                        f"c.decay_key >= :key_{tier}",
                        f"c.decay_key {beyond} :end_{tier}",
                    ]
                )
    return conditions


def has_ceiling(formula: ClaimFormula) -> bool:
    """Say whether the stored ceilings hold for a formula: the default one, with any boost and penalty.

    Other credit for diversity or other half-lives could raise a lower bound above its ceiling.
    """
    return isinstance(formula, NoisyOr) and formula == replace(
        DEFAULT_FORMULA, boost_factor=formula.boost_factor, penalty_factor=formula.penalty_factor
    )


def has_reliability_ceiling(formula: ClaimFormula) -> bool:
    """Say whether the ceilings by learned weights hold for a formula: `reliability`, with any backing."""
    return isinstance(formula, Reliability) and formula == replace(RELIABILITY, backing_weight=formula.backing_weight)


def index_conditions(
    transaction: Transaction,
    min_lower: float | None,
    tiers: Sequence[Tier],
    options: ReadOptions,
    parameters: dict[str, Any],
) -> list[list[str]]:
    """Return SQL conditions, one list per tier, that an index answers; one empty list if none can be used.

    There is one for the default formula, and one for `reliability` while sources have learned weights; both hold for
    the present only. Values are added to `parameters`.
    """
    if options.as_of is not None or min_lower is None or min_lower < WORTH_AN_INDEX:
        return [[]]
    if has_ceiling(options.formula):
        columns = ("bucket", "decay_key")
    elif has_reliability_ceiling(options.formula) and has_weights(transaction):
        columns = ("reliability_bucket", "reliability_key")
    else:
        return [[]]
    conditions = []
    for tier, (bucket, key) in lowest_keys(min_lower, options.now).items():
        if not tiers or tier in tiers:
            parameters[f"key_{tier}"] = key
            # Equality on tier and bucket and a range on the key: the three columns of the index.
            buckets = ", ".join(map(str, range(bucket, BUCKETS + 1)))
            place, by = columns
            conditions.append([f"c.tier = '{tier}'", f"c.{place} IN ({buckets})", f"c.{by} >= :key_{tier}"])
    return conditions
