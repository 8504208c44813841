"""Words that matter when a sentence is compared with the text it comes from."""

EXCLUSIVE = "only solely exclusively purely always never all every entirely none nobody"
"""Words that claim more than a text without them."""
