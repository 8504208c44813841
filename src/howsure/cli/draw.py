"""Bars, sparklines and colours for the terminal."""

from rich.text import Text

from howsure.charts.theme import TERMINAL_INTERVAL, TERMINAL_SCORES
from howsure.formulas.interval import Interval

_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(value: float, width: int = 20) -> str:
    """Return a bar for a number from 0 to 1.

    >>> bar(0.5, 4), bar(1.0, 4)
    ('██  ', '████')
    """
    eighths = round(max(0.0, min(value, 1.0)) * width * 8)
    whole, rest = divmod(eighths, 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(width)


def sparkline(values: list[float]) -> str:
    """Return numbers from 0 to 1 as a line of small bars.

    >>> sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    return "".join("▁▂▃▄▅▆▇█"[round(max(0.0, min(value, 1.0)) * 7)] for value in values)


def interval_bar(interval: Interval, width: int = 40, style: str = TERMINAL_INTERVAL) -> Text:
    """Return an interval drawn on a line from 0 to 1."""
    first = min(round(interval.lower * (width - 1)), width - 1)
    last = max(min(round(interval.upper * (width - 1)), width - 1), first)
    text = Text("·" * first, style="dim")
    text.append("━" * (last - first + 1) if last > first else "◆", style=style)
    text.append("·" * (width - 1 - last), style="dim")
    return text


def shade(score: float) -> str:
    """Return the colour of a score: green from 0.75, yellow from 0.5, else red."""
    return next((colour for start, colour in TERMINAL_SCORES if score >= start), TERMINAL_SCORES[-1][1])
