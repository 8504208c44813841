"""The measurement of syntheses reads what it should, counts right, and would find a gain if there were one."""

import json
import math
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import evaluate_syntheses as evaluation
from benchmarks import measures
from benchmarks import syntheses_data as data
from benchmarks.evaluate_syntheses import WITHOUT, LabelledClaim, gain, interval, recall, run_tasks, true_share
from benchmarks.syntheses_data import RatedText
from howsure.syntheses.api import Syntheses
from howsure.syntheses.stages import Opinion
from howsure.syntheses.synthesis import SubResult, SynthesisRules
from howsure.text.hedging.hedges import measure_hedging

PLAIN = [f"Box {name} holds a lamp." for name in ("Anna", "Berta", "Clara", "Dora", "Emma", "Frida", "Greta", "Hanna")]
CLAIMS = [
    ("The cache is on.", True),  # against the next
    ("The cache is off.", False),
    ("The disk might perhaps be full.", False),  # uncertain: two hedges
    ("Is the fan loud?", True),  # asserts nothing
    ("The roof is red.", True),
    ("The door is green.", False),
    ("The moon is far.", "unknown"),
]
REASONS = ["disputed", "disputed", "uncertain", "no assertion", "", ""]


def _write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def _answer(claims: list[tuple[str, Any]], response: str = "It works.") -> dict[str, Any]:
    texts, labels = zip(*claims, strict=True) if claims else ((), ())
    return {"prompt": "What?", "response": response, "claims": list(texts), "claim_labels": list(labels)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = [("It works.", 4.0), ("It might work.", 2.0), ("It clearly works.", 6.0), ("It may work.", 1.0)]
    _write(tmp_path / data.SENTENCES, [{"finding": text, "sentence-level-certainty": rated} for text, rated in found])
    rated = [("It works.", {"Number": "Certain", "Extent": "Uncertain", "Framing": "NotPresent"})]
    rated += [
        ("It clearly works.", {"Number": "Certain", "Extent": "NotPresent"}),
        ("It ran.", {"Extent": "NotPresent"}),
    ]
    _write(tmp_path / data.ASPECTS, [{"finding": text, "aspect-level-certainty": one} for text, one in rated])
    answers = [_answer(CLAIMS), _answer([("The sea is deep.", True)], "It might work."), _answer([])]
    _write(tmp_path / data.ANSWERS, answers)
    passages = [("The door is green.", "The door is not green."), ("The roof is red.", "The sea is deep.")]
    passages += [("The moon is far.", "The moon is far away.")]
    _write(tmp_path / data.PASSAGES, [{"claim": one, "evidence": two, "stance": "refute"} for one, two in passages])
    labels = ["SUPPORTS", "REFUTES", "DISPUTED", "SUPPORTS"]
    texts = ["The ice is thin.", "The ice is thick.", "The sky is grey.", "The fog is dense."]
    _write(
        tmp_path / data.CLAIMS,
        [{"claim_id": str(n), "claim": texts[n], "claim_label": labels[n]} for n in range(4)],
    )
    articles = [("0", "Ice"), ("0", "Ice"), ("0", "Air"), ("1", "Ice"), ("2", "Ice"), ("2", "Jam"), ("3", "Fog")]
    evidence = [
        {"claim_id": id_, "article": name, "evidence": f"{name} is old.", "label": "X"} for id_, name in articles
    ]
    _write(tmp_path / data.EVIDENCE, evidence)
    return tmp_path


def test_correlations_are_those_computed_by_hand() -> None:
    one, other = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])
    assert measures.pearson(one, other) == pytest.approx(4 / 5)
    tied = np.array([20.0, 10.0, 30.0, 20.0])
    assert measures.ranks(tied).tolist() == [2.5, 1.0, 4.0, 2.5]
    assert measures.spearman(tied, np.array([2.0, 1.0, 9.0, 3.0])) == pytest.approx(4.5 / math.sqrt(4.5 * 5))
    assert measures.spearman(one, -np.exp(one)) == pytest.approx(-1)
    assert math.isnan(measures.pearson(one, np.ones(4)))


def test_whole_groups_are_drawn_again() -> None:
    values = np.array([0.0, 0.0, 1.0, 1.0])
    seen = set()

    def mean(places: Any) -> float:
        seen.add(float(values[places].mean()))
        return float(values[places].mean())

    assert interval(mean, ["a", "a", "b", "b"]) == (0.5, 0.0, 1.0)
    assert seen == {0.0, 0.5, 1.0}
    assert measures.show(interval(mean, ["a"] * 4), "+.2f") == "+0.50 [+0.50, +0.50]"
    assert measures.show(interval(lambda _: math.nan, ["a"])) == "-"


def test_an_interval_of_single_cases_has_the_width_that_theory_gives() -> None:
    values = np.array([0.0, 1.0] * 50)
    _, low, high = interval(lambda at: float(values[at].mean()), range(100))
    assert low is not None
    assert high is not None
    assert (high - low) / 2 == pytest.approx(1.96 * 0.5 / 10, abs=0.015)


def test_texts_are_read_with_what_people_say(folder: Path) -> None:
    assert [one.rating for one in data.sentences(folder)] == [4.0, 2.0, 6.0, 1.0]
    assert data.aspects(folder) == [("It works.", 0.5, "0"), ("It clearly works.", 1.0, "1")]
    assert data.answers(folder) == [("It works.", 0.5, "answer 0"), ("It might work.", 1.0, "answer 1")]
    assert [one.rating for one in data.claims(folder)] == [1, 0, 0, 1, 1, 0, 1]
    assert [one.group for one in data.claims(folder)] == ["answer 0"] * 6 + ["answer 1"]


def test_numbers_are_those_of_the_formula(folder: Path) -> None:
    # Fewer than ten words: 0.15 * 0.3 for length and 0.15 * 0.5 for form, of 0.70 in all.
    assert evaluation.numbers("It works.")["score"] == pytest.approx((0.045 + 0.20 + 0.10 + 0.075) / 0.7)
    found = evaluation.numbers("It might work.")
    assert found["score"] == pytest.approx((0.045 + 0.18 + 0.10 + 0.075) / 0.7)
    assert found["its wording part"] == pytest.approx((0.9 + 0.5) / 2)
    assert found["certainty by the wide list"] == pytest.approx(1.0 - measure_hedging("It might work.")) != 1.0
    assert found["words"] == 3
    assert evaluation.numbers("It may work.")["its wording part"] == pytest.approx(0.75)
    assert evaluation.numbers("It may work.")["certainty by the wide list"] < 1.0
    assert evaluation.numbers("It works.")["certainty by the wide list"] == 1.0
    assert evaluation.unmarked(data.sentences(folder)) == 0.5


def test_the_score_is_correlated_with_the_rating(folder: Path) -> None:
    found = evaluation.correlations(data.sentences(folder))
    scores = [0.42 / 0.7, 0.40 / 0.7, 0.44 / 0.7, 0.42 / 0.7]
    assert found["score"][0].value == pytest.approx(statistics.correlation(scores, [4.0, 2.0, 6.0, 1.0]))
    assert found["score"][1].value == pytest.approx(statistics.correlation([2.5, 1, 4, 2.5], [3.0, 2.0, 4.0, 1.0]))
    value, lower, upper = found["score"][0]
    assert value is not None
    assert lower is not None
    assert upper is not None
    assert lower <= value <= upper
    assert found["words"][0].value == pytest.approx(statistics.correlation([2, 3, 3, 3], [4.0, 2.0, 6.0, 1.0]))


def test_claims_are_kept_unless_marked_or_left_out(folder: Path) -> None:
    (task,) = data.in_answers(folder)
    assert [result.content for result in task.results] == [claim for claim, _ in CLAIMS]
    found = run_tasks([task], Syntheses())
    assert [one.reason for one in found] == REASONS
    assert [one.true for one in found] == [True, False, False, True, True, False]
    assert (true_share(found), gain(found).value) == (0.5, 0.0)
    assert recall(found).value == pytest.approx(1 / 3)


def test_each_stage_can_be_taken_out(folder: Path) -> None:
    tasks = list(data.in_answers(folder))
    assert [one.reason for one in run_tasks(tasks, WITHOUT["filter"])] == REASONS
    assert [one.reason for one in run_tasks(tasks, WITHOUT["weighting"])] == ["disputed"] * 2 + ["", *REASONS[3:]]
    assert [one.reason for one in run_tasks(tasks, WITHOUT["conflict detection"])] == ["", "", *REASONS[2:]]
    strict = run_tasks(tasks, Syntheses(rules=SynthesisRules(minimum=0.55)))
    assert [one.reason for one in strict] == ["disputed", "disputed", "filter", *REASONS[3:]]


def test_claims_beyond_the_extract_are_not_kept() -> None:
    results = [SubResult(f"c{n}", text) for n, text in enumerate([*PLAIN, *(f"{text[:-1]} too." for text in PLAIN)])]
    task = data.Task("", results, {result.id: True for result in results}, "a")
    assert [one.reason for one in run_tasks([task], Syntheses())] == [""] * 12 + ["beyond the limit"] * 4


def test_without_weighting_what_came_last_has_no_room() -> None:
    texts = [
        *PLAIN,
        *(f"{text[:-1]} too." for text in PLAIN[:4]),
        "Box Ida holds a lamp that is older than the house in the yard.",
    ]
    task = data.Task(
        "", [SubResult(f"c{n}", text) for n, text in enumerate(texts)], dict.fromkeys(["c11", "c12"], True), ""
    )
    assert [one.reason for one in run_tasks([task], Syntheses())] == ["beyond the limit", ""]
    assert [one.reason for one in run_tasks([task], WITHOUT["weighting"])] == ["", "beyond the limit"]


def test_a_disputed_claim_counts_even_if_it_is_left_out_of_the_extract() -> None:
    texts = [*PLAIN, *(f"{text[:-1]} too." for text in PLAIN[:4]), "The cache is on.", "The cache is off."]
    task = data.Task("", [SubResult(f"c{n}", text) for n, text in enumerate(texts)], {"c13": False}, "")
    assert [one.reason for one in run_tasks([task], Syntheses())] == ["disputed"]


def test_a_single_claim_without_assertion_is_returned_unchanged() -> None:
    task = data.Task("", [SubResult("c", "Is the fan loud?")], {"c": True}, "a")
    assert [one.reason for one in run_tasks([task], Syntheses())] == [""]


def test_claims_are_paired_with_their_passages(folder: Path) -> None:
    tasks = list(data.against_passages(folder))
    assert [[result.content for result in task.results] for task in tasks] == [
        ["The roof is red.", "The sea is deep."],
        ["The door is green.", "The door is not green."],
    ]
    assert run_tasks(tasks, Syntheses()) == [("answer 0", True, ""), ("answer 0", False, "disputed")]


def test_claims_on_one_topic_are_merged(folder: Path) -> None:
    (task,) = data.in_topics(folder)  # the one on fog stands alone
    assert (task.query, [result.id for result in task.results]) == ("Ice", ["c0", "c1", "c2"])
    assert task.truth == {"c0": True, "c1": False}
    beside = list(data.against_evidence(folder))
    assert [(one.group, one.truth["claim"], len(one.results)) for one in beside] == [
        ("Ice", True, 4),
        ("Ice", False, 2),
        ("Fog", True, 2),
    ]
    assert beside[0].results[1].sources == ("Ice",)


def test_labels_change_nothing_but_the_counts(folder: Path) -> None:
    before = [one.reason for read in data.TASKS.values() for one in run_tasks(read(folder), Syntheses())]
    turned = [(text, not label if isinstance(label, bool) else label) for text, label in CLAIMS]
    _write(folder / data.ANSWERS, [_answer(turned), _answer([("The sea is deep.", False)]), _answer([])])
    other = {"SUPPORTS": "REFUTES", "REFUTES": "SUPPORTS", "DISPUTED": "DISPUTED"}
    lines = [json.loads(line) for line in (folder / data.CLAIMS).read_text().splitlines()]
    _write(folder / data.CLAIMS, [line | {"claim_label": other[line["claim_label"]]} for line in lines])
    assert [one.reason for read in data.TASKS.values() for one in run_tasks(read(folder), Syntheses())] == before


def test_a_scorer_that_knew_the_truth_would_be_seen_to_help() -> None:
    results = [SubResult(f"c{n}", text) for n, text in enumerate(PLAIN)]
    truth = {result.id: n % 4 != 0 for n, result in enumerate(results)}
    tasks = [data.Task("", results, truth, f"group {n}") for n in range(3)]
    knowing = Syntheses(scorer=lambda result, _query, _context: Opinion(float(truth[result.id]), "it knows"))
    found = run_tasks(tasks, knowing)
    assert gain(found) == (0.25, 0.25, 0.25)
    assert recall(found).value == 1.0
    assert gain(run_tasks(tasks, Syntheses())) == (0.0, 0.0, 0.0)


def test_a_gain_is_paired_over_the_same_claims() -> None:
    one = [LabelledClaim("a", True, ""), LabelledClaim("a", False, "disputed"), LabelledClaim("b", False, "")]
    other = [LabelledClaim("a", True, "disputed"), LabelledClaim("a", False, ""), LabelledClaim("b", False, "")]
    assert gain(one).value == pytest.approx(1 / 2 - 1 / 3)
    assert gain(one, other).value == pytest.approx(1 / 2 - 0)
    assert (gain(one, other).lower, gain(one, other).upper) == (0.0, 1.0)  # only b is drawn; only a is drawn
    assert gain([LabelledClaim("a", True, "filter")]).value is None


def test_the_tables_are_printed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "ROUNDS", 20)
    evaluation.main(str(folder))
    tables = [table.splitlines() for table in capsys.readouterr().out.strip().split("\n\n")]
    assert [len(table) - 2 for table in tables] == [16, 4, 12, 4]
    assert all(line.count("|") == table[0].count("|") for table in tables for line in table)
    assert tables[1][2].startswith("| halu, claims of an answer | 1 | 6 | 0.500 | 2 | 0.500 | +0.000 [")
    assert tables[2][4].startswith("| halu, claims of an answer | conflict detection | 4 | 0.500 |")
    assert tables[3][2] == "| halu, claims of an answer | 3 of 6 | 0 of 0 | 0 of 1 | 1 of 2 | 1 of 1 | 0 of 0 |"


def _remove(folder: Path) -> None:
    (folder / data.PASSAGES).unlink()


def _garble(folder: Path) -> None:
    (folder / data.CLAIMS).write_text("{}\n")


def _break(folder: Path) -> None:
    (folder / data.EVIDENCE).write_text("no JSON\n")


def _shorten(folder: Path) -> None:
    _write(folder / data.ANSWERS, [_answer(CLAIMS) | {"claim_labels": [True]}])


def _empty(folder: Path) -> None:
    _write(folder / data.SENTENCES, [])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_remove, "no file halu_factcheck_bench/claim_evidence_stance.jsonl in"),
        (_garble, "fc_climate_fever/claims.jsonl, line 1: missing field 'claim_id'"),
        (_break, "fc_climate_fever/evidence.jsonl, line 1: invalid JSON"),
        (_shorten, "line 1: the numbers of labels and claims differ"),
        (_empty, "no data for 'science, certainty of the sentence' in"),
    ],
)
def test_an_invalid_folder_is_reported(folder: Path, spoil: Callable[[Path], None], message: str) -> None:
    spoil(folder)
    with pytest.raises(SystemExit, match=message):
        evaluation.main(str(folder))


def test_an_empty_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no file hedge_science_certainty/sentence.jsonl in"):
        evaluation.main(str(tmp_path))


def test_a_text_without_variety_has_no_correlation() -> None:
    texts = [RatedText("It works.", rated, str(rated)) for rated in (1.0, 2.0, 3.0)]
    assert measures.show(evaluation.correlations(texts)["score"][0]) == "-"
