"""Models: what there is to score by, and scoring by it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from howsure.errors import NotFoundError, UnknownNameError
from howsure.formulas import catalog
from howsure.formulas.scoring import Scorer
from howsure.formulas.spec import Spec
from howsure.serve.operations.operation import FEW, operation
from howsure.serve.operations.responses import About
from howsure.shapes import Moment

if TYPE_CHECKING:
    from howsure.sure import Sure


def _known(name: str) -> None:
    try:
        catalog.find(name)
    except UnknownNameError as error:
        raise NotFoundError(error.problem, field="model", hint=error.hint) from None


@dataclass(frozen=True)
class Nothing:
    """No parameters."""


class Scored(TypedDict):
    """A score with its inputs and steps; other fields depend on the model."""

    row: dict[str, Any]
    """The numbers that went into the formula."""
    steps: dict[str, Any]
    """The numbers that came out of it, in order."""
    spec: Spec
    """The model: name, version and parameters."""


@dataclass(frozen=True)
class ModelName:
    """Which model."""

    model: str
    """`claims`, the name of a claim formula, or of another model."""


@dataclass(frozen=True)
class Case(ModelName):
    """A case to score."""

    data: dict[str, Any]
    """What the model reads; `GET /v1/models/{model}` describes it."""
    formulas: tuple[str, ...] = ()
    """For claims: the formulas to score by, or `all`; by default one."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """Parameters of the model that differ from the usual ones."""
    now: Moment | None = None
    """For claims that bring no moment of their own; by default the present."""


@dataclass(frozen=True)
class Recorded(About):
    """A case to score and to write down."""

    model: str = ""
    """The model."""
    data: dict[str, Any] = field(default_factory=dict)
    """What the model reads."""


class Summary(TypedDict):
    """A model in a few words."""

    name: str
    version: int
    reads: str
    """What it is handed: claims, or its own kind of case."""
    summary: str


class Models(TypedDict):
    """Every model."""

    models: list[Summary]


class Description(Summary):
    """All there is to know about a model."""

    about: str
    parameters: dict[str, Any]
    """Each with its default, meaning and schema."""
    input: dict[str, Any]
    """What it reads, as JSON Schema."""
    row: dict[str, str]
    """The numbers that go into the formula, and what they mean."""
    steps: dict[str, str]
    """The numbers that come out."""


class Assessed(TypedDict):
    """A score that was written down."""

    id: str
    """By this the ledger knows it."""
    score: Scored


@operation("models.list", "GET /v1/models", scope="read", answer=Models, tool=FEW)
def list_(_sure: "Sure", _given: Nothing) -> Any:
    """Return every model: the claim formulas, and those of investigations, responses, syntheses and documents."""
    names = [*catalog.formulas(), *(name for name in catalog.names() if name != catalog.CLAIMS)]
    kept = ("name", "version", "reads", "summary")
    return {"models": [{key: about[key] for key in kept} for about in map(catalog.describe, names)]}


@operation(
    "models.get", "GET /v1/models/{model}", scope="read", answer=Description, example={"model": "response"}, tool=FEW
)
def get(_sure: "Sure", given: ModelName) -> Any:
    """Return a model with its parameters, its input as JSON Schema, and its steps."""
    _known(given.model)
    return catalog.describe(given.model)


@operation(
    "models.score",
    "POST /v1/models/{model}/score",
    scope="read",
    answer=dict[str, Any],
    example={
        "model": "claims",
        "formulas": ["noisy_or", "beta"],
        "data": {
            "now": 1800000000,
            "provenance": [{"source_type": "user", "source_id": "ann", "contribution": 0.8}],
        },
    },
    tool="remember_claim, check_response and the others score what agents have",
)
def score(sure: "Sure", given: Case) -> Any:
    """Score a case by a model, with every step; a claim by several formulas at once. Nothing is written down."""
    _known(given.model)
    now = sure.session.at(given.now)
    return Scorer(given.model, given.formulas, given.parameters, now)(given.data)


@operation(
    "assess",
    "POST /v1/models/{model}/assess",
    scope="write",
    answer=Assessed,
    example={"model": "overall", "data": {"results": [{"confidence": 0.9, "content": "yes"}]}, "agent": "merger-1"},
    tool="remember_claim, check_response and the others score what agents have",
)
def assess(sure: "Sure", given: Recorded) -> Any:
    """Score a case by any model, and write that into the ledger."""
    _known(given.model)
    id_, found = sure.assess(given.model, given.data, **given.about())
    return {"id": id_, "score": found.as_dict()}
