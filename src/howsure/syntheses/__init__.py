"""Merge sub-results of different quality into one text with a confidence."""
