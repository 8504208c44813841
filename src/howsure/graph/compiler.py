"""Compile generated Python source with numba, and cache the machine code on disk."""

import atexit
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from howsure.files import is_private, sha256
from howsure.settings import user_folder

THREADS = os.cpu_count() or 1
"""Threads that run a compiled loop in parallel; compiled loops release the GIL."""
_STRIDE = 1 << 16
"""Claims per task: small enough that a claim with a million sources does not block the other threads for long."""


def has_compiler() -> bool:
    """Return whether numba is installed."""
    return importlib.util.find_spec("numba") is not None


@lru_cache(maxsize=256)
def compile_module(text: str, folder: Path | None = None) -> ModuleType:
    """Return the module of a source text.

    Its functions are compiled on their first call, or read from a folder (default: one in the user's cache folder),
    where the source is stored under the hash of its text.
    """
    name = f"howsure_kernel_{sha256(text.encode()).hexdigest()[:16]}"
    try:
        return _load(name, text, folder or Path(user_folder("cache")) / "kernels")
    except OSError:  # the folder is not writable, or others could put their code there: compile for this run only
        place = tempfile.mkdtemp(prefix="howsure-kernel-")
        atexit.register(shutil.rmtree, place, ignore_errors=True)
        return _load(name, text, Path(place))


def _load(name: str, text: str, folder: Path) -> ModuleType:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_private(folder):
        raise PermissionError(f"others may write to {folder}")
    path = folder / f"{name}.py"
    if not path.is_file() or path.read_text() != text:
        with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".new", delete=False) as file:
            file.write(text)
        Path(file.name).replace(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:  # pragma: no cover - a Python file always has a loader
        raise OSError(f"{path} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # before executing: numba looks up cached code by the module's name
    spec.loader.exec_module(module)
    return module


def run_in_threads(loop: Callable[..., None], size: int, *arguments: Any) -> None:
    """Run `loop(first, last, *arguments)` over the range from 0 to `size`, split between threads."""
    strides = [(first, min(first + _STRIDE, size)) for first in range(0, size, _STRIDE)]
    if len(strides) == 1:
        loop(0, size, *arguments)
        return
    with ThreadPoolExecutor(THREADS) as threads:
        for done in [threads.submit(loop, first, last, *arguments) for first, last in strides]:
            done.result()
