"""Words and forms of sentences that claim nothing.

Forms are regular expressions for the start of a sentence in lower case, one on each line; an indented line continues
the one before.
"""

FINITE = """
is are was were am be has had does did do will would can could should must may might shall isn't aren't wasn't weren't
hasn't hadn't doesn't didn't don't won't wouldn't can't cannot couldn't shouldn't mustn't have i'm you're it's
equals means uses says runs
"""
"""Verbs that make a clause."""

INVERTED = """
is are was were am has have had does do did will would can could should must may might shall
"""
"""Verbs that begin a question. Negated ones are missing: "Isn't it 5?" claims that it is 5."""

WH = "what which who whom whose when where why how"

CLAUSE_OPENERS = """
what which who whom whose when where why how if whether that because since as and but or so although though while unless
than before after once until
"""
"""Words that begin a clause."""

SPEAKERS = "i we you i'm you're we're i've you've i'll i'd you'd"
USER = "you your yours i me my we us our you're you've you'd i'm i'll"

ARGUING = """
because since although though despite whereas therefore thus hence obviously clearly definitely certainly undoubtedly
surely absolutely considering knowing proven proves prove fyi btw note notice except besides apart nobody everyone
everybody anyone anybody indeed actually fact facts truth guaranteed doubt doubts
"""
"""Words that argue for something; a plain question has none of them."""

FACTIVE = """
know knew realize realise realized realised believe heard hear notice noticed agree aware remember understand forget
forgot see saw think admit accept concede told said considered
"""
"""Verbs whose object is taken for true: "Did you know that ..."."""

KNOWING = """
know knew realize realise realized realised aware hear heard notice noticed remember remembered forget forgot told learn
learned see saw seen
"""
"""Verbs and adjectives of questions like "Did you know the server crashed?"."""

SUBJECTS = "i we you he she it they there people everyone everybody someone somebody nobody nothing everything"
"""Words with which a clause begins, other than nouns with an article."""

AFTER_THING = "already yet too now here there well exactly by heart again before offhand"
"""Adverbs after a thing that is asked about: "Did you know the answer already?"."""

IRREGULAR_NOUNS = "children men women people feet geese mice teeth criteria indices better best worse worst"
"""Irregular forms that are no verbs."""

BEFORE_NAMES = "and or if whether what which who whose when where why how is are was were than but that"
"""Words before a name that does not belong to the noun before them."""

ADJECTIVES = "recent new old known open current latest last first next strange slow long big small full common similar"
"""Adjectives before a noun that may look like a verb: "any recent changes"."""

NOUN_BEFORE = """
the a an your my our their its this these those of in on for from with to by at and or more some any few several
which what two three many all both other related exact specific different following
"""
"""Words after which a form like "requests" is a noun and one like "required" an adjective."""

HOW = "to many much long often far large big fast old high deep it this that"
"""Words after "I don't know how" with which nothing is claimed."""

_SOME = r"(?:some |a (?:bit|little)(?: of)? |any |a few |a couple of |several |two |three |one |just )?"
_MORE = r"(?:more |further |additional |extra |quick |short |clarifying |other |follow-up )*"
_INFO = r"(?:information|info|details?|context|clarification|questions?|things?|specifics|input|data)"

ACKNOWLEDGEMENTS = r"""
(?:hi|hello|hey|sure|sure thing|of course|ok|okay|got it|understood|great|no problem)(?: there)?(?=$|,? (?:i|to|
    before|just|let|thanks)\b)
"""
"""Words that may begin a response; after a question they would answer it."""

PREAMBLES = rf"""
thanks(?: for (?:the|your|asking|reaching out|sharing)(?: (?:\w+)){{0,4}})?$
thank you(?: for (?:the|your|asking|reaching out|sharing)(?: (?:\w+)){{0,4}})?$
(?:that's an? |what an? )?(?:great|good|interesting|fair) question$
(?:i'm |i am |we're )?sorry(?: about that| for the (?:confusion|inconvenience)| that i can't help| to say)?$
(?:my )?apologies(?: for the (?:confusion|inconvenience))?$
i apologi[sz]e(?: for the (?:confusion|inconvenience))?$
(?:i'm |i am |i'd be |i would be |i'll be )?(?:happy|glad|willing) to (?:help|assist|look into|answer)(?: you)?
i (?:can|could|would like to|want to|'d like to) help(?: you)?(?: with (?:that|this|it))?$
i'd like to help(?: you)?(?: with (?:that|this|it))?$
(?:but |and |so )?(?:i|we)(?: would|'d|'ll| will| do| still| just| first)* (?:need|have|want|like)(?: to (?:ask|
    know|clarify))? {_SOME}{_MORE}{_INFO}
(?:but |and |so )?(?:i|we)(?: would|'d| just| first)* (?:need|want|like|have) to (?:ask|know|clarify|understand|
    check|make sure|be sure|see|confirm)
(?:but )?(?:to|in order to) (?:help|answer|assist|solve|fix|debug|give|find|investigate|reproduce|
    do)\b.{{0,60}}?,? (?:i|we)(?:'d|'ll| would| will)? need
(?:but )?before (?:i|we) (?:can )?(?:start|answer|begin|continue|proceed|change|delete|run|do|make|write|go)\b
{_SOME}{_MORE}questions?(?: first| before i start| to clarify| for you)?:?$
{_SOME}{_MORE}{_INFO} (?:is|are|would be|will be) (?:needed|required|helpful|necessary)
(?:just )?to (?:be sure|make sure|clarify|confirm|double-check|narrow (?:it|this) down)
(?:i'm|i am|it's|it is) (?:not (?:quite |entirely |completely )?(?:sure|certain|clear)|unsure|
    unclear)(?: to me)? (?:what|which|whether|if|how|who|where)(?: \w+)? (?:you|your|of|exactly|this|it|that)
(?:your|the|this) (?:question|request|message|task|
    requirement)(?: is| seems| could be| may be)(?: a bit| somewhat)? (?:ambiguous|unclear|vague|open)
(?:it|that|this) depends(?: on (?:what|which|how|where|your|whether)\b)?
i (?:don't|do not|didn't) (?:quite |fully |completely )?(?:understand|follow|see) (?:what|which|the question|your|
    how you)
(?:then|after that|once (?:i|you)\b.{{0,40}}?,?) i (?:can|could|will)|(?:then |and then )?i'll (?:be able to|get|
    look|take|continue|proceed|start)
let me (?:ask|check|make sure|clarify|understand|know)(?: first)?$
let me (?:make sure|check that) i understand
(?:i'm|i am) not sure i (?:follow|understand)
(?:i hope (?:that|this|you understand)|hope that helps|let me know)$
"""
"""Greetings, apologies, and sentences which only say that more must be known."""

REQUESTS = r"""
(?:so |but |and |also |then )?(?:please|kindly|just)(?: also)? (?:tell|share|provide|send|specify|clarify|confirm|
    paste|post|describe|give|say|let me know|attach|upload|point me|choose|pick)
(?:if (?:you can|possible),? )?(?:tell me|let me know) (?:what|which|who|where|when|how|whether|if|more|the|your)
share (?:the|your|a)|specify (?:the|your|which)
i(?:'d| would) (?:like|need) (?:you )?to (?:tell|share|provide|specify|clarify|confirm|know (?:what|which|who|
    where|when|how|whether|if|the|your))
(?:but |and |so )?i need to (?:know|ask|clarify|understand|confirm) (?:what|which|who|where|when|how|whether|if)
"""
"""Requests for what must be known."""

CLOSING_REQUEST = (
    r"(?:please )?let me know if (?:you (?:have|need|want|would like)|there is|there's|i can|that|this|it|anything)\b"
    r"(?! (?:the|to|a short|me)\b)"
)
"""A polite sentence at the end of an answer."""

LEAD_INS = """
and also or sorry so but if when before to for in on with just once after regarding about ok okay thanks hi hello hey
sure
first second finally then
"""
"""Words that begin what may stand before a question."""

TIMES = "yesterday last then this when monday tuesday wednesday thursday friday saturday sunday today"
"""Words after which "since" is a time."""

TAG_QUESTION = (
    r"(?:,|:| -) ?(?:right|correct|yes|no|ok|okay|true|huh|eh|agreed?|sure|fair|got it|see|you know|understood)$"
    r"|\b(?:isn't|aren't|doesn't|don't|won't|can't|wasn't|didn't|hasn't|wouldn't|couldn't|shouldn't) (?:it|they|"
    r"that|you|we|he|she|there|this)"
    r"(?: (?:think|say|agree))?$"
    r"|,(?: \w+)? (?:is|are|does|do|will|can|was|did|has|would) (?:it|they|that|he|she|there)$"
)
"""The end of a statement that is turned into a question."""

CLOSING_QUESTION = (
    r"(?!(?:\w+ ){0,4}(?:i|me to) (?:look into|go on|work on|do) ?)"  # asks for leave to go on
    r"(?:does|did|do|is|was|would|will|can|could|shall|should|any|anything|need|want|what else|how (?:does|is|was))\b"
    r"(?: (?:this|that|it|i|you|we|there|else|other|more|any|anything|further|the|of|to|like|want|me|need|be|have|make"
    r"|makes|sense|help|helps|helped|helpful|answer|answers|your|question|questions|clear|clearer|clarify|ok|okay|"
    r"useful|work"
    r"|works|for|sound|sounds|look|looks|good|right|explain|explanation|know|with|assist|on|elaborate|go|into|detail"
    r"|details|is|so|far|a|an|example|examples|in|can|do))*$"
)
"""A polite question at the end of an answer."""

DISGUISED_CLAIM = (
    r"\b(?:who|what|how) (?:else|could be|would (?:deny|doubt|question|disagree)|can (?:deny|doubt|question))"
    r"|\b(?:who|why) (?:doesn't|wouldn't|don't|isn't|would(?:n't)? (?:anyone|you|anybody))"
    r"|\b(?:other than|rather than|more .{1,40} than|better than|less .{1,40} than)\b"
    r"|\b(?:isn't|aren't|doesn't|didn't|wasn't|don't|hasn't|won't|can't|couldn't|wouldn't|shouldn't|"
    r"haven't) (?:it|the|this|that|you|we|they|there|he|she|a|an)\b"
    r"|(?:^|, )you know\b|\b(?:given that|as you know|we all know|as we know|everybody knows|it is known|"
    r"of course|after all|in fact|needless)\b"
    r"|, (?:which|who|whose|where) (?:is|are|was|were|has|have|does|will|can|uses?|runs?|means)\b"
    r"|\b(?:so sure|so certain|enough how|of any(?:thing|one|body)? (?:wrong|case|better|reason)|knowing that|"
    r"seeing that|without saying|now that|in that)\b"
    r"|\bhow (?:anyone|anybody|people|one|you) (?:can|could|would)|\b(?:the fact|fact that|answer is(?! not\b)|"
    r"answer:|the truth)\b"
    r"|\b(?:why|how come) (?:people|anyone|anybody|everyone|you)\b|\b(?:unless|until) (?!you|i|we)\b"
    r"|\b(?:if|whether) you (?:know|knew|noticed|reali[sz]ed?|heard|saw|have (?:heard|seen|noticed)|are aware)\b"
    r"|\b(?:if|whether) you're aware\b|\bwho (?:disagrees|doubts|denies)\b|\bby saying\b|\botherwise\b"
    r"|\bbeing (?:the|a|an|wrong|right|correct|true|false|safe|unsafe|\d)\b|\bagainst\b|\bsay (?:no to|enough)\b"
    r"|\bseen (?:\w+ ){1,4}(?:fail|break|crash|error)\b|\bany (?:problem|issue|error|fault)s? with\b"
    r"|\bwith (?:\w+ ){1,5}(?:passing|fixed|done|working|green|complete|completed|finished|solved|resolved)\b"
)
"""Forms by which a question or an abstention makes a claim."""

GUESS = r"\d|\b(?:maybe|perhaps|possibly|probably|tried|trying)\b|^(?:what|how) about\b"
"""Forms of questions that may name the answer, so that they do not belong to "I don't know"."""

ORDER = (
    r"\b(?:can|could|will|would) you (?:please |also |maybe |just |perhaps |now |then |first )*"
    r"(?:set|change|delete|remove|drop|install|uninstall|restart|reboot|replace|edit|add|apply|use|take|give up|move|"
    r"rename|overwrite|disable|enable|turn|switch|update|upgrade|downgrade|rewrite|write|execute|type|enter|open|close|"
    r"kill|stop|start|buy|sell|transfer|sign|mix|inject|click|download|visit|merge|push|commit|deploy|revert)\b"
    r"|\b(?:can|could|would) you (?:please |also |maybe |just )*(?:run|try)\b(?!.*\band (?:please )?(?:share|"
    r"send|paste|post|tell|show|give|let|report|copy|upload|attach)\b)"
)
"""Orders that have the form of a question. To run something and share what it prints is a way to ask."""

AFTERTHOUGHTS = """
please if when in on for with from at to by as so then before after thanks too also exactly precisely ideally today
just instead again specifically
"""
"""Words that begin what may follow a question."""

_SOURCES = (
    r"(?:the |this |that |my |our |any of the |these |those |your )?(?:provided |given |retrieved |available |"
    r"attached |supplied |search |"
    r"cited |official |above )*(?:context|contexts|documents?|documentation|docs|sources?|text|texts|passages?|"
    r"results|material|"
    r"excerpts?|snippets?|notes|pages?|articles?|readme|references?|information|transcript)"
    r"(?: (?:i (?:have|was given|found|retrieved|saw|could find|can see)|you (?:gave|shared|provided|attached)|"
    r"that (?:i|you|was|were) \w+(?: \w+)?))?"
)

ABSTENTIONS = rf"""
i (?:really |just |simply |honestly |still |currently |also )?(?:don't|do not) (?:really |actually |currently |
    yet )?(?:know|remember|recall)(?! (?:of any|any|anything|a better|anyone|much)\b)
i (?:really |just |currently |unfortunately |also )?(?:don't|do not) (?:actually |currently )?have (?:enough |
    any |that |the |this |an? |sufficient |reliable |specific |access to |up-to-date |current )*(?:information|
    info|data|context|details?|knowledge|evidence|answer|access|documentation|source|sources|way to (?:know|tell|
    check|verify))
i have (?:no|too little|insufficient|not enough) (?:record|information|info|data|context|idea|knowledge|details?|
    evidence|access|way (?:to|of) (?:know|tell|check|verify)(?:ing)?|reliable (?:information|source|data))
(?:i'm|i am)(?: really| just| still)? (?:not (?:really |entirely |quite |completely |fully |at all )?(?:sure|
    certain)|unsure|uncertain|not able to (?:answer|say|tell|determine|find|confirm|verify|judge)|
    unable to (?:answer|say|tell|determine|find|confirm|verify|judge)|not in a position to (?:say|answer|judge)|
    not familiar(?: enough)? with)
i (?:really |just |also |still )?(?:can't|cannot|can not|couldn't|could not|am not able to|was not able to|
    was unable to|wasn't able to) (?:reliably |really |honestly |currently |yet |safely )?(?:answer|say|tell|
    determine|confirm|verify|judge|be (?:sure|certain)|give (?:you )?(?:an?|the|a reliable|
    a definite) (?:\w+ )?answer|establish|work out|figure out)
i (?:can't find|cannot find|couldn't find|could not find|did not find|didn't find|do not see|don't see|
    haven't found|have not found|could not locate) (?:it|this|that|an answer|the answer|any (?:mention|
    information|reference|documentation|details?|data|record|source)|(?:any)?thing about|anything on|information|
    a (?:mention|source|reference))
i (?:found|find|have found|see) (?:nothing|no (?:information|mention|answer|reference|documentation|details?|data|
    record|source)s?) (?:about|on|of|for|that (?:answers|says|mentions))
i (?:haven't|have not) (?:checked|verified|tested|read|looked at|measured|been given|seen (?:it|that|this|the|your))
i would (?:only )?be guessing|i'd (?:only )?be guessing|i would have to guess|i'd have to guess|i (?:don't|
    do not) want to guess|i(?:'d| would) rather not guess
(?:not sure|no idea|unknown|not known|unclear|i wish i knew|beats me|can't say|cannot say|hard to say|don't know|
    dunno|unsure|insufficient (?:information|context|data)|not enough (?:information|context|data)|
    no information(?: available)?|no answer)(?! (?:of|any))
(?:it's|it is|this is|that is|that's) (?:not (?:clear|known|stated|mentioned|specified|documented)|unclear|
    unknown|beyond (?:what i know|my knowledge)|outside (?:of )?(?:my knowledge|what i know)|
    not something i (?:know|can (?:answer|verify|confirm|say|tell)))
there (?:is|was)(?: not|n't) (?:enough |any |sufficient )?(?:information|data|context|mention|answer|detail)
there (?:is|was|are|were) (?:no|not enough|too little|insufficient) (?:information|data|context|mention|answer|
    details?)
{_SOURCES} (?:do|does|did)(?:n't| not) (?:say|mention|state|specify|cover|tell|answer|address|describe|explain)
{_SOURCES} (?:do|does|did)(?:n't| not) (?:contain|include|give|show|provide|have|list|name) (?:it|this|that|
    the answer|an answer|(?:any |enough |that |this |the )?(?:information|details?|mention))
{_SOURCES} (?:is|are|was|were) (?:silent|not clear|unclear|not sufficient|insufficient|empty|not enough)
{_SOURCES} (?:says|say|contains|contain|has|have) (?:nothing|no (?:information|mention|answer|details?))
(?:nothing|none) (?:in|of) {_SOURCES} (?:says|mentions|answers|covers|states|tells|shows|contains|addresses|
    specifies|gives)
the answer (?:is|was)(?: not|n't) (?:in|given|contained|stated|to be found|known|available)
(?:this|that|it) (?:is|was)(?:n't| not) (?:mentioned|covered|stated|specified|documented|described|given|answered|
    something i (?:know|can (?:answer|say|tell|confirm|verify)))
(?:this|that) (?:information|detail|question|answer) (?:is|was)(?:n't| not) (?:in|available|given|part of|covered|
    answered|mentioned)
"""
"""Sentences which say that something is not known."""

ABSTENTION_LEAD_INS = rf"""
(?:sorry|i'm sorry|i am sorry|unfortunately|honestly|frankly|to be honest|i'm afraid|i am afraid|apologies|
    my apologies|hmm|well)
(?:based on|from|according to|given|judging by|with|in|after (?:reading|searching|checking)) {_SOURCES}(?: alone)?,?
(?:at this point|right now|at the moment|for now|as of now|currently|so far|yet),?
(?:but|and|so|because|since|that(?= (?:i|there|the)\b))
"""
"""What may stand before them."""

FAULTS = """
errors failures faults bugs problems issues warnings vulnerabilities risks effects outages losses leaks regressions
breaches attacks dangers defects crashes incidents conflicts complaints exceptions violations mistakes flaws downtime
damage harm wrongdoing failing breaking crashing leaking
"""
"""What one says is absent by having no mention of it: "There is no mention of errors" says that there are none."""

FAULT = "error failure fault bug problem issue warning vulnerability risk outage loss leak regression breach crash harm"
"""The same after "any" or "a"."""

AFTER_NOUN = """
about on of for in that to available here there regarding which whether as at given provided from concerning either yet
what who where when how if with and or but so right currently i you it's by beyond after before since
"""
"""Words that may follow "there is no information": "no data loss" says something else."""

OFFERS = r"""
(?:please |but |so |and )?(?:i|we) (?:can|could|would|will|'ll|
    may)(?: try to| need to| have to| be able to)? (?:look|check|search|find out|ask|investigate|read|help|dig|
    say more|look into|follow up|need|try (?:to (?:find|look|check|search|help)|again)|run (?:the |a |an |some |
    more |your |this |that )*(?:\w+ )?(?:tests?|checks?|suite|search|query|benchmarks?|experiment|linter|it|them)$|
    run (?:the |a |an |some |more |your )*(?:tests?|checks?|suite|search|query|benchmarks?|experiment|
    linter) (?:to (?:find out|see|check|know|be sure|tell)|first|if you|and (?:see|tell|report|check))|
    (?:give|tell) you (?:more|what|which|whether|if|how|where|when|who|once|after|a (?:better|more|definite))|
    (?:answer|tell|say)(?: (?:it|that|this|your question|the question))?(?=$| (?:once|when|if|after|then|later|with)))
(?:please |but |so |and )?i'?(?:'d|'ll| would| will) (?:need|have|like|want|recommend|suggest) (?:to |
    you )?(?:look|check|search|see|ask|read|know|verify|consult)
(?:please |but |so |and )?i'?(?:'d|'ll| would| will) (?:need|have|like|want) (?:more|the|your|access)
i (?:recommend|suggest|would recommend|would suggest|'d recommend|'d suggest) (?:checking|asking|looking|
    consulting|contacting|verifying|reading|searching|you (?:check|ask|look|consult|contact|verify))
(?:please |you (?:can|could|may|might|should|may want to|might want to|would have to) |it(?:'s| is) best to |try |
    best to )(?:please )?(?:check|ask|look|consult|contact|verify|see|try asking|search|share|provide|confirm|
    send|tell me|paste|give me|look at|look in)(?:ing)?
(?:if|once|when) you (?:can |could )?(?:share|tell|send|give|provide|paste|let|have|like|want|know|need)
let me (?:check|look|search|find out|know|try)
(?:someone|somebody|the \w+(?: \w+)?) (?:should|may|might|could|would) (?:know|be able to (?:answer|say|tell))
"""
"""Offers to find out, and advice where to look."""
