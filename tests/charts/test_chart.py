"""A chart holds a Vega-Lite specification, a description in words, and rows of numbers."""

import json
import math
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from howsure.charts import Chart, theme
from howsure.charts.chart import MIME
from howsure.charts.theme import DARK, LIGHT
from howsure.charts.vega import SCHEMA, empty_chart
from howsure.errors import InputError, MissingExtraError
from howsure.shapes.encode import encode
from tests.charts.story import EVERY, Opened
from tests.conftest import NOW

each = pytest.mark.parametrize("which", EVERY)


SHOWN = {
    "claims": ["The cache is thread-safe", "All writers take a lock", "0.75"],
    "waterfall": ["user_input:ann says 0.60", "extraction:design.md says 0.70", "a claim contradicts it"],
    "waterfall of a derived claim": ["inference:inference says 0.80", "the 2 it was derived from"],
    "formulas": ["noisy or (the store's formula)", "subjective logic", "dempster shafer", "beta"],
    "relations": ["The cache is thread-safe", "A bucket is evicted twice", "Eviction takes a second lock"],
    "life": ["now", "created", "stale"],
    "decisions": ["passed", "blocked", "decisions", "confidence", "threshold 0.75"],
    "decisions of an agent": ["Decisions per day: agent-1", "threshold 0.75"],
    "reliability": ["ideal", "share that was right"],
    "investigation": ["1 grep", "5 pytest", "search", "verification", "recovery", "strong", "proceed from 0.5"],
    "synthesis": ["code", "docs", "forum", "guess"],
    "documents": ["index.md", "notes.md", "0.5 to 0.75"],
    "scores": ["agent-0", "agent-1"],
    "scores by week": ["2027-01-11"],
}
"""Texts that each chart has to show."""


def _texts(svg: str) -> list[str]:
    root = ET.fromstring(svg)  # noqa: S314 - our own picture
    return [found.text or "" for found in root.iter("{http://www.w3.org/2000/svg}text")]


def _inside(value: Any) -> Iterator[Any]:
    """Give every key and value of some data."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _inside(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _inside(inner)
    else:
        yield value


@each
def test_a_picture_shows_its_words_whether_narrow_or_wide(opened: Opened, which: str) -> None:
    chart = EVERY[which](*opened)
    narrow, wide = chart.svg(width=360), chart.svg(width=900, dark=True)
    assert [ET.fromstring(svg).get("width") for svg in (narrow, wide)] == ["360", "900"]  # noqa: S314
    texts = _texts(wide)
    assert [words for words in SHOWN[which] if words not in texts] == []
    assert LIGHT.card in narrow
    assert DARK.card in wide
    assert chart.title in " ".join(_texts(wide)).replace("  ", " ")


@each
def test_a_picture_compiles_without_a_warning_by_versions_5_and_6(
    opened: Opened, which: str, capfd: pytest.CaptureFixture[str]
) -> None:
    chart = EVERY[which](*opened)
    versions = vl_convert.get_vegalite_versions()
    for major in ("5", "6"):
        newest = max((one for one in versions if one.startswith(f"{major}.")), key=lambda one: int(one.split(".")[1]))
        for spec in (chart.spec | {"width": 400}, chart.standalone(width=400)):
            assert vl_convert.vegalite_to_vega(spec, vl_version=newest, show_warnings=True)["marks"]
    assert capfd.readouterr() == ("", "")


@each
def test_a_specification_is_plain_data_without_a_theme(opened: Opened, which: str) -> None:
    chart = EVERY[which](*opened)
    assert (chart.spec["$schema"], chart.spec["width"], chart.spec["description"]) == (SCHEMA, "container", chart.about)
    assert not {"config", "title", "background"} & set(chart.spec)
    assert json.loads(json.dumps(chart.spec, allow_nan=False)) == chart.spec
    inside = list(_inside(chart.spec))
    assert "url" not in inside
    assert [one for one in inside if isinstance(one, str) and "://" in one] == [SCHEMA]
    colours = {*LIGHT.scores, *LIGHT.kinds, LIGHT.ink, LIGHT.quiet, LIGHT.accent}
    assert not colours & {one for one in inside if isinstance(one, str)}
    known = theme()["style"]
    assert {layer["mark"]["style"] for layer in _layers(chart.spec)} <= set(known), "a style that no theme has"


def _layers(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for layer in spec["layer"]:
        if "layer" in layer:
            yield from _layers(layer)
        else:
            yield layer


@each
def test_rows_are_flat_and_words_tell_numbers(opened: Opened, which: str) -> None:
    chart = EVERY[which](*opened)
    assert chart.rows
    assert chart.name == which.partition(" ")[0]
    for row in chart.rows:
        assert all(isinstance(value, str | int | float | None) for value in row.values()), row
        assert all(math.isfinite(value) for value in row.values() if isinstance(value, float))
    assert any(letter.isdigit() for letter in chart.about)
    assert chart.about.endswith(".")
    assert json.loads(json.dumps(encode(chart)))["rows"] == list(chart.rows)


def test_a_notebook_gets_a_self_contained_picture(opened: Opened) -> None:
    chart = EVERY["claims"](*opened)
    found = chart._repr_mimebundle_(include=None, exclude=None)
    assert set(found) == {MIME, "text/plain"}
    assert found["text/plain"] == f"{chart.title}\n{chart.about}"
    picture = found[MIME]
    assert picture["$schema"].endswith("/v5.json")
    assert picture["config"] == theme(False)
    assert isinstance(picture["width"], int)
    assert "config" not in chart.spec


def test_a_chart_is_saved_as_its_name_says(opened: Opened, tmp_path: Path) -> None:
    chart = EVERY["formulas"](*opened)
    svg, png, plain = (chart.save(tmp_path / name) for name in ("a.svg", "b.PNG", "c.vl.json"))
    assert svg.read_text(encoding="utf-8").startswith("<svg ")
    assert chart.about.split('"')[1] in svg.read_text(encoding="utf-8")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert json.loads(plain.read_bytes()) == chart.standalone()
    before = svg.read_bytes()
    chart.save(svg, dark=True, width=300)
    assert svg.read_bytes() != before
    assert json.loads(chart.save(plain, dark=True, width=300).read_bytes()) == chart.standalone(dark=True, width=300)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svg", "b.PNG", "c.vl.json"]


def test_an_invalid_path_is_refused_before_anything_is_written(opened: Opened, tmp_path: Path) -> None:
    chart = EVERY["formulas"](*opened)
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "precious.svg").write_text("keep")
    (tmp_path / "link.svg").symlink_to(tmp_path / "precious.svg")
    for name, why in (
        ("a.gif", r"unknown chart format 'a.gif' \(a name that ends in .svg, .png, .json\)"),
        ("plain", "unknown chart format 'plain'"),
        ("missing/a.svg", r"the folder .*missing does not exist \(create it first\)"),
        ("folder.svg", "folder.svg is not a plain file"),
        ("link.svg", "link.svg is not a plain file"),
    ):
        with pytest.raises(InputError, match=why) as caught:
            chart.save(tmp_path / name)
        assert caught.value.field == "out"
    for width in (0, 239, 4001, 300.5, True):
        with pytest.raises(InputError) as caught:
            chart.save(tmp_path / "a.svg", width=width)  # type: ignore[arg-type]
        assert caught.value.field == "width"
    with pytest.raises(InputError) as caught:
        chart.png(scale=0)
    assert caught.value.field == "scale"
    assert (tmp_path / "precious.svg").read_text() == "keep"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.svg", "link.svg", "precious.svg"]


def test_a_larger_scale_gives_a_larger_picture(opened: Opened) -> None:
    chart = EVERY["formulas"](*opened)
    sizes = [int.from_bytes(chart.png(scale=scale, width=300)[16:20]) for scale in (1, 2)]
    assert sizes == [300, 600]


def test_without_the_extra_there_is_data_and_an_error_says_what_to_install(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    chart = EVERY["claims"](*opened)
    assert json.loads(chart.save(tmp_path / "a.json").read_bytes())["layer"]
    for draw in (chart.svg, chart.png, lambda: chart.save(tmp_path / "a.svg")):
        with pytest.raises(MissingExtraError, match=r"pip install '\.\[plot\]'"):
            draw()
    assert not (tmp_path / "a.svg").exists()


def test_a_picture_of_nothing_says_what_to_do() -> None:
    chart = empty_chart("claims", "Claims", 'No claims match. Add one with "a" < b.')
    assert chart.rows == []
    assert "Add one with" in " ".join(_texts(chart.svg(width=360)))


def test_the_picture_of_a_moment_does_not_depend_on_the_clock(opened: Opened) -> None:
    sure, told = opened
    assert sure.charts.life(told.claim, now=NOW) == sure.charts.life(told.claim)
    assert isinstance(sure.charts.life(told.claim, now=NOW - 1e6), Chart)
