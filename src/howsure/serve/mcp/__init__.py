"""The MCP server: tools and resources for agents."""
