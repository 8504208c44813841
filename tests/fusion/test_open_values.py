"""The EM of open values: compared with plain Python, and what must hold for any answers."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.fusion.answers import collect_answers
from howsure.fusion.open_values import CONVERGED, ROUNDS, fit_open

Row = tuple[int, int, int]
rows = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40)


def renumber(table: list[Row]) -> list[Row]:
    """Number the items of a table without gaps."""
    places = {item: place for place, item in enumerate(sorted({item for item, _, _ in table}))}
    return [(places[item], source, value) for item, source, value in table]


def oracle(table: list[Row], known: dict[tuple[int, int], float]) -> tuple[dict[tuple[int, int], float], list[float]]:
    """Learn from answers with dictionaries and loops, straight from the formulas."""
    said = sorted(set(table))
    items: dict[int, dict[int, list[int]]] = {}
    for item, source, value in said:
        items.setdefault(item, {}).setdefault(value, []).append(source)
    size = {(i, s): sum(s in who for who in items[i].values()) for i, s, _ in said}
    weight = {(i, s): 1.0 / size[i, s] for i, s in size}
    count = max(source for _, source, _ in said) + 1
    settled = {i: {v: known[i, v] for v in values if (i, v) in known} for i, values in items.items()}
    for i, values in items.items():
        if 1.0 in settled[i].values():
            settled[i] = {v: settled[i].get(v, 0.0) for v in values}
    votes = {(i, v): sum(weight[i, s] for s in who) for i, values in items.items() for v, who in values.items()}
    total = {i: sum(votes[i, v] for v in values) for i, values in items.items()}
    q = {(i, v): settled[i].get(v, 0.9 * votes[i, v] / total[i]) for i, v in votes}
    tells = {i: len({s for who in values.values() for s in who}) > 1 or bool(settled[i]) for i, values in items.items()}
    p = [0.8] * count
    for turn in range(ROUNDS):
        r, n = [0.0] * count, [0.0] * count
        for i, s, v in said:
            if tells[i]:
                r[s] += weight[i, s] * q[i, v]
                n[s] += weight[i, s]
        before, p = p, [min(max((4 + r[s]) / (5 + n[s]), 0.02), 0.98) for s in range(count)]
        mean = (sum(r) + 4) / (sum(n) + 5)
        choices = math.log(max(1.0, 2 * (1 - mean) / mean))
        x = {(i, v): sum(weight[i, s] * (math.log(p[s] / (1 - p[s])) + choices) for s in items[i][v]) for i, v in votes}

        def share(evidence: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
            powers = {
                c: 0.0 if settled[c[0]].get(c[1]) == 0.0 else min(votes[c], 1.0) * math.exp(evidence[c])
                for c in evidence
            }
            sums = {i: 1.0 + sum(powers[i, v] for v in values) for i, values in items.items()}
            return {c: settled[c[0]].get(c[1], powers[c] / sums[c[0]]) for c in powers}

        q = share(x)
        if turn and max(abs(a - b) for a, b in zip(before, p, strict=True)) < CONVERGED:
            break
    return share({(i, v): x[i, v] / (1 + 0.1 * max(total[i] - 1, 0)) for i, v in x}), p


def fit(
    table: list[Row], known: dict[tuple[int, int], float] | None = None
) -> tuple[dict[tuple[int, int], float], list[float]]:
    items, sources, values = np.array(table, dtype=np.int64).T
    answers = collect_answers(items, sources, values)
    places = list(zip(answers.candidate_items.tolist(), answers.candidate_values.tolist(), strict=True))
    marks = np.array([(known or {}).get(place, math.nan) for place in places])
    learned = fit_open(answers, known=marks)
    return dict(zip(places, learned.probability.tolist(), strict=True)), learned.reliability.tolist()


@given(rows, st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 3)), st.sampled_from([0.0, 1.0]), max_size=2))
def test_numbers_are_those_of_the_formulas(table: list[Row], known: dict[tuple[int, int], float]) -> None:
    table = renumber(table)
    chances, reliability = fit(table, known)
    expected, expected_reliability = oracle(table, known)
    assert chances == pytest.approx(expected, abs=1e-9)
    assert reliability == pytest.approx(expected_reliability, abs=1e-9)


@given(rows, st.randoms())
def test_the_order_of_rows_does_not_matter(table: list[Row], dice: Random) -> None:
    table = renumber(table)
    mixed = table.copy()
    dice.shuffle(mixed)
    assert fit(mixed) == fit(table)


@given(rows)
def test_probabilities_of_an_item_sum_to_at_most_one(table: list[Row]) -> None:
    chances, _ = fit(renumber(table))
    for item in {item for item, _ in chances}:
        assert sum(chance for (of, _), chance in chances.items() if of == item) <= 1.0 + 1e-12


@given(rows, st.permutations(range(5)), st.permutations(range(4)))
def test_names_do_not_matter(table: list[Row], sources: list[int], values: list[int]) -> None:
    table = renumber([*table, *((6, source, 0) for source in range(5))])
    chances, reliability = fit(table)
    renamed, moved = fit([(item, sources[source], values[value]) for item, source, value in table])
    assert {(i, values[v]): p for (i, v), p in chances.items()} == pytest.approx(renamed, abs=1e-9)
    assert [moved[sources[source]] for source in range(5)] == pytest.approx(reliability, abs=1e-9)


def test_one_unknown_source_alone_gives_four_fifths() -> None:
    chances, reliability = fit([(0, 0, 0)])
    assert chances == {(0, 0): pytest.approx(0.8)}
    assert reliability == [pytest.approx(0.8)]


def test_answers_that_nobody_else_gave_say_nothing_about_a_source() -> None:
    flood = [(item, 0, item % 3) for item in range(1, 1000)]
    assert fit([(0, 0, 0), *flood])[0][0, 0] == pytest.approx(0.8)


def test_a_source_that_is_often_contradicted_is_believed_less() -> None:
    table = [(item, source, 0) for item in range(20) for source in range(3)] + [(item, 3, 1) for item in range(20)]
    _, reliability = fit(table)
    assert min(reliability[:3]) > 0.9
    assert reliability[3] < 0.2
