"""Scoring headers: a document's score, written into the document itself."""
