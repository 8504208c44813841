"""Words and phrases of sentences that assert nothing, in lower case."""

COMMANDS = """
add adjust apply ask assume avoid bear beware call check choose click close commit compare complete configure confirm
consider convert copy create debug define delete deploy describe disable download edit enable ensure enter
execute explain export fill find fix follow generate get give go grep handle help ignore implement import include
insert inspect install investigate join keep leave list load log look make mark measure merge modify move
note notice observe open pass paste pick place point press print provide pull push put read rebuild refactor
refer reload remember remove rename repeat replace report rerun reset resolve restart retry return review rewrite run
save search see select send set ship show skip sort specify split start stop store submit suppose swap switch take
test touch track try turn type uncomment uninstall update upgrade upload use validate verify view wait watch write
"""
"""Verbs that begin an instruction."""

NOUNS_TOO = """
call check click commit copy debug export find fix help import list load log look mark measure merge move note open
pass paste pick place point press print pull push read report reset return review run search set show skip sort split
start stop store swap switch take test touch track try turn type update upgrade upload use view wait watch write
"""
"""Commands that are nouns too: "Test coverage is low" asserts something."""

OPENERS = [
    "note that", "please note that", "it is worth noting that", "it should be noted that", "keep in mind that",
    "bear in mind that", "remember that", "notice that", "observe that", "be aware that", "importantly",
]  # fmt: skip
"""Instructions in form only: an assertion follows."""

GREETINGS = [
    "hello", "hi", "hey", "dear", "good morning", "good afternoon", "good evening", "welcome", "thanks", "thank you",
    "many thanks", "cheers", "best regards", "kind regards", "regards", "sincerely", "goodbye", "bye",
    "congratulations", "sorry", "apologies", "my apologies", "i apologize", "i apologise",
]  # fmt: skip
"""Words that begin a greeting, thanks or an apology."""

EMPTY = [
    "sure", "of course", "certainly!", "absolutely!", "great question", "good question", "no problem", "you're welcome",
    "i hope", "hope this helps", "let me know", "feel free", "happy to help", "i'd be happy", "i am happy to",
    "i'm happy to", "here is", "here are", "here's", "below is", "below are", "as an ai", "in this section",
    "in this document", "in this answer", "as requested", "as follows", "to summarize", "in summary:", "in conclusion:",
    "stay tuned", "more on this later", "that's it", "that is all", "that's all", "looking forward",
]  # fmt: skip
"""Phrases that begin a sentence without content."""

ALWAYS_COMMANDS = "do don't please let let's never"
"""Words that begin an instruction whatever follows."""

REFERRALS = "see|check|read|consult|refer to|look at|take a look at|have a look at|visit|contact|ask|let"
"""Commands that may send the reader elsewhere, which says nothing about the matter; a regular expression."""

REFERRED = """
docs? documentation manual guide handbook readme faq page website site links? support team me us below above details
"""
"""Where they send the reader; each is a regular expression."""

CLOSINGS = ["have a", "have fun", "enjoy", "take care", "good luck", "keep the following in mind", "keep this in mind"]
"""Phrases that begin a good wish, or announce something."""

INTENTIONS = [
    "i will", "i'll", "i am going to", "i'm going to", "i would like to", "i'd like to", "i want to", "i need to",
    "we will now", "we'll now", "we are going to", "we should", "we need to", "let us", "you can", "you should",
    "you may want", "you might want", "you could", "you need to",
]  # fmt: skip
"""Phrases that begin a plan or advice."""

PREDICATES = """
is are was were be been am has have had does do did can could will would shall should may might must
needs means lies stands exists works fails passes runs takes costs holds
"""
"""Verbs that show that a short sentence has a predicate."""
