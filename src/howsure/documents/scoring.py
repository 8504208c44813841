"""Score a file from its facts, its git history, its tests and its recorded events."""

from datetime import date
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from howsure.documents.content.facts import Facts
from howsure.documents.document import MONTH, NO_METADATA, Action, Detail, Document, DocumentKind, Improvement
from howsure.documents.lifecycle import NEXT_EVENT
from howsure.documents.repository.git import FileHistory
from howsure.formulas.automaton import MILESTONES
from howsure.formulas.automaton import Case as LifeCase
from howsure.formulas.document import Case, Modifiers, Row, Steps
from howsure.formulas.document import Document as DocumentModel
from howsure.formulas.ops import FLOATS
from howsure.shapes import DAY
from howsure.wording import utc_time

REVIEW_MONTHS = 6
"""Months from validation to the next review, unless the document names a day."""
_LEAST_GAIN = 5e-4
"""Smaller gains are not suggested."""

Events = tuple[tuple[str, float], ...]
"""(symbol, strength) of each event, in order."""


class FileContext(NamedTuple):
    """What is known about a file from elsewhere: git, tests and recorded events."""

    history: FileHistory | None = None
    """None if git does not know the file."""
    new: bool = False
    """Whether it is not committed yet, or was added since the commit that the scan compares with."""
    tested: bool | None = None
    """Whether its tests passed; None if there are none."""
    events: Events = ()


class Evidence(NamedTuple):
    """The input of the score except for the age; many documents share one, so results are cached by it."""

    sources: tuple[tuple[float, float], ...]
    boost: float
    bonus: float
    validated: bool
    refactored: int
    integrated: bool
    new: int
    events: Events


class Age(NamedTuple):
    """The age of a document in whole days, and what is due at that age."""

    months: float | None
    source: str
    """Where it comes from: `validated`, `created`, `git`, or empty."""
    due: date | None
    action: Action
    problems: tuple[str, ...]


class Scorer:
    """Scores files as of one day. Ages, evidence and results are cached, since many files share them."""

    def __init__(self, now: float, model: DocumentModel | None = None) -> None:
        """Score as of `now`, in seconds since 1970."""
        self.now = now
        self.today: date = utc_time(now).date()
        self.model: DocumentModel = model or DocumentModel()
        self._cached_row = lru_cache(maxsize=50_000)(self._row)
        self._cached_result = lru_cache(maxsize=50_000)(self._result)
        self._cached_age = lru_cache(maxsize=50_000)(self._age)
        self._cached_life = lru_cache(maxsize=10_000)(lambda events: self.model.automaton().score(LifeCase(events)))

    def score(self, path: str, kind: DocumentKind, facts: Facts, context: FileContext) -> Document:
        """Return the score of a file."""
        metadata, history = facts.metadata, context.history
        changed = None if history is None else history.changed
        if metadata is None:
            age = self._cached_age(facts.validated, "", "", changed)
        else:
            age = self._cached_age(
                facts.validated, metadata.get("created", ""), metadata.get("next_review", ""), changed
            )
        problems = facts.problems + age.problems
        if facts.expires and date.fromisoformat(facts.expires) <= self.today:
            problems += (f"expired on {facts.expires}",)
        validated = facts.validated == "yes" or age.source == "validated"
        evidence = _evidence(kind, path, facts, context, validated=validated)
        row, steps = self._cached_result(evidence, age.months or 0.0)
        score: float | None = steps.score
        if kind == "data":
            score = None if age.months is None else steps.data_confidence
            problems += (NO_METADATA,) if metadata is None else ()
        state = self._cached_life(context.events)["state"]
        confirmed = sum(observation == 1.0 for _, observation in facts.sources) if facts.sources else 0
        return Document(
            path, kind, score, MILESTONES[state], state, facts.categories, age.months, age.source, age.action, age.due,
            problems, "", len(facts.sources), confirmed, facts.matches, () if history is None else history.authors,
            new=context.new, _compute_detail=_DetailBuilder(self, kind, evidence, row, steps, age.months, facts).detail,
        )  # fmt: skip

    def _age(self, validated: str, created: str, next_review: str, changed: float | None) -> Age:
        """Compute the age from the day of validation or creation that the document names, or from its last commit."""
        problems = []
        since, source = None, ""
        for name, day in (("validated", validated), ("created", created)):
            if since is None and day and day != "yes":
                declared = date.fromisoformat(day)
                if (declared - self.today).days <= 1:  # in another time zone it may be tomorrow already
                    since, source = declared, name
                else:
                    problems.append(f"{name}: {day} is in the future")
        if since is None and changed is not None:
            since, source = utc_time(changed).date(), "git"
        due = date.fromisoformat(next_review) if next_review else since and add_months(since, REVIEW_MONTHS)
        if since is None:
            return Age(None, "", due, "unknown", tuple(problems))
        months = max((self.today - since).days, 0) * DAY / MONTH
        action: Any = self.model.action(months)
        if action == "none" and due is not None and due <= self.today:
            action = "review"
        return Age(months, source, due, action, tuple(problems))

    def _row(self, evidence: Evidence) -> Row[float]:
        return self.model.features(case_of(evidence, 0.0))

    def _result(self, evidence: Evidence, months: float) -> tuple[Row[float], Steps[float]]:
        row: Row[float] = self._cached_row(evidence)._replace(months=months)
        return row, self.model.formula(row, FLOATS)

    def score_of(self, evidence: Evidence, months: float) -> float:
        """Return the score for given evidence and age."""
        return float(self._cached_result(evidence, months)[1].score)


def case_of(evidence: Evidence, months: float) -> Case:
    """Convert evidence and age to the input of the model."""
    modifiers = Modifiers(
        validated=evidence.validated,
        refactored=evidence.refactored,
        integrated=evidence.integrated,
        non_md=evidence.new,
        months=months,
    )
    return Case(
        events=evidence.events,
        observations=evidence.sources,
        modifiers=modifiers,
        pattern_boost=evidence.boost,
        pattern_bonus=evidence.bonus,
    )


def _evidence(kind: DocumentKind, path: str, facts: Facts, context: FileContext, *, validated: bool) -> Evidence:
    markdown = path.lower().endswith((".md", ".markdown"))
    return Evidence(
        facts.sources,
        facts.boost,
        facts.bonus,
        validated,
        min(context.history.refactored, 1) if kind == "code" and context.history else 0,
        context.tested is True,
        int(context.new and not markdown),
        context.events,
    )


def add_months(day: date, months: int) -> date:
    """Return the same day some months later, or the last day of that month if it is shorter.

    >>> add_months(date(2026, 8, 31), 6)
    datetime.date(2027, 2, 28)
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, last)
        except ValueError:
            continue
    return day


class _DetailBuilder:
    """Computes the reason, the suggestions and the steps of a document when they are needed."""

    def __init__(
        self, scorer: Scorer, kind: DocumentKind, evidence: Evidence, row: Row[float], steps: Steps[float],
        months: float | None, facts: Facts,
    ) -> None:  # fmt: skip
        self.scorer, self.kind, self.evidence, self.row, self.steps = scorer, kind, evidence, row, steps
        self.months, self.facts = months, facts

    @cached_property
    def case(self) -> Case:
        return case_of(self.evidence, self.months or 0.0)

    def detail(self) -> Detail:
        model = self.scorer.model
        answer = model.conclude(self.case, self.row, self.steps)
        age = "of unknown age" if self.months is None else f"{self.months:.1f} months old"
        if self.kind == "data":
            sure = "unknown" if self.months is None else f"{self.steps.data_confidence:.3f}"
            reason = f"data {age}: {sure}"
        else:
            confirmed = sum(observation == 1.0 for _, observation in self.evidence.sources)
            of = f"{confirmed} of {len(self.evidence.sources)} sources confirmed"
            found = f"{len(self.facts.matches)} patterns in {len(self.facts.categories)} categories"
            reason = f"{answer['milestone']}, {of if self.evidence.sources else 'no sources'}, {found}, {age}"
        start = {"base": model.c_min + model.milestone_boosts[int(answer["milestone"][1]) - 1]}
        numbers = start | self.row._asdict() | self.steps._asdict()
        return Detail(reason, self._gains(), numbers, answer["automaton"]["distribution"])

    def _gains(self) -> tuple[Improvement, ...]:
        """Return at most three changes that would raise the score, the largest gain first."""
        if self.kind == "data":
            lost = -self.steps.ageing if self.months is not None else 0.0
            words = "validate it again" if self.months is not None else "add a validation date to data_metadata"
            return (Improvement(words, lost),) if lost > _LEAST_GAIN or self.months is None else ()
        now, months = self.steps.score, self.months or 0.0
        tried = [
            Improvement(words, self.scorer.score_of(changed, age) - now)
            for words, changed, age in self._changes(months)
        ]
        return tuple(sorted((gain for gain in tried if gain.gain > _LEAST_GAIN), key=lambda gain: -gain.gain)[:3])

    def _changes(self, months: float) -> list[tuple[str, Evidence, float]]:
        """Return what could be done: in words, and the evidence and age after it."""
        own = self.evidence
        unconfirmed = sum(observation < 1.0 for _, observation in own.sources)
        changes = []
        if unconfirmed:
            confirmed = tuple((evidence, 1.0) for evidence, _ in own.sources)
            words = f"confirm {unconfirmed} of its sources" if unconfirmed > 1 else "confirm its source"
            changes.append((words, own._replace(sources=confirmed), months))
        elif not own.sources:
            changes.append(("name a source and confirm it", own._replace(sources=((1.0, 1.0),)), months))
        if not own.validated:
            changes.append(("validate it", own._replace(validated=True), 0.0))
        elif months > 1.0:
            changes.append(("validate it again", own, 0.0))
        if not own.integrated:
            changes.append(("test it", own._replace(integrated=True), months))
        state = self.scorer.model.automaton().score(LifeCase(own.events))["state"]
        symbol = NEXT_EVENT[state]
        if symbol != "decay_warning":
            events = (*own.events, (symbol, 1.0))
            changes.append(
                (f"record a {'confirmation' if symbol == 'confirm' else symbol}", own._replace(events=events), months)
            )
        return changes
