"""Marker phrases, a file for each language."""
