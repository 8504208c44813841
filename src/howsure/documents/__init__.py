"""Documents: a repository that knows which of its pages to trust."""
