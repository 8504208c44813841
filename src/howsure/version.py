"""The version of howsure."""

__version__ = "0.1.0"
