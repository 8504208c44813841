"""Benchmarks that compare howsure with what a user would write instead, and check that both give the same results."""
