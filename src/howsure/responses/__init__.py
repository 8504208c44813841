"""The gate for responses."""
