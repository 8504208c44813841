"""The ledger: every decision and its outcome."""
