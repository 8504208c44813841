"""The names of the NLNH workflow, used as in its examples."""

import dataclasses
import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from howsure.compat.nlnh import AgentType, ConfidenceCalculator, ConfidenceResult, QualityGatesExecutor
from howsure.errors import InputError

FACTORS = ["knowledge_base_score", "code_validation_score", "response_certainty_score", "agent_history_score"]
ATTRIBUTES = [
    "timestamp",
    "agent_name",
    "agent_type",
    "task_id",
    "composite_confidence",
    "confidence_level",
    "agent_threshold",
    "threshold_met",
    "should_block",
    "block_reason",
    "factors",
]
SCORES: dict[str, Any] = {
    "knowledge_base_score": 0.85,
    "code_validation_score": 0.90,
    "response_certainty_score": 0.75,
}
LOW = (
    "0.78 is below the threshold 0.80; the weakest factor is history "
    "(knowledge base 0.85, code validation 0.90, certainty 0.75, history 0.50)"
)


@pytest.fixture
def calculator(address: str) -> Iterator[ConfidenceCalculator]:
    """Give a calculator on a store of each kind in turn."""
    with ConfidenceCalculator(address) as found:
        yield found


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Give the place of a store in a file."""
    return tmp_path / "nlnh.db"


def with_history(calculator: ConfidenceCalculator, met: int, total: int, agent: str, age_hours: float = 1.0) -> None:
    """Have answers of an agent judged some time ago, of which so many met their threshold."""
    then = time.time() - age_hours * 3600
    for number in range(total):
        score = 1.0 if number < met else 0.0
        calculator.sure.responses.check(agent=agent, knowledge=score, code=score, history=score, now=then + number)


Nlnh = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def nlnh(tmp_path: Path, kept: Path) -> Nlnh:
    """Run the command line of the module as a process of its own."""

    def run(*arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
        environment = os.environ | {"HOME": str(tmp_path), "HOWSURE_STORE": str(kept)} | more
        command = [sys.executable, "-W", "error", "-m", "howsure.compat.nlnh", *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)

    return run


def test_agent_types_are_the_documents() -> None:
    assert [kind.name for kind in AgentType] == ["PLANNER", "PATCHER", "VALIDATOR", "DGTS_ENFORCER", "CLERK"]
    assert [kind.value for kind in AgentType] == ["planner", "patcher", "validator", "dgts_enforcer", "clerk"]


def test_results_have_the_documents_names(calculator: ConfidenceCalculator) -> None:
    found = calculator.calculate_confidence(AgentType.PLANNER, "p", 0.8, 0.9, 0.7, 0.75, "task-1")
    assert [field.name for field in dataclasses.fields(found)] == ATTRIBUTES
    assert [field.name for field in dataclasses.fields(found.factors)] == FACTORS
    assert found.timestamp.endswith("Z")
    assert (found.agent_name, found.agent_type, found.task_id) == ("p", "planner", "task-1")
    assert found.composite_confidence == pytest.approx(0.8)
    assert (found.confidence_level, found.agent_threshold, found.threshold_met) == ("MODERATE", 0.75, True)
    assert (found.should_block, found.block_reason) == (False, None)
    assert dataclasses.astuple(found.factors) == (0.8, 0.9, 0.7, 0.75)


PYTHON_EXAMPLE = """
# Initialize calculator
calculator = ConfidenceCalculator()

# Calculate confidence
result = calculator.calculate_confidence(
    agent_type=AgentType.PATCHER,
    agent_name="archon-patcher-1",
    knowledge_base_score=0.85,
    code_validation_score=0.90,
    response_certainty_score=0.75,
    # agent_history_score auto-calculated from local history
    task_id="task-123",
)

# Check result
if result.should_block:
    print(f"Low confidence: {result.block_reason}")
    # Use "I don't know" instead
else:
    print(f"Confidence {result.composite_confidence:.2%} meets threshold")

# Access details
print(f"Level: {result.confidence_level}")
print(f"KB Score: {result.factors.knowledge_base_score:.2%}")
print(f"Code Score: {result.factors.code_validation_score:.2%}")
print(f"Certainty Score: {result.factors.response_certainty_score:.2%}")
print(f"History Score: {result.factors.agent_history_score:.2%}")
"""
HELPERS_EXAMPLE = """
retrieval_results = [
    {"similarity": 0.92, "text": "Relevant doc 1"},
    {"similarity": 0.85, "text": "Relevant doc 2"},
    {"similarity": 0.65, "text": "Less relevant doc"},
]

kb_score = calculator.calculate_knowledge_base_score(
    retrieval_results,
    relevance_threshold=0.7,
)
code_score = calculator.calculate_code_validation_score(
    code_exists=True,
    syntax_valid=True,
    type_valid=True,
    tests_exist=True,
    tests_pass=False,  # Tests failing
)
response = "I definitely tested this and it's confirmed working"

certainty_score = calculator.calculate_response_certainty_score(response)
"""
STATISTICS_EXAMPLE = """
stats = calculator.get_agent_statistics(
    agent_name="archon-patcher-1",
    lookback_hours=168,  # 1 week
)

print(f"Total executions: {stats['total_executions']}")
print(f"Success rate: {stats['success_rate']:.2%}")
print(f"Avg confidence: {stats['average_confidence']:.2%}")
print(f"Blocked count: {stats['blocked_count']}")
print(f"Threshold: {stats['threshold']:.2%}")
"""
CHECK_EXAMPLE = """
def respond():
    # Calculate confidence for response
    result = calculator.calculate_confidence(
        agent_type=AgentType.PATCHER,
        agent_name="archon-patcher-1",
        knowledge_base_score=kb_score,
        code_validation_score=code_score,
        response_certainty_score=certainty_score,
    )

    if result.should_block:
        # Use "I don't know" instead
        return {
            "response": "I don't know - my confidence is too low to answer this accurately.",
            "reason": result.block_reason,
            "confidence": result.composite_confidence,
        }
    else:
        # Proceed with normal response
        return {
            "response": actual_response,
            "confidence": result.composite_confidence,
        }
"""
GATE_EXAMPLE = """
executor = QualityGatesExecutor()
result = executor.execute_post_implementation_gate(
    agent_name="patcher-1",
    agent_type="patcher",
    # ... other params
)

# Check if confidence requirements met
confidence_check = [c for c in result.checks if c.rule == "CONFIDENCE_REQUIREMENTS"][0]

if confidence_check.status == "FAILED":
    print("Confidence too low - cannot proceed")
"""


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch, kept: Path, tmp_path: Path) -> dict[str, Any]:
    """Give the names that the examples import, with a store and a folder of their own."""
    monkeypatch.setenv("HOWSURE_STORE", str(kept))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    public = (ConfidenceCalculator, AgentType, QualityGatesExecutor)
    return {one.__name__: one for one in public}


def run(example: str, names: dict[str, Any]) -> None:
    exec(example, names)  # noqa: S102 - the document's own example


def test_the_python_example_runs_as_printed(names: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    run(PYTHON_EXAMPLE, names)
    assert capsys.readouterr().out.splitlines() == [
        f"Low confidence: {LOW}",
        "Level: MODERATE",
        "KB Score: 85.00%",
        "Code Score: 90.00%",
        "Certainty Score: 75.00%",
        "History Score: 50.00%",
    ]


def test_the_python_example_passes_with_a_good_history(
    names: dict[str, Any], kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ConfidenceCalculator(kept) as calculator:
        with_history(calculator, 18, 20, "archon-patcher-1")
    run(PYTHON_EXAMPLE, names)
    out = capsys.readouterr().out.splitlines()
    assert (out[0], out[-1]) == ("Confidence 85.50% meets threshold", "History Score: 90.00%")


def test_the_other_examples_run_as_printed(
    names: dict[str, Any], kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ConfidenceCalculator(kept) as calculator:
        with_history(calculator, 18, 20, "archon-patcher-1")
        names["calculator"] = calculator
        run(HELPERS_EXAMPLE, names)
        assert (names["kb_score"], names["code_score"]) == (1.0, pytest.approx(0.85))
        assert names["certainty_score"] == pytest.approx(0.8)
        names["actual_response"] = "It works."
        run(CHECK_EXAMPLE, names)
        reply = names["respond"]()
        assert reply == {"response": "It works.", "confidence": pytest.approx(0.895)}
        names["kb_score"] = 0.1
        assert names["respond"]()["response"].startswith("I don't know - ")
        run(STATISTICS_EXAMPLE, names)
    assert capsys.readouterr().out.splitlines() == [
        "Total executions: 22",
        "Success rate: 86.36%",
        "Avg confidence: 88.73%",
        "Blocked count: 3",
        "Threshold: 80.00%",
    ]


def test_the_gate_example_runs_as_printed(
    names: dict[str, Any], kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(GATE_EXAMPLE, names)
    assert capsys.readouterr().out == ""
    assert names["confidence_check"].status == "WARNING"
    with ConfidenceCalculator(kept) as calculator:
        calculator.calculate_confidence("patcher", "patcher-1", 0.1, 0.1, 0.1)
    run(GATE_EXAMPLE, names)
    assert capsys.readouterr().out == "Confidence too low - cannot proceed\n"
    assert "what would help" in names["confidence_check"].message


def test_the_gate_takes_other_parameters(kept: Path, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("")
    report = tmp_path / "report.json"
    report.write_text('{"totals": {"percent_covered": 70}}')
    with QualityGatesExecutor(kept) as executor:
        found = executor.execute_post_implementation_gate(
            "a", AgentType.CLERK, folder=str(tmp_path), coverage=str(report), min_coverage=0.5
        )
        assert [check.status for check in found.checks] == ["PASSED", "SKIPPED", "PASSED", "WARNING"]
        assert found.passed
        assert found.agent_type == "clerk"
        stricter = executor.execute_post_implementation_gate(folder=tmp_path, coverage=report)
        assert not stricter.passed
        with pytest.raises(TypeError, match="min_coverge"):
            executor.execute_post_implementation_gate(folder=tmp_path, min_coverge=0.5)


@pytest.mark.parametrize(
    ("results", "threshold", "score"),
    [
        ([], 0.7, 0.0),
        ([{"similarity": 0.69}], 0.7, 0.0),
        ([{"similarity": 0.7}], 0.7, 0.75),
        ([{"similarity": 0.85}, {"similarity": 0.8}, {"similarity": 0.75}], 0.7, 1.0),
        ([{"similarity": 0.5}] * 9, 0.5, 0.7),
        ([{"similarity": 0.85}, {"similarity": 0.6}], 0.9, 0.0),
    ],
)
def test_knowledge_is_scored(kept: Path, results: list[Any], threshold: float, score: float) -> None:
    with ConfidenceCalculator(kept) as calculator:
        assert calculator.calculate_knowledge_base_score(results, threshold) == pytest.approx(score)


def test_code_is_scored(kept: Path) -> None:
    with ConfidenceCalculator(kept) as calculator:
        assert calculator.calculate_code_validation_score() == 0.0
        for name, score in [("code_exists", 0.3), ("syntax_valid", 0.2), ("type_valid", 0.2), ("tests_exist", 0.15)]:
            assert calculator.calculate_code_validation_score(**{name: True}) == pytest.approx(score)
        assert calculator.calculate_code_validation_score(True, True, True, True, True) == pytest.approx(1.0)
        with pytest.raises(InputError, match="exists: 'yes'"):
            calculator.calculate_code_validation_score(code_exists="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "score"), [("", 0.5), ("Maybe.", 0.35), ("I think it is probably untested.", 0.2), ("tested " * 9, 1.0)]
)
def test_wording_is_scored(kept: Path, text: str, score: float) -> None:
    with ConfidenceCalculator(kept) as calculator:
        assert calculator.calculate_response_certainty_score(text) == pytest.approx(score)
        with pytest.raises(InputError, match="response_text"):
            calculator.calculate_response_certainty_score(None)  # type: ignore[arg-type]


def test_history_is_scored_within_the_look_back(calculator: ConfidenceCalculator) -> None:
    assert calculator.calculate_agent_history_score("a") == 0.5
    with_history(calculator, 18, 20, "a")
    with_history(calculator, 0, 10, "a", age_hours=30)
    assert calculator.calculate_agent_history_score("a") == 0.9
    assert calculator.calculate_agent_history_score("a", lookback_hours=48) == 0.6
    assert calculator.calculate_agent_history_score("A") == 0.5
    with pytest.raises(InputError, match="lookback_hours: -1"):
        calculator.calculate_agent_history_score("a", lookback_hours=-1)


def test_right_answers_take_the_place_of_passing_once_enough_are_known(calculator: ConfidenceCalculator) -> None:
    with_history(calculator, 20, 20, "a")
    for number, record in enumerate(calculator.sure.ledger.find(agent="a").decisions):
        calculator.sure.ledger.outcome(record.id, "right" if number < 5 else "wrong")
    assert calculator.calculate_agent_history_score("a") == 0.25


def test_statistics_of_an_unknown_agent_are_zero(calculator: ConfidenceCalculator) -> None:
    assert calculator.get_agent_statistics("nobody") == {
        "total_executions": 0,
        "success_rate": 0.0,
        "average_confidence": 0.0,
        "blocked_count": 0,
        "threshold": 0.8,
    }


def test_unchecked_responses_are_blocked_for_review(calculator: ConfidenceCalculator) -> None:
    found = calculator.calculate_confidence("clerk", "a", None, None, 1.0, 1.0)
    assert (found.threshold_met, found.should_block) == (True, True)
    assert "neither knowledge nor code was looked at" in (found.block_reason or "")
    assert (found.factors.knowledge_base_score, found.factors.code_validation_score) == (None, None)
    assert calculator.get_agent_statistics("a")["blocked_count"] == 1


@pytest.mark.parametrize("name", FACTORS)
@pytest.mark.parametrize("score", [1.5, -0.1, float("nan"), "0.5", True])
def test_invalid_scores_are_named(kept: Path, name: str, score: Any) -> None:
    with ConfidenceCalculator(kept) as calculator:
        with pytest.raises(InputError, match=f"^{name}: "):
            calculator.calculate_confidence("clerk", "a", **(SCORES | {name: score}))
        assert calculator.sure.ledger.find().decisions == []


def test_history_is_exported_as_the_document_names_it(calculator: ConfidenceCalculator, tmp_path: Path) -> None:
    found = calculator.calculate_confidence(AgentType.PATCHER, "archon-patcher-1", 1.0, 0.85, 0.8, 0.9, "task-123")
    assert calculator.export_history(tmp_path / "history") == 1
    (file,) = (tmp_path / "history").iterdir()
    assert file.name == f"confidences-{found.timestamp[:10]}.jsonl"
    line = orjson.loads(file.read_bytes())
    line.pop("howsure")
    plain = dataclasses.asdict(found)
    plain.pop("block_reason")
    assert line == plain


def test_an_unclosed_calculator_loses_nothing(kept: Path) -> None:
    calculator = ConfidenceCalculator(kept)
    calculator.calculate_confidence("clerk", "a", **SCORES)
    del calculator
    gc.collect()
    with ConfidenceCalculator(str(kept)) as again:
        assert again.get_agent_statistics("a")["total_executions"] == 1
        again.close()


BLOCK = """\
Composite Confidence: 80.00%
Confidence Level: MODERATE
Threshold: 75.00%
Threshold Met: True
Should Block: False

Factor Scores:
  Knowledge Base: 80.00%
  Code Validation: 90.00%
  Response Certainty: 70.00%
  Agent History: 75.00%
"""


def test_the_command_line_prints_the_documents_block(nlnh: Nlnh, kept: Path) -> None:
    with ConfidenceCalculator(kept) as calculator:
        with_history(calculator, 3, 4, "archon-planner-1")
    done = nlnh("planner", "archon-planner-1", "0.8", "0.9", "0.7")
    assert (done.stdout, done.stderr, done.returncode) == (BLOCK, "", 0)
    with ConfidenceCalculator(kept) as calculator:
        assert calculator.get_agent_statistics("archon-planner-1")["total_executions"] == 5


def test_the_command_line_exits_1_where_it_should_block(nlnh: Nlnh) -> None:
    done = nlnh("DGTS Enforcer", "a", "0.8", "0.9", "0.7")
    assert (done.returncode, done.stderr) == (1, "")
    assert "Threshold: 90.00%\nThreshold Met: False\nShould Block: True\n" in done.stdout
    assert done.stdout.endswith("  Agent History: 50.00%\n")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "expected 5 arguments, got 0"),
        (["planner", "a", "0.8", "0.9"], "expected 5 arguments, got 4"),
        (["planer", "a", "0.8", "0.9", "0.7"], "AGENT_TYPE: unknown agent type 'planer' (did you mean planner?)"),
        (["planner", "a", "0.8", "high", "0.7"], "could not convert string to float: 'high'"),
        (["planner", "a", "0.8", "1.9", "0.7"], "code_validation_score: 1.9 is not between 0 and 1"),
        (["planner", "a", "nan", "0.9", "0.7"], "knowledge_base_score: nan is not a finite number"),
    ],
)
def test_wrong_arguments_are_answered_by_the_usage(nlnh: Nlnh, arguments: list[str], problem: str) -> None:
    done = nlnh(*arguments)
    usage = "usage: python -m howsure.compat.nlnh AGENT_TYPE AGENT_NAME KNOWLEDGE CODE CERTAINTY"
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr == f"howsure: {problem}\n{usage}\n"


def test_an_unopenable_store_is_reported_in_one_line(nlnh: Nlnh, tmp_path: Path) -> None:
    (tmp_path / "no.db").write_text("This is no database, and it is long enough to be looked at as one." * 20)
    done = nlnh("planner", "a", "0.8", "0.9", "0.7", HOWSURE_STORE=str(tmp_path / "no.db"))
    assert (done.stdout, done.returncode) == ("", 2)
    assert done.stderr.startswith("howsure: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_result_cannot_be_changed() -> None:
    assert ConfidenceResult.__dataclass_params__.frozen  # type: ignore[attr-defined]
