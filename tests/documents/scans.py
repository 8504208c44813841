"""A git repository with documents, and scans of it."""

import os
import subprocess
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from howsure.documents.document import Report
from howsure.documents.scan import Scan, ScanOptions
from howsure.text.patterns import load_builtin_pack


def start_of_day(day: date) -> float:
    """Return the start of a day (UTC) in seconds since 1970."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


NOW = start_of_day(date(2026, 11, 15))


PACK = load_builtin_pack("default")


def git(folder: Path, *arguments: str, at: str = "2026-01-15T12:00:00Z") -> None:
    who = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
           (("NAME", "Ann"), ("EMAIL", "ann@example.org"), ("DATE", at))}  # fmt: skip
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env=os.environ | who)


def scan(folder: Path, cache: Path | None = None, **options: Any) -> Scan:
    """Scan every kind of file, unless told otherwise."""
    events = options.pop("events", None)
    return Scan(ScanOptions((folder,), PACK, cache=cache, **{"everything": True} | options), NOW, events)


def by_path(report: Report) -> dict[str, Any]:
    return {one.path: one for one in report.documents}
