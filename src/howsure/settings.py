"""Settings: what the user or the environment has chosen. Nothing else reads the environment."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Setting:
    """One thing that can be set."""

    name: str
    help: str
    default: Callable[[Mapping[str, str]], str]
    """What holds where nothing is set; may depend on the user's folders."""

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"HOWSURE_{self.name.upper()}"

    def value(self, environment: Mapping[str, str] | None = None) -> str:
        """Return what holds now."""
        environment = os.environ if environment is None else environment
        return environment.get(self.variable) or self.default(environment)

    def origin(self, environment: Mapping[str, str] | None = None) -> str:
        """Return where the value comes from."""
        environment = os.environ if environment is None else environment
        return f"the environment ({self.variable})" if environment.get(self.variable) else "the default"


def _default_store(environment: Mapping[str, str]) -> str:
    home = Path.home()
    if sys.platform == "darwin":
        folder = home / "Library" / "Application Support"
    elif sys.platform == "win32":
        folder = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        folder = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    return str(folder / "howsure" / "howsure.db")


STORE = Setting("store", "Where claims and decisions are kept: a file, or a postgresql:// address.", _default_store)

FORMULA = Setting("formula", "The formula by which claims are read.", lambda _: "noisy_or")
ACTOR = Setting("actor", "Who the history says has written.", lambda e: e.get("USER") or e.get("USERNAME") or "unknown")

SETTINGS = (STORE, FORMULA, ACTOR)
"""Every setting."""
