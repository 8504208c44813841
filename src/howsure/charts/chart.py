"""A chart: a picture as data, the same in words, and the numbers behind it."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Annotated, Any

from howsure.charts.theme import theme
from howsure.errors import InputError, MissingExtraError, shown
from howsure.files import atomic_write
from howsure.shapes import Within, decode_as

MIME = "application/vnd.vegalite.v5+json"
"""By this notebooks know what to draw; most know version 5, which is the same as 6 for all that is used here."""
_NOTEBOOKS = "https://vega.github.io/schema/vega-lite/v5.json"
WIDTH = 720
"""Pixels: as wide as a chart is drawn, unless another width is asked for."""
Pixels = Annotated[int, Within(240, 4000)]
"""As wide as a chart may be."""
Scale = Annotated[float, Within(0.1, 10.0)]
"""As fine as a picture may be."""
SUFFIXES = (".svg", ".png", ".json")
"""Files that a chart can be saved as."""
_LETTER = 8.4
"""How wide a letter of a title is, about."""


@dataclass(frozen=True)
class Chart:
    """A picture of what the library answers. Notebooks draw it; `svg`, `png` and `save` need the extra `plot`."""

    name: str
    """Which chart it is: claims, waterfall, life, ..."""
    title: str
    about: str
    """What the picture shows, in words and numbers: for those who do not see it."""
    spec: dict[str, Any] = field(repr=False)
    """The picture in Vega-Lite, as wide as its container, without title and without a theme."""
    rows: Sequence[dict[str, Any]] = field(repr=False)
    """The numbers behind it, one flat row each, so that they can be shown as a table."""

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        parts = {"name": self.name, "title": self.title, "about": self.about}
        return parts | {"spec": self.spec, "rows": list(self.rows)}

    def standalone(self, *, dark: bool = False, width: int | None = None) -> dict[str, Any]:
        """Return the picture with its title and its colours, so that it needs nothing else; as wide as is asked for."""
        wide = {} if width is None else {"width": decode_as(Pixels, width, "width")}
        lines = textwrap.wrap(self.title, int((width or WIDTH) / _LETTER)) or [""]
        title = {"text": lines, "anchor": "start", "frame": "bounds"}
        return self.spec | {"title": title, "config": theme(dark)} | wide

    def svg(self, *, dark: bool = False, width: int = WIDTH) -> str:
        """Return the picture as SVG; what it shows in words is part of it."""
        drawn: str = _converter().vegalite_to_svg(self.standalone(dark=dark, width=width), allowed_base_urls=[])
        return drawn.replace("<svg ", f'<svg role="img" aria-label="{escape(f"{self.title}. {self.about}")}" ', 1)

    def png(self, *, dark: bool = False, scale: float = 2.0, width: int = WIDTH) -> bytes:
        """Return the picture as PNG; a scale of 2 is sharp on fine screens."""
        fine, picture = decode_as(Scale, scale, "scale"), self.standalone(dark=dark, width=width)
        drawn: bytes = _converter().vegalite_to_png(picture, scale=fine, allowed_base_urls=[])
        return drawn

    def save(self, path: str | Path, *, dark: bool = False, width: int | None = None) -> Path:
        """Write the picture to a file, whole or not at all; .svg, .png or .json says as what."""
        place = place_for(path)
        content = self._content(place.suffix.lower(), dark=dark, width=width)
        try:
            with atomic_write(place) as part:
                part.write_bytes(content)
                part.chmod(0o644)
        except OSError as error:
            raise InputError(f"{place} cannot be written: {error.strerror}", field="out") from None
        return place

    def _content(self, form: str, *, dark: bool, width: int | None) -> bytes:
        wide = WIDTH if width is None else width
        if form == ".png":
            return self.png(dark=dark, width=wide)
        if form == ".svg":
            return self.svg(dark=dark, width=wide).encode()
        import orjson

        whole_ = self.standalone(dark=dark, width=width)
        return orjson.dumps(whole_, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:  # noqa: ARG002 - as called
        """Return the picture as notebooks want it."""
        picture = self.standalone(width=WIDTH) | {"$schema": _NOTEBOOKS}
        return {MIME: picture, "text/plain": f"{self.title}\n{self.about}"}


def place_for(path: str | Path) -> Path:
    """Return where to save a chart; refuse what does not say as what, or is no file."""
    place = Path(path)
    if place.suffix.lower() not in SUFFIXES:
        hint = f"a name that ends in {', '.join(SUFFIXES)}"
        raise InputError(f"{shown(place.name)} does not say as what to save", field="out", hint=hint)
    if not place.parent.is_dir():
        raise InputError(f"there is no folder {place.parent}", field="out", hint="make it first")
    if place.is_symlink() or (place.exists() and not place.is_file()):
        raise InputError(f"{place} is no plain file", field="out", hint="name a file that is new, or may be replaced")
    return place


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("plot", "drawing charts as files") from None
    return vl_convert
