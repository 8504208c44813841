"""English rules that find statements which cannot both hold."""
