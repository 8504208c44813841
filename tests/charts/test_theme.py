"""Colours have enough contrast and are the same on every page."""

from typing import Any

import pytest

from howsure.charts import theme
from howsure.charts.theme import DARK, LIGHT, css_variables
from howsure.documents.labels import SCORE_BANDS
from tests.charts.story import Opened
from tests.conftest import ROOT


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_lines_have_enough_contrast(palette: Any) -> None:
    for colour in (palette.ink, palette.quiet, palette.accent, palette.alarm):
        assert _contrast(colour, palette.card) >= 4.5
    for colour in (palette.ink, palette.quiet):
        assert _contrast(colour, palette.frames[0]) >= 4.5
    for band in (*palette.scores, palette.unknown):
        assert _contrast(palette.score_ink, band) >= 4.5
    for colour in palette.kinds:
        assert _contrast(colour, palette.card) >= 3.0
    assert len({*palette.scores, palette.unknown}) == len(SCORE_BANDS) + 1


def test_colours_are_those_of_the_page_of_documents() -> None:
    light, dark = css_variables().split("@media (prefers-color-scheme: dark)", 1)
    for text, palette in ((light, LIGHT), (dark, DARK)):
        assert f"--ink: {palette.ink}" in text
        assert f"--card: {palette.card}" in text
        assert all(f"--s{place}: {colour}" in text for place, colour in enumerate(palette.scores))


def test_colours_are_those_of_the_dashboard() -> None:
    css = (ROOT / "src/howsure/serve/pages/assets/pages.css").read_text()
    for name in ("ink", "card", "quiet", "line", "rail", "alarm"):
        assert f"--{name}: light-dark({getattr(LIGHT, name)}, {getattr(DARK, name)})" in css
    for place, (light, dark) in enumerate(zip(LIGHT.scores, DARK.scores, strict=True)):
        assert f"--s{place}: light-dark({light}, {dark})" in css


def test_a_theme_is_data_of_its_own(opened: Opened) -> None:
    changed = theme(True)
    changed["style"]["label"]["color"] = "red"
    assert theme(True)["style"]["label"]["color"] == DARK.ink
    assert theme(False) != theme(True)
    assert set(theme(False)["style"]) == set(theme(True)["style"])


def _contrast(first: str, second: str) -> float:
    """Return the contrast of two colours, as WCAG counts it."""

    def light(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(first), light(second)))
    return (high + 0.05) / (low + 0.05)
