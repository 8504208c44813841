"""How sure an agent is while it searches, reads, builds and tests."""
