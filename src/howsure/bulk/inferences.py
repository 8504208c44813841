"""Inferences by the table: derived claims, bounded level by level by what they rest on."""

from collections.abc import Iterator

from howsure.bulk.plan import INFERENCES, Plan, Stage
from howsure.formulas.derived import Derived
from howsure.formulas.derived import Row as DerivedRow
from howsure.sql.statement import steps

DERIVATIONS = (
    "SELECT DISTINCT r.source AS claim, r.target AS base FROM bulk_relations r "
    "JOIN bulk_claims a ON a.id = r.source JOIN bulk_claims b ON b.id = r.target WHERE r.kind = 'derived_from'"
)
"""Which claim was derived from which, both of them known."""


def level(depth: int) -> str:
    """Write the claims that rest on at least so many inferences in a row."""
    below = f" JOIN bulk_level_{depth - 1} l ON l.claim = d.base" if depth > 1 else ""
    return f"SELECT DISTINCT d.claim AS claim FROM bulk_derivations d{below}"


def inference_stages(plan: Plan, columns: list[str], deepest: int) -> Iterator[Stage]:
    """Give every query from the rows to `bulk_scored`. The levels are there already."""
    depths = range(1, deepest + 1)
    levels = " UNION ALL ".join(f"SELECT claim, {n} AS depth FROM bulk_level_{n}" for n in depths)
    yield Stage(
        "bulk_depths",
        f"SELECT claim, MAX(depth) AS depth FROM ({levels}) AS l GROUP BY claim",
        shared=True,
        told=INFERENCES,
    )
    # By its inference entries alone, where it has any, be it that they count for nothing.
    inferred = (
        "SELECT e.claim AS claim, e.source_type AS source_type, e.source_id AS source_id, "
        "MAX(CASE WHEN e.contribution > 0 THEN e.contribution END) AS c FROM bulk_evidence e "
        "JOIN bulk_depths d ON d.claim = e.claim WHERE e.source_type = 'inference' "
        "GROUP BY e.claim, e.source_type, e.source_id"
    )
    yield Stage("bulk_inference", inferred, kept=False)
    counted = "SELECT claim, CASE WHEN c IS NOT NULL THEN source_type END AS source_type, c FROM bulk_inference"
    yield Stage("bulk_inferred", plan.folded(f"({counted}) AS i"), told=INFERENCES)
    yield Stage("bulk_assessed", plan.scored(replaced="bulk_inferred"), shared=True, told=INFERENCES)
    yield Stage("bulk_bounds_0", _grounds(), shared=True, told=INFERENCES)
    for depth in depths:
        yield Stage(f"bulk_foundations_{depth}", _foundations(plan, depth), kept=False)
        inferred = steps(Derived(), DerivedRow, f"bulk_foundations_{depth}", plan.dialect, keep=["claim"])
        yield Stage(
            f"bulk_derived_{depth}", f"SELECT claim, lower, upper FROM ({inferred}) AS d", shared=True, told=INFERENCES
        )
        both = f"SELECT * FROM bulk_bounds_{depth - 1} UNION ALL SELECT claim, lower, upper FROM bulk_derived_{depth}"
        yield Stage(f"bulk_bounds_{depth}", both, kept=False)
    yield Stage("bulk_scored", _bounded(plan, columns, depths), kept=False)


def _grounds() -> str:
    """Write the intervals of claims that others rest on, and that rest on none."""
    return (
        "SELECT a.bulk_id AS claim, a.lower AS lower, a.upper AS upper FROM bulk_assessed a "
        "WHERE a.bulk_id IN (SELECT base FROM bulk_derivations) AND a.bulk_id NOT IN (SELECT claim FROM bulk_depths)"
    )


def _foundations(plan: Plan, depth: int) -> str:
    """Write what the derived model needs of the constituents of claims at one depth. One that is gone is [0, 0]."""
    none = plan.number(0.0)
    upper, lower = (f"CASE WHEN n.bulk_counts THEN b.{bound} ELSE {none} END" for bound in ("upper", "lower"))
    return (
        f"SELECT d.claim AS claim, MAX(a.upper) AS assessed_upper, MAX({upper}) AS highest_upper, "
        f"MIN({lower}) AS lowest_lower, MAX({upper} - {lower}) AS widest FROM bulk_depths p "
        "JOIN bulk_derivations d ON d.claim = p.claim JOIN bulk_assessed a ON a.bulk_id = d.claim "
        f"JOIN bulk_bounds_{depth - 1} b ON b.claim = d.base JOIN bulk_base n ON n.bulk_id = d.base "
        f"WHERE p.depth = {depth} GROUP BY d.claim"
    )


def _bounded(plan: Plan, columns: list[str], depths: range) -> str:
    """Write the chosen columns, with the intervals of derived claims in the place of their assessments."""
    derived = " UNION ALL ".join(f"SELECT claim, lower, upper, {n} AS depth FROM bulk_derived_{n}" for n in depths)
    listed = []
    for name in columns:
        value = f"a.{plan.column(name)}"
        if name in ("lower", "upper"):
            value = f"COALESCE(d.{name}, a.{name})"
        elif name == "depth":
            value = "COALESCE(d.depth, 0)"
        listed.append(f"{value} AS {plan.quoted(name)}")
    return f"SELECT {', '.join(listed)} FROM bulk_assessed a LEFT JOIN ({derived}) AS d ON d.claim = a.bulk_id"
