"""Read the output of tools: how many results there are, and whether tests and builds passed."""
