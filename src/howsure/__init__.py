"""How sure are we? The confidence engine for AI agents."""

__version__ = "0.1.0"
