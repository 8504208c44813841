"""Estimate without labels how reliable sources are, who copies whom, and how likely each value is.

`howsure.fuse` is the function for tables; `howsure.fusion.source_fit.fit_sources` the one for arrays of numbers.
Needs numpy (the extra `arrays`).
"""
