"""Reading text: phrases and patterns, found in one pass whatever their number."""
