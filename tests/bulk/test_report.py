"""What the benchmark writes down: a part of a page, and a picture."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from benchmarks import bulk_report as report
from tests.conftest import ROOT

CURVES = {"duckdb": {10_000: 0.2, 100_000: 0.5}, "spark": {10_000: 9.0, 1_000_000: 36.0}}
ROWS = [report.Row("one shot", "1 s", "2 s", "0.5 x", "at most 1.1 x", met=True)]


def test_only_its_own_part_of_the_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    for name, file in (("RESULTS", "results.md"), ("PAGE", "scale.md"), ("PICTURE", "scale.svg")):
        monkeypatch.setattr(report, name, tmp_path / file)
    (tmp_path / "scale.md").write_text(_page())
    report.publish("few claims", ROWS, CURVES)
    once = (tmp_path / "scale.md").read_text()
    assert "| spark on this machine, file to file | 9 |  | 36 |" in once
    assert "36.0 s for a million. A thousand times that on 2 cores is 20.0 core-hours; at $0.05" in once
    assert "**$1.00**, and 12 minutes on 100 cores" in once
    assert "| one shot | 1 s | 2 s | 0.5 x | at most 1.1 x | met |" in once
    for text in (once, _page()):
        assert text.count(report.BEGIN) == text.count(report.END) == 1
    around = [text.partition(report.BEGIN)[0] + text.partition(report.END)[2] for text in (once, _page())]
    assert around[0] == around[1]
    assert "one shot" in (tmp_path / "results.md").read_text()


def _page() -> str:
    return (ROOT / "docs" / "scale.md").read_text()


def test_every_curve_has_a_line_and_a_label_of_its_own() -> None:
    curves = {name: {10_000: 1.0 + number / 100, 100_000: 2.0} for number, name in enumerate(report.CURVES)}
    drawn = ET.fromstring(report.picture(curves))  # noqa: S314 - our own
    space = "{http://www.w3.org/2000/svg}"
    assert len(list(drawn.iter(f"{space}polyline"))) == len(report.CURVES)
    heights = [float(text.attrib["y"]) for text in drawn.iter(f"{space}text") if text.text in report.CURVES.values()]
    assert len(heights) == len(report.CURVES)
    assert min(b - a for a, b in zip(sorted(heights), sorted(heights)[1:], strict=False)) >= 16
