"""How sure are we? The confidence engine for AI agents.

>>> import howsure
>>> howsure.score("derived", {"constituents": [[0.5, 1.0]], "assessed_upper": 0.8})["upper"]
0.8
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from howsure.core.interval import Interval
    from howsure.core.model import Model
    from howsure.core.score import Score
    from howsure.engine.catalog import describe
    from howsure.engine.catalog import names as model_names
    from howsure.engine.scoring import build, score
    from howsure.engine.sure import Sure, open  # noqa: A004
    from howsure.errors import HowsureError
    from howsure.models.graph import Claim, Graph, Relation

_PUBLIC = {
    "Claim": "howsure.models.graph:Claim",
    "Graph": "howsure.models.graph:Graph",
    "HowsureError": "howsure.errors:HowsureError",
    "Interval": "howsure.core.interval:Interval",
    "Model": "howsure.core.model:Model",
    "Relation": "howsure.models.graph:Relation",
    "Score": "howsure.core.score:Score",
    "Sure": "howsure.engine.sure:Sure",
    "build": "howsure.engine.scoring:build",
    "describe": "howsure.engine.catalog:describe",
    "model_names": "howsure.engine.catalog:names",
    "open": "howsure.engine.sure:open",
    "score": "howsure.engine.scoring:score",
}

__all__ = [
    "Claim",
    "Graph",
    "HowsureError",
    "Interval",
    "Model",
    "Relation",
    "Score",
    "Sure",
    "build",
    "describe",
    "model_names",
    "open",
    "score",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that importing howsure costs next to nothing."""
    from importlib import import_module

    if name not in _PUBLIC:
        raise AttributeError(f"module 'howsure' has no attribute {name!r}")
    module, _, attribute = _PUBLIC[name].partition(":")
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
