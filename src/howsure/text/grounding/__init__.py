"""Compare a response with the texts it was made from."""
