"""Scoring by the table."""
