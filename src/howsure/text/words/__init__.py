"""English words by what they do in a sentence, as data for reading statements."""
