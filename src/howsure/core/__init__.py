"""What every model is made of. Standard library only; no clock, no files, no randomness."""
