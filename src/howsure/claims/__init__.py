"""Claims: statements with sources, relations and a confidence interval."""
