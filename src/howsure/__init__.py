"""How sure are we? The confidence engine for AI agents.

>>> import howsure
>>> howsure.score("derived", {"constituents": [[0.5, 1.0]], "assessed_upper": 0.8})["upper"]
0.8
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from howsure.errors import HowsureError
    from howsure.formulas.catalog import describe
    from howsure.formulas.catalog import names as model_names
    from howsure.formulas.interval import Interval
    from howsure.formulas.model import Model
    from howsure.formulas.score import Score
    from howsure.formulas.scoring import build, score
    from howsure.graph.python import Graph, Node, Relation
    from howsure.sure import Sure, open  # noqa: A004

_PUBLIC = {
    "Graph": "howsure.graph.python:Graph",
    "HowsureError": "howsure.errors:HowsureError",
    "Interval": "howsure.formulas.interval:Interval",
    "Model": "howsure.formulas.model:Model",
    "Node": "howsure.graph.python:Node",
    "Relation": "howsure.graph.python:Relation",
    "Score": "howsure.formulas.score:Score",
    "Sure": "howsure.sure:Sure",
    "build": "howsure.formulas.scoring:build",
    "describe": "howsure.formulas.catalog:describe",
    "model_names": "howsure.formulas.catalog:names",
    "open": "howsure.sure:open",
    "score": "howsure.formulas.scoring:score",
}

__all__ = [
    "Graph",
    "HowsureError",
    "Interval",
    "Model",
    "Node",
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
