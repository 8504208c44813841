"""How sure are we? The confidence engine for AI agents.

>>> import howsure
>>> howsure.score("derived", {"constituents": [[0.5, 1.0]], "assessed_upper": 0.8})["upper"]
0.8
"""

from typing import TYPE_CHECKING, Any

from howsure.version import __version__ as __version__

if TYPE_CHECKING:
    from howsure import learn as learn
    from howsure.claims.claim import Claim
    from howsure.default_gate import gate as gate
    from howsure.errors import HowsureError
    from howsure.formulas.catalog import describe
    from howsure.formulas.catalog import names as model_names
    from howsure.formulas.interval import Interval
    from howsure.formulas.model import Model
    from howsure.formulas.score import Score
    from howsure.formulas.scoring import build, score
    from howsure.fusion.api import fuse as fuse
    from howsure.graph.python import Graph, Node, Relation
    from howsure.learn.evaluation import evaluate as evaluate
    from howsure.store.claim_tables.selection import Selection
    from howsure.sure import Sure, open  # noqa: A004

__all__ = [
    "Claim",
    "Graph",
    "HowsureError",
    "Interval",
    "Model",
    "Node",
    "Relation",
    "Score",
    "Selection",
    "Sure",
    "build",
    "describe",
    "evaluate",
    "fuse",
    "gate",
    "model_names",
    "open",
    "score",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import howsure` stays cheap."""
    value: Any
    match name:
        case "Graph":
            from howsure.graph.python import Graph as value
        case "Node":
            from howsure.graph.python import Node as value
        case "Relation":
            from howsure.graph.python import Relation as value
        case "HowsureError":
            from howsure.errors import HowsureError as value
        case "Interval":
            from howsure.formulas.interval import Interval as value
        case "Model":
            from howsure.formulas.model import Model as value
        case "Score":
            from howsure.formulas.score import Score as value
        case "Claim":
            from howsure.claims.claim import Claim as value
        case "Selection":
            from howsure.store.claim_tables.selection import Selection as value
        case "Sure":
            from howsure.sure import Sure as value
        case "open":
            from howsure.sure import open as value
        case "build":
            from howsure.formulas.scoring import build as value
        case "score":
            from howsure.formulas.scoring import score as value
        case "describe":
            from howsure.formulas.catalog import describe as value
        case "model_names":
            from howsure.formulas.catalog import names as value
        case "gate":
            from howsure.default_gate import gate as value
        case "evaluate":
            from howsure.learn.evaluation import evaluate as value
        case "fuse":
            from howsure.fusion.api import fuse as value
        case "learn":
            import howsure.learn as value
        case _:
            raise AttributeError(f"module 'howsure' has no attribute {name!r}")
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
