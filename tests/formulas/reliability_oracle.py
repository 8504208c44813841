"""An independent oracle for the formula reliability: literal, in 60-digit decimals, from its definition alone.

Run `python -m tests.formulas.reliability_oracle` to write the golden cases.
"""

import json
import random
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

D = Decimal
GOLDEN = Path(__file__).parent.parent / "golden" / "reliability.json"
PI = D("3.14159265358979323846264338327950288419716939937510582097494")
HOUR, DAY = D(3600), D(86400)
HALF_LIFE = {"ephemeral": 4 * HOUR, "task": 3 * DAY, "project": 28 * DAY, "persistent": 6 * D("30.4375") * DAY}
MOST, FURTHEST = D(15), D(60)


def trigamma(n: int) -> D:
    """Return psi'(n) of a whole number: pi^2 / 6 minus the first terms of its series."""
    return PI * PI / 6 - sum((1 / D(k * k) for k in range(1, n)), D(0))


def chance(log_odds: D) -> D:
    held = max(-FURTHEST, min(FURTHEST, log_odds))
    return 1 / (1 + (-held).exp())


def interval(case: dict[str, Any]) -> dict[str, float]:
    """Return probability, lower and upper of a claim."""
    with localcontext(prec=60):
        return {name: float(value) for name, value in _interval(case).items()}


def _interval(case: dict[str, Any]) -> dict[str, D]:
    sources = {(s["source_type"], s["source_id"]) for s in case["sources"] if s.get("contribution")}
    learned = {(w["source_type"], w["source_id"]): w for w in case.get("weights", ())}
    members: dict[str, list[Any]] = {}
    for number, source in enumerate(sorted(sources)):
        group = learned.get(source, {}).get("copy_group") or f"alone {number}"
        members.setdefault(group, []).append(source)
    evidence = variance = voices = D(0)
    for group in members.values():
        together = 1 + D("0.1") * (len(group) - 1)
        each = together / len(group)
        voices += together
        for source in group:
            known = learned.get(source, {})
            evidence += each * (D(known["weight"]) if "weight" in known else D(4).ln())
            variance += each**2 * (D(known["variance"]) if "variance" in known else trigamma(4) + trigamma(1))
    damping = 1 / (1 + D("0.1") * (voices - 1))
    age = D(0)
    if case.get("stale_at") is not None:
        since = max(D(case["now"]) - D(case["stale_at"]), D(0))
        age = min(since / HALF_LIFE[case.get("tier", "task")], D(200))
    left = (-age * D(2).ln()).exp() * D(case.get("trust", 1.0))
    rivals = D(0)
    for other in case.get("contradicted_by", ()):
        lent = D(other["influence"] * other.get("strength", 1.0))
        rivals += lent / max(1 - lent, (-MOST).exp())
    support = sum((D(s["influence"] * s.get("strength", 1.0)) for s in case.get("supported_by", ())), D(0))
    if not sources:
        return {"probability": D(0), "lower": D(0), "upper": left / (1 + rivals)}
    claimed = max(-MOST, min(MOST, damping * evidence))
    log_odds = claimed - (1 + rivals).ln()
    spread = (damping**2 * variance + (D("0.35") * log_odds) ** 2).sqrt()
    backing = D(4).ln() * support / (1 + support)
    return {
        "probability": left * chance(log_odds),
        "lower": left * chance(log_odds - D("1.645") * spread),
        "upper": left * chance(log_odds + backing + D("1.645") * spread),
    }


def cases() -> list[dict[str, Any]]:
    """Return hand-made cases, then random ones."""
    dice = random.Random(30)

    def said(count: int) -> list[dict[str, Any]]:
        return [{"source_type": "user", "source_id": f"s{n}", "contribution": 0.5} for n in range(count)]

    def known(count: int, **numbers: Any) -> list[dict[str, Any]]:
        return [{"source_type": "user", "source_id": f"s{n}"} | numbers for n in range(count)]

    made: list[dict[str, Any]] = [
        {"now": 0.0, "sources": []},
        {"now": 0.0, "sources": said(1)},
        {"now": 0.0, "sources": said(1), "contradicted_by": [{"influence": 0.8}]},
        {"now": 0.0, "sources": [], "contradicted_by": [{"influence": 1.0}]},
        {"now": 0.0, "sources": said(5), "weights": known(3, copy_group="a")},
        {"now": 0.0, "sources": said(4), "weights": known(4, weight=-4.0, variance=0.01)},
        {"now": 0.0, "sources": said(200), "weights": known(200, weight=9.0, variance=0.5)},
        {"now": 0.0, "sources": [*said(2), *said(2)]},
        {"now": 0.0, "sources": said(3), "supported_by": [{"influence": 0.9}, {"influence": 1.0, "strength": 0.5}]},
        {"now": 1e9, "sources": said(3), "stale_at": 0.0, "trust": 0.5},
    ]
    for _ in range(50):
        sources = [
            {
                "source_type": dice.choice(("user", "agent")),
                "source_id": dice.choice("abcdef"),
                "contribution": dice.choice((None, 0.0, 0.2, 0.9)),
            }
            for _ in range(dice.randrange(8))
        ]
        names = sorted({(s["source_type"], s["source_id"]) for s in sources})
        weights = [
            {
                "source_type": kind,
                "source_id": name,
                "weight": round(dice.uniform(-4, 6), 3),
                "variance": round(dice.uniform(0, 2), 3),
                "copy_group": dice.choice(("", "x", "y")),
            }
            for kind, name in names
            if dice.random() < 0.8
        ]
        near = [
            [
                {"influence": round(dice.random(), 3), "strength": round(dice.random(), 3)}
                for _ in range(dice.randrange(3))
            ]
            for _ in range(2)
        ]
        made.append(
            {
                "now": 1_800_000_000.0,
                "sources": sources,
                "weights": weights,
                "tier": dice.choice(sorted(HALF_LIFE)),
                "stale_at": dice.choice((None, 1_800_000_000.0 - dice.uniform(-1e6, 1e7))),
                "supported_by": near[0],
                "contradicted_by": near[1],
                "trust": dice.choice((1.0, 1.0, 0.35)),
            }
        )
    return made


def golden() -> list[dict[str, Any]]:
    """Return the cases with what the formula should make of them."""
    found = []
    for case in cases():
        expected = interval(case)
        bounds = {name: expected[name] for name in ("lower", "upper")}
        found.append(case | {"expect": bounds | {"steps": {"probability": expected["probability"]}}})
    return found


if __name__ == "__main__":
    GOLDEN.write_text("[\n" + ",\n".join(json.dumps(case) for case in golden()) + "\n]\n")
