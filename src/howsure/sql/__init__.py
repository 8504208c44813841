"""Symbolic numbers: running a formula on them records its operations, which are then written as SQL."""
