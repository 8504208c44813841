"""The examples work as they are."""

import doctest
import importlib.util
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from howsure.checks import check
from tests.conftest import ROOT, Run

PLUGIN = ROOT / "examples" / "fuzzy_formula"


@pytest.fixture(scope="module")
def fuzzy() -> ModuleType:
    spec = importlib.util.spec_from_file_location("howsure_fuzzy", PLUGIN / "howsure_fuzzy.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["howsure_fuzzy"] = module
    spec.loader.exec_module(module)
    return module


def test_the_plug_in_keeps_the_contract(fuzzy: ModuleType) -> None:
    check(fuzzy.Fuzzy)


def test_the_plug_ins_doctest_holds(fuzzy: ModuleType) -> None:
    result = doctest.testmod(fuzzy)
    assert (result.failed, result.attempted) == (0, 3)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the plug-in as a wheel and unpack it where Python looks for packages."""
    folder = tmp_path_factory.mktemp("plugin")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=PLUGIN, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def test_an_installed_plug_in_is_found_everywhere(howsure: Run, installed: Path) -> None:
    said = {"source_type": "user", "source_id": "ann", "contribution": 0.8}
    case = json.dumps({"now": 0, "provenance": [said], "contradicted_by": [{"influence": 0.4}]}).encode()
    path = str(installed)
    answer = json.loads(howsure("score", "claims", "-f", "fuzzy", "-f", "noisy_or", stdin=case, PYTHONPATH=path).stdout)
    assert answer["fuzzy"] == pytest.approx([0.6, 0.6])
    everything = json.loads(howsure("score", "claims", "-f", "all", stdin=case, PYTHONPATH=path).stdout)
    assert "fuzzy" in everything
    assert b"fuzzy" in howsure("models", PYTHONPATH=path).stdout
    assert b"plug-in fuzzy" in howsure("doctor", PYTHONPATH=path).stdout
    assert b"possible" in howsure("explain", "fuzzy", stdin=case, PYTHONPATH=path).stdout
