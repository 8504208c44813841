"""Format the measures of scores."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from howsure.learn.evaluation import Evaluation
    from howsure.learn.fit import FitQuality

MEASURES = ("brier", "ece", "log_loss", "auroc")
"""Measures of a fit that are printed."""
CHANCE = 0.5
"""AUROC of scores that say nothing."""
BACKWARDS = "ranks backwards: the higher it is, the more often the outcome is wrong; turn it round, such as 1 - score"


def ranks_backwards(quality: "Evaluation | FitQuality") -> bool:
    """Return whether higher scores are wrong more often, beyond noise."""
    bounds = quality.intervals.get("auroc")
    return bounds is not None and bounds.upper < CHANCE


def format_measure(quality: "Evaluation | FitQuality", name: str, *, undefined: str = "not defined") -> str:
    """Return a measure with its bounds, as far as they are known."""
    value, bounds = getattr(quality, name), quality.intervals.get(name)
    if value is None:
        return undefined
    return f"{value:.4f}" + (f" [{bounds.lower:.4f}, {bounds.upper:.4f}]" if bounds else "")
