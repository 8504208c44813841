"""A release is a tag whose version, changelog and links are right."""

import email
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from hatch_build import with_absolute_links
from tests.conftest import ROOT
from tools.release_notes import release_notes

CHANGELOG = (
    "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-01\n\n### Added\n\n- This.\n\n## [1.1.0]\n\n- That.\n"
)


def test_release_notes_are_the_section_of_the_changelog() -> None:
    assert release_notes("v1.2.0", CHANGELOG, '__version__ = "1.2.0"\n') == "### Added\n\n- This.\n"


@pytest.mark.parametrize(
    ("tag", "source", "problem"),
    [
        ("v1.2.0", '__version__ = "1.2.1"\n', "the package is version 1.2.1, not 1.2.0"),
        ("v1.3.0", '__version__ = "1.3.0"\n', "CHANGELOG.md has no section for 1.3.0"),
    ],
)
def test_a_tag_that_does_not_fit_is_refused(tag: str, source: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        release_notes(tag, CHANGELOG, source)


def test_the_script_fails_for_an_unknown_version() -> None:
    command = [sys.executable, str(ROOT / "tools" / "release_notes.py"), "v0.0.0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "release_notes: the package is version" in done.stderr


def test_badges_keep_their_image_and_their_link() -> None:
    badge = "[![tests](../../actions/workflows/test.yml/badge.svg)](../../actions/workflows/test.yml)"
    home = "https://github.com/acme/howsure"
    expected = f"[![tests]({home}/actions/workflows/test.yml/badge.svg)]({home}/actions/workflows/test.yml)"
    assert with_absolute_links(badge, home, "main") == expected


def test_a_wheel_has_a_readme_whose_links_work_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "acme/howsure")
    monkeypatch.setenv("GITHUB_REF_NAME", "v9")
    build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    with zipfile.ZipFile(tmp_path / done.stdout.split()[-1]) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith("METADATA")]
        metadata = email.message_from_bytes(wheel.read(name))
    text = str(metadata.get_payload())
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    assert targets
    assert all(re.match(r"https?://|#", target) for target in targets)
    assert "https://raw.githubusercontent.com/acme/howsure/v9/docs/images/" in text
    assert any("Changelog" in url for url in metadata.get_all("Project-URL", []))


def test_relative_links_of_the_readme_lead_to_files() -> None:
    text = (ROOT / "README.md").read_text()
    targets = [
        target for target in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"https?:|#|\.\./\.\./", target)
    ]
    assert targets
    assert [target for target in targets if not (ROOT / target.partition("#")[0]).exists()] == []


def test_the_sdist_has_everything_that_its_tests_read(tmp_path: Path) -> None:
    build = "from hatchling.build import build_sdist; import sys; print(build_sdist(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    with tarfile.open(tmp_path / done.stdout.split()[-1]) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    folders = ("src", "tests", "docs", "benchmarks", "examples", "tools", ".github")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    files += [
        path for path in ROOT.iterdir() if path.is_file() and path.suffix in (".md", ".yaml", ".yml", ".toml", ".py")
    ]
    names = {path.relative_to(ROOT).as_posix() for path in files if not {"__pycache__", ".hypothesis"} & {*path.parts}}
    assert {
        "Makefile",
        "requirements.lock",
        "requirements-demo.lock",
        "LICENSE",
        ".gitattributes",
        ".editorconfig",
    } | names <= packed
    # Unpacked, a test runs on the code beside it, not on this one.
    with tarfile.open(tmp_path / done.stdout.split()[-1]) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.glob("howsure-*/")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        "tests/test_architecture.py",
        "-k",
        "not src/howsure",  # what it says of each file it says of the same files here
    ]
    variables = os.environ | {"PYTHONPATH": str(folder / "src")}
    run = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_the_tour_has_the_tested_versions_and_little_else() -> None:
    """`make demo` installs a small lock of its own, whose pins are those of the whole one."""
    whole, tour = (
        {line.split()[0] for line in (ROOT / name).read_text("utf-8").splitlines() if "==" in line}
        for name in ("requirements.lock", "requirements-demo.lock")
    )
    assert tour <= whole
    assert len(tour) < 30
    assert not {"duckdb", "mkdocs", "numba", "playwright", "pyarrow", "pyspark", "torch"} & {
        pin.partition("==")[0] for pin in tour
    }
