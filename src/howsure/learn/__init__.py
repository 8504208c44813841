"""What outcomes teach: measure scores against outcomes, calibrate them, learn weights, make promises.

Measuring and learning need numpy (the extra `arrays`). Applying a fit does not.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from howsure.learn.evaluation import Evaluation, evaluate
    from howsure.learn.fit import Fit, read_fit
    from howsure.learn.learning import learn_factors, learn_scores
    from howsure.learn.promise import Promise, Watch

__all__ = ["Evaluation", "Fit", "Promise", "Watch", "evaluate", "learn_factors", "learn_scores", "read_fit"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    value: Any
    match name:
        case "Evaluation":
            from howsure.learn.evaluation import Evaluation as value
        case "evaluate":
            from howsure.learn.evaluation import evaluate as value
        case "Fit":
            from howsure.learn.fit import Fit as value
        case "read_fit":
            from howsure.learn.fit import read_fit as value
        case "learn_scores":
            from howsure.learn.learning import learn_scores as value
        case "learn_factors":
            from howsure.learn.learning import learn_factors as value
        case "Promise":
            from howsure.learn.promise import Promise as value
        case "Watch":
            from howsure.learn.promise import Watch as value
        case _:
            raise AttributeError(f"module 'howsure.learn' has no attribute {name!r}")
    return value
