"""The names of the source documents, for programs that were written against them. Each is thin over the engine."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from howsure.compat.confidence_scorer import ConfidenceScorer
    from howsure.compat.confidence_service import ConfidenceService
    from howsure.compat.nlnh import AgentType, ConfidenceCalculator, QualityGatesExecutor
    from howsure.compat.synthesize import WeightedSynthesizer

_PUBLIC = {
    "AgentType": "howsure.compat.nlnh",
    "ConfidenceCalculator": "howsure.compat.nlnh",
    "ConfidenceScorer": "howsure.compat.confidence_scorer",
    "ConfidenceService": "howsure.compat.confidence_service",
    "QualityGatesExecutor": "howsure.compat.nlnh",
    "WeightedSynthesizer": "howsure.compat.synthesize",
}

__all__ = [
    "AgentType",
    "ConfidenceCalculator",
    "ConfidenceScorer",
    "ConfidenceService",
    "QualityGatesExecutor",
    "WeightedSynthesizer",
]


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: each document needs another part of the engine."""
    from importlib import import_module

    if name not in _PUBLIC:
        raise AttributeError(f"module 'howsure.compat' has no attribute {name!r}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
