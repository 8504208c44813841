"""Values, properties and verbs from which it follows that only one of two values can be right."""

CLASSES = {
    "colour": """
        red orange yellow green blue purple violet pink brown black white grey beige turquoise magenta cyan
        crimson
    """,
    "material": """
        wood wooden steel iron plastic leather glass cotton wool silk paper copper aluminium aluminum gold
        silver bronze brass concrete stone rubber ceramic marble carbon titanium nylon polyester linen clay
        bamboo
    """,
    "data type": """
        string integer int float boolean bool list array dictionary dict map set tuple object null void byte
        bytes iterator generator promise stream
    """,
    "programming language": """
        python java rust golang haskell javascript typescript ruby perl php scala kotlin swift erlang elixir
        clojure ocaml fortran cobol julia lua zig ada
    """,
    "format": "json xml yaml toml csv tsv html markdown protobuf avro parquet msgpack plaintext",
    "database": "postgresql postgres mysql mariadb sqlite oracle mongodb cassandra dynamodb",
    "complexity": "constant linear quadratic cubic logarithmic exponential factorial",
    "encoding": "utf-8 utf-16 ascii latin-1 iso-8859-1 windows-1252",
    "operating system": "linux windows macos freebsd openbsd android ios solaris ubuntu debian alpine fedora centos",
    "weekday": "monday tuesday wednesday thursday friday saturday sunday",
    "month": "january february march april june july august september october november december",
    "season": "spring summer autumn winter",
    "continent": "africa asia europe antarctica oceania",
    "country": """
        argentina australia austria bangladesh belgium bolivia brazil bulgaria cambodia cameroon canada chile
        china colombia croatia cuba czechia denmark ecuador egypt england estonia ethiopia finland france
        germany ghana greece hungary iceland india indonesia iran iraq ireland israel italy jamaica japan jordan
        kenya korea kuwait latvia lebanon libya lithuania luxembourg madagascar malaysia mali malta mexico
        mongolia morocco mozambique myanmar namibia nepal netherlands nicaragua nigeria norway pakistan panama
        paraguay peru philippines poland portugal qatar romania russia rwanda scotland senegal serbia singapore
        slovakia slovenia somalia spain sudan sweden switzerland syria taiwan tanzania thailand tunisia turkey
        uganda ukraine uruguay uzbekistan venezuela vietnam wales yemen zambia zimbabwe
    """,
    "state": """
        alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho illinois indiana
        iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana
        nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia wisconsin wyoming
    """,
    "city": """
        amsterdam athens bangkok barcelona beijing belgrade berlin bogota boston brussels bucharest budapest
        cairo chicago copenhagen delhi dublin edinburgh geneva glasgow hamburg hanoi havana helsinki istanbul
        jakarta jerusalem johannesburg karachi kyiv kyoto lagos lima lisbon liverpool london lyon madrid
        manchester manila marseille melbourne milan montreal moscow mumbai munich nairobi naples oslo paris
        philadelphia prague rome santiago seattle seoul shanghai stockholm sydney tehran tokyo toronto vancouver
        venice vienna warsaw zurich
    """,
    "nationality": """
        american british french german italian spanish russian chinese japanese indian canadian australian
        mexican brazilian polish swedish norwegian danish dutch greek turkish irish scottish korean egyptian
    """,
    "planet": "mercury venus earth mars jupiter saturn uranus neptune",
    "metal state": "liquid solid gas plasma",
    "marital status": "married single divorced widowed",
    "level": "beginner intermediate advanced",
    "log level": "debug info warning critical",
    "compass": "north south east west",
    "currency": "euro dollar yen pound franc rupee yuan krone peso ruble euros dollars",
    "licence": "mit gpl agpl lgpl bsd apache mpl",
    "cloud": "aws azure gcp heroku digitalocean hetzner",
    "protocol": "http grpc rest graphql soap websocket mqtt amqp",
    "hash": "bcrypt argon2 scrypt md5 sha1 sha-1 sha256 sha-256 sha512 sha-512 pbkdf2",
    "compression": "gzip zstd brotli lz4 snappy bzip2 zlib deflate",
    "broker": "kafka rabbitmq nats sqs pulsar activemq zeromq",
    "side": "client server",
    "place of data": "ram memory disk tape",
    "architecture": "x86 arm risc-v powerpc amd64 arm64",
    "indentation": "tabs spaces",
    "posture": "sitting standing kneeling",
}
"""Values that exclude each other, by class: a thing that is red is not blue."""

PROPERTIES = """
age algorithm architecture author backend birthplace bottleneck capital captain cause ceo chairman chief city code
color colour composer country creator culprit currency database deadline default depth dimension director encoding
engine extension father first flavor flavour format founder framework frequency gender governor head headquarters
height hometown host hostname hue husband inventor king language last leader length level licence license location
maintainer maker manager manufacturer mascot mass master maximum mayor method minimum mode model mother motto name
nationality occupation operator origin owner parent password path period place population port prefix president
price producer protocol publisher purpose queen rank religion root schema shape size source species speed spouse
state status successor suffix surname symbol temperature timezone title type unit url username value version volume
weight width wife winner zone
"""
"""Nouns for properties that have one value."""

UNIQUE = """
only sole first last main primary default current latest newest oldest youngest largest smallest biggest highest
lowest longest shortest tallest fastest slowest best worst original official next previous final heaviest lightest
richest deepest widest hottest coldest busiest capital
"""
"""Adjectives that single out one thing of a kind."""

RELATIONS = """
be:in write:in bear:in bear:on locate:in locate:at locate:on situate:in base:in make:of make:by make:from build:of
build:by build:from design:by write:by founded:by create:by direct:by invent:by discover:by manufacture:by produce:by
develop:by publish:by compose:by paint:by own:by lead:by head:by maintain:by author:by name:after name: call: die:in
die:of licence:under license:under headquarter:in host:on host:at store:in capital:of belong:to report:to marry:to
return: implement:in manage:by operate:by organize:by sing:by play:by portray:by end:in begin:in start:in
default:to set:to equal: point:to resolve:to rename:to bury:in grow:in stand:in lie:in fall:in
evaluate:to listen:on bind:to expose:on last: cost: weigh: measure: graduate:from translate:to happen:in occur:in
happen:on occur:on hash:with sign:with encrypt:with compress:with base:on derive:from inherit:from fork:from sort:by
order:by group:by partition:by shard:by key:by round:to truncate:to redirect:to migrate:to encode:as encode:in format:as
represent:as serialize:as deserialize:as
"""
"""`verb:preposition` of which a thing has one value: nothing is written in two languages."""

PLACING = """
be bear die live base locate situate lie stand headquarter happen occur bury grow fall end begin start
"""
"""Verbs before a place. Two places need not clash, since one may lie within the other."""

ADDITIVE = """
support use include contain have offer provide accept visit like love speak export import sell eat drink depend
require need work know see meet call read own buy teach study emit send store help contain feature allow enable
handle play reach run consist comprise serve connect win receive involve affect cause share
"""
"""Verbs that take many values: what supports JSON may support XML."""

MANY_AGENTS = """
review test report reference monitor check access watch sponsor influence inspire fund praise criticise criticize
attend edit follow endorse cover mention cite discuss notice join invite translate surround accompany love like know
"""
"""More verbs that several agents may do to one thing: "reviewed by Ann" and "reviewed by Bob" agree."""

EVENTS = """
bear die founded establish launch release publish introduce open close start begin end finish complete join leave sign
discover invent create deprecate remove expire due schedule marry graduate ratify premiere debut incorporate
sink merge acquire retire happen occur write compose build construct inaugurate abolish adopt approve assassinate
murder bury baptize crown invade conquer liberate surrender cancel patent dissolve collapse announce appoint move
migrate rename rewrite replace postpone reschedule discontinue decommission archive
"""
"""Verbs for what happens once to a thing, so that two dates cannot both be right."""

VERSION_EVENTS = "fix resolve solve ship add drop land"
"""Verbs for what happens once in the versions of a thing."""

FIRST = "first originally initially last finally"
"""Words that make a repeatable event a single one: "first released in 2019"."""

MANY_VERSIONS = """
support accept allow work handle test target import offer provide know play win meet visit expose open forward publish
block close
"""
"""Verbs that take many versions or numbers: what supports Python 3.8 may support 3.12."""

SEQUENCE = """
run start happen occur come load execute call begin end finish open close arrive leave initialize initialise fire
trigger precede follow rank place invoke process complete ship launch release evaluate parse validate compile return
apply send
"""
"""Verbs for steps of a sequence, so that "before" and "after" exclude each other."""

THINGS = """
algorithm architecture backend code database engine framework host method model password path protocol schema source
"""
"""Properties that are things themselves, so that two adjectives may both describe one: a binary, stateless protocol."""

DROPPING = "drop remove end discontinue abandon cease withdraw"
"""Verbs that end what their subject names: "support for it was dropped" says that it is not supported."""

NEEDING = "require need necessitate depend rely"
"""Verbs that say that something is needed."""

BREAKING = "fail break crash stop"
"""Verbs after which "without" says what is needed: "fails without a token"."""

LASTING = "valid keep last live retain store cache hold open exist persist survive available active alive"
ENDING = "expire end delete remove drop close discard evict purge stop die timeout invalidate lapse release free unlock"
"""Words with the time that something lasts ("valid for an hour") and after which it ends ("expires after an hour")."""

LIMITS = "limit maximum cap quota ceiling allow accept permit restrict exceed support possible hold"
LEAST = "minimum require need"
"""Words that make a number an upper limit, or a lower one."""

POSSIBLE = "possible allow accept permit support"
"""Words that say that a size can be had."""

ENOUGH = "enough sufficient suffice"
RUNNING = "run work start build fit boot"
"""Words that make a number one that is enough: "4 GB are enough", "it runs with 4 GB"."""

CHANGING = "raise increase lower reduce change bump move extend shorten cut decrease drop grow rise fall double halve"
"""Verbs before the old and the new value: "raised from 10 to 30 seconds"."""

SIZES = "limit maximum minimum cap quota ceiling size length long large big wide high duration number amount count"
"""Words that say what is limited without saying whose limit it is."""
