"""Adapters for agent programs: hooks of coding agents, and gates for agent frameworks."""
