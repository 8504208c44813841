"""Numbers that are SQL: a formula run on them writes itself down as a query."""
