"""The models: list and describe them, score with them, and record what they decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from howsure.asynchronous import asynchronous
from howsure.errors import NotFoundError, UnknownNameError
from howsure.formulas import catalog
from howsure.formulas.scoring import Scorer
from howsure.ledger.recorder import AgentName, AgentType, ProjectName, Recorder, TaskId, TraceId
from howsure.operation import operation
from howsure.parameters import configured
from howsure.shapes import Doc, Local, Moment, Wire
from howsure.shapes.encode import encode

ModelName = Annotated[str, Doc("`claims`, a claim formula, or another model.", example="response")]
Case = Annotated[
    Mapping[str, Any],
    Wire(dict[str, Any]),
    Doc("The case to score; `GET /v1/models/{model}` describes it."),
]


@dataclass(frozen=True)
class ModelSummary:
    """A model in a few words."""

    name: str
    version: int
    reads: str
    """What it scores: claims, or its own kind of case."""
    summary: str


@dataclass(frozen=True)
class ModelDescription(ModelSummary):
    """Everything about a model."""

    about: str
    parameters: dict[str, Any]
    """Each with its default, meaning and schema."""
    input: dict[str, Any]
    """The case that it reads, as JSON Schema."""
    row: dict[str, str]
    """The numbers that go into the formula, with their meaning."""
    steps: dict[str, str]
    """The numbers that come out of it, with their meaning."""


@dataclass(frozen=True)
class ModelList:
    """Every model."""

    models: list[ModelSummary]


class RecordedScore(NamedTuple):
    """A score that was recorded in the ledger."""

    id: str
    """Id of the decision."""
    score: dict[str, Any]
    """The answer of the model, with its row, steps and specification."""


class Models:
    """The models that scores are computed by."""

    def __init__(self, recorder: Recorder) -> None:
        """Record scores with a recorder."""
        self._recorder = recorder

    @operation("GET /v1/models", scope="read")
    def list(self) -> ModelList:
        """Return every model: the claim formulas, and those of investigations, responses, syntheses and documents."""
        names = [*catalog.formulas(), *(name for name in catalog.names() if name != catalog.CLAIMS)]
        described = [catalog.describe(name) for name in names]
        return ModelList([ModelSummary(one["name"], one["version"], one["reads"], one["summary"]) for one in described])

    @operation("GET /v1/models/{model}", scope="read", example={"model": "response"})
    def get(self, model: ModelName) -> ModelDescription:
        """Return a model with its parameters, its input as JSON Schema, and its steps.

        Raises:
            NotFoundError: if there is no such model.
        """
        _check_exists(model)
        return ModelDescription(**catalog.describe(model))

    @operation(
        "POST /v1/models/{model}/score",
        scope="read",
        example={
            "model": "claims",
            "formulas": ["noisy_or", "beta"],
            "data": {
                "now": 1800000000,
                "provenance": [{"source_type": "user", "source_id": "ann", "contribution": 0.8}],
            },
        },
    )
    def score(
        self,
        model: ModelName,
        data: Case,
        *,
        formulas: Sequence[str] = (),
        parameters: Annotated[Mapping[str, Any] | None, Wire(dict[str, Any] | None)] = None,
        now: Moment | None = None,
    ) -> dict[str, Any]:
        """Score a case with a model, with every step; a claim with several formulas at once.

        Nothing is recorded.

        Args:
            formulas: For claims: the formulas to score with, or `all`; default: one.
            parameters: Parameters of the model that differ from their defaults.
            now: The moment for claims that have none of their own; default: the present.

        Raises:
            NotFoundError: if there is no such model.
        """
        _check_exists(model)
        return self._scorer(model, formulas, parameters, now)(data)

    @operation(
        "POST /v1/models/{model}/record",
        scope="write",
        example={"model": "overall", "data": {"results": [{"confidence": 0.9, "content": "yes"}]}, "agent": "merger-1"},
    )
    def record(
        self,
        model: ModelName,
        data: Case,
        *,
        agent: AgentName = "",
        agent_type: AgentType = "",
        project: ProjectName | None = None,
        task_id: TaskId | None = None,
        trace_id: TraceId | None = None,
        now: Annotated[float | None, Local()] = None,
    ) -> RecordedScore:
        """Score a case with any model, and record the decision in the ledger.

        Raises:
            NotFoundError: if there is no such model.
        """
        from howsure.documents.recorded_scans import check_task

        _check_exists(model)
        check_task(model, task_id)
        subject = self._recorder.subject(
            agent=agent, agent_type=agent_type, project=project, task_id=task_id, trace_id=trace_id
        )
        (scored,) = self._scorer(model).scores(data)
        return RecordedScore(self._recorder.record(scored, subject, now=now), encode(scored))

    arecord = asynchronous(record)

    def _scorer(
        self,
        model: str,
        formulas: Sequence[str] = (),
        parameters: Mapping[str, Any] | None = None,
        now: float | None = None,
    ) -> Scorer:
        """Return a scorer with the parameters of the settings."""
        session = self._recorder.session
        return Scorer(model, formulas, parameters, session.at(now), lambda kind: configured(kind, session.settings))


def _check_exists(model: str) -> None:
    try:
        catalog.find(model)
    except UnknownNameError as error:
        raise NotFoundError(error.problem, field="model", hint=error.hint) from None
