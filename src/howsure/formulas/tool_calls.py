"""Tool calls of an investigation, and running totals over them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Generic, NamedTuple

from howsure.formulas.ops import N
from howsure.shapes import Count, Unit, Within

CATEGORIES = ("search", "read", "verification", "discovery", "git", "ci")
CONFIRMING = ("search", "read", "git", "ci")
"""Categories whose calls name a target, and so can confirm one."""


@dataclass(frozen=True)
class ToolCall:
    """One tool call and its result."""

    tool: str
    """Name of the tool."""
    target: str = ""
    """What it looked for or at: a path, a symbol, a search term."""
    results: Count = 0
    """How many results it gave."""
    passed: bool | None = None
    """Whether a build or test run passed; None if unknown."""
    factors: Annotated[int, Within(0, 4)] | None = None
    """How much of the project a discovery understood: build system, source layout, tests, documentation."""
    complete: Unit = 1.0
    """Share of the CI data that was there."""
    error: str | None = None
    """The error message. A call with an error has no results."""
    recovery: bool = False
    """Whether the call was made to recover from weak evidence."""


class Row(NamedTuple, Generic[N]):
    """The numbers that the formula reads. Flags are 0 or 1; `*_counts` is 1 if a category takes part."""

    search_kinds: N
    """Most kinds of search tool with results for one target."""
    search_counts: N
    """Searching takes part."""
    read_found: N
    """Something was read."""
    paths_read: N
    """How many different paths were read."""
    read_counts: N
    """Reading takes part."""
    build_passed: N
    """A build's latest run passed."""
    build_failed: N
    """A build's latest run failed."""
    tests_passed: N
    """A test tool's latest run passed."""
    tests_failed: N
    """A test tool's latest run failed."""
    verification_counts: N
    """Building and testing take part: the result of a run is known."""
    discovery_factors: N
    """Most factors understood by one discovery."""
    discovery_found: N
    """A discovery came back."""
    discovery_counts: N
    """Understanding the project takes part."""
    git_found: N
    """The history gave results."""
    git_counts: N
    """The history takes part."""
    ci_complete: N
    """Highest complete share of a CI call with results; 0 without one."""
    ci_counts: N
    """CI data takes part."""
    converging: N
    """How many categories confirm the best target."""
    search_and_read: N
    """Search and read both confirm it."""


@lru_cache(maxsize=256)  # asked several times for each call
def same_target(target: str) -> str:
    r"""Return what two targets have in common if they mean the same thing; empty for none.

    >>> same_target("src/MemoryManager.h"), same_target("memory_manager"), same_target("C:\\src\\.env\\")
    ('memorymanager', 'memorymanager', '.env')
    """
    segment = target.replace("\\", "/").rstrip("/").rpartition("/")[2]
    stem = segment.rpartition(".")[0] or segment
    return stem.replace("_", "").replace("-", "").casefold()


@dataclass
class Tally:
    """Running totals over tool calls. Adding a call takes constant time."""

    tools: Mapping[str, str]
    """Category of each tool, and after a dot its kind if that is not the name of the tool."""
    bonus: Callable[[int, bool], float]
    """Share of doubt that a target closes, by how many categories confirm it, and whether search and read do."""
    counts: set[str] = field(default_factory=set)
    """Categories that take part; verification only if the result of a run is known, too."""
    kinds: dict[str, set[str]] = field(default_factory=dict)
    """Kinds of search tool with results, by target."""
    paths: set[str] = field(default_factory=set)
    """Paths read, as written."""
    builds: dict[str, bool] = field(default_factory=dict)
    """Whether each build tool's latest run passed."""
    tests: dict[str, bool] = field(default_factory=dict)
    """Whether each test tool's latest run passed."""
    confirmed: dict[str, set[str]] = field(default_factory=dict)
    """Categories that confirm each target."""
    best_target: str = ""
    """The target that closes the largest share of doubt."""
    agreed: list[str] = field(default_factory=list)
    """Targets that two or more categories confirm, in the order in which they were confirmed."""
    broken: set[str] = field(default_factory=set)
    """Build and test tools whose latest run ended with an error."""
    unknown: set[str] = field(default_factory=set)
    """Tools that belong to no category."""
    search_kinds: int = 0
    read_found: bool = False
    discovery_factors: int | None = None
    git_found: bool = False
    ci_complete: float = 0.0
    best_worth: float = 0.0
    """The share of doubt that the best target closes."""
    other_paths: int = 0
    """How many paths were read besides `paths`."""

    def around(self, target: str) -> "Tally":
        """Return a small copy in which further calls about one target have the same effect as in this tally.

        The copy takes constant time, however many targets this tally holds.
        """
        about = {same_target(target), self.best_target}
        return replace(
            self,
            counts=set(self.counts),
            kinds={name: set(kinds) for name in about if (kinds := self.kinds.get(name))},
            paths=self.paths & {target},
            other_paths=self.other_paths + len(self.paths) - (target in self.paths),
            builds=dict(self.builds),
            tests=dict(self.tests),
            confirmed={name: set(by) for name in about if (by := self.confirmed.get(name))},
            agreed=[],
            broken=set(),
            unknown=set(),
        )

    def warnings(self) -> list[str]:
        """Return warnings to show with the score."""
        failed = [f"the latest build failed: {tool}" for tool, passed in self.builds.items() if not passed]
        failed += [f"the latest tests failed: {tool}" for tool, passed in self.tests.items() if not passed]
        failed += [f"the latest run ended with an error: {tool}" for tool in sorted(self.broken)]
        if self.unknown:
            failed.append(f"unknown tools are ignored: {', '.join(sorted(self.unknown))}")
        return failed

    def place(self, call: ToolCall) -> tuple[str, str]:
        """Return the category and kind of a call's tool; an empty category if the tool is unknown."""
        category, _, kind = self.tools.get(call.tool, "").partition(".")
        return category, kind or call.tool

    def add(self, call: ToolCall) -> None:
        """Add one call."""
        category, kind = self.place(call)
        if not category:
            self.unknown.add(call.tool)
            return
        useful = getattr(self, f"_add_{category}")(call, kind)
        if useful and category in CONFIRMING:
            self._confirm(call, category)
        if useful or not call.recovery:
            self.counts.add(category)

    def _add_search(self, call: ToolCall, kind: str) -> bool:
        has_results = _has_results(call)
        if has_results:
            target = same_target(call.target)
            kinds = self.kinds.setdefault(target, set()) if target else set()
            kinds.add(kind)
            self.search_kinds = max(self.search_kinds, len(kinds))
        return has_results

    def _add_read(self, call: ToolCall, _kind: str) -> bool:
        has_results = _has_results(call)
        if has_results:
            self.read_found = True
            self.paths |= {call.target} - {""}
        return has_results

    def _add_verification(self, call: ToolCall, kind: str) -> bool:
        runs = self.builds if kind == "build" else self.tests
        if call.error is not None:
            self.broken.add(call.tool)
            # The latest run counts, and its result is unknown. What failed before still does.
            if not call.recovery and runs.get(call.tool):
                del runs[call.tool]
            return False
        if call.passed is None:
            return False
        self.broken.discard(call.tool)
        runs[call.tool] = call.passed
        return True

    def _add_discovery(self, call: ToolCall, _kind: str) -> bool:
        if call.error is not None or call.factors is None:
            return False
        if call.recovery and not call.factors:
            return False
        self.discovery_factors = max(self.discovery_factors or 0, call.factors)
        return True

    def _add_git(self, call: ToolCall, _kind: str) -> bool:
        has_results = _has_results(call)
        self.git_found |= has_results
        return has_results

    def _add_ci(self, call: ToolCall, _kind: str) -> bool:
        has_results = _has_results(call)
        if has_results:
            self.ci_complete = max(self.ci_complete, call.complete)
        return has_results

    def _confirm(self, call: ToolCall, category: str) -> None:
        target = same_target(call.target)
        if target:
            by = self.confirmed.setdefault(target, set())
            if category not in by and len(by) == 1:
                self.agreed.append(target)
            by.add(category)
            if (worth := self.worth(target)) > self.best_worth:
                self.best_target, self.best_worth = target, worth

    def worth(self, target: str) -> float:
        """Return the share of doubt that agreement on a target closes."""
        by = self.confirmed.get(target, set())
        return self.bonus(len(by), {"search", "read"} <= by)

    def row(self) -> Row[float]:
        """Return the current numbers."""
        by = self.confirmed.get(self.best_target, set())
        return Row(
            search_kinds=float(self.search_kinds),
            search_counts=float("search" in self.counts),
            read_found=float(self.read_found),
            paths_read=float(len(self.paths) + self.other_paths),
            read_counts=float("read" in self.counts),
            build_passed=float(True in self.builds.values()),
            build_failed=float(False in self.builds.values()),
            tests_passed=float(True in self.tests.values()),
            tests_failed=float(False in self.tests.values()),
            # A run without a result shows nothing about the code, other than a search that found nothing.
            verification_counts=float(bool(self.builds or self.tests)),
            discovery_factors=float(self.discovery_factors or 0),
            discovery_found=float(self.discovery_factors is not None),
            discovery_counts=float("discovery" in self.counts),
            git_found=float(self.git_found),
            git_counts=float("git" in self.counts),
            ci_complete=self.ci_complete,
            ci_counts=float("ci" in self.counts),
            converging=float(len(by)),
            search_and_read=float({"search", "read"} <= by),
        )


def _has_results(call: ToolCall) -> bool:
    return call.results > 0 and call.error is None
