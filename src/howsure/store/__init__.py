"""Keeping claims: a SQLite file by default, PostgreSQL by address; one SQL text for both."""
