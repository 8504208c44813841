"""Whom to believe: what was learned about the sources of claims."""
