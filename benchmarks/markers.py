"""Benchmark of finding marker phrases: one pass of an automaton, compared with `str.count` per phrase."""

import re
import sysconfig
from functools import partial
from pathlib import Path

from rich.table import Table

from benchmarks.timing import best
from howsure.text.markers import marker_lists
from howsure.text.phrases import Phrases

SIZE = 8_000_000


def real_text() -> str:
    """Return the documentation and code of the standard library, as a sample of real text."""
    parts, size = [], 0
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("**/*.py")):
        if size < SIZE and "site-packages" not in path.parts:
            parts.append(path.read_text(encoding="utf-8", errors="replace"))
            size += len(parts[-1])
    return "\n".join(parts)[:SIZE]


def table() -> Table:
    """Measure the speed and return it as a table. Raises ArithmeticError if the hits are wrong."""
    phrases = sorted(
        {
            p
            for kind in ("response", "subresult")
            for side in ("certain", "uncertain")
            for p in marker_lists("en")[kind][side]
        }
    )
    results = Table(title=f"{len(phrases)} phrases over {SIZE / 1e6:.0f} MB of real text", title_justify="left")
    for name in ("text", "way", "MB/s", "against counting", "hits", "wrong hits"):
        results.add_column(name, justify="left" if name in ("text", "way") else "right")
    mixed = real_text()
    lowered = [phrase.lower() for phrase in phrases]
    finder = Phrases(phrases)
    for name, text in (("ASCII", mixed.encode("ascii", "ignore").decode()), ("Unicode", mixed)):
        right = sum(_by_regular_expression(phrase, text) for phrase in phrases)
        count_time, counted = best(partial(_count, text, lowered), 3)
        our_time, hits = best(partial(finder.find, text), 3)
        if len(hits) != right:
            raise ArithmeticError(f"{len(hits)} hits, but regular expressions find {right}")
        size = len(text) / 1e6
        results.add_row(
            name, "str.count per phrase", f"{size / count_time:.0f}", "1.0 x", f"{counted}", f"{counted - right}"
        )
        results.add_row(name, "howsure", f"{size / our_time:.0f}", f"{count_time / our_time:.1f} x", f"{right}", "0")
    return results


def _count(text: str, phrases: list[str]) -> int:
    lower = text.lower()
    return sum(map(lower.count, phrases))


def _by_regular_expression(phrase: str, text: str) -> int:
    words = (re.escape(word).replace("'", "['\u2018\u2019]") for word in phrase.split())
    return len(re.findall(r"(?<!\w)(?=" + r"\s+".join(words) + r"(?!\w))", text, re.IGNORECASE))
