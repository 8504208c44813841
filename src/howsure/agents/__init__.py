"""Read what agents do: tool calls, shell commands, output of tools, and whole transcripts."""
