"""Read how sure a response sounds, and recognize responses that claim nothing."""
