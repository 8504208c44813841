"""Words with which a sentence may begin, written with a capital, that are no names."""

COMMON = """
man men woman women person people guy guys boy boys girl girls child children kid kids somebody someone
many several most few such another certain various numerous more less much half young old new
"""
"""People and quantities; most other common nouns show by their ending that they are none."""
