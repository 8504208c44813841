"""The door for coding agents: their hooks bring events, and get told what to do."""
