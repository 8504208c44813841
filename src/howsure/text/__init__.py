"""Read English text: marker phrases, patterns, sentences, assertions and contradictions."""
