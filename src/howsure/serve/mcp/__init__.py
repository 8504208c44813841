"""The door for agents: tools and resources by the Model Context Protocol."""
