"""The names of the source documents, for programs that were written against them. Each is thin over the engine."""
