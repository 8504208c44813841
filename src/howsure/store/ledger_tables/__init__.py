"""Decisions, outcomes and their sums, fits, tool calls, and events of documents."""
