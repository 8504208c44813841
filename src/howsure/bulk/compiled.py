"""Compiled: source code as machine code, kept in a folder under the hash of its text."""

import importlib.util
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from howsure.files import sha256

FOLDER = Path("~/.cache/howsure/kernels")
"""Where kernels are kept from one run to the next."""
_STRIDE = 1 << 16
"""Claims that one thread takes at a time: few enough that a claim with a million sources holds up nobody."""
THREADS = os.cpu_count() or 1
"""Threads that share a compiled loop, which lets go of Python while it runs."""


def available() -> bool:
    """Say whether there is a compiler."""
    return importlib.util.find_spec("numba") is not None


@lru_cache(maxsize=256)
def compiled(text: str, folder: Path = FOLDER) -> ModuleType:
    """Return the module of a source; its functions are compiled when they are first called, or read from the folder."""
    name = f"howsure_kernel_{sha256(text.encode()).hexdigest()[:16]}"
    try:
        return _loaded(name, text, folder.expanduser())
    except OSError:  # a home that cannot be written to: compiled for this run alone
        return _loaded(name, text, Path(tempfile.mkdtemp(prefix="howsure-kernel-")))


def _loaded(name: str, text: str, folder: Path) -> ModuleType:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{name}.py"
    if not path.is_file() or path.read_text() != text:
        with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".new", delete=False) as file:
            file.write(text)
        Path(file.name).replace(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:  # pragma: no cover - a file of Python always has a loader
        raise OSError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # first: what was compiled before is looked up by the module's name
    spec.loader.exec_module(module)
    return module


def shared(loop: Any, size: int, *arguments: Any) -> None:
    """Run a loop over all places, shared between threads; compiled loops let go of Python while they run."""
    strides = [(first, min(first + _STRIDE, size)) for first in range(0, size, _STRIDE)]
    if len(strides) == 1:
        loop(0, size, *arguments)
        return
    with ThreadPoolExecutor(THREADS) as threads:
        for done in [threads.submit(loop, first, last, *arguments) for first, last in strides]:
            done.result()
