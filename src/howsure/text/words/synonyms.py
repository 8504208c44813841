"""Words that mean the same."""

GROUPS = """
function method routine procedure subroutine
error failure fault
argument parameter
raise throw
return yield
delete erase
big large
fast quick rapid speedy swift
begin start commence launch
end finish conclude terminate
buy purchase
cheap inexpensive affordable
expensive pricey dear
price cost
require need necessitate
allow permit
forbid prohibit ban
reject refuse decline
use utilize utilise employ
show display
build construct
make manufacture produce
author writer
employee worker staffer
car automobile
doctor physician
film movie
kid child
person human
picture image photo photograph
bicycle bike
motorcycle motorbike
couch sofa
shop store
city town
answer reply respond
help assist aid
fix repair
check verify validate
change modify alter mutate
undo reverse revert
guarantee ensure
locate situate lie
founded establish
member participant
inhabitant resident
mistake bug defect
speed velocity
weight mass
colour color
grey gray
metre meter
litre liter
centre center
folder directory
setting option
configuration config
repository repo
database db
application app
environment env
document documentation docs
maximum max
minimum min
percent percentage
request query
send transmit
receive obtain
hide conceal
choose select pick
rebuild reconstruct
stop halt cease
happen occur
jump leap
run execute
road street
rock stone
ill sick
dead deceased
wrong incorrect
difficult hard
enabled activated
disabled deactivated
supported available
hit strike
"""
"""One meaning per line; the first word stands for all of them. A word is in one line only."""

PHRASES = {
    "turn on": "enabled", "turned on": "enabled", "switched on": "enabled", "switch on": "enabled",
    "turn off": "disabled", "turned off": "disabled", "switched off": "disabled", "switch off": "disabled",
    "shut down": "stopped", "shuts down": "stops",
    "went up by": "increased", "goes up by": "increases", "went down by": "decreased", "goes down by": "decreases",
    "left out": "excluded", "leaves out": "excludes", "leave out": "exclude", "leaving out": "excluding",
    "rolled back": "rollback", "rolls back": "rollback", "roll back": "rollback", "plain text": "plaintext",
    "its own": "separate", "their own": "separate", "of its own": "separate", "of their own": "separate",
    "or may not": "", "or not": "", "little or no": "little", "few or no": "few",
    "nothing but": "only", "none but": "only",
    "stay within": "respect", "stays within": "respects", "stayed within": "respected",
    "each other": "mutually", "one another": "mutually",
    "give back": "return", "gives back": "returns", "given back": "returned",
    "set up": "install", "sets up": "installs",
    "carry out": "perform", "carries out": "performs", "carried out": "performed",
    "take place": "happen", "takes place": "happens", "took place": "happened", "taken place": "happened",
    "up to date": "current", "out of date": "outdated",
    "ignore case": "insensitive", "ignores case": "insensitive", "ignoring case": "insensitive",
    "read only": "readonly", "in memory": "inmemory",
    "due to": "because", "in order to": "to", "as well as": "and", "such as": "like",
    "no longer": "not", "not only": "also", "not just": "also", "not merely": "also",
    "never fails to": "always", "never fail to": "always", "never failed to": "always",
    "not fail to": "", "not forget to": "", "not hesitate to": "", "never forgets to": "always",
    "by default": "default", "at all": "",
    "according to": "per", "instead of": "without", "rather than": "without",
    "a few": "several", "a lot of": "many", "lots of": "many", "a number of": "several", "plenty of": "many",
    "at most": "atmost", "at least": "atleast", "kind of": "", "sort of": "",
    "able to": "", "used to": "formerly", "in front of": "before",
    "of course": "", "so far": "", "as of": "since", "prior to": "before", "out of": "from",
}  # fmt: skip
"""Phrases by the word that replaces them; "" removes them."""
