"""A fuzzer for every door of howsure; `python -m tests.fuzz` runs it."""
