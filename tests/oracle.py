"""An independent oracle for claims: slow, literal, standard library only.

It is written from section 1 ("Claims") of the specification and from nothing else, so that a fast
implementation can be compared with it. Formulas are evaluated in 80-digit decimals, straight from their
table, and rounded to float64 at the end; an influence that is lent to a neighbour is rounded to float64
first, since every score is a float64.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext

D = Decimal
ZERO, ONE, HALF = D(0), D(1), D("0.5")
EXACT = Context(prec=80)
HOUR, DAY, MONTH = D(3600), D(86400), D("30.4375") * 86400
HALF_LIFE = {"ephemeral": 4 * HOUR, "task": 3 * DAY, "project": 28 * DAY, "persistent": 6 * MONTH}
MAX_HALF_LIVES = D(200)
LOG_FLOOR = D(-140)
FULL_DIVERSITY_TYPES, BOOST, PENALTY = D(3), D("0.1"), D("0.2")
SUPPORT_DISCOUNT = D("0.5")
LARGEST_FOR_ODDS, PRIOR = ONE - D("1e-6"), D(2)
Z = D("1.645")
MAX_DEPTH = 5
FORMULAS = ("noisy_or", "subjective_logic", "dempster_shafer", "beta")
KINDS = ("supports", "contradicts", "refines", "supersedes", "derived_from", "related_to")
STATUSES = ("active", "challenged", "deprecated", "forgotten")

Pairs = Sequence[tuple[float, float]]
Decimals = Sequence[Decimal]
Bounds = tuple[Decimal, Decimal]


@dataclass(frozen=True)
class Entry:
    """A provenance entry."""

    source_type: str
    source_id: str
    contribution: float | None


@dataclass(frozen=True)
class Node:
    """A claim."""

    id: str
    tier: str
    stale_at: float | None
    entries: tuple[Entry, ...]
    status: str = "active"
    valid_from: float | None = None
    valid_until: float | None = None


@dataclass(frozen=True)
class Edge:
    """A relation from source to target; `derived_from` goes from the derived claim to its constituent."""

    kind: str
    source: str
    target: str
    strength: float = 1.0


def _unit(name: str, value: float) -> Decimal:
    """Return a value in [0, 1] as a decimal; refuse anything else."""
    if not 0.0 <= value <= 1.0:  # false for NaN as well
        raise ValueError(f"{name} must be in [0, 1], not {value!r}")
    return D(value)


def _one_of(name: str, value: str, allowed: Iterable[str]) -> None:
    """Refuse a word that is not among those allowed."""
    if value not in allowed:
        raise ValueError(f"{name} is unknown: {value!r}")


def _clamp(value: Decimal) -> Decimal:
    """Hold a value to [0, 1]."""
    return max(ZERO, min(ONE, value))


def _product(factors: Iterable[Decimal]) -> Decimal:
    """Multiply; never less than exp(-140) unless a factor is 0."""
    result = ONE
    for factor in factors:
        if factor == 0:
            return ZERO
        result *= factor
    return max(result, LOG_FLOOR.exp())


def _odds(x: Decimal) -> Decimal:
    """Return evidence equivalent to x: 2x/(1-x), x held to at most 1-1e-6."""
    held = min(x, LARGEST_FOR_ODDS)
    return 2 * held / (1 - held)


def _independent(entries: Iterable[Entry]) -> dict[tuple[str, str], Decimal]:
    """Return the highest contribution of each (source_type, source_id); without one, or with 0: not there."""
    best: dict[tuple[str, str], Decimal] = {}
    for entry in entries:
        if entry.contribution is None:
            continue
        contribution = _unit("contribution", entry.contribution)
        key = (entry.source_type, entry.source_id)
        if contribution > best.get(key, ZERO):
            best[key] = contribution
    return best


def _staleness(tier: str, now: float, stale_at: float | None) -> Decimal:
    """Return the factor f: 1 until stale_at, halved with every half-life after that, 200 of them at most."""
    _one_of("tier", tier, HALF_LIFE)
    if not math.isfinite(now) or not math.isfinite(stale_at or 0.0):
        raise ValueError(f"now and stale_at must be finite, not {now!r} and {stale_at!r}")
    if stale_at is None or now <= stale_at:
        return ONE
    since = D(now) - D(stale_at)
    return HALF ** min(since / HALF_LIFE[tier], MAX_HALF_LIVES)


def _influence(cs: Decimals, f: Decimal, formula: str) -> Decimal:
    """Return what the formula makes of a claim's own independent sources and age."""
    _one_of("formula", formula, FORMULAS)
    if formula in ("noisy_or", "dempster_shafer"):
        return f * (1 - _product(1 - c for c in cs))
    if formula == "subjective_logic":
        e = sum((_odds(c) for c in cs), ZERO)
        return f * e / (e + PRIOR)
    return f * sum(cs, ZERO) / (sum(cs, ZERO) + 1)


def interval(
    entries: Iterable[Entry],
    tier: str,
    now: float,
    stale_at: float | None,
    supported_by: Pairs,
    contradicted_by: Pairs,
    trust: float,
    formula: str,
) -> tuple[float, float]:
    """Return [lower, upper] of one claim; neighbours are given as (influence, strength)."""
    _one_of("formula", formula, FORMULAS)
    with localcontext(EXACT):
        sources = _independent(entries)
        cs = list(sources.values())
        types = {source_type for source_type, _ in sources}
        f = _staleness(tier, now, stale_at)
        t = _unit("trust", trust)
        supports = [_unit("influence", i) * _unit("strength", s) for i, s in supported_by]
        contradictions = [_unit("influence", i) * _unit("strength", s) for i, s in contradicted_by]
        if formula == "noisy_or":
            lower, upper = _noisy_or(cs, len(types), f, supports, contradictions, t)
        else:
            rule = {"subjective_logic": _subjective_logic, "dempster_shafer": _dempster_shafer, "beta": _beta}
            lower, upper = rule[formula](cs, f, supports, contradictions, t)
        return float(_clamp(lower)), float(_clamp(upper))


def _noisy_or(cs: Decimals, types: int, f: D, supports: Decimals, contradictions: Decimals, t: D) -> Bounds:
    """Return the interval by the default formula, the probability that some source is right."""
    if not cs:
        return ZERO, ZERO
    diversity = HALF + HALF * min(types / FULL_DIVERSITY_TYPES, ONE)
    boost = 1 + BOOST * sum(supports, ZERO)
    penalty = max(ZERO, 1 - PENALTY * sum(contradictions, ZERO))
    lower = _clamp(max(cs) * diversity * f * penalty) * t
    upper = _clamp(f * (1 - _product(1 - c for c in cs)) * boost * penalty) * t
    return min(lower, upper), upper


def _subjective_logic(cs: Decimals, f: D, supports: Decimals, contradictions: Decimals, t: D) -> Bounds:
    """Return the interval by evidence for (r) and against (d), with a prior weight of 2."""
    own = _odds(_influence(cs, f, "subjective_logic"))
    r = own + sum((_odds(SUPPORT_DISCOUNT * x) for x in supports), ZERO)
    d = min(sum((_odds(x) for x in contradictions), ZERO), _odds(ONE))
    return t * r / (r + d + PRIOR), 1 - t * d / (r + d + PRIOR)


def _dempster_shafer(cs: Decimals, f: D, supports: Decimals, contradictions: Decimals, t: D) -> Bounds:
    """Return belief and plausibility by Dempster's rule."""
    own = 1 - f + f * _product(1 - c for c in cs)
    p = own * _product(1 - SUPPORT_DISCOUNT * x for x in supports)
    q = _product(1 - x for x in contradictions)
    norm = p + q - p * q
    if norm == 0:
        return ZERO, ONE
    belief = (1 - p) * q / norm
    doubt = p * (1 - q) / norm
    lower, upper = _clamp(t * belief), _clamp(1 - t * doubt)
    return min(lower, upper), upper


def _beta(cs: Decimals, f: D, supports: Decimals, contradictions: Decimals, t: D) -> Bounds:
    """Return Wilson's bounds for x of n = x + y."""
    x = 2 * t * (f * sum(cs, ZERO) + SUPPORT_DISCOUNT * sum(supports, ZERO))
    y = 2 * t * sum(contradictions, ZERO)
    n = x + y
    spread = x * y / n if n > 0 else ZERO
    centre = (x + Z * Z / 2) / (n + Z * Z)
    half = Z / (n + Z * Z) * (spread + Z * Z / 4).sqrt()
    return centre - half, centre + half


def influence(node: Node, now: float, formula: str) -> float:
    """Return what a claim lends its neighbours: its own sources and age, its relations left out."""
    with localcontext(EXACT):
        cs = list(_independent(node.entries).values())
        return float(_influence(cs, _staleness(node.tier, now, node.stale_at), formula))


def derived(constituents: Pairs, assessed_upper: float) -> tuple[float, float]:
    """Return a derived claim's interval from its constituents' intervals and its assessed upper bound."""
    upper = min(assessed_upper, max(high for _, high in constituents))
    widest = max(high - low for low, high in constituents)
    weakest = min(low for low, _ in constituents)
    lower = max(0.0, min(weakest, upper - widest))
    return lower, upper


def _counts(node: Node, now: float) -> bool:
    """Say whether a claim counts for others: not deprecated, not forgotten, inside its validity window."""
    begun = node.valid_from is None or node.valid_from <= now
    ended = node.valid_until is not None and now >= node.valid_until
    return node.status in ("active", "challenged") and begun and not ended


def _check_depth(start: str, path: tuple[str, ...], constituents: dict[str, set[str]]) -> None:
    """Walk every chain of `derived_from` that goes on from a path; refuse a cycle and more than 5 steps."""
    if start in path:
        raise ValueError(f"derived_from has a cycle through {start!r}")
    if len(path) > MAX_DEPTH:
        raise ValueError(f"derived_from is deeper than {MAX_DEPTH} below {path[0]!r}")
    for constituent in constituents[start]:
        _check_depth(constituent, (*path, start), constituents)


def effective(  # noqa: C901 - one plain pass over the specification
    nodes: Iterable[Node], edges: Iterable[Edge], now: float, formula: str, trust: float = 1.0
) -> dict[str, tuple[float, float]]:
    """Return every claim's interval at `now`, by id."""
    by_id: dict[str, Node] = {}
    for node in nodes:
        _one_of("status", node.status, STATUSES)
        if node.id in by_id:
            raise ValueError(f"id occurs twice: {node.id!r}")
        by_id[node.id] = node

    # claim: {the neighbour that acts on it: the highest strength}
    supporters: dict[str, dict[str, float]] = {name: {} for name in by_id}
    opponents: dict[str, dict[str, float]] = {name: {} for name in by_id}
    constituents: dict[str, set[str]] = {name: set() for name in by_id}
    for edge in edges:
        a, b, strength = edge.source, edge.target, edge.strength
        _one_of("kind", edge.kind, KINDS)
        _one_of("source", a, by_id)
        _one_of("target", b, by_id)
        _unit("strength", strength)
        if a == b:
            raise ValueError(f"a claim is related to itself: {a!r}")
        if edge.kind == "supports":
            supporters[b][a] = max(strength, supporters[b].get(a, 0.0))
        elif edge.kind == "contradicts":
            opponents[a][b] = max(strength, opponents[a].get(b, 0.0))
            opponents[b][a] = max(strength, opponents[b].get(a, 0.0))
        elif edge.kind == "derived_from":
            constituents[a].add(b)
    for name in by_id:
        _check_depth(name, (), constituents)

    def lent(neighbours: dict[str, float]) -> list[tuple[float, float]]:
        counting = [(by_id[n], strength) for n, strength in neighbours.items() if _counts(by_id[n], now)]
        return [(influence(neighbour, now, formula), strength) for neighbour, strength in counting]

    done: dict[str, tuple[float, float]] = {}

    def read(name: str) -> tuple[float, float]:
        if name in done:
            return done[name]
        node, entries = by_id[name], by_id[name].entries
        if constituents[name]:
            entries = tuple(e for e in node.entries if e.source_type == "inference") or node.entries
        lending = lent(supporters[name]), lent(opponents[name])
        result = interval(entries, node.tier, now, node.stale_at, *lending, trust, formula)
        if constituents[name]:
            parts = [read(part) if _counts(by_id[part], now) else (0.0, 0.0) for part in constituents[name]]
            result = derived(parts, result[1])
        done[name] = result
        return result

    return {name: read(name) for name in by_id}
