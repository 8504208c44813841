"""Investigations: what counts as evidence, and what recovery may change."""

from typing import Any

import pytest

from howsure.errors import InputError
from howsure.formulas.investigation import Investigation
from howsure.formulas.tool_calls import Tally, ToolCall, same_target

MODEL = Investigation()


def _score(*calls: dict[str, Any]) -> Any:
    return MODEL.score({"steps": list(calls)})


def _call(tool: str, target: str = "Parser", results: int = 1, **more: Any) -> dict[str, Any]:
    return {"tool": tool, "target": target, "results": results, **more}


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("src/MemoryManager.h", "memory_manager", True),
        ("a\\b\\Parser.cpp", "parser", True),
        ("dir/sub/", "sub", True),
        ("file.tar.gz", "file.tar.bz2", True),
        ("file.tar.gz", "file", False),
        (".env", "env", False),
        ("my-lib", "mylib", True),
        ("STRASSE", "stra\u00dfe", True),
    ],
)
def test_targets_are_the_same_or_not(first: str, second: str, same: bool) -> None:
    assert (same_target(first) == same_target(second)) is same


def test_an_empty_target_matches_nothing() -> None:
    assert same_target("///") == same_target("") == ""
    found = _score(_call("find", ""), _call("grep", ""), _call("read", ""))
    assert found["categories"] == {"search": 0.65, "read": 0.80}
    assert found["converging_target"] is None


def test_numbers_of_the_source_document() -> None:
    assert _score(_call("find"), _call("grep"), _call("read"))["score"] == pytest.approx(0.83)
    assert _score(_call("find"), _call("read", "Lexer"))["score"] == pytest.approx(0.7318181818)
    assert _score(_call("find"), _call("read"))["score"] == pytest.approx(0.7720454545)


def test_the_target_that_search_and_read_agree_on_is_worth_more_than_another_pair() -> None:
    found = _score(_call("grep", "Lexer"), _call("git", "Lexer"), _call("grep"), _call("read"))
    assert found["converging_target"] == "parser"


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ([{"tool": "ctest", "passed": True}], "0.80, strong evidence, not yet cross-checked"),
        ([_call("find"), _call("grep"), _call("read", "Lexer")], "0.80, strong evidence, not yet cross-checked"),
        ([_call("find"), _call("read")], "2 categories agree on parser: 0.77, independent evidence agrees"),
        ([_call("find"), _call("read", "Lexer")], "0.73, real evidence, not yet cross-checked"),
        (
            [_call("find"), _call("read"), {"tool": "ctest", "passed": False}],
            "2 categories agree on parser: 0.69, real evidence, partly cross-checked",
        ),
    ],
)
def test_the_words_say_that_evidence_agrees_only_if_it_does(calls: list[dict[str, Any]], words: str) -> None:
    assert _score(*calls)["reason"].endswith(words)


def test_fifty_queries_average_as_specified() -> None:
    profile = [_score(_call("find"), _call("read"), _call("grep"), _call("read")) for _ in range(38)]
    profile += [_score(_call("find"), _call("read", "Lexer")) for _ in range(11)] + [_score()]
    assert sum(found["score"] for found in profile) / 50 == pytest.approx(0.79, abs=0.005)
    assert sum(found["recover"] for found in profile) / 50 <= 0.2


def test_a_tool_with_an_error_found_nothing() -> None:
    assert _score(_call("grep", error="no such file"))["categories"] == {"search": 0.0}
    assert _score({"tool": "discovery", "factors": 4, "error": "denied"})["categories"] == {"discovery": 0.0}


@pytest.mark.parametrize("run", [{"error": "did not end"}, {"error": "not found"}, {}])
def test_a_run_without_a_result_takes_no_part(run: dict[str, Any]) -> None:
    search, failed = _call("grep"), {"tool": "ctest", "passed": False}
    unknown = {"tool": "ctest", **run}
    assert _score(unknown)["categories"] == {}
    assert _score(search, unknown)["score"] == _score(search)["score"] > _score(search, failed)["score"]
    assert _score(search, failed, unknown)["score"] == _score(search, failed)["score"]


def test_recovery_without_results_changes_nothing() -> None:
    primary = [_call("grep", results=0), _call("read")]
    nothing = [
        _call("find", results=0, recovery=True),
        _call("git", error="x", recovery=True),
        {"tool": "discovery", "factors": 0, "recovery": True},
        {"tool": "ctest", "recovery": True},
    ]
    assert _score(*primary, *nothing)["score"] == _score(*primary)["score"]
    assert _score(*primary, *nothing)["categories"] == _score(*primary)["categories"]


def test_recovery_never_lowers_the_score_unless_its_build_or_tests_fail() -> None:
    strong = [_call("find"), _call("grep"), _call("references"), _call("read")]
    weaker = _score(*strong, {"tool": "discovery", "factors": 1, "recovery": True})
    assert weaker["score"] == _score(*strong)["score"]
    assert weaker["converging_target"] == "parser"
    failed = _score(*strong, {"tool": "ctest", "passed": False, "recovery": True})
    assert failed["score"] < _score(*strong)["score"]
    assert failed["recovery_change"] < 0
    assert failed["warnings"] == ["the latest tests failed: ctest"]


def test_the_latest_run_of_each_tool_counts() -> None:
    broken, mended = {"tool": "cmake", "passed": False}, {"tool": "cmake", "passed": True}
    tests = {"tool": "ctest", "passed": True}
    assert _score(broken, mended, tests)["categories"] == {"verification": 0.93}
    assert _score(mended, broken, tests)["categories"] == {"verification": 0.15}
    assert _score(mended, broken, tests)["warnings"] == ["the latest build failed: cmake"]


def test_a_failure_that_counts_is_warned_of_even_if_recovery_mended_it() -> None:
    strong = [_call(tool, "a") for tool in ("find", "grep", "references", "read")]
    failed = {"tool": "ctest", "passed": False}
    recovery = [
        {"tool": "ctest", "passed": True, "recovery": True},
        {"tool": "discovery", "factors": 1, "recovery": True},
        _call("gh", "b", complete=0.0, recovery=True),
    ]
    found = _score(*strong, failed, *recovery)
    assert found["categories"]["verification"] == 0.30
    assert found["warnings"] == ["the latest tests failed: ctest"]


def test_a_run_that_crashed_takes_back_what_the_one_before_had_shown() -> None:
    passed = [{"tool": "cmake", "passed": True}, {"tool": "ctest", "passed": True}]
    found = _score(*passed, {"tool": "ctest", "error": "segfault"})
    assert found["categories"] == {"verification": 0.80}
    assert found["warnings"] == ["the latest run ended with an error: ctest"]
    assert _score(*passed, {"tool": "ctest", "error": "x", "recovery": True})["categories"] == {"verification": 0.93}


def test_bands_are_parameters() -> None:
    assert (
        Investigation(band_starts=(0.9, 0.85, 0.8)).score({"steps": [_call("find"), _call("read")]})["band"] == "failed"
    )


def test_discovery_alone_is_only_context() -> None:
    assert _score({"tool": "discovery", "factors": 4})["score"] == 0.54


def test_incomplete_ci_data_counts_for_its_share() -> None:
    found = _score(_call("gh", complete=0.5), _call("gh", complete=0.25))
    assert found["categories"] == {"ci": 0.4}


def test_unknown_tools_are_said_to_be_ignored() -> None:
    found = _score(_call("teleport"), _call("read"))
    assert found["warnings"] == ["unknown tools are ignored: teleport"]
    assert found["categories"] == {"read": 0.55}


def test_tools_map_to_categories_by_configuration() -> None:
    model = Investigation(tools={"rg": "search.grep", "ag": "search.grep", "make": "verification.build"})
    found = model.score({"steps": [_call("rg"), _call("ag"), {"tool": "make", "passed": True}]})
    assert found["categories"] == {"search": 0.65, "verification": 0.80}


def test_invalid_limits_and_kinds_are_refused() -> None:
    with pytest.raises(InputError, match="stop_below: 0.9 is above proceed_from, 0.5"):
        Investigation(stop_below=0.9)
    with pytest.raises(InputError, match="make must either build or test"):
        Investigation(tools={"make": "verification"})


def test_a_tool_of_unknown_category_is_refused() -> None:
    with pytest.raises(InputError, match="rg has the unknown category serch \\(did you mean search\\?\\)"):
        Investigation(tools={"rg": "serch"})


def test_a_small_copy_counts_one_target_as_the_whole_does() -> None:
    whole = Tally({"grep": "search", "read": "read", "pytest": "test"}, lambda count, _: count / 10)
    for target in ("a.py", "b.py", "c.py"):
        whole.add(ToolCall("grep", target=target, results=3))
    whole.add(ToolCall("read", target="b.py", results=1))
    small = whole.around("a.py")
    assert len(small.confirmed) < len(whole.confirmed)
    for tally in (small, whole):
        tally.add(ToolCall("read", target="a.py", results=1))
    name = same_target("a.py")
    assert small.confirmed[name] == whole.confirmed[name] == {"search", "read"}
    assert len(small.paths) + small.other_paths == len(whole.paths) == 2
