"""Lets `python -m howsure` do what `howsure` does."""

from howsure.cli import main

main()
