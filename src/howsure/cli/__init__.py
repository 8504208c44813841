"""The command line."""

import gc
import os
import sys


def main() -> None:
    """Run the command line. What needs no parser is answered before one is loaded."""
    try:
        if sys.argv[1:] in (["--version"], ["-V"]):
            from howsure import __version__

            print(f"howsure {__version__}", flush=True)
            return
        gc.disable()  # what is loaded stays, so that looking for what could be freed is lost time
        _late("inspect")
        from howsure.cli.quick import called

        code = called(sys.argv[1:])
        if code is not None:
            _leave(code)
        gc.enable()
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


def _leave(code: int) -> None:
    """End the process at once: all is written and closed, and taking Python down in order takes as long as judging."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # nobody reads it any more, which changes nothing
            continue
    os._exit(code)


def _late(name: str) -> None:
    """Let a module of the standard library be loaded when something of it is used, and not before.

    `dataclasses` asks for `inspect`, which is large, and hardly ever uses it.
    """
    late = type(sys)(name)

    def load(attribute: str) -> object:
        if sys.modules.get(name) is late:
            del sys.modules[name]
        return getattr(__import__(name), attribute)

    late.__getattr__ = load  # type: ignore[method-assign]
    sys.modules.setdefault(name, late)
