"""Learn whom to believe: how reliable sources are, who copies whom, and how likely each value is, without labels.

`howsure.fuse` is the function for tables; `howsure.fusion.source_fit.fit_sources` the one for arrays of numbers.
Needs numpy (the extra `arrays`).
"""
