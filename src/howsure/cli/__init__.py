"""The command line."""

import gc
import os
import sys

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def main() -> None:
    """Run the command line. `--version`, `gate` and `hook` are handled before a parser is loaded."""
    try:
        if sys.argv[1:] in (["--version"], ["-V"]):
            from howsure.version import __version__

            print(f"howsure {__version__}", flush=True)
            return
        gc.disable()  # imported modules stay, so collecting garbage while they load is wasted time
        _late("inspect")
        if sys.argv[1:2] in (["gate"], ["hook"]):
            from howsure.cli.quick import run_fast

            code = run_fast(sys.argv[1:])
            if code is not None:
                _leave(code)
        gc.enable()
        from howsure.cli.app import run

        run()
    except KeyboardInterrupt:  # before a command has begun; a running command handles it itself
        _leave(INTERRUPTED)
    except SystemExit as error:
        if error.code == INTERRUPTED:  # a model that goes on in native code aborts an interpreter that shuts down
            import atexit

            atexit._run_exitfuncs()  # noqa: SLF001 - temporary files are deleted as at any exit
            _leave(INTERRUPTED)
        raise
    except BrokenPipeError:
        from howsure.cli.output import closed_pipe

        closed_pipe()
    except OSError as error:
        from howsure.wording import visible

        where = f"{error.filename}: " if error.filename else ""
        print(visible(f"howsure: {where}{error.strerror or error}"), file=sys.stderr)
        sys.exit(2)


def _leave(code: int) -> None:
    """Exit without interpreter shutdown, which takes as long as a decision. Everything is written and closed by now."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # the reader is gone
            continue
    os._exit(code)


def _late(name: str) -> None:
    """Defer the import of a standard library module until an attribute of it is used.

    `dataclasses` imports `inspect`, which is large, and hardly ever uses it.
    """
    late = type(sys)(name)

    def load(attribute: str) -> object:
        if sys.modules.get(name) is late:
            del sys.modules[name]
        return getattr(__import__(name), attribute)

    late.__getattr__ = load  # type: ignore[method-assign]
    sys.modules.setdefault(name, late)
