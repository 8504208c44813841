"""Git is asked safely, and nobody waits for it who does not want to."""

import subprocess
import sys
from pathlib import Path

from tests.documents.test_scan import git


def test_who_is_interrupted_while_git_answers_does_not_wait_for_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    script = (
        "import sys\nfrom howsure.documents.git import run_git\n"
        "fields = run_git(sys.argv[1], 'rev-parse', '--git-dir')\n"
        "next(fields)\n"
        "raise KeyboardInterrupt\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, timeout=30)  # the limit for git is 120 s
    assert b"KeyboardInterrupt" in done.stderr
