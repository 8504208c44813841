"""Scoring: from what a file says, what git tells and what has happened to it, to how far it can be trusted."""

from datetime import UTC, date, datetime
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from howsure.documents.document import MONTH, Action, Detail, Document, Improvement, Kind
from howsure.documents.facts import Facts
from howsure.documents.git_history import FileHistory
from howsure.formulas.automaton import MILESTONES, SYMBOLS
from howsure.formulas.automaton import Case as Life
from howsure.formulas.document import Case, Modifiers, Row, Steps
from howsure.formulas.document import Document as DocumentModel
from howsure.formulas.ops import FLOATS

REVIEW_MONTHS = 6
"""Months after which a document is to be reviewed, where it does not say when."""
_STATES = dict(zip(MILESTONES, SYMBOLS, strict=True))
"""For each state, the event that leads on."""
_LEAST = 5e-4
"""Gains below this are not worth a word."""

Events = tuple[tuple[str, float], ...]


class FileContext(NamedTuple):
    """What is known about a file besides what it says itself."""

    past: FileHistory | None = None
    """What git tells; nothing, where it does not know the file."""
    new: bool = False
    """Whether it is new: not yet committed, or added since the commit that was named."""
    tested: bool | None = None
    """Whether its tests passed; nothing, where none were seen."""
    events: Events = ()
    """What has happened to it, in order."""


class Evidence(NamedTuple):
    """All of a document's evidence but its age; many documents have the same."""

    sources: tuple[tuple[float, float], ...]
    boost: float
    bonus: float
    validated: bool
    refactored: int
    integrated: bool
    new: int
    events: Events


class Age(NamedTuple):
    """How old a document is, and what that asks for. Ages are counted in days, as their dates are."""

    months: float | None
    told_by: str
    """What tells it: `validated`, `created`, `git`, or nothing."""
    due: date | None
    action: Action
    problems: tuple[str, ...]


class Scorer:
    """Scores files on one day. Many files have the same age and the same evidence: each is worked out once."""

    def __init__(self, now: float, model: DocumentModel | None = None) -> None:
        """Take the moment for which ages hold."""
        self.now = now
        self.today = datetime.fromtimestamp(now, UTC).date()
        self.model = model or DocumentModel()
        self._rows = lru_cache(maxsize=50_000)(self._row)
        self._results = lru_cache(maxsize=50_000)(self._result)
        self._ages = lru_cache(maxsize=50_000)(self._age)
        self._lives = lru_cache(maxsize=10_000)(lambda events: self.model.automaton().score(Life(events)))

    def score(self, path: str, kind: Kind, facts: Facts, known: FileContext) -> Document:
        """Return how far a file can be trusted."""
        told, past = facts.metadata, known.past
        changed = None if past is None else past.changed
        if told is None:
            age = self._ages(facts.validated, "", "", changed)
        else:
            age = self._ages(facts.validated, told.get("created", ""), told.get("next_review", ""), changed)
        problems = facts.problems + age.problems
        validated = facts.validated == "yes" or age.told_by == "validated"
        evidence = _evidence(kind, path, facts, known, validated=validated)
        row, steps = self._results(evidence, age.months or 0.0)
        score: float | None = steps.score
        if kind == "data":
            score = None if age.months is None else steps.data_confidence
            problems += ("no data_metadata",) if told is None else ()
        state = self._lives(known.events)["state"]
        confirmed = sum(observation == 1.0 for _, observation in facts.sources) if facts.sources else 0
        return Document(
            path, kind, score, MILESTONES[state], state, facts.categories, age.months, age.told_by, age.action, age.due,
            problems, "", len(facts.sources), confirmed, facts.matches, () if past is None else past.authors,
            _Details(self, kind, evidence, row, steps, age.months, facts).detail,
        )  # fmt: skip

    def _age(self, validated: str, created: str, next_review: str, changed: float | None) -> Age:
        """Return how old a document is: since it was validated or created, as it says, or since git saw it change."""
        problems = []
        since, told_by = None, ""
        for name, day in (("validated", validated), ("created", created)):
            if since is None and day and day != "yes":
                told = date.fromisoformat(day)
                if (told - self.today).days <= 1:  # it may be tomorrow already elsewhere
                    since, told_by = told, name
                else:
                    problems.append(f"{name}: {day} is still to come")
        if since is None and changed is not None:
            since, told_by = datetime.fromtimestamp(changed, UTC).date(), "git"
        due = date.fromisoformat(next_review) if next_review else since and later(since, REVIEW_MONTHS)
        if since is None:
            return Age(None, "", due, "unknown", tuple(problems))
        months = max((self.today - since).days, 0) * 86400.0 / MONTH
        action: Any = self.model.action(months)
        if action == "none" and due is not None and due <= self.today:
            action = "review"
        return Age(months, told_by, due, action, tuple(problems))

    def _row(self, evidence: Evidence) -> Row[float]:
        return self.model.features(case_of(evidence, 0.0))

    def _result(self, evidence: Evidence, months: float) -> tuple[Row[float], Steps[float]]:
        row: Row[float] = self._rows(evidence)._replace(months=months)
        return row, self.model.formula(row, FLOATS)

    def score_of(self, evidence: Evidence, months: float) -> float:
        """Return the score that some evidence would give."""
        return float(self._results(evidence, months)[1].score)


def case_of(evidence: Evidence, months: float) -> Case:
    """Return evidence in the form of the model."""
    known = Modifiers(
        validated=evidence.validated,
        refactored=evidence.refactored,
        integrated=evidence.integrated,
        non_md=evidence.new,
        months=months,
    )
    return Case(
        events=evidence.events,
        observations=evidence.sources,
        modifiers=known,
        pattern_boost=evidence.boost,
        pattern_bonus=evidence.bonus,
    )


def _evidence(kind: Kind, path: str, facts: Facts, known: FileContext, *, validated: bool) -> Evidence:
    markdown = path.lower().endswith((".md", ".markdown"))
    return Evidence(
        facts.sources,
        facts.boost,
        facts.bonus,
        validated,
        min(known.past.refactored, 1) if kind == "code" and known.past else 0,
        known.tested is True,
        int(known.new and not markdown),
        known.events,
    )


def moment(day: date) -> float:
    """Return when a day begins."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def later(day: date, months: int) -> date:
    """Return the same day some months later, or the last one of a shorter month.

    >>> later(date(2026, 8, 31), 6)
    datetime.date(2027, 2, 28)
    """
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, last)
        except ValueError:
            continue
    return day


def next_milestone(state: str) -> str:
    """Say what is missing for the next milestone, in words.

    >>> next_milestone("OBSERVE")
    'M2 after confirm'
    """
    states = list(MILESTONES)
    steps = []
    for place in range(states.index(state), len(states) - 1):
        steps.append(_STATES[states[place]])
        if MILESTONES[states[place + 1]] != MILESTONES[state]:
            return f"{MILESTONES[states[place + 1]]} after {', then '.join(steps)}"
    return "M4 is the last one"


class _Details:
    """What is worked out about a document only when somebody asks."""

    def __init__(
        self, scorer: Scorer, kind: Kind, evidence: Evidence, row: Row[float], steps: Steps[float],
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
        """Return what would raise the score, the most first."""
        if self.kind == "data":
            lost = -self.steps.ageing if self.months is not None else 0.0
            words = "validate it again" if self.months is not None else "say in data_metadata when it was validated"
            return (Improvement(words, lost),) if lost > _LEAST or self.months is None else ()
        now, months = self.steps.score, self.months or 0.0
        tried = [
            Improvement(words, self.scorer.score_of(changed, age) - now)
            for words, changed, age in self._changes(months)
        ]
        return tuple(sorted((gain for gain in tried if gain.gain > _LEAST), key=lambda gain: -gain.gain)[:3])

    def _changes(self, months: float) -> list[tuple[str, Evidence, float]]:
        own = self.evidence
        open_ = [place for place, (_, observation) in enumerate(own.sources) if observation < 1.0]
        found = []
        if open_:
            confirmed = tuple((evidence, 1.0) for evidence, _ in own.sources)
            words = f"confirm {len(open_)} of its sources" if len(open_) > 1 else "confirm its source"
            found.append((words, own._replace(sources=confirmed), months))
        elif not own.sources:
            found.append(("name a source and confirm it", own._replace(sources=((1.0, 1.0),)), months))
        if not own.validated:
            found.append(("validate it", own._replace(validated=True), 0.0))
        elif months > 1.0:
            found.append(("validate it again", own, 0.0))
        if not own.integrated:
            found.append(("test it", own._replace(integrated=True), months))
        state = self.scorer.model.automaton().score(Life(own.events))["state"]
        symbol = _STATES[state]
        if symbol != "decay_warning":
            events = (*own.events, (symbol, 1.0))
            found.append((f"record a {symbol}", own._replace(events=events), months))
        return found
