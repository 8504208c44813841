"""Templates for evaluation that were not used in development: places and nature."""

from tests.text.pairs_seen import Act, Domain, Opposites

PLACES = Domain(
    "places",
    {
        "a": ["Harlow Museum", "Port Velasco", "Mount Irena", "Lake Tarn", "Calder Bridge", "Sable Island"],
        "country": ["Peru", "Norway", "Vietnam", "Morocco", "Chile", "Poland"],
        "person": ["Elena Marsh", "Piotr Zielinski", "Carlos Duarte", "Hana Kimura", "Olu Adeyemi"],
        "pair": [
            Opposites("open", "closed"),
            Opposites("inhabited", "uninhabited"),
            Opposites("accessible", "inaccessible"),
            Opposites("ancient", "modern"),
            Opposites("safe to visit", "dangerous to visit"),
            Opposites("cheap", "expensive"),
            Opposites("crowded", "empty"),
        ],
        "season": ["in winter", "in summer", "on Sundays", "at night"],
    },
    """
    antonym: contradiction
    {a} is {pair.one}. | {a} is {pair.two}.
    {season}, {a} is {pair.one}. | {a} is {pair.two} {season}.
    negation: contradiction
    {a} has a harbour. | {a} doesn't have a harbour.
    There is a hospital in {a}. | There is no hospital in {a}.
    {person} designed {a}. | {person} did not design {a}.
    {a} was never rebuilt. | {a} was rebuilt in {year}.
    exclusive value: contradiction
    {a} is located in {country}. | {a} is located in {country2}.
    The mayor of {a} is {person}. | The mayor of {a} is {person2}.
    {a} was designed by {person}. | {a} was designed by {person2}.
    The capital of the province is {a}. | The capital of the province is {b}.
    {a} is the oldest site in {country}. | {b} is the oldest site in {country}.
    date: contradiction
    {a} was founded in {year}. | {a} was founded in {later}.
    {person} died on {day} {month} {year}. | {person} died on {day2} {month} {year}.
    number: contradiction
    {a} is {m} metres high. | {a} is {n} metres high.
    About {m} thousand people live in {a}. | Around {n} thousand people live in {a}.
    unit: contradiction
    {a} is {n} km from the coast. | {a} is {n} miles from the coast.
    order: inconsistency
    {a} is larger than {b}. | {b} is larger than {a}.
    {a} is older than {b}. | {a} is younger than {b}.
    quantifier: inconsistency
    Every street in {a} is paved. | Some streets in {a} are not paved.
    only: inconsistency
    {a} can only be reached by boat. | {a} can be reached by car.
    hedge: ambiguity
    {a} was founded in {year}. | {a} may have been founded in {later}.
    vague value: ambiguity
    {a} has {m} inhabitants. | {a} has many inhabitants.
    paraphrase: none
    {person} designed {a}. | {a} was designed by {person}.
    {a} is located in {country}. | {a} lies in {country}.
    other subject: none
    {a} is {pair.one}. | {b} is {pair.two}.
    {a} was founded in {year}. | {b} was founded in {later}.
    The mayor of {a} is {person}. | The mayor of {b} is {person2}.
    other time: none
    {a} had {n} inhabitants in {year}. | {a} had {m} inhabitants in {later}.
    {a} is {pair.one} in winter. | {a} is {pair.two} in summer.
    {person} was the mayor of {a} until {year}. | {person2} was the mayor of {a} from {later}.
    same date: none
    {a} was founded in {year}. | {a} was founded in {month} {year}.
    both may hold: none
    {person} visited {a}. | {person} visited {b}.
    {a} exports coffee. | {a} exports copper.
    other property: none
    {a} is {m} metres high. | {a} is {n} km from the coast.
    {a} is {pair.one}. | {a} is {pair2.one}.
    converse: none
    {a} is larger than {b}. | {b} is smaller than {a}.
    rounding: none
    About {n_times_10} thousand people live in {a}. | {n_times_10_plus_1} thousand people live in {a}.
    equal units: none
    {a} is {n} km long. | {a} is {n_times_1000} m long.
    double negation: none
    {a} is {pair.one}. | {a} is not {pair.two}.
    """,
)

NATURE = Domain(
    "nature",
    {
        "a": ["salamander", "ibex", "cormorant", "lynx", "tortoise", "moth"],
        "act": [
            Act("eats", "eat", "eaten", "insects"),
            Act("migrates", "migrate", "migrated", "south"),
            Act("hibernates", "hibernate", "hibernated", "underground"),
            Act("lays", "lay", "laid", "eggs"),
        ],
        "pair": [
            Opposites("nocturnal", "diurnal"),
            Opposites("endangered", "common"),
            Opposites("venomous", "non-venomous"),
            Opposites("male", "female"),
            Opposites("wild", "tame"),
            Opposites("alive", "dead"),
        ],
        "place": ["in the Alps", "in captivity", "near rivers", "at high altitude"],
    },
    """
    negation: contradiction
    The {a} {act.s} {act.o}. | The {a} doesn't {act.base} {act.o}.
    The {a} {act.s} {act.o} {place}. | The {a} never {act.s} {act.o}.
    No {a} {act.s} {act.o}. | The {a} {act.s} {act.o}.
    antonym: contradiction
    The {a} is {pair.one}. | The {a} is {pair.two}.
    quantifier: inconsistency
    All {a}s {act.base} {act.o}. | Not all {a}s {act.base} {act.o}.
    Most {a}s {act.base} {act.o}. | Few {a}s {act.base} {act.o}.
    number: contradiction
    An adult {a} weighs {n} kg. | An adult {a} weighs {m} kg.
    hedge: ambiguity
    The {a} {act.s} {act.o}. | Perhaps the {a} does not {act.base} {act.o}.
    partly overlapping: inconsistency
    The {a} is {pair.one}. | The {a} is {pair.two} {place}.
    other subject: none
    The {a} {act.s} {act.o}. | The {b} does not {act.base} {act.o}.
    other condition: none
    The {a} is {pair.one} {place}. | The {a} is {pair.two} {place2}.
    other property: none
    The {a} {act.s} {act.o}. | The {a} does not {act2.base} {act2.o}.
    some and others: none
    Some {a}s {act.base} {act.o}. | Some {a}s do not {act.base} {act.o}.
    paraphrase: none
    No {a} {act.s} {act.o}. | The {a} does not {act.base} {act.o}.
    other part: none
    The young {a} is {pair.one}. | The old {a} is {pair.two}.
    double negation: none
    The {a} is {pair.two}. | The {a} is not {pair.one}.
    """,
)
