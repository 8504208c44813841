"""SQLite and PostgreSQL behind one interface, with the schema that both share."""
