"""The names of the source documents, for programs that were written against them. Each is a thin layer over howsure."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from howsure.compat.confidence_scorer import ConfidenceScorer
    from howsure.compat.confidence_service import ConfidenceService
    from howsure.compat.nlnh import AgentType, ConfidenceCalculator, QualityGatesExecutor
    from howsure.compat.synthesize import WeightedSynthesizer

__all__ = [
    "AgentType",
    "ConfidenceCalculator",
    "ConfidenceScorer",
    "ConfidenceService",
    "QualityGatesExecutor",
    "WeightedSynthesizer",
]


def __getattr__(name: str) -> Any:
    """Load a document's names when one is first used, since each needs another part of howsure."""
    match name:
        case "AgentType" | "ConfidenceCalculator" | "QualityGatesExecutor":
            from howsure.compat import nlnh

            return getattr(nlnh, name)
        case "ConfidenceScorer":
            from howsure.compat.confidence_scorer import ConfidenceScorer

            return ConfidenceScorer
        case "ConfidenceService":
            from howsure.compat.confidence_service import ConfidenceService

            return ConfidenceService
        case "WeightedSynthesizer":
            from howsure.compat.synthesize import WeightedSynthesizer

            return WeightedSynthesizer
    raise AttributeError(f"module 'howsure.compat' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
