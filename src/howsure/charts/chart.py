"""A chart: its Vega-Lite specification, a description in words, and the numbers behind it."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Annotated, Any

from howsure.charts.theme import theme
from howsure.datafiles import write_output
from howsure.errors import InputError, MissingExtraError, shown
from howsure.shapes import Within, decode_as

MIME = "application/vnd.vegalite.v5+json"
"""The type under which notebooks draw a chart. Most know version 5, which equals 6 for what is used here."""
_NOTEBOOKS = "https://vega.github.io/schema/vega-lite/v5.json"
WIDTH = 720
"""Default width in pixels."""
Pixels = Annotated[int, Within(240, 4000)]
"""A valid width."""
Scale = Annotated[float, Within(0.1, 10.0)]
"""Pixels of a PNG per pixel of the chart."""
SUFFIXES = (".svg", ".png", ".json")
"""File formats of a chart."""
_LETTER = 8.4
"""Estimated width of a character of the title in pixels."""


@dataclass(frozen=True)
class Chart:
    """A chart of what the library returns. Notebooks draw it; `svg`, `png` and `save` need the extra `plot`."""

    name: str
    """The kind of chart: claims, waterfall, life, ..."""
    title: str
    about: str
    """What the chart shows, in words and numbers, for people who cannot see it."""
    spec: dict[str, Any] = field(repr=False)
    """The Vega-Lite specification, as wide as its container, without title and theme."""
    rows: Sequence[dict[str, Any]] = field(repr=False)
    """The numbers behind it as flat rows, to show as a table."""

    def standalone(self, *, dark: bool = False, width: int | None = None) -> dict[str, Any]:
        """Return the specification with title and theme, and optionally a width in pixels."""
        wide = {} if width is None else {"width": decode_as(Pixels, width, "width")}
        lines = textwrap.wrap(self.title, int((width or WIDTH) / _LETTER)) or [""]
        title = {"text": lines, "anchor": "start", "frame": "bounds"}
        return self.spec | {"title": title, "config": theme(dark)} | wide

    def svg(self, *, dark: bool = False, width: int = WIDTH) -> str:
        """Return the chart as SVG, with its description for screen readers."""
        drawn: str = _converter().vegalite_to_svg(self.standalone(dark=dark, width=width), allowed_base_urls=[])
        return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(f"{self.title}. {self.about}")}" ', 1)

    def png(self, *, dark: bool = False, scale: float = 2.0, width: int = WIDTH) -> bytes:
        """Return the chart as PNG; a scale of 2 is sharp on high-resolution screens."""
        fine, picture = decode_as(Scale, scale, "scale"), self.standalone(dark=dark, width=width)
        drawn: bytes = _converter().vegalite_to_png(picture, scale=fine, allowed_base_urls=[])
        return drawn

    def save(self, path: str | Path, *, dark: bool = False, width: int | None = None) -> Path:
        """Write the chart to a .svg, .png or .json file, atomically.

        Raises:
            InputError: if the file name has another suffix or cannot be written.
        """
        place = Path(path)
        check_path(place)
        content = self._content(place.suffix.lower(), dark=dark, width=width)
        write_output(place, content)
        return place

    def _content(self, form: str, *, dark: bool, width: int | None) -> bytes:
        wide = WIDTH if width is None else width
        if form == ".png":
            return self.png(dark=dark, width=wide)
        if form == ".svg":
            return self.svg(dark=dark, width=wide).encode()
        import orjson

        document = self.standalone(dark=dark, width=width)
        return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:  # noqa: ARG002 - as called
        """Return the chart for notebooks."""
        picture = self.standalone(width=WIDTH) | {"$schema": _NOTEBOOKS}
        return {MIME: picture, "text/plain": f"{self.title}\n{self.about}"}


def check_path(place: Path) -> None:
    """Raise InputError unless a chart can be saved there: a plain file with a known suffix, in a folder that exists."""
    if place.suffix.lower() not in SUFFIXES:
        hint = f"a name that ends in {', '.join(SUFFIXES)}"
        raise InputError(f"unknown chart format {shown(place.name)}", field="out", hint=hint)
    if not place.parent.is_dir():
        raise InputError(f"the folder {place.parent} does not exist", field="out", hint="create it first")
    if place.is_symlink() or (place.exists() and not place.is_file()):
        raise InputError(f"{place} is not a plain file", field="out", hint="choose a new file or one to replace")


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("plot", "drawing charts as files") from None
    return vl_convert
