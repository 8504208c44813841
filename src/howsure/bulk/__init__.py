"""Score whole tables of claims or texts."""
