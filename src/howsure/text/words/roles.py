"""Words that decide whether two things can change places in a sentence."""

MUTUAL = """
meet equal match marry differ resemble border conflict overlap compete collide agree disagree interact communicate
share join merge combine intersect coexist connect link pair touch neighbour neighbor cooperate collaborate correlate
alternate synchronize sync talk speak chat
"""
"""Verbs that hold both ways: if A meets B, B meets A."""

MUTUAL_LINKS = "with between among and or alongside beside near like as"
"""Prepositions and conjunctions after which two things may change places."""

OPPOSITE_LINKS = """
before after, from to, from into, above below, over under, over below, above under, inside outside,
within outside, onto off
"""
"""Prepositions that lead to the opposite place or time."""
