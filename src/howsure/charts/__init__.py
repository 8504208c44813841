"""Charts of what the library returns, as Vega-Lite specifications."""

from howsure.charts.chart import Chart
from howsure.charts.theme import theme

__all__ = ["Chart", "theme"]
