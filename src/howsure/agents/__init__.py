"""Reading the transcripts of agents: tool calls and what their outputs show."""
