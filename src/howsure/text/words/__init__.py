"""Lists of English words, used to split sentences, extract assertions and find contradictions."""
