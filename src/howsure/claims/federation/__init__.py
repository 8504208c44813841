"""Find claims in other stores, and share claims with them."""

MAX_CLAIMS = 1000
"""Claims in one answer of a peer."""
