"""Fields of scoring headers, and what only time has changed in them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.documents.headers.fields import TIME_FIELDS, Fields, equal_apart_from_time, keep_date_if_unchanged

CONTENT = {
    "CONFIDENCE SCORE": "0.82",
    "VALIDATION": "+0.05",
    "DATA_DECAY": "0.0",
    "MILESTONE": "M2",
    "LAST_UPDATED": "2026-03-20",
}
CODE = {"CONFIDENCE SCORE": "0.68", "MILESTONE": "M3", "LAST_UPDATED": "2026-03-20"}
DATA: Fields = {"score": 0.997, "next_review": "2026-09-20", "human_validated": True}


def moved(**changes: str) -> Fields:
    return {**CONTENT, **{key.replace("SCORE", "CONFIDENCE SCORE"): value for key, value in changes.items()}}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (moved(), moved(LAST_UPDATED="2026-05-01"), True),
        (moved(), moved(SCORE="0.84"), False),
        (moved(SCORE="0.821"), moved(SCORE="0.820"), True),
        (moved(SCORE="0.823"), moved(SCORE="0.820"), False),
        (moved(), moved(MILESTONE="M3"), False),
        (moved(SCORE="0.820"), moved(SCORE="0.817", DATA_DECAY="-0.003"), True),
        (moved(SCORE="0.820"), moved(SCORE="0.817", DATA_DECAY="0.003"), True),
        (moved(SCORE="0.820"), moved(SCORE="0.820", DATA_DECAY="-0.003"), False),
        (moved(SCORE="0.820"), moved(SCORE="0.814", DATA_DECAY="-0.003"), False),
        (moved(SCORE="0.82", DATA_DECAY="-0.001"), moved(SCORE="0.81", DATA_DECAY="-0.006"), True),
        (moved(SCORE="1.00", DATA_DECAY="-0.001"), moved(SCORE="1.00", DATA_DECAY="-0.030"), True),
        (moved(SCORE="1.00", DATA_DECAY="-0.001"), moved(SCORE="0.98", DATA_DECAY="-0.030"), True),
        (moved(SCORE="1.00", DATA_DECAY="-0.001"), moved(SCORE="0.90", DATA_DECAY="-0.030"), False),
        (moved(SCORE="0.00", DATA_DECAY="-0.600"), moved(SCORE="0.00", DATA_DECAY="-0.700"), True),
        (CODE, {**CODE, "LAST_UPDATED": "2027-01-01"}, True),
        (CODE, {**CODE, "CONFIDENCE SCORE": "0.681"}, False),
        (CODE, {key: value for key, value in CODE.items() if key != "MILESTONE"}, False),
        (DATA, {**DATA, "score": 0.9}, True),
        (DATA, {**DATA, "human_validated": False}, False),
    ],
)
def test_a_check_ignores_what_only_time_has_changed(old: Fields, new: Fields, expected: bool) -> None:
    assert equal_apart_from_time(old, new) is expected
    assert equal_apart_from_time(new, old) is expected
    assert equal_apart_from_time(old, old)


@given(st.floats(-0.5, 1.5), st.floats(0, 0.4), st.floats(0, 0.4), st.sampled_from([2, 3, 4, 12]))
def test_no_rounding_and_no_limit_makes_time_look_like_a_change(
    sure: float, early: float, late: float, digits: int
) -> None:
    def at(decay: float) -> Fields:
        score = min(1.0, max(0.0, sure - decay))
        return moved(SCORE=f"{score:.{digits}f}", DATA_DECAY=re.sub(r"(?<=\d)0+$", "", f"{-decay:.3f}"))

    assert equal_apart_from_time(at(early), at(late))


def test_the_date_moves_only_when_another_field_does() -> None:
    later = {**CONTENT, "LAST_UPDATED": "2026-05-01"}
    assert keep_date_if_unchanged(CONTENT, later) == CONTENT
    assert keep_date_if_unchanged(CONTENT, {**later, "MILESTONE": "M3"}) == {**later, "MILESTONE": "M3"}
    assert keep_date_if_unchanged(None, later) == later
    assert keep_date_if_unchanged({"score": 1}, {"score": 1}) == {"score": 1}
    assert {"LAST_UPDATED", "DATA_DECAY"} <= TIME_FIELDS
