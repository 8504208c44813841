"""Scoring: from what a file says, what git tells and what has happened to it, to how far it can be trusted."""

from datetime import UTC, date, datetime
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from howsure.core.ops import FLOATS
from howsure.engine.documents.document import MONTH, Action, Detail, Document, Gain, Kind
from howsure.engine.documents.history import Past
from howsure.engine.documents.reading import Facts
from howsure.models.automaton import MILESTONES, SYMBOLS
from howsure.models.automaton import Case as Life
from howsure.models.document import Case, Modifiers, Row, Steps
from howsure.models.document import Document as DocumentModel

REVIEW_MONTHS = 6
"""Months after which a document is to be reviewed, where it does not say when."""
_STATES = dict(zip(MILESTONES, SYMBOLS, strict=True))
"""For each state, the event that leads on."""
_LEAST = 5e-4
"""Gains below this are not worth a word."""

Events = tuple[tuple[str, float], ...]


class Known(NamedTuple):
    """What is known about a file besides what it says itself."""

    past: Past | None = None
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


class Scorer:
    """Scores files at one moment."""

    def __init__(self, now: float, model: DocumentModel | None = None) -> None:
        """Take the moment for which ages hold."""
        self.now = now
        self.today = datetime.fromtimestamp(now, UTC).date()
        self.model = model or DocumentModel()
        self._rows = lru_cache(maxsize=50_000)(self._row)
        self._lives = lru_cache(maxsize=10_000)(lambda events: self.model.automaton().score(Life(events)))

    def score(self, path: str, kind: Kind, facts: Facts, known: Known) -> Document:
        """Return how far a file can be trusted."""
        problems = list(facts.problems)
        since, age_from = self._since(facts, known, problems)
        months = None if since is None else max(self.now - since, 0.0) / MONTH
        if kind == "data" and facts.metadata is None:
            problems.append("no data_metadata")
        evidence = _evidence(kind, path, facts, known)
        row: Row[float] = self._rows(evidence)._replace(months=months or 0.0)
        steps: Steps[float] = self.model.formula(row, FLOATS)
        score: float | None = steps.score
        if kind == "data":
            score = None if months is None else steps.data_confidence
        life = self._lives(known.events)
        due = self._due(facts, since)
        return Document(
            path, kind, score, MILESTONES[life["state"]], life["state"], facts.categories, months, age_from,
            self._action(months, due), due, tuple(problems), "", len(facts.sources),
            sum(observation == 1.0 for _, observation in facts.sources), facts.matches,
            known.past.authors if known.past else (), _Details(self, kind, evidence, row, steps, months, facts).detail,
        )  # fmt: skip

    def _since(self, facts: Facts, known: Known, problems: list[str]) -> tuple[float | None, str]:
        """Return the moment from which a document ages, and what tells it."""
        metadata = facts.metadata or {}
        told = (("validated", facts.validated), ("created", metadata.get("created", "")))
        for name, day in told:
            if day and day != "yes":
                at = moment(date.fromisoformat(day))
                if at <= self.now + 86400.0:
                    return at, name
                problems.append(f"{name}: {day} is still to come")
        return (known.past.changed, "git") if known.past else (None, "")

    def _due(self, facts: Facts, since: float | None) -> date | None:
        """Return when a document is to be reviewed: when it says, or some months after it was validated."""
        named = (facts.metadata or {}).get("next_review")
        if named:
            return date.fromisoformat(named)
        return None if since is None else later(datetime.fromtimestamp(since, UTC).date(), REVIEW_MONTHS)

    def _action(self, months: float | None, due: date | None) -> Action:
        if months is None:
            return "unknown"
        action: Any = self.model.action(months)
        return "review" if action == "none" and due is not None and due <= self.today else action

    def _row(self, evidence: Evidence) -> Row[float]:
        return self.model.features(case_of(evidence, 0.0))

    def score_of(self, evidence: Evidence, months: float) -> float:
        """Return the score that some evidence would give."""
        row: Row[float] = self._rows(evidence)._replace(months=months)
        return float(self.model.formula(row, FLOATS).score)


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


def _evidence(kind: Kind, path: str, facts: Facts, known: Known) -> Evidence:
    markdown = path.lower().endswith((".md", ".markdown"))
    return Evidence(
        facts.sources,
        facts.boost,
        facts.bonus,
        bool(facts.validated),
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


def wanting(state: str) -> str:
    """Say what is missing for the next milestone, in words.

    >>> wanting("OBSERVE")
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

    def _gains(self) -> tuple[Gain, ...]:
        """Return what would raise the score, the most first."""
        if self.kind == "data":
            lost = -self.steps.ageing if self.months is not None else 0.0
            words = "validate it again" if self.months is not None else "say in data_metadata when it was validated"
            return (Gain(words, lost),) if lost > _LEAST or self.months is None else ()
        now, months = self.steps.score, self.months or 0.0
        tried = [Gain(words, self.scorer.score_of(changed, age) - now) for words, changed, age in self._changes(months)]
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
