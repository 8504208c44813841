"""Every chart handles missing data and odd texts, and is loaded only when it is used."""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from howsure.agents.traces import Trace, parse_traces
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.charts.story import ODD, tell
from tests.conftest import Clock
from tests.documents.factory import document, report


def test_an_empty_chart_says_how_to_get_data(sure: Sure, tmp_path: Path) -> None:
    alone = str(sure.claims.add("It rains", source="a:b", namespace="elsewhere").id)
    (tmp_path / "empty").mkdir()
    charts = [
        sure.charts.claims("nothing"),
        sure.charts.relations(alone),
        sure.charts.decisions(),
        sure.charts.decisions("nobody"),
        sure.charts.reliability(),
        sure.charts.scores(),
        sure.charts.documents(tmp_path / "empty", cache=False),
    ]
    for chart in charts:
        assert list(chart.rows) == []
        assert "sure." in chart.about
        assert ET.fromstring(chart.svg(width=360)) is not None  # noqa: S314


@pytest.mark.parametrize("place", range(len(ODD)))
def test_odd_texts_are_drawn_as_texts(tmp_path: Path, place: int) -> None:
    odd, clock = ODD[place], Clock()
    with open_store(str(tmp_path / "odd.db"), clock=clock) as sure:
        told = tell(sure, clock, tmp_path, odd)
        name = odd[:100].replace("\x07", "")
        sure.claims.add("It rains", source=f"agent:{name.strip()}", contribution=0.5)
        sure.responses.check("It works.", agent=name, knowledge=0.9)
        combined = sure.syntheses.combine(odd, [{"id": odd, "content": odd}, {"id": "b", "content": "It is so."}])
        run = Trace(odd, odd, next(iter(parse_traces(b'{"tool": "grep", "target": "a", "results": 1}', "x"))).calls)
        charts = [
            sure.charts.claims(),
            sure.charts.waterfall(told.claim),
            sure.charts.relations(told.claim),
            sure.charts.life(told.claim),
            sure.charts.scores(name),
            sure.charts.synthesis(combined),
            sure.charts.investigation(run),
            sure.charts.documents(report=report(document(f"{name}/{name}.md"), document("b.md"))),
        ]
    for chart in charts:
        assert len(chart.title) < 200
        assert len(chart.about) < 3000
        svg = chart.svg(width=360)
        root = ET.fromstring(svg)  # noqa: S314
        assert {one.tag.rpartition("}")[2] for one in root.iter()} <= {
            "svg",
            "g",
            "line",
            "path",
            "rect",
            "text",
            "tspan",
        }
        assert not any(name.lower().startswith("on") for one in root.iter() for name in one.attrib)
        assert "\u202e" not in svg


def test_a_gate_and_a_chart_load_no_more_than_they_need(tmp_path: Path) -> None:
    script = (
        "import sys; from howsure.sure import open\n"
        f"sure = open({str(tmp_path / 'a.db')!r})\n"
        "sure.responses.check('It works.', agent='a', knowledge=0.9)\n"
        "assert not [name for name in sys.modules if name.startswith('howsure.charts')]\n"
        "sure.charts.claims().standalone()\n"
        "assert 'vl_convert' not in sys.modules and 'rich' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
