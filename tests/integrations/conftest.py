"""Fixtures of the tests of adapters, which run where the frameworks are installed: `make integrations`."""

import importlib.util
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

import howsure
from howsure.integrations.core import ResponseGate

FRAMEWORKS = {
    "test_langchain.py": "langchain",
    "test_openai_agents.py": "agents",
    "test_pydantic_ai.py": "pydantic_ai",
    "test_llama_index.py": "llama_index",
    "test_haystack.py": "haystack",
    "test_inspect_ai.py": "inspect_ai",
    "test_mlflow.py": "mlflow",
    "test_dspy_package.py": "dspy",
    "test_crewai_package.py": "crewai",
    "test_crewai_contract.py": "crewai",
    "test_adapter_docs.py": "langchain",
}
"""The package that a file of tests needs."""
# Frameworks that report home must not do so from tests.
os.environ |= {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_DISABLE_TRACKING": "true",
    "DO_NOT_TRACK": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LANGSMITH_TRACING": "false",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
}


class MissingFramework(pytest.Module):
    """Tests whose framework is not installed: skipped, but an error in CI."""

    def collect(self) -> NoReturn:
        package = FRAMEWORKS[self.path.name]
        if os.environ.get("CI"):
            pytest.fail(f"{package} is not installed, and CI must not skip: run `make integrations`", pytrace=False)
        pytest.skip(f"{package} is not installed: run `make integrations`", allow_module_level=True)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, Any, Any]:
    """Do not import tests whose framework is missing, neither for tests nor for doctests."""
    found = yield
    package = FRAMEWORKS.get(file_path.name)
    if package and importlib.util.find_spec(package) is None:
        return [MissingFramework.from_parent(parent, path=file_path)]
    return found


@pytest.fixture
def sure(tmp_path: Path) -> Iterator[howsure.Sure]:
    with howsure.open(str(tmp_path / "decisions.db")) as store:
        yield store


@pytest.fixture
def gate(sure: howsure.Sure) -> ResponseGate:
    return ResponseGate(sure=sure)
