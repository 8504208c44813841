"""Responses: may this answer go out?"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from howsure.agents.evidence import derive_factors, load_tool_calls
from howsure.errors import InputError
from howsure.formulas.response import Code, History
from howsure.formulas.response import ResponseCase as Judged
from howsure.formulas.spec import Spec
from howsure.operation import Tool
from howsure.serve.operations.operation import operation
from howsure.shapes import Unit
from howsure.store.text_rules import check_name

if TYPE_CHECKING:
    from howsure.sure import Sure

NAMES = ("agent", "agent_type", "project", "task_id", "trace_id")


@dataclass(frozen=True)
class About:
    """Whom and what something is about."""

    agent: str = ""
    """Name of the agent, always the same; leads to its history."""
    agent_type: str = ""
    """Type of the agent; sets the threshold."""
    project: str | None = None
    """The project it works on; by default the server's."""
    task_id: str | None = None
    """The task."""
    trace_id: str | None = None
    """The trace or session."""

    def about(self) -> dict[str, Any]:
        """Return what is given of it."""
        return {name: value for name in NAMES if (value := getattr(self, name)) is not None}


@dataclass(frozen=True)
class Answer(About):
    """An answer, and what is known about it. What is not given was not looked at."""

    text: str | None = None
    """The answer; left out before anything is generated."""
    knowledge: Unit | None = None
    """Knowledge factor, as a number."""
    retrieved: list[Any] | None = None
    """Or what was retrieved: similarities, or objects with `similarity` or `score`. Empty: nothing was found."""
    code: Code | Unit | Literal["answer"] | None = None
    """Code factor: checks that were made, a number, or "answer" for the blocks of code in the text."""
    certainty: Unit | None = None
    """Certainty factor as a number; by default from the words of the text."""
    history: History | Unit | None = None
    """How the agent has done, as counts or a share; by default from the ledger."""
    threshold: Unit | None = None
    """What has to be reached; by default the nearest that is set."""
    from_trace: bool = False
    """Take knowledge and code from the evidence that was recorded under `trace_id`."""

    def __post_init__(self) -> None:
        """Refuse evidence of no trace."""
        if self.from_trace and not self.trace_id:
            raise InputError("evidence is recorded under a trace", field="trace_id", hint="give it, too")


class Factor(TypedDict):
    """One factor of a decision."""

    name: str
    score: float | None
    """From 0 to 1; null, if it was left out."""
    weight: float
    why: str


class Lift(TypedDict):
    """What would bring an answer to its threshold, all else being equal."""

    factor: str
    needed: float
    change: float
    words: str


class Mark(TypedDict):
    """Words that mark certainty or doubt."""

    kind: Literal["certain", "uncertain"]
    phrase: str
    start: int
    end: int
    negated: bool


class Assessment(TypedDict):
    """What was decided about an answer, and why."""

    id: str
    """By this the ledger knows it, and outcomes are told."""
    at: float
    agent: str
    agent_type: str
    composite: float
    """How sure the answer is."""
    level: str
    threshold: float
    threshold_from: str
    """Where the threshold comes from."""
    threshold_met: bool
    decision: Literal["pass", "block", "review"]
    should_block: bool
    """Whether the answer should not go out as it is."""
    reason: str
    message: str
    """What to say instead; empty where it passes."""
    factors: list[Factor]
    lifts: list[Lift]
    """What would lift it over the threshold, the smallest change first."""
    markers: list[Mark]
    recorded: bool
    warnings: list[str]
    spec: Spec


class Needed(TypedDict):
    """The threshold that an answer has to reach."""

    threshold: float
    threshold_from: str
    """Where it comes from."""


@dataclass(frozen=True)
class Agent:
    """Which agent."""

    agent: str
    """Name of the agent."""


@dataclass(frozen=True)
class Kind:
    """Whose answer it is."""

    agent: str = ""
    """Name of the agent."""
    agent_type: str = ""
    """Type of the agent."""
    project: str | None = None
    """The project it works on; by default the server's."""


@operation(
    "responses.check",
    "POST /v1/responses/check",
    scope="write",
    answer=Assessment,
    example={
        "text": "The cache is tested and documented.",
        "agent": "patcher-1",
        "agent_type": "patcher",
        "retrieved": [0.91, 0.84],
        "code": {"exists": True, "syntax_valid": True, "tests_exist": True, "tests_pass": True},
    },
    tool=Tool(
        "check_response",
        "Check a response",
        "Before an answer goes out: is it sure enough? Give the text, what was retrieved (similarities), what was "
        "checked of its code, and always the same `agent` name; or `trace_id` with `from_trace` to use the evidence "
        "that record_evidence has collected. If the decision is not `pass`, say the `message` instead, or do what "
        "`lifts` says would help most, and check again. The decision is recorded; keep its `id` for record_outcome.",
        parameters=(
            *("text", "agent", "agent_type", "project", "task_id", "trace_id", "from_trace"),
            *("knowledge", "retrieved", "code", "certainty"),
        ),
        omit=("spec", "markers"),
    ),
)
def check(sure: "Sure", given: Answer) -> Any:
    """Decide whether an answer may go out, and write that down before saying it."""
    names = ("knowledge", "retrieved", "code", "certainty", "history", "threshold")
    known = {name: value for name in names if (value := getattr(given, name)) is not None}
    if given.from_trace:
        calls = load_tool_calls(sure.session, check_name(given.trace_id, "trace_id"))
        for name, value in zip(("knowledge", "code"), derive_factors(calls), strict=True):
            if value is not None and name not in known and not (name == "knowledge" and "retrieved" in known):
                known[name] = value
    return sure.responses.check(given.text, **given.about(), **known).as_dict()


@operation(
    "responses.history",
    "GET /v1/responses/history",
    scope="read",
    answer=History,
    example={"agent": "patcher-1"},
    tool="check_response counts it in",
)
def history(sure: "Sure", given: Agent) -> Any:
    """Return how an agent has done within the look-back window: what its next answers are judged by."""
    at = sure.session.at(None)
    return vars(sure.responses.history(check_name(given.agent, "agent"), at))


@operation(
    "responses.threshold",
    "GET /v1/responses/threshold",
    scope="read",
    answer=Needed,
    example={"agent": "patcher-1", "agent_type": "patcher"},
    tool="check_response tells it",
)
def threshold(sure: "Sure", given: Kind) -> Any:
    """Return the threshold that an answer has to reach, and where that is set."""
    about = sure.ledger.about(agent=given.agent, agent_type=given.agent_type, project=given.project)
    found, origin = sure.responses.threshold(about)
    needed = sure.responses.model.threshold(Judged(given.agent_type)) if found is None else found
    return {"threshold": needed, "threshold_from": origin}
