"""Reading the output of tools: what was found, and whether a check passed."""
