"""Benchmarks: ratios against what a user would do instead, in one run, with answers that are checked to be the same."""
