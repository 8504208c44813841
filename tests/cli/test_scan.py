"""howsure scan, document, review and patterns, as people and programs use them."""

import contextlib
import csv
import io
import json
import os
import pty
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT, Run
from tests.documents.scans import git

NOW = ("--now", "2026-11-15")


def test_documents_that_need_attention_are_shown_first(howsure: Run, site: Path) -> None:
    found = howsure("scan", str(site), *NOW, COLUMNS="120")
    assert found.returncode == 0, found.stderr
    lines = found.stdout.decode().splitlines()
    assert lines[0].split()[:4] == ["trust", "state", "fresh", "age"]
    assert lines[1].split()[:2] == ["█████████▊", "0.978"]
    assert "refresh or remove" in lines[1]
    assert "_data/hours.yml" in lines[1]
    assert lines[-1].startswith("Project score 0.7")


@pytest.mark.parametrize("width", ["30", "60", "80", "200"])
def test_scores_and_names_can_be_read_at_any_width(howsure: Run, site: Path, width: str) -> None:
    found = howsure("scan", str(site), *NOW, COLUMNS=width).stdout.decode()
    assert "0.978" in found
    assert all(len(line) <= int(width) for line in found.splitlines())


def test_a_limit_fails_the_build(howsure: Run, site: Path) -> None:
    assert howsure("scan", str(site), "--fail-under", "0.5", *NOW).returncode == 0
    found = howsure("scan", str(site), "--fail-under", "0.65", *NOW)
    assert found.returncode == 1
    assert b"1 of 3 documents is below 0.65" in found.stderr


def test_a_default_store_that_cannot_be_opened_does_not_stop_a_scan(howsure: Run, site: Path, tmp_path: Path) -> None:
    plain = howsure("scan", str(site), "--json", *NOW)
    (store,) = (tmp_path / ".local").rglob("*.db")
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE howsure_schema SET fingerprint = 'other'")
    found = howsure("scan", str(site), "--json", *NOW)
    assert (found.returncode, json.loads(found.stdout)["documents"]) == (0, json.loads(plain.stdout)["documents"])
    assert b"made by a development version of howsure with other tables" in found.stderr
    assert b"scanning without the events recorded in it" in found.stderr
    for more in (("--record",), ("--store", str(store))):
        assert howsure("scan", str(site), *more, *NOW).returncode == 2


def test_programs_get_their_own_forms(howsure: Run, site: Path) -> None:
    report = json.loads(howsure("scan", str(site), "--json", *NOW).stdout)
    assert report["documents"][0]["path"] == "_data/hours.yml"
    assert report["documents"][0]["action"] == "refresh_or_remove"
    rows = list(csv.DictReader(io.StringIO(howsure("scan", str(site), "--csv", *NOW).stdout.decode())))
    assert [row["path"] for row in rows] == [one["path"] for one in report["documents"]]
    log = json.loads(howsure("scan", str(site), "--sarif", "--fail-under", "0.65", *NOW).stdout)
    ranks = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]: one["rank"]
             for one in log["runs"][0]["results"]}  # fmt: skip
    assert ranks["old.md"] == pytest.approx(59.0, abs=0.1)
    assert howsure("scan", str(site), "--markdown", *NOW).stdout.decode().startswith("# site: score 0.74\n")
    assert howsure("scan", str(site), "--json", "--csv").returncode == 2


def test_a_scan_is_recorded_for_the_dashboard(howsure: Run, site: Path) -> None:
    found = howsure("scan", str(site), "--record", "--json", *NOW)
    assert found.returncode == 0, found.stderr
    id_ = found.stderr.decode().partition("recorded as ")[2].partition(";")[0]
    kept = json.loads(howsure("ledger", "show", id_, "--json").stdout)
    told = {one["path"]: one["score"] for one in json.loads(found.stdout)["documents"]}
    assert {one["path"]: one["score"] for one in kept["detail"]["answer"]["files"]} == told
    assert kept["project"] == "site"
    both = howsure("scan", str(site), "--record", "--changed", "HEAD")
    assert both.returncode == 2
    assert b"--changed scans a part" in both.stderr


def test_a_page_opens_offline(howsure: Run, site: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert howsure("scan", str(site), "--html", str(page), *NOW).returncode == 0
    text = page.read_text()
    assert "hours.yml" in text
    assert "http://" not in text.replace("http://www.w3.org/", "")
    assert howsure("scan", str(site), "--html", str(tmp_path / "no" / "x.html")).returncode == 2


def test_headers_are_written_checked_and_shown(howsure: Run, site: Path) -> None:
    assert howsure("scan", str(site), "--check", *NOW).returncode == 1
    shown = howsure("scan", str(site), "--diff", *NOW)
    assert shown.returncode == 1
    assert b"+<!--\n+  CONFIDENCE SCORE: " in shown.stdout
    wrote = howsure("scan", str(site), "--write", *NOW)
    assert (wrote.returncode, wrote.stderr) == (0, b"3 headers written\n")
    assert howsure("scan", str(site), "--check", "--now", "2026-12-20").returncode == 0
    assert howsure("scan", str(site), "--write", *NOW).stderr == b"0 headers written\n"
    assert howsure("scan", str(site), "--diff", *NOW).stdout == b""
    assert howsure("scan", str(site), "--write", "--check").returncode == 2


def test_a_pack_of_ten_thousand_patterns_works(howsure: Run, site: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    words = ", ".join(f'"word{number}x"' for number in range(10_000))
    own.write_text(f'name = "own"\n[categories.many]\nmilestone = "M2"\nweight = 0.01\npatterns = [{words}]\n')
    (site / "many.md").write_text("word17x word9999x word3x\n")
    report = json.loads(howsure("scan", str(site / "many.md"), "--pack", str(own), "--json").stdout)
    assert report["documents"][0]["matches"] == ["word17x", "word3x", "word9999x"]


def test_unusual_files_are_handled(howsure: Run, site: Path, tmp_path: Path) -> None:
    (site / "new\nline.md").write_text("# x\n")
    (site / os.fsdecode(b"odd\xff.md")).write_text("# x\n")
    (site / "esc\x1b[2J.md").write_text("# x\n")
    with (site / "huge.md").open("wb") as huge:
        huge.truncate(1_000_000_000)
    (site / "_data" / "cut.json").write_text('{"a": [1, ')
    (site / "front.md").write_text("---\na: [\n---\n")
    (site / "loop.md").symlink_to(site / "loop.md")
    (site / "up").symlink_to(site)
    (site / "out.md").symlink_to("/etc/passwd")
    os.mkfifo(site / "pipe.md")
    found = howsure("scan", str(site), "--limit", "0", *NOW, COLUMNS="150")
    assert found.returncode == 0, found.stderr
    text = found.stdout.decode()
    assert "\x1b" not in text
    assert "skipped: huge.md: larger than 10,000,000 bytes" in text
    report = json.loads(howsure("scan", str(site), "--json", *NOW).stdout)
    assert {"new\nline.md", "odd?.md", "esc\x1b[2J.md", "front.md"} <= {one["path"] for one in report["documents"]}
    assert not {"loop.md", "up/index.md", "out.md", "pipe.md", "huge.md"} & {one["path"] for one in report["documents"]}
    problems = {one["path"]: one["problems"][0] for one in report["documents"] if one["problems"]}
    assert problems["_data/cut.json"].startswith("invalid JSON: line 1")
    assert problems["front.md"].startswith("the front matter cannot be read: line")
    for option in ("--csv", "--markdown", "--sarif"):
        assert howsure("scan", str(site), option, *NOW).returncode == 0
    assert howsure("scan", str(site), "--html", str(tmp_path / "x.html"), *NOW).returncode == 0


def test_files_that_change_during_the_scan_are_reported(howsure: Run, tmp_path: Path) -> None:
    folder = tmp_path / "busy"
    folder.mkdir()
    script = (
        "import os, sys, time, random\n"
        "dice = random.Random(1)\n"
        "while True:\n"
        f"    path = os.path.join({str(folder)!r}, f'{{dice.randrange(200)}}.md')\n"
        "    if dice.random() < 0.4 and os.path.exists(path): os.remove(path)\n"
        "    else: open(path, 'w').write('# x\\n' * dice.randrange(5000))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script]) as writer:
        try:
            while len(list(folder.iterdir())) < 50:
                time.sleep(0.01)
            for _ in range(4):
                found = howsure("scan", str(folder), "--json", "--no-cache")
                assert found.returncode == 0, found.stderr
                assert all(one["score"] is not None for one in json.loads(found.stdout)["documents"])
        finally:
            writer.kill()


def test_ctrl_c_ends_a_scan_at_once_and_damages_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "large"
    folder.mkdir()
    for number in range(1000):
        (folder / f"{number}.md").write_text("# Title\nsources: x\n" * 400)
    command = [sys.executable, "-m", "howsure", "scan", str(folder), "--write", "--store", str(tmp_path / "s.db")]
    before = (folder / "0.md").read_bytes()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        while process.poll() is None and all(path.stat().st_size == len(before) for path in folder.glob("*.md")):
            time.sleep(0.01)  # until it writes
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=120)
        assert process.returncode in (130, 0)
    assert not list(folder.glob(".*.part"))
    for path in folder.iterdir():
        assert path.read_bytes().endswith(before)


def test_the_hooks_and_the_action_are_in_order(tmp_path: Path, site: Path) -> None:
    hooks = ROOT / ".pre-commit-hooks.yaml"
    subprocess.run([sys.executable, "-m", "pre_commit", "validate-manifest", str(hooks)], check=True)
    import yaml

    action = yaml.safe_load((ROOT / "action.yml").read_text())
    (scan,) = [step for step in action["runs"]["steps"] if step.get("id") == "scan"]
    assert "${{" not in scan["run"]  # what others write never becomes part of a command
    given = {"HOWSURE_PATHS": f"{site}\n", "HOWSURE_FAIL_UNDER": "0.65", "HOWSURE_CHANGED": "", "HOWSURE_SCAN_PACK": "",
             "HOWSURE_TESTS": "", "HOWSURE_SARIF": str(tmp_path / "x.sarif"), "HOWSURE_STORE": str(tmp_path / "s.db"),
             "HOWSURE_DOCUMENTS_CACHE": str(tmp_path / "cache"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
             "GITHUB_OUTPUT": str(tmp_path / "output"), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
             "HOME": str(tmp_path)}  # fmt: skip
    done = subprocess.run(["bash", "-c", scan["run"]], check=False, env=given, capture_output=True)
    assert done.returncode == 1, done.stderr
    assert "old.md" in (tmp_path / "summary.md").read_text()
    assert json.loads((tmp_path / "x.sarif").read_text())["version"] == "2.1.0"
    assert (tmp_path / "output").read_text() == f"sarif={tmp_path / 'x.sarif'}\n"


def test_progress_is_shown_while_files_are_read_and_written(site: Path, tmp_path: Path) -> None:
    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "howsure", "scan", str(site), "--write", "--store", str(tmp_path / "s.db")]
    environment = os.environ | {"HOWSURE_DOCUMENTS_CACHE": str(tmp_path / "cache"), "TERM": "xterm", "COLUMNS": "100"}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=end, env=environment)
    os.close(end)
    text = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while piece := os.read(terminal, 65536):
            text += piece
    os.close(terminal)
    shown = text.decode()
    assert "reading files 3 of 3" in shown
    assert "writing headers 0 of 3" in shown
    assert "of 0" not in shown.replace("writing headers 0 of 3", "")


def test_a_diff_for_another_program_is_exact(howsure: Run, site: Path, tmp_path: Path) -> None:
    (site / "old.md").write_bytes(b"# A\r\ncaf\xe9\r\n")
    patch = tmp_path / "x.patch"
    patch.write_bytes(howsure("scan", str(site / "old.md"), "--diff", *NOW).stdout)
    git(site, "apply", "--whitespace=nowarn", str(patch))
    assert (site / "old.md").read_bytes().endswith(b"-->\r\n# A\r\ncaf\xe9\r\n")
    assert howsure("scan", str(site / "old.md"), "--diff", *NOW).stdout == b""


def test_the_action_scans_only_the_given_paths(tmp_path: Path, site: Path) -> None:
    import yaml

    (scan,) = [step for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"] if "id" in step]
    names = ("FAIL_UNDER", "CHANGED", "SCAN_PACK", "TESTS", "SARIF")
    given = {f"HOWSURE_{name}": "" for name in names} | {
        "HOWSURE_PATHS": f"\n{site / '_data'}\n\n", "HOWSURE_STORE": str(tmp_path / "s.db"),
        "HOWSURE_DOCUMENTS_CACHE": str(tmp_path / "cache"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_OUTPUT": str(tmp_path / "output"), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
    }  # fmt: skip
    subprocess.run(
        ["bash", "-euo", "pipefail", "-c", scan["run"]], check=True, env=given, cwd=site, capture_output=True
    )
    assert "1 of 1 document" in (tmp_path / "summary.md").read_text()


@pytest.mark.parametrize(
    "name", ["new\nline.md", 'quo"ted.md', "back\\slash.md", "two words.md", "tab\there.md", "\u00fc.md"]
)
def test_a_diff_can_be_applied_whatever_the_file_is_called(howsure: Run, site: Path, tmp_path: Path, name: str) -> None:
    (site / name).write_text("# A page\n\nText.\n")
    patch = tmp_path / "all.patch"
    patch.write_bytes(howsure("scan", str(site), "--diff", *NOW).stdout)
    git(site, "apply", "--whitespace=nowarn", str(patch))
    assert "CONFIDENCE SCORE" in (site / name).read_text()
    (site / name).write_text("# A page\n\nText.\n")
    checked = howsure("scan", str(site), "--check", *NOW)
    (line,) = checked.stderr.decode().splitlines()
    assert line.endswith(": its header is missing")


def test_a_single_document_is_not_sorted(howsure: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nNothing is wrong with this page.\n")
    assert "They are sorted" not in howsure("scan", str(tmp_path), *NOW).stdout.decode()
    (tmp_path / "b.md").write_text("# B\n\nThis one, too.\n")
    assert "They are sorted" in howsure("scan", str(tmp_path), *NOW).stdout.decode()
