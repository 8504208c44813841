"""What a file says: metadata, links, names of code, signatures. The facts depend on the file alone."""
