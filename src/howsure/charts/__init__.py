"""Charts as data: pictures of what the library answers, as Vega-Lite specifications."""

from howsure.charts.chart import Chart
from howsure.charts.theme import theme

__all__ = ["Chart", "theme"]
