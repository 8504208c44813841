"""Columns are read from every kind of frame, and wrong cells are refused by name."""

from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from howsure.errors import InputError
from howsure.learn.frames import column, column_names, number_groups, read_groups, read_outcome, read_score

pd: Any = pytest.importorskip("pandas")
DATA = {"s": [0.5, 0.75], "y": [1, 0]}
FRAMES: list[Any] = [
    DATA,
    {name: np.array(values) for name, values in DATA.items()},
    [{"s": 0.5, "y": 1}, {"s": 0.75, "y": 0}],
    pd.DataFrame(DATA),
    pl.DataFrame(DATA),
    pa.table(DATA),
]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: type(frame).__name__)
def test_every_kind_of_frame_has_columns(frame: Any) -> None:
    assert column_names(frame) == ["s", "y"]
    assert column(frame, "s", "score") == [0.5, 0.75]
    with pytest.raises(InputError, match="score: there is no column 'ss'.*did you mean s"):
        column(frame, "ss", "score")


def test_missing_cells_of_pandas_are_none() -> None:
    frame = pd.DataFrame({"s": pd.array([0.5, None], dtype="Float64"), "y": [1.0, float("nan")]})
    assert column(frame, "s", "score") == column(frame.assign(s=[0.5, None]), "s", "score") == [0.5, None]
    assert column(frame, "y", "outcome") == [1.0, None]
    with pytest.raises(InputError, match="score: there are two columns 's'"):
        column(frame.set_axis(["s", "s"], axis=1), "s", "score")


def test_groups_are_one_for_each_outcome() -> None:
    frame = {"g": ["a", None], "lists": ["a", ["b"]]}
    assert read_groups(frame, "g", "group", 2) == ["a", None]
    with pytest.raises(InputError, match=r"g: 2 cells for 3 outcomes \(one for each outcome\)"):
        read_groups(frame, "g", "group", 3)
    with pytest.raises(InputError, match="line 2: lists: a list of 1 is not a group"):
        read_groups(frame, "lists", "group", 2)


@pytest.mark.parametrize("frame", [7, "text", [1, 2]])
def test_anything_else_is_refused(frame: Any) -> None:
    with pytest.raises(InputError, match="frame"):
        column_names(frame)


@pytest.mark.parametrize("cell", [None, "", "x", float("nan"), float("inf"), True, 1e300, [1]])
def test_a_cell_that_is_not_a_score_is_refused(cell: Any) -> None:
    with pytest.raises(InputError, match="line 3: s: .*leave out rows") as caught:
        read_score(cell, "s", 3)
    assert caught.value.field == "s"


def test_outcomes_have_several_forms() -> None:
    assert [read_outcome(cell, "y") for cell in (1, 1.0, True, "1", "true", "Yes", np.True_)] == [1.0] * 7
    assert [read_outcome(cell, "y") for cell in (0, 0.0, False, "0", "False", "no", np.int64(0))] == [0.0] * 7
    assert [read_outcome(cell, "y") for cell in ("T", "y", "correct", "right", "up")] == [1.0] * 5
    assert [read_outcome(cell, "y") for cell in ("F", "n", "incorrect", "wrong", "corrected", "down")] == [0.0] * 6
    for cell in (2, 0.5, None, "", "maybe", float("nan")):
        with pytest.raises(InputError, match="y: .*1 or true if it was right"):
            read_outcome(cell, "y")


def test_numbers_and_groups() -> None:
    assert [read_score(cell, "s") for cell in (1, "0.5", np.float32(0.25), -7.5)] == [1.0, 0.5, 0.25, -7.5]
    assert number_groups(["a", "b", "a"]) == ([0, 1, 0], 2)


def test_a_score_that_is_too_large_is_told_from_one_that_is_not_finite() -> None:
    with pytest.raises(InputError, match=r"s: 1e\+300 is too large \(scores are at most 1e\+15"):
        read_score(1e300, "s")
    with pytest.raises(InputError, match="s: inf is not a finite number"):
        read_score(float("inf"), "s")
