"""Forms of words that no rule gives: each line is a base form and its other forms."""

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

UNCHANGED = """
https news series species does this his its us plus less unless across always perhaps james bus gas yes
wind bring thing spring string king ring sing wing during morning evening nothing something anything everything ceiling
need speed seed feed bed red shed hundred sacred naked
"""
"""Words that look inflected and are not."""

PARTICIPLES = "read set put cut run hit split shut let spread reset become overcome rerun broadcast forecast"
"""Participles that are like the base form."""
