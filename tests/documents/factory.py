"""Made-up reports."""

import random
from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

from howsure.documents.document import (
    URGENCY,
    Action,
    Detail,
    Document,
    DocumentKind,
    Group,
    Improvement,
    Report,
    SkippedFile,
    count_found,
)
from howsure.formulas.automaton import MILESTONES

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC).timestamp()
HOSTILE = (
    '"><script>alert(1)</script>.md',
    "' onmouseover='alert(1)",
    "a|b`c`[link](https://evil.example/?x=1)<img src=x onerror=alert(1)>.md",
    "new\nline\r\n| cell | <b>",
    "exe\u202efdp.md",
    "javascript:alert(1).md",
    "@everyone #1 www.evil.example https://evil.example a@evil.example",
    "$style${script}$$.md",
    "raw\udcff\ud800.md",
    "=cmd|'/c calc'!A1;=1+1\t@x",
    "\\`\\|\\[x](y)",
    "]]>--><!-- {0} &lt; &amp;",
    "50% ü 漢字 ?q#f.md",
)
"""Names and texts that try to be more than a name or a text."""


def document(path: str = "docs/guide.md", **changes: Any) -> Document:
    reason = changes.pop("reason", "M2, 1 of 2 sources confirmed, 7.0 months old")
    gains = changes.pop("gains", (Improvement("confirm its source", 0.04), Improvement("validate it", 0.02)))
    values: dict[str, Any] = {
        "kind": "content",
        "score": 0.62,
        "milestone": "M2",
        "state": "VALIDATE",
        "months": 1.0,
        "age_from": "git",
        "due": date(2027, 4, 15),
        "sources": 2,
        "confirmed": 1,
    }
    return Document(path, **{**values, **changes}, _compute_detail=lambda: Detail(reason, gains))


def report(*documents: Document, **changes: Any) -> Report:
    values: dict[str, Any] = {
        "root": "handbook",
        "at": NOON,
        "pack": "default",
        "skipped": (),
        "score": _mean(documents),
        "folders": _groups((one.path.rpartition("/")[0] or ".", one) for one in documents),
        "found": count_found(documents, changes.get("fail_under")),
        "milestones": _groups((one.milestone, one) for one in documents),
    }
    return Report(documents=documents, **{**values, **changes})


def hostile() -> Report:
    """Return a report in which every text is hostile."""
    documents = [
        document(
            f"{text}/{other}" if place % 2 else other,
            score=None if place % 3 == 0 else 0.3,
            months=None if place % 3 == 0 else 9.0,
            action="unknown" if place % 3 == 0 else "human_validation",
            due=None if place % 3 == 0 else date(2026, 8, 15),
            milestone=text,
            state=text,
            reason=text,
            problems=(text,),
            gains=(Improvement(text, 0.1),),
            authors=(text,),
            matches=(text,),
        )
        for place, (text, other) in enumerate(zip(HOSTILE, reversed(HOSTILE), strict=True))
    ]
    skipped = tuple(SkippedFile(text, text) for text in HOSTILE)
    return report(
        *documents, root=HOSTILE[0], pack=HOSTILE[2], skipped=skipped, fail_under=0.5, notes=HOSTILE, score=0.3
    )


def many(number: int, seed: int = 1) -> Report:
    """Return a report of a project with so many documents."""
    chance = random.Random(seed)
    tops = [
        "docs",
        "docs/guide",
        "docs/reference/api",
        "docs/how-to",
        "src/engine",
        "src/web/views",
        "_data",
        "policies",
    ]
    more = [f"docs/archive/{year}" for year in range(2015, 2026)]
    folders = [*tops, *more, *(f"src/parts/part{place:03}" for place in range(number // 60))]
    documents = [_random(chance, chance.choice(folders), place) for place in range(number)]
    documents.sort(key=lambda one: (URGENCY[one.action], -1.0 if one.score is None else one.score, one.path))
    skipped = (SkippedFile("docs/logo.png", "it is binary"), SkippedFile("dump.sql", "it is larger than 10 MB"))
    return report(*documents, skipped=skipped, fail_under=0.5)


def _random(chance: random.Random, folder: str, place: int) -> Document:
    months = None if chance.random() < 0.04 else chance.expovariate(1 / 5.0)
    state = chance.choice(list(MILESTONES))
    kind: DocumentKind = "data" if folder == "_data" else "code" if folder.startswith("src") else "content"
    names = ("install", "upgrade", "billing", "security", "glossary", "release-notes", "onboarding", "faq", "limits")
    score = chance.betavariate(6, 3) if chance.random() < 0.97 else None
    return document(
        f"{folder}/{chance.choice(names)}-{place}.{ {'data': 'yml', 'code': 'py'}.get(kind, 'md') }",
        kind=kind,
        score=score,
        months=months,
        state=state,
        milestone=MILESTONES[state],
        action=_action(months),
        due=None if months is None else date.fromordinal(date(2026, 11, 15).toordinal() + round(183 - months * 30.4)),
        problems=() if chance.random() > 0.02 else ("the front matter cannot be read: line 3: it is no YAML",),
        reason=f"{MILESTONES[state]}, 1 of 3 sources confirmed, 6 patterns in 2 categories",
    )


def _action(months: float | None) -> Action:
    if months is None:
        return "unknown"
    return (
        "none"
        if months <= 3
        else "review"
        if months <= 6
        else "human_validation"
        if months <= 12
        else "refresh_or_remove"
    )


def _mean(documents: Iterable[Document]) -> float | None:
    scores = [one.score for one in documents if one.score is not None]
    return sum(scores) / len(scores) if scores else None


def _groups(named: Iterable[tuple[str, Document]]) -> tuple[Group, ...]:
    parts: dict[str, list[Document]] = {}
    for name, one in named:
        parts.setdefault(name, []).append(one)
    return tuple(
        Group(
            name,
            len(of),
            _mean(of),
            sum(one.score is None for one in of),
            sum(one.action not in {"none", "unknown"} for one in of),
        )
        for name, of in sorted(parts.items())
    )
