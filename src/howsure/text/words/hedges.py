"""Phrases with which an author hedges, by how they hedge: in lower case, with straight apostrophes.

The source documents' lists, widened by general knowledge of English. Mistakes were reviewed on a quarter of the
Wikipedia sentences of CoNLL-2010 only; decision 0018 has the numbers.
"""

IGNORANCE = [
    "i don't know", "i do not know", "we don't know", "we do not know", "don't really know", "nobody knows",
    "no one knows", "no idea", "not sure", "unsure", "not certain", "not entirely sure", "not entirely clear",
    "not clear", "not known", "uncertain", "uncertainty", "uncertainties", "unclear", "unconfirmed", "unverified",
    "undetermined", "unproven", "inconclusive", "remains to be seen", "is unknown", "are unknown", "was unknown",
    "remains unknown", "remain unknown", "unknown whether", "unknown if", "hard to say", "hard to tell",
    "difficult to say", "difficult to tell", "can't say", "cannot say", "can't tell", "cannot tell", "can't confirm",
    "cannot confirm", "could not confirm", "couldn't confirm", "can't verify", "cannot verify", "could not verify",
    "couldn't verify", "haven't verified", "have not verified", "haven't tested", "have not tested",
    "haven't checked", "have not checked", "can't be sure", "cannot be sure", "can't guarantee", "cannot guarantee",
    "no guarantee", "not confirmed", "not verified", "not conclusive", "not been confirmed", "not been verified",
    "not been proven", "don't quote me", "take this with a grain of salt", "i could be wrong", "i may be wrong",
    "i might be wrong", "if i recall", "if i remember", "if memory serves", "iirc", "afaik", "as far as i know",
    "as far as i can tell", "to the best of my knowledge", "if i'm not mistaken", "if i am not mistaken",
    "not aware of", "open question", "up for debate", "open to debate", "subject to debate",
]  # fmt: skip
"""The author does not know."""

BELIEF = [
    "i think", "we think", "i believe", "we believe", "i guess", "we guess", "my guess", "best guess",
    "educated guess", "at a guess", "i suppose", "we suppose", "i assume", "we assume", "i'm assuming",
    "i am assuming", "we are assuming", "i suspect", "we suspect", "i imagine", "i expect", "i'd expect",
    "i would expect", "we expect", "we would expect", "i feel", "i doubt", "we doubt", "doubtful", "dubious",
    "questionable", "i'd say", "i would say", "i'd guess", "i would guess", "i reckon", "i gather", "in my opinion",
    "in our opinion", "in my view", "in our view", "my understanding", "my impression", "i'm inclined", "i lean",
    "i'm fairly sure", "i'm pretty sure", "fairly sure", "pretty sure", "fairly certain", "fairly confident",
    "presumably", "supposedly", "purportedly", "ostensibly", "i don't think", "i do not think", "i don't believe",
    "i do not believe", "we don't think", "we hypothesize", "we hypothesise", "hypothesize", "hypothesized",
    "hypothesised", "we speculate", "speculate", "speculated", "speculates", "speculation", "speculative",
    "speculatively", "conjecture", "conjectured", "postulate", "postulated", "theorized", "theorised", "surmise",
    "surmised", "assumption", "tentative", "tentatively", "preliminary", "untested", "hypothetical", "hypothetically",
    "in theory", "theoretically",
]  # fmt: skip
"""The author believes, guesses or doubts."""

POSSIBILITY = [
    "may", "might", "could", "maybe", "perhaps", "possibly", "conceivably", "potentially", "it is possible",
    "it's possible", "is possible that", "possible that", "possible explanation", "possible reason", "possible cause",
    "possibility", "possibilities", "a chance", "some chance", "a risk that", "potential to", "has the potential",
    "have the potential", "plausible", "plausibly", "conceivable", "imaginable", "feasibly", "for all i know",
    "who knows", "cannot be ruled out", "can't be ruled out", "cannot rule out", "can't rule out",
    "could not be ruled out", "cannot exclude", "can't exclude",
]  # fmt: skip
"""It is possible."""

PROBABILITY = [
    "likely", "unlikely", "likelihood", "probably", "probable", "improbable", "in all likelihood", "chances are",
    "odds are", "good chance", "little chance", "slim chance", "as likely as not", "more or less", "should work",
    "should be fine", "should be ok", "should be okay", "should be safe", "should do it", "should do the trick",
    "should fix", "should solve", "should resolve", "should be able to", "should probably", "would seem",
    "would appear", "must have been", "almost certainly", "prone to", "tend to", "tends to", "tended to", "tendency",
]  # fmt: skip
"""It is probable, or improbable."""

EVIDENTIAL = [
    "seem", "seems", "seemed", "seeming", "seemingly", "appear", "appears", "appeared", "apparently", "suggest",
    "suggests", "suggested", "suggesting", "suggestive", "looks like", "look like", "looks as if", "sounds like",
    "feels like", "reportedly", "allegedly", "alleged", "rumored", "rumoured", "rumor", "rumour", "rumors", "rumours",
    "so-called", "estimate", "estimated", "estimates", "estimating", "predicted to", "projected to", "thought to",
    "thought that", "believed to", "believed that", "believed by", "is believed", "are believed", "was believed",
    "were believed", "suspected", "suspected of", "assumed to", "presumed", "presumed to", "is presumed", "said to",
    "it is said", "rumored to", "reputed", "reputedly", "claimed to", "claims to", "claims that", "claim that",
    "claimed that", "it is claimed",
]  # fmt: skip
"""It seems so, by signs or by what others say."""

VAGUE = [
    "some", "many", "several", "various", "numerous", "most", "few", "a few", "a number of", "certain", "countless",
    "a lot of", "lots of", "a majority of", "the majority of", "others", "in some cases", "in many cases",
    "in most cases", "some people", "many people", "most people", "some kind of", "some sort of", "something like",
    "sort of", "kind of", "widely", "generally", "widely considered", "widely regarded", "generally considered",
    "considered", "regarded as", "viewed as", "seen as", "perceived as", "thought of as", "arguably", "debatable",
    "debatably", "one of the most", "one of the best", "one of the greatest", "among the most", "among the best",
    "well-known", "people say", "people believe", "people think", "critics", "scholars", "historians", "experts",
    "commentators", "supporters", "opponents", "proponents", "detractors", "believed", "argued", "it is argued",
    "it can be argued", "it could be argued", "it is thought", "it is believed", "it is estimated", "it is known",
    "is known to", "are known to", "has been claimed", "have been claimed", "has been said", "has been suggested",
    "has been argued", "has been criticized", "has been criticised", "often considered", "often regarded",
    "often said", "according to some", "vary", "varies", "varying",
]  # fmt: skip
"""Weasel words: how many, how much or who says so, without saying it."""

FREQUENCY = [
    "often", "oftentimes", "usually", "typically", "commonly", "frequently", "sometimes", "occasionally", "mostly",
    "mainly", "largely", "partly", "partially", "in part", "in general", "generally speaking", "for the most part",
    "to some extent", "to some degree", "to a certain extent", "somewhat", "relatively", "rather", "quite", "almost",
    "nearly", "virtually", "practically", "essentially", "normally", "ordinarily", "traditionally", "popularly",
    "so to speak", "in a way", "in a sense", "roughly", "approximately", "fairly", "reasonably", "depending on",
    "or so",
]  # fmt: skip
"""Limits on how often, how far or how exactly a statement holds, which is not doubt whether it holds."""

NEGATIONS = "not no never without cannot nor neither hardly nothing"
"""Words that negate a hedge which follows, like words that end in "n't"."""

ASKED = "you we i someone anyone anybody please"
"""Words after "could" and "may" that make a request or a question."""

PLACES = """
in on at as under above below over twice once beside before after with alongside here there within inside again
first last next only when where every many several two three for between among near together by and or
"""
"""Words after "appears" that say where or when something can be seen."""

EXPERIENCES = "be see notice experience encounter have get find lose need not run face"
"""Verbs after "you may" with which it is no permission."""

BE = "is are was were be been am i'm it's isn't"

DETERMINERS = "the a an its his her their our my your this that these those what which every each"

AFTER_UNCLEAR = """
whether if how what why when which who whom whose where to and or but yet at in on about as because since for from of
"""
"""Words after which "unclear" and "uncertain" say what is in doubt; before a noun they describe a thing."""
