"""Charts as data: pictures of what the library answers, as Vega-Lite specifications."""

from howsure.engine.charts.chart import Chart
from howsure.engine.charts.palette import theme

__all__ = ["Chart", "theme"]
