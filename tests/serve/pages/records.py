"""What agents have left behind: answers, investigations, syntheses and scans, for the pages that show them."""

from typing import Any

from howsure.serve.operations import operation
from howsure.shapes import DAY, HOUR
from howsure.sure import Sure
from tests.conftest import NOW

LONG = "I looked at the scheduler, and I think it might lose a job when two workers start at once. " * 4
CALLS = (
    {"tool": "grep", "arguments": {"pattern": "schedule_refund"}, "results": 7},
    {"tool": "grep", "arguments": {"pattern": "delay"}, "results": 0},
    {"tool": "read", "target": "schedule_refund", "results": 1},
    {"tool": "references", "target": "schedule_refund", "results": 3, "recovery": True},
    {"tool": "git", "target": "schedule_refund", "results": 2},
    {"tool": "ctest", "passed": True},
)
FILES = (
    ("README.md", "content", 0.92, "M4", "REFRESH", 1.2, "none"),
    ("docs/refunds.md", "content", 0.48, "M1", "OBSERVE", 8.0, "human_validation"),
    ("docs/search.md", "content", 0.77, "M2", "VALIDATE", 4.1, "review"),
    ("docs/old/migration.md", "content", 0.31, "M1", "INIT", 26.0, "refresh_or_remove"),
    ("docs/old/plan.md", "content", 0.4, "M1", "INIT", None, "unknown"),
    ("src/shop/cart.py", "code", 0.81, "M3", "INTEGRATE", 0.4, "none"),
    ("src/shop/payments.py", "code", 0.88, "M3", "INTEGRATE", 0.9, "none"),
    ("src/shop/search/fold.py", "code", 0.66, "M1", "INIT", 5.0, "review"),
    ("_data/countries.yml", "data", 0.98, "M1", "INIT", 19.0, "refresh_or_remove"),
    ("_data/rates.yml", "data", None, "M1", "INIT", None, "unknown"),
)
"""Path, kind, score, milestone, state, age and what is due."""


def do(sure: Sure, name: str, **given: Any) -> Any:
    """Do an operation."""
    one = operation(name)
    return one.call(sure, one.decode(given))


def records(sure: Sure) -> dict[str, str]:
    """Fill a store with what agents have left behind, and return the ids of what is worth naming."""
    return _answers(sure) | _investigations(sure) | _syntheses(sure) | _documents(sure)


def _answers(sure: Sure) -> dict[str, str]:
    checks = {"exists": True, "syntax_valid": True, "types_valid": None, "tests_exist": False}
    about: dict[str, Any] = {"agent": "plan/nightly", "agent_type": "planner", "project": "shop"}
    blocked = sure.responses.check(
        LONG, **about, knowledge=[0.74, 0.4], code=checks, trace_id="refunds", now=NOW - 2 * HOUR
    )
    sure.ledger.outcome(str(blocked.id), "right", by="ann", note="the race is there", now=NOW - HOUR)
    sure.ledger.outcome(str(blocked.id), "corrected", by="bob", note="only with three workers", now=NOW - 60)
    reviewed = sure.responses.check("It is certainly fine.", **about, certainty=1.0, history=1.0, now=NOW - 3 * HOUR)
    sure.responses.check("The plan is verified and tested.", **about, knowledge=0.97, code=1.0, now=NOW - DAY)
    unnamed = sure.responses.check("Perhaps.", knowledge=0.3, now=NOW - 5 * HOUR)
    return {"blocked": str(blocked.id), "reviewed": str(reviewed.id), "unnamed": str(unnamed.id)}


def _investigations(sure: Sure) -> dict[str, str]:
    for call in CALLS:
        do(sure, "investigations.record", trace_id="refunds", **call)
    closed = do(
        sure,
        "investigations.close",
        trace_id="refunds",
        question="Where are refunds delayed?",
        agent="searcher",
        project="shop",
    )
    do(
        sure,
        "investigations.record",
        trace_id="session/7f3a",
        tool="grep",
        arguments={"pattern": "card_number"},
        results=0,
    )
    do(sure, "investigations.record", trace_id="session/7f3a", tool="read", target="logs/October.txt", results=1)
    do(sure, "investigations.record", trace_id="nightly", tool="grep", arguments={"pattern": "TODO"}, results=12)
    with sure.investigations.start("Who writes card numbers?", agent="searcher") as bare:
        bare.record("grep", "card_number", 0)
    return {"investigation": str(closed["id"]), "bare": str(bare.id)}


def _syntheses(sure: Sure) -> dict[str, str]:
    results: list[dict[str, Any]] = [
        {
            "id": "reviewer",
            "confidence": 0.86,
            "content": "The cart is safe to share between tabs. Prices are stored in cents.",
        },
        {
            "id": "tester",
            "confidence": 0.64,
            "content": "The cart is not safe to share between tabs. I saw it in 3 of 50 runs.",
        },
        {"id": "docs", "confidence": 0.2, "content": "The manual says nothing about tabs."},
        {"id": "metrics", "error": "timeout"},
    ]
    merged = sure.syntheses.combine(
        "Is the cart safe to share between tabs?", results, agent="merger", project="shop", now=NOW - HOUR
    )
    nothing = sure.syntheses.combine("Who owns the index?", results[2:], agent="merger", now=NOW - 2 * HOUR)
    return {"synthesis": str(merged.id), "abstained": str(nothing.id)}


def _documents(sure: Sure) -> dict[str, str]:
    names = ("path", "kind", "score", "milestone", "state", "months", "action")
    files: list[dict[str, Any]] = [
        dict(zip(names, one, strict=True)) | {"reason": f"{one[3]}, no sources"} for one in FILES
    ]
    files[1] |= {"gains": [["confirm its source", 0.12], ["validate it", 0.05]], "due": "2027-01-04"}
    files[1] |= {
        "problems": ["1 link leads nowhere: gone.md"],
        "gaps": ["leaves out a parameter: pay(tip)"],
        "weight": 3.0,
    }
    files[2] |= {"hints": ["Cart has gained voucher, wrap"]}
    do(sure, "documents.record_scan", project="docs-site", files=files[:2])
    do(sure, "documents.record_scan", project="shop", files=files[2:])
    scan = do(sure, "documents.record_scan", project="shop", files=files)
    for symbol in ("visit", "merge", "decay_warning"):
        do(
            sure,
            "documents.record_event",
            project="shop",
            document="docs/refunds.md",
            symbol=symbol,
            by="ann",
            note="read it",
        )
    return {"scan": str(scan["id"])}
