"""What is wrong with a document: files and names that are gone, and code that has changed."""
