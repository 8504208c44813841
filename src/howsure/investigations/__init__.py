"""Investigations: how sure an agent is while it works."""
