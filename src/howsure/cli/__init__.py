"""The command line."""

import sys


def main() -> None:
    """Run the command line. What needs no parser is answered before one is loaded."""
    try:
        if sys.argv[1:] in (["--version"], ["-V"]):
            from howsure import __version__

            print(f"howsure {__version__}", flush=True)
            return
        from howsure.cli.quick import called

        if called(sys.argv[1:]):
            return
        from howsure.cli.app import run

        run()
    except KeyboardInterrupt:  # before a command has begun; later its own end is as quiet
        sys.exit(130)
    except BrokenPipeError:
        from howsure.cli.output import closed_pipe

        closed_pipe()
    except OSError as error:
        print(f"howsure: {error.strerror or error}", file=sys.stderr)
        sys.exit(2)
