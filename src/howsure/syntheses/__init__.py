"""Syntheses: merge sub-results of different quality."""
