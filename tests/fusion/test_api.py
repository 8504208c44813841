"""howsure.fuse on tables: properties, and inputs that are meant to break it."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure
from howsure.errors import InputError
from howsure.fusion.api import Fusion, fuse

Row = tuple[str, str, str]
names = st.sampled_from("abcdef")
tables = st.lists(st.tuples(names, names, st.sampled_from("xyz")), min_size=1, max_size=40)
kinds = st.sampled_from(["open", "closed"])


def chances(fusion: Fusion) -> dict[tuple[Any, Any], float]:
    return {(row.item, row.value): row.probability for row in fusion.values}


def reliabilities(fusion: Fusion) -> dict[Any, float]:
    return {row.source: row.reliability for row in fusion.sources}


def honest(items: int, sources: int, *, right: float = 0.8, wrong_values: int = 5, seed: int = 0) -> list[Row]:
    """Rows of independent sources; "true" is right."""
    dice = Random(seed)
    return [
        (f"i{item}", f"s{source}", "true" if dice.random() < right else f"wrong{dice.randrange(wrong_values)}")
        for item in range(items)
        for source in range(sources)
    ]


def accuracy(fusion: Fusion) -> float:
    return float(np.mean([row.value == "true" for row in fusion.best.values()]))


@settings(deadline=None)
@given(tables, kinds, st.randoms())
def test_the_order_of_rows_does_not_matter(table: list[Row], kind: Any, dice: Random) -> None:
    mixed = table.copy()
    dice.shuffle(mixed)
    one, two = fuse(table, kind=kind), fuse(mixed, kind=kind)
    assert chances(one) == pytest.approx(chances(two), abs=1e-9)
    assert reliabilities(one) == pytest.approx(reliabilities(two), abs=1e-9)


@settings(deadline=None)
@given(tables, kinds)
def test_results_are_repeatable_and_within_bounds(table: list[Row], kind: Any) -> None:
    fusion = fuse(table, kind=kind)
    assert fusion.values == fuse(table, kind=kind).values
    sums: dict[Any, float] = {}
    for row in fusion.values:
        assert 0.0 <= row.lower <= row.probability <= row.upper <= 1.0
        sums[row.item] = sums.get(row.item, 0.0) + row.probability
    assert max(sums.values()) <= 1.0 + 1e-9
    assert all(0.0 <= row.lower <= row.reliability <= row.upper <= 1.0 for row in fusion.sources)
    assert set(sums) == {item for item, _, _ in table}
    assert {row.source for row in fusion.sources} == {source for _, source, _ in table}


@settings(deadline=None)
@given(tables, st.permutations("abcdef"), st.permutations("xyz"))
def test_names_do_not_matter(table: list[Row], sources: Sequence[str], values: Sequence[str]) -> None:
    source_of, value_of = dict(zip("abcdef", sources, strict=True)), dict(zip("xyz", values, strict=True))
    one = fuse(table, kind="open")
    two = fuse([(item, source_of[source], value_of[value]) for item, source, value in table], kind="open")
    assert {(item, value_of[value]): p for (item, value), p in chances(one).items()} == pytest.approx(
        chances(two), abs=1e-9
    )
    assert {source_of[source]: p for source, p in reliabilities(one).items()} == pytest.approx(
        reliabilities(two), abs=1e-9
    )


@settings(deadline=None)
@given(tables, kinds, st.integers(0, 39), st.integers(1, 30))
def test_repeating_an_answer_changes_nothing(table: list[Row], kind: Any, place: int, times: int) -> None:
    """However often a source repeats itself, a value gets no more than the support of independent sources gives."""
    flooded = table + [table[place % len(table)]] * times
    assert fuse(flooded, kind=kind).values == fuse(table, kind=kind).values


@settings(deadline=None)
@given(tables, st.integers(1, 30))
def test_a_source_that_gives_more_values_raises_none_of_them(table: list[Row], times: int) -> None:
    """Values of one source that differ a little divide its one vote, and what it said before gets less of it."""
    item, source, value = table[0]
    table = [row for row in table if row[:2] != (item, source)] + [table[0]]
    flooded = table + [(item, source, f"{value}{number}") for number in range(times)]
    before, after = fuse(table, kind="open", copies=False), fuse(flooded, kind="open", copies=False)
    fresh = [row.probability for row in after.values if row.value not in "xyz"]
    assert max(fresh) <= fuse([(item, source, value)]).best[item].probability + 1e-9
    assert chances(after)[item, value] <= chances(before)[item, value] + 0.02


def test_a_million_rows_of_one_source_do_not_drown_two_others() -> None:
    size = 1_000_000
    flood = pa.table(
        {
            "item": np.append(np.zeros(size, dtype=np.int64), [0, 0]),
            "source": ["flood"] * size + ["ann", "bob"],
            "value": np.append(np.arange(size) % 1000 + 1, [0, 0]),
        }
    )
    best = fuse(flood, kind="open").best[0]
    assert best.value == 0
    assert best.probability > 0.8


def test_a_flood_of_items_that_nobody_else_answers_buys_no_trust() -> None:
    table = [("q", "flood", "x"), ("q", "ann", "y")]
    flooded = table + [(f"own{number}", "flood", f"v{number}") for number in range(5000)]
    assert chances(fuse(flooded))["q", "x"] <= chances(fuse(table, kind="open"))["q", "x"] + 1e-6


def test_a_source_that_says_everything_says_nothing() -> None:
    table = honest(60, 5)
    everything = [
        (f"i{item}", "all", value) for item in range(60) for value in ("true", *(f"wrong{n}" for n in range(5)))
    ]
    fusion = fuse(table + everything, kind="open")
    assert reliabilities(fusion)["all"] < min(reliabilities(fusion)[f"s{n}"] for n in range(5))
    assert accuracy(fusion) >= accuracy(fuse(table, kind="open")) - 0.02


def test_a_source_that_contradicts_itself_is_believed_less() -> None:
    table = honest(60, 5) + [(f"i{item}", "torn", value) for item in range(60) for value in ("true", "wrong0")]
    table += [(f"i{item}", "steady", "true") for item in range(60)]
    found = reliabilities(fuse(table, kind="open"))
    assert found["torn"] < 0.7 < found["steady"]


def collude(ring: int, others: int, *, items: int = 150) -> list[Row]:
    """A ring that agrees on the same wrong value for a third of the items, among honest sources."""
    table = honest(items, others, right=0.75)
    dice = Random(1)
    lies = [dice.random() < 1 / 3 for _ in range(items)]
    return table + [
        (f"i{item}", f"ring{member}", "lie" if lies[item] else "true")
        for item in range(items)
        for member in range(ring)
    ]


def test_collusion_below_half_is_found() -> None:
    fusion = fuse(collude(5, 12), kind="open")
    groups = {row.source: row.group for row in fusion.sources}
    assert {groups[f"ring{member}"] for member in range(5)} == {1}
    assert not any(groups[f"s{source}"] for source in range(12))
    assert accuracy(fusion) > 0.95


def test_collusion_above_half_wins_and_that_is_known() -> None:
    """Nothing in the votes tells a majority that colludes from one that is right; verified items do."""
    table = collude(12, 5)
    assert accuracy(fuse(table, kind="open")) < 0.8
    verified = {f"i{item}": "true" for item in range(80)}
    fusion = fuse(table, kind="open", verified=verified)
    assert reliabilities(fusion)["ring0"] < 0.9
    assert {row.source for row in fusion.sources if row.group == 1} == {f"ring{member}" for member in range(12)}
    assert accuracy(fusion) > 0.9


def test_items_with_one_answer_follow_what_is_known_of_the_source() -> None:
    table = honest(80, 4, right=0.95) + [(f"i{item}", "bad", f"bad{item}") for item in range(80)]
    table += [("alone good", "s0", "x"), ("alone bad", "bad", "x"), ("alone new", "new", "x")]
    best = fuse(table, kind="open").best
    assert best["alone good"].probability > best["alone new"].probability > best["alone bad"].probability
    assert best["alone new"].probability == pytest.approx(0.8)


@pytest.mark.parametrize("missing", [None, float("nan"), ""])
def test_missing_cells_are_left_out_and_counted(missing: Any) -> None:
    table = [("q", "ann", "x"), ("q", "bob", missing), (missing, "bob", "x")]
    fusion = fuse(table)
    assert chances(fusion) == {("q", "x"): pytest.approx(0.8)}
    assert "left out 2 rows" in fusion.reason
    with pytest.raises(InputError, match="no row has"):
        fuse([("q", "ann", missing)])


@pytest.mark.parametrize("kind", ["auto", "open", "closed"])
def test_one_value_only(kind: Any) -> None:
    fusion = fuse([(f"i{item}", f"s{source}", "x") for item in range(20) for source in range(3)], kind=kind)
    assert {row.value for row in fusion.values} == {"x"}
    assert all(row.probability > 0.8 for row in fusion.values)


@pytest.mark.parametrize("kind", ["open", "closed"])
def test_ten_thousand_candidates(kind: Any) -> None:
    table = [("q", f"s{number}", f"v{number}") for number in range(10_000)] + [("q", "one more", "v7")]
    fusion = fuse(table, kind=kind)
    assert fusion.best["q"].value == "v7"
    assert sum(row.probability for row in fusion.values) <= 1.0 + 1e-9


def test_verified_values_of_another_type_and_unknown_ones() -> None:
    table = [(number, source, value) for number in range(9) for source, value in (("ann", 1), ("bob", 2))]
    fusion = fuse(table, kind="open", verified={"3": "1", "4": "1", 5: "never given", "unknown item": 1})
    found = chances(fusion)
    assert (found[3, 1], found[3, 2], found[5, 1], found[5, 2]) == (1.0, 0.0, 0.0, 0.0)
    assert reliabilities(fusion)["ann"] > reliabilities(fusion)["bob"]
    assert "3 items verified" in fusion.reason


def test_verified_labels_of_closed_values() -> None:
    table = [(number, source, value) for number in range(30) for source, value in (("ann", "yes"), ("bob", "no"))]
    fusion = fuse(table, verified=dict.fromkeys(range(10), "no"))
    assert fusion.kind == "closed"
    assert fusion.best[0].probability == 1.0
    assert fusion.best[29].value == "no"


def test_kinds_of_items_have_their_own_reliability() -> None:
    table = [(f"{kind}{n}", f"s{s}", "right", 1.0, kind) for kind in "ab" for n in range(40) for s in range(3)]
    table += [
        (f"{kind}{n}", "half", "right" if kind == "a" else f"w{n}", 1.0, kind) for kind in "ab" for n in range(40)
    ]
    table += [(f"{kind} alone", "half", "x", 1.0, kind) for kind in "ab"]
    best = fuse(table, kind="open", copies=False).best
    assert best["a alone"].probability > 0.9
    assert best["b alone"].probability < 0.3


def test_weights_scale_a_vote() -> None:
    table = [("q", "ann", "x", 2.0), ("q", "bob", "y", 1.0)]
    assert fuse(table).best["q"].value == "x"


def test_results_as_tables() -> None:
    fusion = howsure.fuse(honest(30, 4), kind="open")
    frame = fusion.to_pandas()
    assert list(frame.columns) == ["item", "value", "probability", "lower", "upper"]
    assert frame["probability"].tolist() == [row.probability for row in fusion.values]
    assert fusion.sources_to_arrow().column_names == ["source", "reliability", "lower", "upper", "group"]
    assert fusion.sources_to_pandas()["source"].tolist() == ["s0", "s1", "s2", "s3"]
    assert repr(fusion).startswith("Fusion(kind='open', reason='open, as asked")


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InputError, match="unknown kind 'opne'"):
        fuse([("q", "ann", "x")], kind="opne")  # type: ignore[arg-type]


def test_progress_is_reported() -> None:
    stages: list[str] = []
    for kind in ("open", "closed"):
        fuse(honest(20, 3), kind=kind, progress=lambda stage, done, total: stages.append(stage))
    assert {"reading votes", "learning whom to believe", "looking for copies"} <= set(stages)


def test_of_equally_likely_values_the_better_known_comes_first() -> None:
    fusion = fuse([("item", "new", "a"), ("item", "old", "b")])
    fit = fusion.fit
    assert fit.probability[0] == fit.probability[1]
    assert fusion.best["item"].value == "a"
    known = replace(fusion, fit=replace(fit, lower=fit.lower + np.array([0.0, 0.01])))
    assert known.best["item"].value == "b"


def test_of_equally_likely_numbers_the_middle_one_comes_first() -> None:
    votes = [("height", "a", "100"), ("height", "b", "205"), ("height", "c", "2000")]
    for rows in (votes, votes[::-1]):
        assert fuse(rows).best["height"].value == "205"
    words = [("name", "a", "x"), ("name", "b", "205"), ("name", "c", "2000")]
    assert fuse(words).best["name"].value == "2000"  # no numbers, so the order of texts


@pytest.mark.parametrize("kind", ["open", "closed"])
def test_a_verified_value_that_nobody_gave_is_certain(kind: Any) -> None:
    votes = [(item, source, "ab"[(item + source) % 3 == 0]) for item in range(12) for source in range(4)]
    best = howsure.fuse(votes, kind=kind, verified={3: "c", 11: "a"}).best
    assert best[3][1:] == ("c", 1.0, 1.0, 1.0)
    assert best[11].value == "a"
    assert best[4].lower < best[4].probability < best[4].upper


def test_weights_beyond_reason_are_refused() -> None:
    with pytest.raises(InputError, match="a weight is negative, NaN or too large"):
        howsure.fuse([("item", "ann", "a", 1e300), ("item", "bob", "b", 1.0)])


def test_verified_items_without_votes_are_said_to_be_left_out() -> None:
    fusion = howsure.fuse([("q1", "ann", "x"), ("q1", "bob", "y")], verified={"q1": "x", "q9": "x"})
    assert fusion.reason.endswith("1 item verified, 1 without votes left out")
