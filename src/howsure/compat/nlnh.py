"""Names of the document "NLNH confidence scoring workflow".

`python -m howsure.compat.nlnh planner archon-planner-1 0.8 0.9 0.7` prints the same as the document's command line.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from howsure.errors import HowsureError, InputError, nearest, shown
from howsure.formulas.response import ResponseCase
from howsure.formulas.response_case import AgentHistory, CodeChecks, Similarity, agent_kind
from howsure.ledger.jsonl import FACTORS
from howsure.ledger.statistics import DecisionGroup
from howsure.responses.gate import ResponseDecision
from howsure.responses.knowledge import similarities
from howsure.responses.quality import QualityReport, quality_gate
from howsure.shapes import HOUR, Amount, Unit, decode, decode_as
from howsure.sure import open as open_store
from howsure.wording import utc_time

USAGE = "usage: python -m howsure.compat.nlnh AGENT_TYPE AGENT_NAME KNOWLEDGE CODE CERTAINTY"
"""The usage line of the command."""


class AgentType(StrEnum):
    """Agent types with thresholds of their own."""

    PLANNER = "planner"
    PATCHER = "patcher"
    VALIDATOR = "validator"
    DGTS_ENFORCER = "dgts_enforcer"
    CLERK = "clerk"


@dataclass(frozen=True)
class ConfidenceFactors:
    """The four factors, from 0 to 1; None for one that was left out."""

    knowledge_base_score: float | None
    code_validation_score: float | None
    response_certainty_score: float | None
    agent_history_score: float


@dataclass(frozen=True)
class ConfidenceResult:
    """The decision about a response."""

    timestamp: str
    agent_name: str
    agent_type: str
    task_id: str | None
    composite_confidence: float
    confidence_level: str
    """HIGH, MODERATE, LOW or VERY_LOW."""
    agent_threshold: float
    threshold_met: bool
    should_block: bool
    """Whether to say "I don't know": below the threshold, or neither knowledge nor code was checked."""
    block_reason: str | None
    """Why it is blocked; None if it is not."""
    factors: ConfidenceFactors


class _WithStore:
    """Opens a store: a file, a postgresql:// address, or by default the user's own."""

    def __init__(self, store: str | Path | None = None) -> None:
        """Open the store."""
        self.sure = open_store(None if store is None else str(store))
        """The open store, for everything that the document has no name for."""

    def close(self) -> None:
        """Close the store."""
        self.sure.close()

    def __enter__(self) -> Self:
        """Return the object itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


class ConfidenceCalculator(_WithStore):
    """Scores responses by four factors against the threshold of the agent's type, and records the decisions."""

    def calculate_confidence(
        self,
        agent_type: AgentType | str,
        agent_name: str,
        knowledge_base_score: float | None,
        code_validation_score: float | None,
        response_certainty_score: float | None,
        agent_history_score: float | None = None,
        task_id: str | None = None,
    ) -> ConfidenceResult:
        """Decide whether a response may be sent; the decision is recorded before it is returned.

        A factor that is None is left out. The history comes from the store unless it is given.
        """
        decision = self.sure.responses.check(
            agent=agent_name,
            agent_type=str(agent_type),
            task_id=task_id,
            knowledge=_factor(knowledge_base_score, "knowledge_base_score"),
            code=_factor(code_validation_score, "code_validation_score"),
            certainty=_factor(response_certainty_score, "response_certainty_score"),
            history=_factor(agent_history_score, "agent_history_score"),
            policy="nlnh",
            shadow=False,
        )
        return _result(decision, task_id)

    def calculate_knowledge_base_score(
        self, retrieval_results: Iterable[Any], relevance_threshold: float = 0.7
    ) -> float:
        """Return the relevance of retrieved results: the best similarity, and a bonus for each relevant one."""
        wanted = decode_as(Similarity, relevance_threshold, "relevance_threshold")
        model = replace(self.sure.responses.policies.nlnh, relevant_from=wanted)
        return model.knowledge_base(ResponseCase(similarities=similarities(retrieval_results))) or 0.0

    def calculate_code_validation_score(
        self,
        code_exists: bool = False,
        syntax_valid: bool = False,
        type_valid: bool = False,
        tests_exist: bool = False,
        tests_pass: bool = False,
    ) -> float:
        """Return the sum of the points for the checks of the code."""
        code = decode(
            CodeChecks,
            {
                "exists": code_exists,
                "syntax_valid": syntax_valid,
                "types_valid": type_valid,
                "tests_exist": tests_exist,
                "tests_pass": tests_pass,
            },
        )
        return self.sure.responses.policies.nlnh.code_validation(ResponseCase(code=code)) or 0.0

    def calculate_response_certainty_score(self, response_text: str) -> float:
        """Return how certain a text sounds: 0.5, more for each certain phrase, less for each doubtful one."""
        answer = ResponseCase(response=decode_as(str, response_text, "response_text"))
        return self.sure.responses.policies.nlnh.certainty(answer) or 0.0

    def calculate_agent_history_score(self, agent_name: str, lookback_hours: float = 24) -> float:
        """Return the share of an agent's responses that were right, or met the threshold if the outcome is unknown."""
        past = self._past(agent_name, lookback_hours)
        history = AgentHistory(past.met, past.total, past.right, past.outcomes)
        return self.sure.responses.policies.nlnh.history(ResponseCase(history=history))

    def get_agent_statistics(self, agent_name: str, lookback_hours: float = 168) -> dict[str, Any]:
        """Return statistics of an agent. Responses held for review count as blocked; shares are 0 without decisions."""
        past = self._past(agent_name, lookback_hours)
        return {
            "total_executions": past.total,
            "success_rate": past.success_rate or 0.0,
            "average_confidence": past.mean_confidence or 0.0,
            "blocked_count": past.blocked + past.reviewed,
            "threshold": past.threshold,
        }

    def _past(self, agent: str, hours: float) -> DecisionGroup:
        until = self.sure.session.at(None)
        since = until - decode_as(Amount, hours, "lookback_hours") * HOUR
        return self.sure.ledger.stats(agent=agent, since=since, until=until).all

    def export_history(self, folder: str | Path) -> int:
        """Write the decisions to confidences-YYYY-MM-DD.jsonl files, as in the document; return how many."""
        return self.sure.ledger.export(Path(folder))


def _factor(score: float | None, name: str) -> float | None:
    return None if score is None else float(decode_as(Unit, score, name))


def _result(decision: ResponseDecision, task_id: str | None) -> ConfidenceResult:
    scores: dict[str, Any] = {FACTORS[factor.name]: factor.score for factor in decision.factors}
    return ConfidenceResult(
        timestamp=utc_time(decision.at).isoformat().replace("+00:00", "Z"),
        agent_name=decision.agent,
        agent_type=decision.agent_type,
        task_id=task_id,
        composite_confidence=decision.composite,
        confidence_level=decision.level,
        agent_threshold=decision.threshold,
        threshold_met=bool(decision.score.steps.reached),
        should_block=not decision.passed,
        block_reason=None if decision.passed else decision.reason,
        factors=ConfidenceFactors(**scores),
    )


class QualityGatesExecutor(_WithStore):
    """Runs the quality gate after an implementation."""

    def execute_post_implementation_gate(
        self,
        agent_name: str = "",
        agent_type: AgentType | str = "",
        *,
        folder: str | Path = ".",
        coverage: str | Path | None = None,
        **others: Any,
    ) -> QualityReport:
        """Check tests, coverage and the agent's confidence, as `howsure.responses.quality.quality_gate` does."""
        report = None if coverage is None else Path(coverage)
        return quality_gate(
            self.sure, folder=Path(folder), agent=agent_name, agent_type=str(agent_type), coverage=report, **others
        )


def format_result(result: ConfidenceResult) -> str:
    """Return a result as the document's command line prints it."""
    names = {"Knowledge Base": "knowledge_base", "Code Validation": "code_validation"}
    names |= {"Response Certainty": "response_certainty", "Agent History": "agent_history"}
    factors = [f"  {title}: {getattr(result.factors, f'{name}_score'):.2%}" for title, name in names.items()]
    lines = [
        f"Composite Confidence: {result.composite_confidence:.2%}",
        f"Confidence Level: {result.confidence_level}",
        f"Threshold: {result.agent_threshold:.2%}",
        f"Threshold Met: {result.threshold_met}",
        f"Should Block: {result.should_block}",
        "",
        "Factor Scores:",
        *factors,
    ]
    return "\n".join(lines) + "\n"


def _decide(arguments: Sequence[str]) -> ConfidenceResult:
    """Decide about the response that the command line describes."""
    if len(arguments) != 5:  # noqa: PLR2004 - type, name, three factors
        raise InputError(f"expected 5 arguments, got {len(arguments)}")
    kind, name, *factors = arguments
    if agent_kind(kind) not in list(AgentType):
        raise InputError(f"unknown agent type {shown(kind)}", field="AGENT_TYPE", hint=nearest(kind, AgentType))
    try:
        knowledge, code, certainty = map(float, factors)
    except ValueError as error:
        raise InputError(str(error)) from None
    with ConfidenceCalculator() as calculator:
        return calculator.calculate_confidence(AgentType(agent_kind(kind)), name, knowledge, code, certainty)


def main(arguments: Sequence[str]) -> int:
    """Decide about a response and print the decision; return 0, 1 if it is blocked, or 2 on an error."""
    try:
        result = _decide(arguments)
    except HowsureError as error:
        sys.stderr.write(f"howsure: {error}\n" + (f"{USAGE}\n" if isinstance(error, InputError) else ""))
        return 2
    sys.stdout.write(format_result(result))
    return int(result.should_block)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
