"""Pages with broken records in the store: each is shown as broken, and none breaks a page."""

import json
from pathlib import Path

from howsure.sure import Sure
from tests.charts.story import RESULTS
from tests.serve.serving import serving

PATHS = ("/overview", "/agents", "/documents", "/investigations", "/syntheses", "/review", "/claims", "/server")


def test_no_broken_record_breaks_a_page(sure: Sure, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A page\n")
    ids = [
        sure.documents.record(sure.documents.scan(tmp_path / "docs", cache=False)),
        sure.responses.check("It is so.", agent="a", knowledge=0.1).id,
    ]
    ids.append(sure.syntheses.combine("Which port?", RESULTS).id or "")
    with serving(sure, pages=True) as client:
        for odd in ("5", "{", '{"answer": 5}', '{"answer": {"files": 5}}', json.dumps({"answer": {"sources": 5}})):
            with sure.session.write() as transaction:
                transaction.run("UPDATE decisions SET detail = ?", [odd])
            for path in (*PATHS, "/v1/decisions", "/v1/documents/scans", *(f"/decisions/{id_}" for id_ in ids)):
                found = client.get(path)
                assert found.status_code in (200, 404), (path, odd, found.text[:300])
            assert client.get(f"/syntheses/{ids[2]}").status_code in (200, 404)
            shown = client.get(f"/decisions/{ids[0]}")
            assert "This record is broken" in shown.text or "sources" in odd
