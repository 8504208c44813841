"""Draw the image of the page about claims, a scene of the demo: `.venv/bin/python docs/picture.py`."""

import io
import re
from pathlib import Path

from rich.console import Console

from howsure.cli import demo

out = Console(record=True, width=76, file=io.StringIO(), force_terminal=True)
out.print("[bold]How sure are we of a claim?[/]\n")
demo._claim(out)  # noqa: SLF001
svg = out.export_svg(title="howsure demo")
svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)  # no fonts from other sites
Path(__file__).with_name("images").joinpath("demo.svg").write_text(svg)
