"""Random tables of claims, sources and relations, and what the plain Python model makes of them."""

import math
import random
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from howsure.formulas import MODELS
from howsure.formulas.claim import ClaimCase, ClaimFormula, Source, SourceNumbers, SourceWeight, independent
from howsure.formulas.decay import HalfLives
from howsure.formulas.folds import SMALLEST_PRODUCT, Attribute, Fold
from howsure.formulas.ops import FLOATS, Ops, clamp
from howsure.graph.python import Graph, Node, Relation

NOW = 1_800_000_000.0
DAY = 86_400.0
TIERS = ("ephemeral", "task", "project", "persistent")
STATUSES = ("active", "active", "active", "challenged", "deprecated", "forgotten")
TYPES = ("user_input", "extraction", "inference", "agent_assertion")

Rows = list[dict[str, Any]]


class OddRow(NamedTuple):
    sources_left: Any
    near: Any
    far: Any
    age: Any
    trust: Any


class OddSteps(NamedTuple):
    influence: Any
    constant: Any
    upper: Any
    lower: Any


@dataclass(frozen=True)
class Odd(ClaimFormula):
    """A formula of nobody's: terms of 0 that are not nothing, no types, a step that is a constant, every operation."""

    name = "odd"
    version = 1
    weight: float = 0.5

    def __post_init__(self) -> None:
        """Check nothing."""

    def folds(self) -> OddRow:
        return OddRow(
            sources_left=Fold("sources", "product", lambda x, ops: ops.power(0.9, 1.0 + x)),
            near=Fold("supports", "sum", lambda x, _: x + 0.25),
            far=Fold("contradictions", "largest", lambda x, ops: ops.where(x < 0.5, 0.1, x)),
            age=Attribute("half_lives"),
            trust=Attribute("trust"),
        )

    def formula(self, row: Any, ops: Ops[Any]) -> Any:
        fresh = ops.power(0.5, row.age)
        influence = clamp(fresh * (1.0 - row.sources_left), ops)
        upper = clamp(ops.power(influence, 0.5) + row.near / (row.near + 3.0) - self.weight * row.far, ops) * row.trust
        lower = ops.where(upper > 0.3, upper * ops.power(upper, 1.5), 0.0)
        return OddSteps(influence, 0.25, upper, lower)


def formulas() -> list[ClaimFormula]:
    """Return every built-in formula, one with other parameters, and one of nobody's."""
    names = ("noisy_or", "subjective_logic", "dempster_shafer", "beta", "reliability")
    built: list[Any] = [MODELS.find(name)() for name in names]
    return [*built, MODELS.find("noisy_or")(boost_factor=1.0, diversity_types=2.0, oldest=3.0), Odd()]  # type: ignore[call-arg,list-item]


def changed() -> list[ClaimFormula]:
    """Return every built-in formula, each with all parameters other than they are by default."""
    life = HalfLives(ephemeral=1e5, task=1e6, project=1e7, persistent=1e8)
    others: dict[str, dict[str, float]] = {
        "noisy_or": {"boost_factor": 0.7, "penalty_factor": 0.9, "diversity_floor": 0.1, "diversity_types": 5.0},
        "subjective_logic": {"prior_weight": 3.5, "support_discount": 0.9, "certainty_gap": 0.03},
        "dempster_shafer": {"support_discount": 0.9},
        "beta": {"trials_per_source": 0.5, "support_discount": 0.1, "z": 0.7},
        "reliability": {
            "copy_share": 0.3,
            "dependence": 0.4,
            "z": 0.7,
            "model_error": 0.2,
            "backing_weight": 3.0,
        },
    }
    built: list[Any] = [
        MODELS.find(name)(**parameters, half_life=life, oldest=7.0)  # type: ignore[call-arg]
        for name, parameters in others.items()
    ]
    return built


@dataclass
class World:
    """Three tables that belong together."""

    claims: Rows = field(default_factory=list)
    sources: Rows = field(default_factory=list)
    relations: Rows = field(default_factory=list)

    def graph(self) -> Graph:
        entries: dict[Any, list[Source]] = {row["id"]: [] for row in self.claims}
        for row in self.sources:
            entries[row["claim"]].append(Source(row["source_type"], row["source_id"], row["contribution"]))
        about = ("tier", "stale_at", "status", "valid_from", "valid_until")
        claims = [
            Node(str(row["id"]), tuple(entries[row["id"]]), **{name: row[name] for name in about if name in row})
            for row in self.claims
        ]
        relations = [Relation(r["kind"], str(r["source"]), str(r["target"]), r["strength"]) for r in self.relations]
        named = {(row["source_type"], row["source_id"]): row for row in self.sources if row.get("variance") is not None}
        weights = [
            SourceWeight(*name, row["weight"], row["variance"], row["copy_group"] or "") for name, row in named.items()
        ]
        return Graph(claims, relations, weights)

    def expected(self, formula: ClaimFormula, now: float = NOW, trust: float = 1.0) -> dict[str, dict[str, float]]:
        """Return every step of every claim by the model itself; intervals as the graph gives them."""
        graph = self.graph()
        influence = graph.influences(formula, now)
        intervals = graph.intervals(formula, now, trust)
        found = {}
        for name, interval in intervals.items():
            case = graph.case(name, influence, now, trust)
            row = formula.features(case)
            steps: dict[str, float] = {}
            if not graph.around[name].constituents:
                steps = row._asdict() | formula.formula(row, FLOATS)._asdict()
            found[name] = steps | {
                "lower": interval.lower,
                "upper": interval.upper,
                "sources": float(len(independent(case.sources))),
            }
        return found


def world(  # noqa: C901 - everything that may happen
    seed: int, claims: int = 40, *, text_ids: bool = False, derived: bool = True, chain: int = 5, weighed: bool = False
) -> World:
    """Return a small world with everything that may happen in it: duplicates, notes, windows, chains of inference."""
    dice = random.Random(seed)
    made = World()
    names: list[Any] = [f"claim-{n:03}" for n in range(claims)] if text_ids else list(range(100, 100 + claims))

    def share() -> float:
        return dice.choice((0.0, 0.5, 1.0, 1e-12, 1 - 1e-12, round(dice.random(), 6), round(dice.random(), 6)))

    def moment() -> float | None:
        return None if dice.random() < 0.4 else NOW + round(dice.uniform(-400 * DAY, DAY))

    for name in names:
        made.claims.append(
            {
                "id": name,
                "tier": dice.choice(TIERS),
                "stale_at": moment(),
                "status": dice.choice(STATUSES),
                "valid_from": moment() if dice.random() < 0.3 else None,
                "valid_until": moment() if dice.random() < 0.3 else None,
            }
        )
        for _ in range(dice.choice((0, 1, 2, 3, 3, 9))):
            contribution = None if dice.random() < 0.1 else share()
            made.sources.append(
                {
                    "claim": name,
                    "source_type": dice.choice(TYPES),
                    "source_id": dice.choice("abcdef"),
                    "contribution": contribution,
                }
            )
    depth: dict[Any, int] = dict.fromkeys(names, 0)
    for _ in range(3 * claims):
        first, second = sorted(dice.sample(range(claims), 2))
        kind = dice.choice(("supports", "supports", "contradicts", "contradicts", "derived_from", "refines"))
        source, target = names[first], names[second]
        if kind == "derived_from":  # from later to earlier claims, so that there is no cycle; and not too deep
            source, target = target, source
            if not derived or depth[target] >= 1 or dice.random() < 0.6:
                continue
            depth[source] = 1
        elif dice.random() < 0.5:
            source, target = target, source
        made.relations.append({"kind": kind, "source": source, "target": target, "strength": share()})
        if dice.random() < 0.15:
            made.relations.append({"kind": kind, "source": source, "target": target, "strength": share()})
    if derived:
        _chain(made, names, dice, chain)
    if weighed:
        _weigh(made, dice)
    dice.shuffle(made.sources)
    dice.shuffle(made.relations)
    return made


def _weigh(made: World, dice: random.Random) -> None:
    """Add what was learned about most sources, the same for all rows of one."""
    learned: dict[Any, dict[str, Any]] = {}
    for row in made.sources:
        key = (row["source_type"], row["source_id"])
        if key not in learned:
            weight, variance = round(dice.uniform(-4.0, 6.0), 6), round(dice.uniform(0.0, 2.0), 6)
            group = dice.choice((None, "", "x", "y"))
            known = dice.random() < 0.8
            numbers = (weight, variance, group) if known else (None, None, None)
            learned[key] = dict(zip(("weight", "variance", "copy_group"), numbers, strict=True))
        row.update(learned[key])


def _chain(made: World, names: list[Any], dice: random.Random, length: int) -> None:
    """Add a chain of inferences, on top of the world's first claim."""
    last = names[0]
    made.relations = [
        r for r in made.relations if r["kind"] != "derived_from" or last not in (r["source"], r["target"])
    ]
    for step in range(length):
        name = type(last)(f"inferred-{step}") if isinstance(last, str) else 10_000 + step
        made.claims.append({**made.claims[0], "id": name, "status": "active", "valid_from": None, "valid_until": None})
        for kind in dice.sample(("inference", "user_input"), dice.choice((1, 2))):
            entry = {"claim": name, "source_type": kind, "source_id": "a", "contribution": 0.9 - 0.05 * step}
            made.sources.append(entry)
        made.relations.append({"kind": "derived_from", "source": name, "target": last, "strength": 1.0})
        if dice.random() < 0.5:
            made.relations.append({"kind": "derived_from", "source": name, "target": names[1], "strength": 0.5})
        last = name


SHARES = (0.1, 0.35, 0.5, 0.8, 0.95)
CYCLE = 60
"""After so many claims, a star says the same again."""


def star(size: int) -> World:
    """Return a world in which one claim has so many sources, and another so many relations; as Arrow tables.

    Small numbers repeat in a cycle, so that what is right can be told however many rows there are.
    """
    n = np.arange(size)
    claims = np.arange(size + 2)
    sources = {
        "claim": np.concatenate((np.full(size, size), n, [size + 1])),
        "source_type": pa.array([TYPES[k % 4] for k in range(size)] + ["user_input"] * (size + 1)),
        "source_id": pa.array([f"s{k}" for k in range(size)] + ["ann"] * size + ["bob"]),
        "contribution": np.concatenate(((1 + n % 7) / size, np.array(SHARES)[n % 5], [0.5])),
    }
    relations = {
        "kind": pa.array(["supports", "contradicts"]).take(pa.array(n % 2)),
        "source": n,
        "target": np.full(size, size + 1),
        "strength": (1 + n % 3) / size,
    }
    tables: Any = [pa.table({"id": claims}), pa.table(sources), pa.table(relations)]
    return World(*tables)


def star_expected(size: int, formula: ClaimFormula) -> dict[str, dict[str, float]]:
    """Return the numbers of a star's two large claims, and of one small one: equal rows are counted, not repeated."""

    def lent(n: int) -> float:
        return formula.influence(ClaimCase(NOW, (Source("user_input", "ann", SHARES[n % 5]),)))

    def folded(numbers: dict[str, list[tuple[float, int]]], types: float) -> dict[str, float]:
        given = {"source_types": types, "half_lives": 0.0, "trust": 1.0}
        by = formula.folds()
        row = by._make(_counted(f, numbers.get(f.over, [])) if isinstance(f, Fold) else given[f.name] for f in by)
        return {**row._asdict(), **formula.formula(row, FLOATS)._asdict()}

    def often(k: int, cycle: int) -> int:
        return (size - k + cycle - 1) // cycle

    bob = Source("user_input", "bob", 0.5)
    near: dict[str, list[tuple[float, int]]] = {"sources": [(0.5, 1)]}
    for over, first in (("supports", 0), ("contradictions", 1)):
        near[over] = [(lent(k) * ((1 + k % 3) / size), often(k, CYCLE)) for k in range(first, CYCLE, 2)]
    last = formula.influence(ClaimCase(NOW, (bob,))) * (2 / size)
    found = {
        size: folded({"sources": [((1 + k) / size, often(k, 7)) for k in range(7)]}, 4.0),
        size + 1: folded(near, 1.0),
        1: folded({"sources": [(SHARES[1], 1)], "contradictions": [(last, 1)]}, 1.0),
    }
    return {str(name): steps for name, steps in found.items()}


def _counted(fold: Fold, numbers: list[tuple[float, int]]) -> float:
    """Fold numbers, each of which is there so many times."""
    unknown = [getattr(SourceNumbers(0.0), name) for name in fold.of if name != "contribution"]
    terms = [(fold.term(*(unknown or [number]), FLOATS), count) for number, count in numbers if count]
    if fold.how == "sum":
        return math.fsum(term * count for term, count in terms)
    if fold.how == "largest":
        return float(max((term for term, _ in terms), default=0.0))
    product = float(math.prod(term**count for term, count in terms))
    return product if min((term for term, _ in terms), default=1.0) <= 0.0 else max(product, SMALLEST_PRODUCT)


def differences(found: Any, expected: dict[str, dict[str, float]]) -> list[str]:
    """Return every number of an Arrow table that is not what was expected."""
    ids = found.column("id").cast("string")
    some = found.filter(pc.is_in(ids, pa.array(list(expected), "string")))
    rows = {str(row["id"]): row for row in some.to_pylist()}
    wrong = [] if rows.keys() >= expected.keys() else [f"claims are missing: {expected.keys() - rows.keys()}"]
    for name, numbers in expected.items():
        for column, value in numbers.items():
            got = rows.get(name, {}).get(column, value)
            if got is None or not abs(got - value) <= 1e-9 * max(1.0, abs(value)):
                wrong.append(f"{name}.{column}: {got}, not {value}")
    return wrong
