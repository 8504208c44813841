"""A scored file (`Document`) and the result of a scan (`Report`)."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Annotated, Literal, NamedTuple

from howsure.shapes import DAY
from howsure.shapes.types import Lossy, json_property
from howsure.wording import utc_time

DocumentKind = Literal["content", "code", "data"]
"""Content is text for people, code is programs, data are data files below a folder named `_data`."""
Action = Literal["none", "review", "human_validation", "refresh_or_remove", "unknown"]
"""What is due for a document of its age; unknown if its age is unknown."""
HeaderState = Literal["", "missing", "current", "outdated", "impossible"]
"""State of a document's scoring header; empty if it was not checked."""

FileText = Annotated[str, Lossy()]
"""A file name, or a text with one in it."""
MONTH = 365.25 / 12 * DAY
"""Seconds in a month."""
OLD_MONTHS = 12.0
"""Age from which a document is due to be refreshed or removed."""
NO_METADATA = "no data_metadata"
"""Problem of data without metadata."""
_MANY_DATA = 5
"""Data files from which a tree in which none has metadata follows another convention: then they do not come first."""
URGENCY: dict[str, int] = {"refresh_or_remove": 0, "unknown": 1, "human_validation": 2, "review": 3, "none": 4}
"""Rank of each action; the most urgent is 0."""
_RECORD = re.compile(
    r"(?:^|/)(?:(?:change(?:log|s)?|(?:\w+_)?history|news|releases?|release[-_]notes?|what'?s[-_]?new|upgrad(?:e|ing)|migrat\w*)"
    r"(?:\b|_)[^/]*$|[^/]*announcements?\b[^/]*$|(?:authors|contributors|credits|thanks|backers|sponsors?)\b[^/]*$"
    # One of a numbered or dated series: a proposal, a decision, a blog post.
    r"|(?:[a-z]{2,10}[-_])?\d{3,4}(?:[-_][^/]*)?\.[a-z]+$|\d{4}-\d\d-\d\d[^/]*$|v?\d+\.\d+(?:\.\d+)*\.[a-z]+$"
    r"|(?:decisions?|adrs?|rfcs?|[dkprst]eps?|proposals?|changelogs?|changes|newsfragments?|releases?|release[-_]?notes?|what'?s[-_]?new|postmortems?|archive"
    r"|_?posts|blog|meetings?|minutes)/)",
    re.IGNORECASE,
)
"""Paths of documents that tell of the past: what they name may be gone."""
_DRIFT_WEIGHT, _MOST_DRIFT = 0.1, 10.0
"""What drift counts beside hints, and how much of it counts: a commit may be about anything."""
_CODE_YEAR, _OTHER_YEAR, _MOST_YEARS = 0.1, 0.06, 10.0
"""What a year counts for a page about code that has changed, and for others; and how many years count."""
PROBLEM_WEIGHT = 2.0
_READ_WEIGHT = 0.5
"""What a problem counts more on a page that most people read."""
_READ_FIRST = re.compile(r"^(?:docs?/(?:\w+/)?)?(?:readme|index)\.[a-z]+$", re.IGNORECASE)
_DECLARED = ("validated", "created")
"""Ages that come from a day that the document names: it asks for a review itself."""
_ROUNDING = 5e-10
"""A score this close below a limit counts as reaching it."""


def tells_of_the_past(path: str) -> bool:
    """Return whether a document tells of the past, such as a changelog or a decision: it does not go out of date.

    >>> tells_of_the_past("docs/decisions/0001-sqlite.md"), tells_of_the_past("docs/guide.md")
    (True, False)
    """
    return _RECORD.search(path) is not None


def utf8_text(name: str) -> str:
    """Return a file name as text that can be encoded as UTF-8; bytes that are not become `?`."""
    return name.encode("utf-8", "replace").decode()


class Improvement(NamedTuple):
    """Something that would raise a document's score."""

    words: str
    """What to do."""
    gain: float
    """By how much the score would rise."""


class Detail(NamedTuple):
    """The parts of a document that are computed only when they are needed."""

    reason: str = ""
    gains: tuple[Improvement, ...] = ()
    steps: dict[str, float] = {}  # noqa: RUF012 - never changed
    distribution: dict[str, float] = {}  # noqa: RUF012 - never changed


@dataclass(frozen=True)
class Document:
    """The score of one file, and why it is so."""

    path: FileText
    """Path below the root, with `/` between folders."""
    kind: DocumentKind
    score: float | None
    """From 0 to 1; None if unknown."""
    milestone: str
    """M1 to M4."""
    state: str
    """State of its life cycle: INIT, OBSERVE, VALIDATE, INTEGRATE or REFRESH."""
    categories: tuple[str, ...] = ()
    """Categories of the patterns found in it."""
    months: float | None = None
    """Age since it was last validated or changed; None if unknown."""
    age_from: str = ""
    """Where its age comes from: `validated`, `created`, `git`, or empty."""
    action: Action = "none"
    """What is due."""
    due: date | None = None
    """Day of its next review; None if unknown."""
    problems: Annotated[tuple[str, ...], Lossy()] = ()
    """What is wrong with it: what could not be read, leads nowhere, or is not so in the code."""
    header: HeaderState = ""
    sources: int = 0
    """Number of sources it names."""
    confirmed: int = 0
    """Number of sources that were confirmed."""
    matches: tuple[str, ...] = ()
    """The patterns found in it."""
    authors: tuple[str, ...] = ()
    """Authors of its commits, the latest first."""
    new: bool = False
    """Whether it is not committed yet, or was added since the commit that the scan compares with."""
    changed_since: Annotated[tuple[str, ...], Lossy()] = ()
    """Files it names, or that define what it names, which have changed since it did; the most telling first."""
    drift: float = 0.0
    """Commits to those files since it changed, each file divided by the number of documents that name it."""
    hints: Annotated[tuple[str, ...], Lossy()] = ()
    """What may make it out of date: what code that it names has gained or lost since; the most telling first."""
    hint_weight: float = 0.0
    """How much the hints say together: a new parameter of something that this document alone names counts 1."""
    brief: bool = False
    """Whether it has next to no text of its own, such as a table of contents, a template or a generated page."""
    gaps: Annotated[tuple[str, ...], Lossy()] = ()
    """What it leaves out: parameters of functions that it describes."""
    weight: float = 0.0
    """How much its problems and gaps say together: 2 for a problem, 1 for a gap, and more if they name many things."""
    _compute_detail: Callable[[], Detail] = field(default=Detail, repr=False, compare=False)

    @cached_property
    def detail(self) -> Detail:
        """`reason`, `gains`, `steps` and `distribution`."""
        return self._compute_detail()

    @json_property
    def freshness(self) -> float | None:
        """1 when it was just validated or changed, 0 when it is due to be refreshed or removed; None if unknown."""
        return None if self.months is None else min(max(1.0 - self.months / OLD_MONTHS, 0.0), 1.0)

    @json_property
    def reason(self) -> str:
        """Why it has this score, in words."""
        return self.detail.reason

    @json_property
    def gains(self) -> tuple[Improvement, ...]:
        """What would raise the score, the largest gain first."""
        return self.detail.gains

    @json_property
    def steps(self) -> dict[str, float]:
        """Every intermediate number of the score."""
        return self.detail.steps

    @json_property
    def distribution(self) -> dict[str, float]:
        """Probability of each state of its life cycle."""
        return self.detail.distribution


class SkippedFile(NamedTuple):
    """A file that was not scored."""

    path: FileText
    why: FileText


class Group(NamedTuple):
    """Totals over the documents of a folder or a milestone."""

    name: FileText
    documents: int
    score: float | None
    """Mean of the known scores."""
    unknown: int
    """Documents whose score is unknown."""
    due: int
    """Documents for which something is due."""


@dataclass(frozen=True)
class Report:
    """The result of a scan."""

    root: str
    """Name of the folder that was scanned."""
    at: float
    """Time at which ages are computed, in seconds since 1970."""
    pack: str
    """The pattern pack."""
    documents: Sequence[Document]
    """Every document, the most urgent first. Those for which a reason was found come first; there are `found`."""
    skipped: tuple[SkippedFile, ...]
    score: float | None
    """The project's score: the mean of the known scores."""
    folders: tuple[Group, ...]
    milestones: tuple[Group, ...]
    reused: int = 0
    """Files that were taken from the cache."""
    seconds: float = 0.0
    """How long the scan took."""
    fail_under: float | None = None
    """The limit that was asked for."""
    notes: tuple[str, ...] = ()
    """What could not be found out for any file."""
    found: int = 0
    """Number of documents that should be opened for a reason: one is wrong, lacks something, is below the limit, or is
    due on a day that it names. Of the others nothing is known but their age and the changes of their code."""

    @property
    def day(self) -> date:
        """The day for which ages hold."""
        return utc_time(self.at).date()

    @property
    def below(self) -> tuple[Document, ...]:
        """Documents below the limit, including those whose score is unknown.

        A new document has had no time to gather evidence: it is below the limit only if something is wrong with it.
        """
        limit = self.fail_under
        if limit is None:
            return ()
        return tuple(one for one in self.documents if _is_below(one, limit))


def _is_below(one: Document, limit: float) -> bool:
    if one.new and not one.problems:
        return False
    return one.score is None or one.score < limit - _ROUNDING


class _Ranking:
    """Says which documents of a tree come first."""

    def __init__(self, documents: Sequence[Document], limit: float | None) -> None:
        data = [one for one in documents if one.kind == "data"]
        self._limit = limit
        self._metadata_expected = len(data) < _MANY_DATA or any(NO_METADATA not in one.problems for one in data)

    def has_reason(self, one: Document) -> bool:
        """Return whether there is a reason to open a document, other than its age and changes of its code."""
        if one.gaps or self._is_below(one) or self._problems(one):
            return True
        return one.age_from in _DECLARED and one.action not in ("none", "unknown")

    def urgency(self, one: Document) -> tuple[bool, bool, float, bool, float, int, float, float, str]:
        """Return what documents are sorted by."""
        has_reason, strength = self.has_reason(one), 0.0
        if has_reason:
            problems = self._problems(one)
            known = one.weight or PROBLEM_WEIGHT * problems + len(one.gaps)
            strength = known + _READ_WEIGHT * bool(problems and _READ_FIRST.search(one.path))
        return (
            not self._is_below(one),
            not has_reason,
            -round(strength, 1),
            not has_reason and (one.brief or tells_of_the_past(one.path)),
            -round(_evidence(one), 1),
            URGENCY[one.action],
            -one.drift,
            -1.0 if one.score is None else one.score,
            one.path,
        )

    def _is_below(self, one: Document) -> bool:
        return self._limit is not None and _is_below(one, self._limit)

    def _problems(self, one: Document) -> int:
        counted = self._metadata_expected or one.score is None
        return sum(counted or problem != NO_METADATA for problem in one.problems)


def sort_by_urgency(documents: Iterable[Document], limit: float | None) -> list[Document]:
    """Sort documents: below the limit first, then those with a reason to open them, the strongest first.

    The others follow by the changes of the code that they name, by what is due, and by score; those that tell of the
    past, and those without text of their own, come last.
    """
    documents = list(documents)
    return sorted(documents, key=_Ranking(documents, limit).urgency)


def count_found(documents: Sequence[Document], limit: float | None) -> int:
    """Return for how many documents there is a reason to open them."""
    return sum(map(_Ranking(documents, limit).has_reason, documents))


def _evidence(one: Document) -> float:
    """Return how much there is to say that a document is out of date, apart from its problems.

    Code that has changed says more than age alone, but it does not make a fresh page old. A page about code goes out of
    date sooner than others.
    """
    if one.action in ("none", "unknown"):
        return one.hint_weight
    years = min((one.months or 0.0) / 12, _MOST_YEARS)
    aging = years * (_CODE_YEAR if one.changed_since else _OTHER_YEAR)
    return one.hint_weight + _DRIFT_WEIGHT * min(one.drift, _MOST_DRIFT) + aging


def group_by_folder(documents: Iterable[Document]) -> tuple[Group, ...]:
    """Return totals for each folder."""
    return _group(documents, lambda one: one.path.rpartition("/")[0] or ".")


def group_by_milestone(documents: Iterable[Document]) -> tuple[Group, ...]:
    """Return totals for each milestone; data have none."""
    return _group((one for one in documents if one.kind != "data"), lambda one: one.milestone)


def _group(documents: Iterable[Document], name: Callable[[Document], str]) -> tuple[Group, ...]:
    groups: dict[str, list[Document]] = {}
    for one in documents:
        groups.setdefault(name(one), []).append(one)
    return tuple(
        Group(
            group,
            len(members),
            mean_score(members),
            sum(one.score is None for one in members),
            sum(one.action not in ("none", "unknown") for one in members),
        )
        for group, members in sorted(groups.items())
    )


def mean_score(documents: Sequence[Document]) -> float | None:
    """Return the mean of the known scores, or None if there is none."""
    scores = [one.score for one in documents if one.score is not None]
    return sum(scores) / len(scores) if scores else None
