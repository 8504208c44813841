"""The source document's service."""

from typing import Any

import pytest

from howsure.compat.confidence_service import ConfidenceResult, ConfidenceService
from howsure.errors import InputError


def test_single_calls_are_worth_what_the_document_says() -> None:
    service = ConfidenceService()
    found = {
        "search": service.after_search(1),
        "read": service.after_read(1, True),
        "build": service.after_build(True),
        "broken build": service.after_build(False),
        "broken tests": service.after_tests(False),
        "git": service.after_git(2),
        "ci": service.after_ci(),
        "half ci": service.after_ci(0.5),
        "discovery": service.after_discovery(4),
        "little discovery": service.after_discovery(1),
    }
    assert {name: result.score for name, result in found.items()} == {
        "search": 0.65,
        "read": 0.55,
        "build": 0.80,
        "broken build": 0.15,
        "broken tests": 0.30,
        "git": 0.75,
        "ci": 0.80,
        "half ci": 0.40,
        "discovery": 0.85,
        "little discovery": 0.20,
    }


def test_combining_converges_on_one_target() -> None:
    service = ConfidenceService()
    calls = [
        service.after_search(1, "find", target="MemoryManager"),
        service.after_search(2, "grep", target="MemoryManager"),
        service.after_read(1, True, target="src/MemoryManager.h"),
    ]
    found = service.combine(calls)
    assert (round(found.score, 4), found.band) == (0.83, "strong")
    assert service.should_proceed(found)
    assert not service.should_stop(found)
    assert service.combine([*calls, service.after_tests(False)]).score < found.score


def test_no_evidence_means_stop() -> None:
    service = ConfidenceService()
    found = service.combine([])
    assert (found.score, found.band) == (0.0, "failed")
    assert service.should_stop(found)
    assert not service.should_proceed(found)


def test_reading_more_files_counts_once_search_confirms_it() -> None:
    service = ConfidenceService()
    read = service.after_read(3, True, target="parser.py")
    assert read.score == 0.55
    assert service.combine([service.after_search(1), read]).score == pytest.approx((2.5 * 0.65 + 3 * 0.88) / 5.5)
    assert service.should_proceed(ConfidenceResult(0.5))


@pytest.mark.parametrize("target", ["MemoryManager.h", "src/MemoryManager.h", "MemoryManager"])
@pytest.mark.parametrize("files", [1, 2, 3, 50])
def test_reading_several_files_still_agrees_with_the_search_for_them(files: int, target: str) -> None:
    service = ConfidenceService()
    found = service.combine([service.after_search(3, target="MemoryManager"), service.after_read(files, target=target)])
    mean = (2.5 * 0.65 + 3 * (0.88 if files >= 3 else 0.80)) / 5.5
    assert found.score == pytest.approx(mean + 0.15 * (1 - mean))
    assert "2 categories agree" in found.reason


def test_reading_no_files_is_no_evidence() -> None:
    assert ConfidenceService().after_read(0).calls == ()


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("after_ci", (2.0,), "complete: 2.0 is not between 0 and 1"),
        ("after_ci", (float("nan"),), "complete: nan is not a finite number"),
        ("after_ci", ("half",), "complete: 'half' is not a number"),
        ("after_search", (-1,), "results: -1 is not between"),
        ("after_search", (1, "dance"), "tool: unknown search tool 'dance'"),
        ("after_search", (1, "read"), "tool: unknown search tool 'read'"),
        ("after_read", (-1,), "files: -1 is not between"),
        ("after_read", (1, "yes"), "success: 'yes' is neither true nor false"),
        ("after_build", ("yes",), "passed: 'yes' is neither true nor false"),
        ("after_tests", (None,), "passed: null is neither true nor false"),
        ("after_git", (1.5,), "results: 1.5 is not a whole number"),
        ("after_discovery", (9,), "factors: 9 is not between 0 and 4"),
        ("after_discovery", (2.5,), "factors: 2.5 is not a whole number"),
    ],
)
def test_invalid_values_are_refused(name: str, given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        getattr(ConfidenceService(), name)(*given)
    assert message in str(caught.value)


def test_search_tools_by_other_names_count() -> None:
    assert ConfidenceService().after_search(3, "rg").score == 0.65
    assert ConfidenceService().after_read(10**9).score == 0.55
