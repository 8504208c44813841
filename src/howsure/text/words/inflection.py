"""Inflection: known verbs, irregular forms, and words that only look inflected."""

FORMS = """
arise arose arisen
be is are was were been being am
bear bore born borne
become became
begin began begun
bend bent
bind bound
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
buy bought
catch caught
child children
choose chose chosen
come came
crisis crises
criterion criteria
deal dealt
die died dies dying
dig dug
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown flies
foot feet
forbid forbade forbidden
forget forgot forgotten
freeze froze frozen
get got gotten
give gave given
go went gone goes
goose geese
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
index indices indexes
keep kept
know knew known
lay laid
lead led
leave left leaving
lend lent
lie lain lies lying
light lit
lose lost
make made
man men
matrix matrices
mean meant
meet met
mouse mice
pay paid
person people persons
phenomenon phenomena
read reads reading
rebuild rebuilt
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spend spent
stand stood
steal stole stolen
strike struck stricken
swim swam swum
swing swung
take took taken
teach taught
tear torn
tell told
think thought
throw threw thrown
tooth teeth
understand understood
undo undid undone undoes
use uses used using
agree agreed agrees
guarantee guaranteed guarantees
see saw seen sees
free freed frees
vertex vertices
wear wore worn
win won
woman women
write wrote written
datum data
analysis analyses
basis bases
hypothesis hypotheses
knife knives
leaf leaves
life lives
wife wives
wolf wolves
half halves
shelf shelves
"""
"""Irregular forms: each line is a base form and its other forms."""

UNCHANGED = """
https news series species does this his its us plus less unless across always perhaps james bus gas yes
wind bring thing spring string king ring sing wing during morning evening nothing something anything everything ceiling
need speed seed feed bed red shed hundred sacred naked
"""
"""Words that look inflected but are base forms."""

PARTICIPLES = "read set put cut run hit split shut let spread reset become overcome rerun broadcast forecast"
"""Participles that equal the base form."""

VERBS = """
abandon abolish absorb accept access accompany accumulate achieve acquire act activate adapt add adjust admit adopt
advance advise affect afford agree aim alert allocate allow alter analyze announce answer appear apply appoint
approve argue arise arrive ask assassinate assert assess assign assist assume attack attempt attend attract author
avoid award back ban baptize base bear beat become begin believe belong bend benefit bind bite block blow boil boost
border borrow break bring build burn bury buy bypass cache calculate call cancel carry cast catch cause cease change
charge check choose claim clean clear climb close coat collect combine come commit compare compete compile complete
compose compress compute conduct confirm connect conquer consider consist construct consume contain continue
contract contribute control convert cook cool copy correct cost count cover crash create cross crown cry cut damage
dance deal debug decide declare decline decode decrease dedicate defend define degrade delay delete deliver demand
demolish deny depart depend deploy deprecate derive describe deserve design destroy detect determine develop die
differ dig direct disable disappear discard discover discuss display dissolve distribute divide do dominate double
download draw drink drive drop earn eat elect eliminate emerge emit employ enable encode encompass encrypt end
enforce enjoy enter equal erupt escape establish estimate evaluate evict exceed exchange exclude execute exhibit
exist exit expand expect experience expire explain explode export expose express extend extract face fail fall
feature feed feel fetch fight fill filter find finish fire fit fix flank flee float flow flush fly focus follow
forbid force forget form found freeze function gain gather generate get give go govern grant grow guarantee guard
guess handle hang happen hate have head heal hear heat help hibernate hide hire hit hold host house hunt identify
ignore implement imply import improve inaugurate include increase indicate influence inform inhabit inherit inhibit
initialize inject insert inspire install intend introduce invade invent invest invite invoke involve issue join
judge jump keep kick kill know lack land last laugh launch lay lead leak learn leave lend let license lie lift like
limit link list listen live load locate lock log look lose love lower maintain make manage manufacture map march
mark marry match matter mean measure meet melt merge migrate miss mix modify monitor mount move multiply murder name
need nest nominate normalize notice notify observe obtain occupy occur offer open operate oppose orbit order
organize originate outperform output overlap override overwrite own paint parse participate pass pay peak perform
permit persist pick place plan plant play poll pollute portray post pour practise precede predict prefer premiere
prepare present preserve press prevent print probe process produce program prohibit promise promote propose protect
prove provide prune publish pull pump purchase push put query queue quit raise range rank reach react read rebuild
receive recognize recommend record recover reduce refer reflect refresh refuse register regulate reign reject relate
release rely remain remember remove rename render renovate repair repeat replace report represent request require
resemble reset reside resist resolve respond restart restore restrict result resume retain retire retrieve retry
return reuse reveal review revise ride ring rise roll rotate rule run sail save say scale scan schedule score seal
search seat see seed seek seem select sell send separate serve set settle sew shake share shift shine ship shoot
show shrink shut sign signal sing sink sit situate skip sleep slide slow smell smile smoke solve sort sound sow
spawn speak spend spin split sponsor spread stand star start state stay steal stem stop store stream strengthen
stretch strike study submit succeed suffer suggest suit supply support surpass surround survive suspend swap sweep
swim swing switch take talk target taste teach tear tell tend terminate test think throttle throw time timeout touch
trace track trade trail train transfer transform translate transmit travel treat trigger trim trust try turn type
undergo understand unite update upgrade upload use utilize validate value vary verify violate visit vote wait wake
walk want warm warn wash waste watch weaken wear weave weigh win wipe wish work worsen wrap write yield
"""
"""Verbs in their base form, by which the verb of a sentence is told from its nouns."""
