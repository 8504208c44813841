"""The command line."""

import sys


def main() -> None:
    """Run the command line. What needs no parser is answered before one is loaded."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from howsure import __version__

        print(f"howsure {__version__}")
        return
    from howsure.cli.app import run

    run()
