"""The CrewAI guardrail with CrewAI's own output and result, from its package without what that asks for (800 MB).

The packages around these modules import all of CrewAI, so empty ones stand in for them. test_crewai_package.py runs
whole tasks where all of it is installed.
"""

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from howsure import Sure
from howsure.integrations.core import ResponseGate
from howsure.integrations.crewai import task_guardrail
from tests.integrations.scripts import FACT, QUESTION, RIGHT, WRONG, recorded

PACKAGES = ("crewai", "crewai.utilities", "crewai.tasks", "crewai.tools")


@pytest.fixture
def root() -> Iterator[Path]:
    """Give the folder of CrewAI, whose modules can be imported one by one meanwhile."""
    spec = importlib.util.find_spec("crewai")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "crewai"}
    for name in PACKAGES:
        package = ModuleType(name)
        package.__path__ = [str(folder.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "crewai"]:
        del sys.modules[name]
    sys.modules.update(before)


def _run(guardrail: Any, raw: str) -> Any:
    """Return what CrewAI makes of the guardrail's answer about an output of its own."""
    output = importlib.import_module("crewai.tasks.task_output").TaskOutput
    result = importlib.import_module("crewai.utilities.guardrail").GuardrailResult
    messages = [{"role": "user", "content": QUESTION}, {"role": "tool", "content": FACT}]
    return result.from_tuple(guardrail(output(description=QUESTION, raw=raw, agent="Guide", messages=messages)))


@pytest.mark.usefixtures("root")
def test_crewai_reads_what_the_guardrail_returns(gate: ResponseGate, sure: Sure) -> None:
    guardrail = task_guardrail(gate)
    passed, blocked = _run(guardrail, RIGHT), _run(guardrail, WRONG)
    assert (passed.success, passed.result, passed.error) == (True, RIGHT, None)
    assert (blocked.success, blocked.result) == (False, None)
    assert "was not sent" in blocked.error
    assert recorded(sure) == [("Guide", "pass"), ("Guide", "block")]
    replaced = _run(task_guardrail(gate, on_blocked="replace"), WRONG)
    assert replaced.success
    assert replaced.result.startswith("I don't know: ")


def test_a_task_accepts_the_guardrail(root: Path, gate: ResponseGate) -> None:
    """The check that a Task makes of its guardrail, taken out of a module that imports all of CrewAI."""
    tree = ast.parse((root / "task.py").read_text())
    [check] = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == "validate_guardrail_function"
    ]
    check.decorator_list = []
    check.returns = None
    for argument in check.args.args:
        argument.annotation = None
    names: dict[str, Any] = {"inspect": inspect, "Any": Any}
    exec("from typing import *", names)  # noqa: S102
    exec(compile(ast.Module([check], []), str(root / "task.py"), "exec"), names)  # noqa: S102 - of the package under test
    guardrail = task_guardrail(gate)
    assert names["validate_guardrail_function"](None, guardrail) is guardrail
    with pytest.raises(ValueError, match="exactly one parameter"):
        names["validate_guardrail_function"](None, lambda output, more: (True, output))
