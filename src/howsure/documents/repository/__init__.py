"""The files of a repository: which of them are documents, and what git knows of them."""
