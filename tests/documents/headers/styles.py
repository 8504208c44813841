"""Styles of headers, the fields that the tests put into them, and a check that a header goes in and out."""

from howsure.documents.headers.edit import Style, header_style, put, read, remove
from howsure.documents.headers.fields import Fields

CONTENT = {
    "CONFIDENCE SCORE": "0.82",
    "BASE": "0.707",
    "EVIDENCE": "0.08",
    "OBSERVATION": "0.05",
    "VALIDATION": "+0.05",
    "AHO_CORASICK": "+0.05",
    "CODE_REFACTOR": "0.0",
    "V&V_INTEGRATION": "+0.004",
    "NON_MD_PENALTY": "0.0",
    "DATA_DECAY": "0.0",
    "FORMULA": "compound_ema_qfa",
    "MILESTONE": "M2",
    "LAST_UPDATED": "2026-03-20",
}
CODE = {
    "CONFIDENCE SCORE": "0.68",
    "CONFIDENCE": "+0.003 (code refactoring for coverage)",
    "V&V_INTEGRATION": "+0.004 (tests passed)",
    "MILESTONE": "M3",
    "LAST_UPDATED": "2026-03-20",
}
DATA: Fields = {
    "score": 0.997,
    "created": "2026-03-20",
    "next_review": "2026-09-20",
    "decay_rate": 0.001,
    "human_validated": True,
}
SEED = b"""<!--
  CONFIDENCE SCORE: 0.82
  BASE: 0.707 | EVIDENCE: 0.08 | OBSERVATION: 0.05
  VALIDATION: +0.05 | AHO_CORASICK: +0.05 | CODE_REFACTOR: 0.0
  V&V_INTEGRATION: +0.004 | NON_MD_PENALTY: 0.0 | DATA_DECAY: 0.0
  FORMULA: compound_ema_qfa | MILESTONE: M2
  LAST_UPDATED: 2026-03-20
-->
"""
SEED_CODE = b"""# CONFIDENCE: +0.003 (code refactoring for coverage)
# V&V_INTEGRATION: +0.004 (tests passed)
# MILESTONE: M3
"""
ENDS = [b"\n", b"\r\n", b"\r"]


def style(name: str) -> Style:
    found = header_style(name, in_data=True)
    assert found is not None
    return found


MARKDOWN, TEXT, HTML, PYTHON, RUBY, SHELL, YAML, TOML, SCRIPT, JSON = (
    style(f"x.{suffix}") for suffix in ("md", "txt", "html", "py", "rb", "sh", "yml", "toml", "js", "json")
)
COMMENTS = [MARKDOWN, TEXT, HTML, PYTHON, RUBY, SHELL, YAML, TOML, SCRIPT]
LINES = [PYTHON, RUBY, SHELL, YAML, TOML, SCRIPT]
CARRIAGE = [MARKDOWN, TEXT, HTML, PYTHON, YAML, SCRIPT]


def fields_of(style: Style) -> Fields:
    return DATA if style.kind == "json" else CODE if style.code else CONTENT


def short(style: Style) -> bytes:
    """Return the header of nothing but a score, with what follows it before more."""
    mark = {"hash": b"# ", "slash": b"// "}.get(style.kind)
    line = b"CONFIDENCE SCORE: 0.5\n"
    return b"<!--\n  " + line + b"-->\n" if mark is None else mark + line + b"\n"


def placed(data: bytes, style: Style) -> bytes:
    """Return the data with a header of nothing but a score, checked to go in and out again."""
    after = put(data, style, {"CONFIDENCE SCORE": "0.5"})
    assert read(after, style) == {"CONFIDENCE SCORE": "0.5"}
    assert remove(after, style) == data
    assert put(after, style, {"CONFIDENCE SCORE": "0.5"}) == after
    return after
