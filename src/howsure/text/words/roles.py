"""Words that decide whether two things can change places in a sentence."""

MUTUAL = """
meet equal match marry differ resemble border conflict overlap compete collide agree disagree interact communicate
share join merge combine intersect coexist connect link pair touch neighbour neighbor cooperate collaborate correlate
alternate synchronize sync talk speak chat cross face play trade
parallel equivalent identical adjacent similar next close
"""
"""Verbs and adjectives that hold both ways: if A meets B, B meets A."""

CONVERSES = """
buy sell lend borrow precede follow import export push pull send receive give take teach learn
"""
"""Opposites that say the same if the roles are exchanged: the bank lends to the firm, which borrows from the bank."""

BOTH_WAYS = "vice versa, and back, both ways, both directions, each other"
"""Phrases after which something holds in both directions."""

MUTUAL_LINKS = "with between among and or alongside beside near like as against"
"""Prepositions and conjunctions after which two things may change places."""

OPPOSITE_LINKS = """
before after, from to, from into, above below, over under, over below, above under, inside outside,
within outside, onto off
"""
"""Prepositions that lead to the opposite place or time."""

ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
"""In order."""
