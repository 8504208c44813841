"""The door on the web: an HTTP API, built from the table of operations."""
