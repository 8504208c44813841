"""The weights of the small reader of howsure: a cross-encoder that reads pairs of English texts.

howsure uses it if this package is installed. `folder()` is what `howsure.reader.CrossEncoderReader` takes.
"""

from pathlib import Path

__version__ = "0.1.0"
__all__ = ["folder"]


def folder() -> Path:
    """Return the folder with the model, its tokenizer and its configuration."""
    return Path(__file__).parent / "model"
