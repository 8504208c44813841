"""Abbreviations by whether a sentence can end with them: in lower case, without their last full stop."""

NEVER_LAST = "e.g eg i.e ie cf vs viz al approx resp incl excl est ca dept univ assn bros"
"""A sentence never ends with these."""

TITLES = "mr mrs ms mx dr prof rev hon gen col maj capt lt sgt cmdr gov sen rep pres st mt ft messrs mlle mme"
"""A sentence does not end with these if they begin with a capital letter."""

BEFORE_NUMBER = "no nr fig figs eq eqs sec ch chap vol p pp pg art para ver v op ex tab ref refs line"
"""A sentence does not end with these if a number follows."""

SOMETIMES_LAST = """
etc inc ltd co corp jr sr a.m p.m am pm ed eds esp max min avg misc
jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
"""
"""A sentence ends with these only if a capital letter follows."""

STARTERS = """
a an the this that these those it its he she they we you i his her their our my there here
in on at by for from with without when while if unless although because since after before until once
but and or so yet however therefore thus hence also then moreover furthermore finally first second next instead
no not all some most many few each every both any such what which who why how where
"""
"""Words that begin a new sentence after an initial: "the U.S. The end", but not "J. Smith"."""
