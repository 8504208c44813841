"""The use cases: what the doors let people do."""
