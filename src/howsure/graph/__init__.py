"""Who influences whom among claims, for each kind of number."""
