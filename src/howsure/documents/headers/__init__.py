"""Scoring headers: the score of a file, written into the file."""
