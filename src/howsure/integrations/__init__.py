"""Adapters for agent programs: hooks of coding agents."""
