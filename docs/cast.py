"""Record commands in a terminal as an animated image: `.venv/bin/python docs/cast.py` writes images/cast.svg.

The commands are really run, in a store of their own. Those who prefer no motion see the whole session at once.
"""

import os
import re
import subprocess
import sys
import tempfile
import textwrap
from html import escape
from pathlib import Path

COMMANDS = (
    ("cat manual.txt", r".+"),
    ('echo "The gateway listens on port 9443." | howsure gate - --context manual.txt', r"Decision|Reason|Say"),
    ('echo "The gateway listens on port 8443." | howsure gate - --context manual.txt', r"Decision|Reason|Recorded"),
    ("howsure outcome {id} right", r".+"),
)
"""Each command, and the lines of its output that are shown."""
MANUAL = "The gateway listens on port 8443. TLS 1.3 is required.\n"
WIDTH, ROW, LETTER, MARGIN = 100, 20, 8.43, 16
TYPING, READING, PAUSE = 0.025, 1.4, 5.0
"""Seconds for a letter, after an output, and at the end."""
COLOURS = {"Decision: block": "#ff7b72", "Decision: pass": "#7ee787"}


def record() -> list[tuple[str, list[str]]]:
    """Run the commands; return each with the lines that are shown."""
    session = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "manual.txt").write_text(MANUAL)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {"PATH": path, "HOME": folder, "LANG": "C.UTF-8", "COLUMNS": str(WIDTH)}
        decision = ""
        for template, shown in COMMANDS:
            command = template.format(id=decision)
            done = subprocess.run(  # noqa: S603 - the commands above
                ["/bin/bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            lines = [line for line in (done.stdout + done.stderr).splitlines() if re.match(shown, line)]
            session.append((command, [part for line in lines for part in textwrap.wrap(line, WIDTH)]))
            if match := re.search(r"Recorded as: (\S+)", done.stdout):
                decision = match[1]
    return session


def draw(session: list[tuple[str, list[str]]]) -> str:
    """Return the session as an animated image."""
    rows: list[tuple[str, float, float]] = []  # text, when it starts, how long it is typed
    clock = 0.5
    for command, lines in session:
        typed = TYPING * len(command)
        rows.append((f"$ {command}", clock, typed))
        clock += typed + 0.4
        rows += [(line, clock, 0.0) for line in lines]
        rows.append(("", clock, 0.0))
        clock += READING
    rows.pop()
    total = clock + PAUSE
    styles, texts = [], []
    for place, (text, start, typed) in enumerate(rows):
        if not text:
            continue
        begin, end = 100 * start / total, 100 * (start + max(typed, 0.01)) / total
        colour = next((colour for words, colour in COLOURS.items() if text.startswith(words)), "")
        fill = colour or ("#79c0ff" if text.startswith("$ ") else "#c9d1d9")
        steps = f"steps({max(len(text), 1)})" if typed else "steps(1)"
        styles.append(
            f"@keyframes r{place} {{0%,{begin:.2f}% {{clip-path: inset(0 100% 0 0)}}"
            f"{end:.2f}%,100% {{clip-path: inset(0 0 0 0)}}}}"
            f".r{place} {{animation: r{place} {total:.1f}s {steps} infinite}}"
        )
        top = MARGIN + 24 + ROW * (place + 1)
        texts.append(f'<text class="r{place}" x="{MARGIN}" y="{top}" fill="{fill}">{escape(text)}</text>')
    width, height = int(2 * MARGIN + WIDTH * LETTER), 2 * MARGIN + 32 + ROW * len(rows)
    dots = "".join(
        f'<circle cx="{MARGIN + 4 + 18 * place}" cy="20" r="6" fill="{fill}"/>'
        for place, fill in enumerate(("#ff5f56", "#ffbd2e", "#27c93f"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
        "<title>howsure in a terminal</title><style>"
        "text {font: 14px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre}"
        f"{''.join(styles)}@media (prefers-reduced-motion) {{text {{animation: none !important}}}}</style>"
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>{dots}{"".join(texts)}</svg>\n'
    )


if __name__ == "__main__":
    Path(__file__).with_name("images").joinpath("cast.svg").write_text(draw(record()))
