"""Store claims and decisions in a SQLite file, or in PostgreSQL by address, with the same SQL."""
