"""Colours, fonts and line styles of every chart, for light and dark pages.

This is the one place where the colours of intervals and scores are chosen. The report of a scan gets them as CSS
variables from `css_variables`. The dashboard repeats them in serve/pages/assets/pages.css (`--s0` to `--s4`, `--ink`,
`--card`, ...), and a test compares both. The terminal has 16 colours: `TERMINAL_INTERVAL` and `TERMINAL_SCORES`.
"""

from typing import Any, NamedTuple

TERMINAL_INTERVAL = "cyan"
"""Colour of an interval in the terminal."""
TERMINAL_SCORES = ((0.75, "green"), (0.5, "yellow"), (0.0, "red"))
"""Colours of scores in the terminal: each from this score up."""
FONT = "Inter, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


class Palette(NamedTuple):
    """Colours by what they mean."""

    card: str
    """Background of a chart."""
    ink: str
    quiet: str
    line: str
    rail: str
    """The empty part of a bar's row."""
    accent: str
    """The main data of a chart."""
    alarm: str
    scores: tuple[str, ...]
    """Bands of scores, from the lowest to the highest."""
    unknown: str
    score_ink: str
    """Text on the colour of a band."""
    kinds: tuple[str, ...]
    """Categories that are neither good nor bad."""
    frames: tuple[str, str]
    """Background and border of a folder."""
    edge: str
    """Outlines of coloured areas, for contrast."""


LIGHT = Palette(
    card="#ffffff",
    ink="#16202b",
    quiet="#55606d",
    line="#dfe3e8",
    rail="#e6e9ee",
    accent="#0b5c86",
    alarm="#ac2a14",
    scores=("#ea6a50", "#f3a45f", "#f4d67e", "#a3d3d6", "#4ba3bd"),
    unknown="#d3d9e0",
    score_ink="#14202b",
    kinds=("#0b5c86", "#d0811f", "#7a58b8", "#3f9a8a", "#b4536f", "#7d8894"),
    frames=("#eef0f3", "#c9d0d8"),
    edge="#55606d",
)
DARK = Palette(
    card="#171f27",
    ink="#e9eef3",
    quiet="#a3b0bd",
    line="#2a3540",
    rail="#2b3641",
    accent="#7cc4e2",
    alarm="#ff9f88",
    scores=("#dc6449", "#d98e4a", "#d3b862", "#7fb3b8", "#3f95b3"),
    unknown="#76838f",
    score_ink="#0d151c",
    kinds=("#7cc4e2", "#e3a45c", "#b59df0", "#6fc4b2", "#e58aa3", "#8b97a3"),
    frames=("#1e2831", "#364350"),
    edge="#0d151c",
)


def css_variables() -> str:
    """Return the palette as CSS variables, for light and dark pages: those that the HTML report uses."""
    return (
        f":root {{ {_css_variables(LIGHT)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {_css_variables(DARK)} }} }}\n"
    )


def _css_variables(palette: Palette) -> str:
    names = ("card", "ink", "quiet", "line", "rail", "alarm")
    variables = {name: getattr(palette, name) for name in names}
    variables |= {"link": palette.accent, "focus": palette.accent, "s-ink": palette.score_ink}
    variables |= {"frame": palette.frames[0], "frame-line": palette.frames[1]}
    variables |= {f"s{band}": colour for band, colour in enumerate(palette.scores)}
    return " ".join(f"--{name}: {value};" for name, value in variables.items())


def theme(dark: bool = False) -> dict[str, Any]:
    """Return the Vega-Lite config of all charts, to use beside a chart's specification."""
    palette = DARK if dark else LIGHT
    words = {"labelColor": palette.quiet, "labelFontSize": 12, "labelFontWeight": 400}
    titled = {"titleColor": palette.quiet, "titleFontSize": 12, "titleFontWeight": 400}
    return {
        "background": palette.card,
        "font": FONT,
        "padding": 16,
        "view": {"stroke": None, "continuousWidth": 640, "continuousHeight": 260},
        "title": {"color": palette.ink, "fontSize": 15, "fontWeight": 600, "offset": 14},
        "axis": words | titled | _axis(palette),
        "axisX": {"labelFlush": True},
        "axisY": {"labelFlush": False},
        "legend": words | titled | {"symbolStrokeWidth": 0, "symbolSize": 90, "offset": 10, "columnPadding": 14},
        "range": {
            "category": list(palette.kinds),
            "ordinal": [*palette.scores, palette.unknown],
            "diverging": [palette.scores[0], palette.scores[2], palette.scores[4]],
        },
        "style": _styles(palette),
    }


def _axis(palette: Palette) -> dict[str, Any]:
    return {"gridColor": palette.line, "domain": False, "ticks": False, "labelPadding": 6, "titlePadding": 8}


def _styles(palette: Palette) -> dict[str, Any]:
    """Return the styles of marks by what they mean."""
    small, medium = {"fontSize": 12}, {"fontSize": 13}
    words = {
        "label": {"color": palette.ink, **medium},
        "number": {"color": palette.quiet, **small},
        "note": {"color": palette.quiet, **small},
        "quiet": {"color": palette.quiet, **medium},
        "tile": {"color": palette.score_ink, **small},
    }
    areas = {
        "rail": {"color": palette.rail},
        "bar": {"stroke": palette.edge, "strokeWidth": 1},
        "outline": {"color": palette.ink, "strokeWidth": 1},
        "interval": {"color": palette.scores[4], "fillOpacity": 0.5},
        "projected": {"color": palette.scores[4], "fillOpacity": 0.2},
        "stack": {"stroke": palette.edge, "strokeWidth": 0.75},
        "frame": {"color": palette.frames[0], "stroke": palette.frames[1], "strokeWidth": 0.75},
        "tile-area": {"stroke": palette.card, "strokeWidth": 0.5},
    }
    lines = {
        "middle": {"color": palette.ink, "strokeWidth": 2},
        "bound": {"color": palette.accent, "strokeWidth": 1.5},
        "trend": {"color": palette.accent, "strokeWidth": 2},
        "error": {"color": palette.accent, "strokeWidth": 1.5},
        "guide": {"color": palette.quiet, "strokeWidth": 1},
        "limit": {"color": palette.alarm, "strokeWidth": 1.25},
        "now": {"color": palette.ink, "strokeWidth": 1.25},
        "base": {"color": palette.line, "strokeWidth": 1},
    }
    points = {
        "dot": {"color": palette.accent, "stroke": palette.card, "strokeWidth": 1},
        "event": {"color": palette.accent},
        "node": {"stroke": palette.ink, "strokeWidth": 1.25},
        "ring": {"color": palette.ink, "strokeWidth": 1.5},
    }
    kinds = {"supports": palette.accent, "contradicts": palette.alarm, "other": palette.quiet}
    edges = {name: {"color": colour, "strokeWidth": 1.75} for name, colour in kinds.items()}
    heads = {f"{name}-head": {"color": colour} for name, colour in kinds.items()}
    return words | areas | lines | points | edges | heads
