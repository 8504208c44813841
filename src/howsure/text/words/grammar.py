"""Function words by their role in a sentence: in lower case, with straight apostrophes."""

BE = "is are was were be been being am"
HAVE = "has have had having"
DO = "does do did doing"
MODALS = "can could will would shall should may might must ought"
"""Auxiliary verbs: forms of be, have and do, and modal verbs."""

DETERMINERS = """
the a an this that these those its his her their our my your such same own certain given
"""
PRONOUNS = """
it he she they we you i him them us me one who whom which whose itself themselves himself herself there here
someone somebody something
"""
PREPOSITIONS = """
of in on at by for from with to into onto upon over under about above below between among through throughout during
within against toward towards across along around behind beside besides beyond despite except inside outside near
per via as like unlike amid alongside beneath versus plus minus regarding concerning than off out up down
"""
SUBORDINATORS = """
if when whenever while unless because since until till after before once although though whereas where wherever provided
"""
"""Words that begin a subordinate clause: a condition, a time or a reason."""

CONJUNCTIONS = "and or but nor so yet both either neither"

NEGATIONS = """
not never no none nobody nothing nowhere neither nor cannot without hardly scarcely barely nt n't
"""
"""Words that negate what follows them."""

NOBODY = "nobody nothing none nowhere"
EVERYBODY = "everybody everyone everything anybody anyone anything everywhere anywhere somebody someone something"
"""Words that stand for no subject, or for any."""

DENYING_VERBS = {
    "fail": "to", "fails": "to", "failed": "to", "failing": "to",
    "refuse": "to", "refuses": "to", "refused": "to",
    "unable": "to", "unwilling": "to", "declines": "to", "neglects": "to",
    "lack": "", "lacks": "", "lacked": "", "lacking": "",
    "stopped": "", "avoids": "", "devoid": "of",
}  # fmt: skip
"""Verbs that negate what follows, if the word given here comes next ("" for any word)."""

ALL, MOST, SOME, FEW = "all", "most", "some", "few"
QUANTIFIERS = {
    "all": ALL, "every": ALL, "each": ALL, "any": ALL, "everyone": ALL, "everybody": ALL, "everything": ALL,
    "always": ALL, "entire": ALL, "entirely": ALL, "invariably": ALL, "constantly": ALL, "whole": ALL,
    "most": MOST, "mostly": MOST, "usually": MOST, "generally": MOST, "typically": MOST, "often": MOST,
    "normally": MOST, "majority": MOST, "frequently": MOST, "commonly": MOST, "largely": MOST,
    "some": SOME, "sometimes": SOME, "occasionally": SOME, "several": SOME, "other": SOME, "others": SOME,
    "certain": SOME, "partly": SOME, "partially": SOME, "half": SOME, "someone": SOME, "somebody": SOME,
    "few": FEW, "rarely": FEW, "seldom": FEW, "hardly": FEW, "scarcely": FEW, "infrequently": FEW,
}  # fmt: skip
"""Quantifiers and adverbs of frequency, by the share of cases they stand for."""

HEDGES = """
maybe perhaps possibly probably likely presumably apparently seemingly supposedly reportedly allegedly conceivably
might unclear uncertain unsure seems seem seemed appears appeared suspect guess roughly-speaking arguably potentially
"""
"""Words that make a statement uncertain."""

HEDGE_BEFORE_BE = "may could should"
"""Modal verbs that make a statement uncertain before "be" or "have" ("may be slow"); elsewhere they permit."""

VAGUE = """
unknown unclear undetermined unspecified undocumented undecided unsettled varies vary varied variable various depends
depend differs fluctuates tbd several many numerous few some lots high low large small long short big huge tiny
substantial considerable significant moderate reasonable adequate sufficient excessive minimal negligible fast slow
quick expensive cheap heavy light enormous modest approximate debatable disputed controversial
"""
"""Words given in place of a definite value."""

LIGHT = """
very really quite rather just also too already currently now still simply basically actually indeed generally then
thus therefore hence however moreover furthermore additionally fully completely totally particularly especially
specifically directly definitely certainly clearly obviously undoubtedly absolutely truly even
again ever only exactly precisely nearly almost approximately roughly about well case fact
"""
"""Words that are ignored when statements are compared."""

LIGHT_VERBS = """
have has had having come comes came coming get gets got gotten contain contains contained featuring
stay stays stayed remain remains remained
"""
"""Verbs that are read like "have": they only say that something is there."""

OPENERS = [
    "we found that", "we found", "we know that", "i found that", "note that", "it turns out that", "it turned out that",
    "tests show that", "the tests show that", "the docs say that", "it is known that", "it is true that",
    "the documentation says that", "it is clear that", "it is the case that", "in fact", "research shows that",
    "studies show that", "i can confirm that", "we can confirm that", "it has been shown that", "evidence shows that",
]  # fmt: skip
"""Phrases before a statement that are ignored."""

HEDGED_OPENERS = [
    "i think that", "i think", "i believe that", "i believe", "it seems that", "it seems", "it appears that",
    "it appears", "it is possible that", "it is likely that", "i guess that", "i guess", "i suspect that", "i suspect",
    "it is unclear whether", "it may be that", "it might be that", "it could be that", "i am not sure that",
    "i'm not sure that", "i am not sure if", "i'm not sure if", "as far as i know", "as far as i can tell",
    "some say that", "some say", "there is a chance that", "we think that", "we think", "we believe that", "we believe",
]  # fmt: skip
"""Phrases that make the statement after them uncertain."""

DENYING_OPENERS = [
    "it is not true that", "it is false that", "it is not the case that", "it is untrue that", "it isn't true that",
    "it is wrong that", "it is incorrect that", "it is a myth that", "it is not correct that",
]  # fmt: skip
"""Phrases that negate the statement after them."""

CONDITIONS = "if when whenever while unless because although though whereas once where wherever provided"
"""Words that begin a clause which says when or why the main clause holds."""

JOINTS = "and but so yet while whereas although though"
"""Words that may join two main clauses."""

POSSIBILITY = "can may could"
"""Modal verbs that say that something is possible."""

NECESSITY = "must shall"
"""Modal verbs that say that something is necessary."""

COMPOUND_PREFIXES = "non un dis re pre post anti auto co de sub semi micro"
"""Prefixes that form one word with what follows the hyphen: "non-blocking" is read as "nonblocking"."""

ORDERING = "precede follow exceed outperform beat surpass trail manage supervise outrank"
"""Verbs that put two things in an order: "A precedes B" excludes "B precedes A"."""

CASES = "on if when unless for under with during before after while until"
"""Words that introduce the case for which something holds: "on Windows", "if cached"."""

BEFORE_COUNTS = """
first last next previous top other remaining another additional further extra more only new old recent latest initial
final all both these those roughly nearly over under than least most following preceding
"""
"""Words after which a number counts what follows ("the first 3 tests"), unlike "node 3"."""

SEVERAL = "several multiple multi many numerous various"
"""Words that say that there is more than one."""

WHEN = "last next yesterday today tomorrow tonight later earlier soon again twice"
"""Adverbs of time that may follow a verb: "was fixed last week"."""

CARRIERS = "store send keep save deliver transmit ship hold leave"
"""Verbs that are ignored beside an opposite: "is stored unencrypted" says "is unencrypted"."""

SAYING = "say says said show shows showed report reports reported state states stated confirm confirms confirmed"
"""Verbs that follow the name of a source: "as the log says"."""

NO_NAMES = """
man men woman women person people guy guys boy boys girl girls child children kid kids somebody someone
many several most few such another certain various numerous more less much half young old new
"""
"""Words that begin a sentence with a capital and are no names; most other nouns show that by their ending."""
