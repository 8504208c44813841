"""Servers: the HTTP API, the MCP server and the dashboard."""
