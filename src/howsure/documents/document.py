"""A document: one file of a repository, what it says of itself, and how far it can be trusted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, Literal, NamedTuple

Kind = Literal["content", "code", "data"]
"""Pages for people, programs, and files of data (in a folder named `_data`)."""
Action = Literal["none", "review", "human_validation", "refresh_or_remove", "unknown"]
"""What is due for a document of its age; unknown, where its age is."""
HeaderState = Literal["", "missing", "current", "outdated", "impossible"]
"""How its scoring header stands; empty, where it was not looked at."""

MONTH = 365.25 / 12 * 86400.0
"""Seconds of a month."""
URGENCY: dict[str, int] = {"refresh_or_remove": 0, "unknown": 1, "human_validation": 2, "review": 3, "none": 4}
"""Actions from the most urgent on."""


def utf8_text(name: str) -> str:
    """Return a file's name as text that can be written anywhere; not every name is one."""
    return name.encode("utf-8", "replace").decode()


class Improvement(NamedTuple):
    """Something that would raise a document's score."""

    words: str
    """What to do."""
    gain: float
    """By how much the score would rise."""


class Detail(NamedTuple):
    """What is worked out about a document only when somebody asks."""

    reason: str = ""
    gains: tuple[Improvement, ...] = ()
    steps: dict[str, float] = {}  # noqa: RUF012 - never changed
    distribution: dict[str, float] = {}  # noqa: RUF012 - likewise


@dataclass
class Document:
    """How far one file can be trusted, and why."""

    path: str
    """Where it lies below the root, with `/` between folders."""
    kind: Kind
    score: float | None
    """From 0 to 1; nothing, where it cannot be known."""
    milestone: str
    """M1 to M4."""
    state: str
    """Where its life stands: INIT, OBSERVE, VALIDATE, INTEGRATE or REFRESH."""
    categories: tuple[str, ...] = ()
    """Categories of the patterns that were found in it."""
    months: float | None = None
    """Age since it was last validated or changed; nothing, where that is unknown."""
    age_from: str = ""
    """What tells its age: `validated`, `created`, `git`, or nothing."""
    action: Action = "none"
    """What is due."""
    due: date | None = None
    """When it is to be reviewed next; nothing, where that is unknown."""
    problems: tuple[str, ...] = ()
    """What could not be read, or is missing."""
    header: HeaderState = ""
    sources: int = 0
    """Sources that it names."""
    confirmed: int = 0
    """Those of them that were confirmed."""
    matches: tuple[str, ...] = ()
    """The patterns that were found."""
    authors: tuple[str, ...] = ()
    """Who has changed it, as git tells; the latest first."""
    detail: Callable[[], Detail] = field(default=Detail, repr=False, compare=False)
    """Works out the rest."""

    @cached_property
    def _more(self) -> Detail:
        return self.detail()

    @property
    def reason(self) -> str:
        """Why it has this score, in words."""
        return self._more.reason

    @property
    def gains(self) -> tuple[Improvement, ...]:
        """What would raise the score, the most first."""
        return self._more.gains

    @property
    def steps(self) -> dict[str, float]:
        """Every number on the way to the score."""
        return self._more.steps

    @property
    def distribution(self) -> dict[str, float]:
        """How probable each state of its life is."""
        return self._more.distribution

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "path": utf8_text(self.path),
            "kind": self.kind,
            "score": self.score,
            "milestone": self.milestone,
            "state": self.state,
            "distribution": self.distribution,
            "categories": list(self.categories),
            "matches": list(self.matches),
            "months": self.months,
            "age_from": self.age_from,
            "action": self.action,
            "due": self.due.isoformat() if self.due else None,
            "reason": self.reason,
            "problems": [utf8_text(problem) for problem in self.problems],
            "header": self.header,
            "sources": self.sources,
            "confirmed": self.confirmed,
            "authors": list(self.authors),
            "gains": [gain._asdict() for gain in self.gains],
            "steps": self.steps,
        }


class SkippedFile(NamedTuple):
    """A file that was not scored, and why."""

    path: str
    why: str


class Group(NamedTuple):
    """Documents that belong together, as a folder or a milestone."""

    name: str
    documents: int
    score: float | None
    """Mean of the scores that are known."""
    unknown: int
    """Documents whose score cannot be known."""
    due: int
    """Documents for which something is due."""


@dataclass(frozen=True)
class Report:
    """What a scan has found."""

    root: str
    """Name of the folder that was scanned."""
    at: float
    """The moment for which ages hold, in seconds since 1970."""
    pack: str
    """The pattern pack."""
    documents: Sequence[Document]
    """Every document, by what needs attention most: below the limit, what is due, then the lowest score."""
    skipped: tuple[SkippedFile, ...]
    score: float | None
    """The project's score: the mean of what is known."""
    folders: tuple[Group, ...]
    milestones: tuple[Group, ...]
    reused: int = 0
    """Files that were unchanged and not read again."""
    seconds: float = 0.0
    fail_under: float | None = None
    """The limit that was asked for."""
    notes: tuple[str, ...] = ()
    """What could not be found out for any file."""

    @property
    def day(self) -> date:
        """The day for which ages hold."""
        return datetime.fromtimestamp(self.at, UTC).date()

    @property
    def below(self) -> tuple[Document, ...]:
        """Documents below the limit; what is unknown is not above it."""
        limit = self.fail_under
        if limit is None:
            return ()
        return tuple(one for one in self.documents if one.score is None or one.score < limit - 5e-10)

    def after(self, seconds: float) -> "Report":
        """Return the same report with how long it took."""
        return replace(self, seconds=seconds)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "root": self.root,
            "at": datetime.fromtimestamp(self.at, UTC).isoformat(),
            "pack": self.pack,
            "score": self.score,
            "fail_under": self.fail_under,
            "below": len(self.below),
            "documents": [one.as_dict() for one in self.documents],
            "skipped": [{"path": utf8_text(one.path), "why": utf8_text(one.why)} for one in self.skipped],
            "folders": [one._asdict() | {"name": utf8_text(one.name)} for one in self.folders],
            "milestones": [one._asdict() for one in self.milestones],
            "notes": list(self.notes),
            "reused": self.reused,
            "seconds": self.seconds,
        }
