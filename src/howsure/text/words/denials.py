"""Words that deny something without a negation: "excluded" says "not included"."""

DENYING = """
unlike except excluding outside unless: ; forbid forbids forbade prohibit prohibits: ;
instead: of; rather: than; ruled rule rules ruling: out; fail fails failed refuse refuses refused: to;
excluded exclude excludes exempt exempted banned ban bans barred prohibited prevented prevent prevents: from
"""
"""Words that deny what follows if the word after the colon comes next: "exempt from deletion", "instead of money"."""

DENIED = """
exclude: include cover apply
unreachable: reach
reject: accept
refuse: accept allow
forbid: allow permit
prohibit: allow permit
ban: allow permit
close: open allow
unavailable: available
unchanged: change
unaffected: affect
unsupported: support
optional: require need necessary mandatory
"""
"""Words with those that they deny wherever they stand."""
