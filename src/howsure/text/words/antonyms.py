"""Words that exclude each other. Opposites formed with a prefix, like "unstable", need no entry."""

PAIRS = """
enabled: disabled; on: off; open: closed; opens: closes; up: down; online: offline; public: private secret;
internal: external; safe: dangerous vulnerable hazardous; secure: vulnerable; synchronous: asynchronous; sync: async;
static: dynamic; mutable: immutable constant; recursive: iterative; required: optional;
mandatory: optional voluntary; compulsory: optional; deprecated: maintained supported; maintained: abandoned;
active: inactive passive dormant idle; allow: forbid prohibit prevent deny block disallow;
permit: forbid prohibit deny; legal: forbidden; permitted: forbidden prohibited; accept: reject refuse decline;
approve: reject deny veto; grant: deny revoke refuse; admit: refuse deny; confirm: deny refute; affirm: deny;
succeed: fail; success: failure; successful: failed; pass: fail; work: fail; win: lose;
increase: decrease reduce drop fall decline shrink; raise: lower; rise: fall drop decline sink; grow: shrink decline;
gain: lose; expand: contract shrink; improve: worsen degrade deteriorate regress; accelerate: decelerate;
strengthen: weaken; widen: narrow; lengthen: shorten; double: halve; upgrade: downgrade; upload: download;
upstream: downstream; encode: decode; encrypt: decrypt; compress: decompress; serialize: deserialize;
connect: disconnect; attach: detach; mount: unmount; lock: unlock; load: unload; bind: unbind; install: uninstall;
subscribe: unsubscribe; add: remove; insert: delete; create: destroy delete; keep: delete discard drop remove;
retain: discard; preserve: discard; include: exclude; start: stop end finish; begin: end finish; arrive: depart;
enter: leave exit; join: leave; appear: disappear; remember: forget; buy: sell; lend: borrow; push: pull;
ascend: descend; ascending: descending; forward: backward; ahead: behind; before: after; precede: follow;
first: last; early: late; earlier: later; old: new young; older: younger newer; ancient: modern; obsolete: current;
outdated: current up-to-date; new: used; fresh: stale; temporary: permanent; ephemeral: persistent;
transient: persistent; volatile: persistent; finite: infinite; bounded: unbounded; limited: unlimited; global: local;
remote: local; central: peripheral; centralized: decentralized distributed; relative: absolute; abstract: concrete;
explicit: implicit; manual: automatic; automated: manual; serial: parallel; sequential: parallel concurrent;
lazy: eager; strict: lenient loose; deterministic: random probabilistic; readonly: writable mutable;
stateless: stateful; lossless: lossy; typed: untyped; full: empty; crowded: empty deserted; occupied: vacant;
inhabited: deserted; present: absent missing; available: missing gone; exist: missing; true: false; right: wrong;
correct: wrong mistaken; accurate: wrong; valid: broken; intact: broken damaged; healthy: sick ill diseased;
alive: dead; living: dead; live: die; survive: die; born: dead; awake: asleep sleeping; conscious: unconscious;
hot: cold cool; warm: cold cool; wet: dry; humid: arid; rainy: sunny dry; cloudy: clear sunny; light: dark heavy;
bright: dark dim; lightweight: heavyweight heavy; fast: slow; faster: slower; quick: slow; rapid: slow; large: small;
larger: smaller; big: small; bigger: smaller; huge: tiny; long: short; longer: shorter; tall: short; taller: shorter;
high: low; higher: lower; above: below; over: under; deep: shallow; deeper: shallower; wide: narrow; wider: narrower;
thick: thin; thicker: thinner; fat: thin; strong: weak; stronger: weaker; hard: soft easy; harder: easier softer;
difficult: easy; complex: simple; complicated: simple; tight: loose; rough: smooth; sharp: dull blunt;
rigid: flexible; stiff: flexible; liquid: solid; solid: gaseous; melt: freeze; boil: freeze; opaque: transparent;
visible: hidden; loud: quiet; noisy: quiet silent; clean: dirty; cleaner: dirtier; rich: poor; richer: poorer;
expensive: cheap; costly: cheap; costlier: cheaper; free: paid expensive; profit: loss; profitable: loss-making;
more: less fewer; better: worse poorer; best: worst; good: bad; greater: lesser smaller; most: least;
maximum: minimum; maximize: minimize; always: never; often: rarely; frequent: rare; frequently: rarely; common: rare;
abundant: scarce; plentiful: scarce; widespread: rare; general: specific; universal: partial;
complete: partial incomplete; whole: partial; finished: pending ongoing; done: pending; completed: pending abandoned;
resolved: pending open; approved: pending; positive: negative; optimistic: pessimistic; agree: disagree; love: hate;
like: dislike; friend: enemy; ally: enemy; allied: hostile; friendly: hostile; hostile: peaceful; war: peace;
guilty: innocent; convicted: acquitted; honest: dishonest; brave: cowardly; kind: cruel; polite: rude;
calm: agitated; happy: sad; married: single divorced; male: female; masculine: feminine; domestic: foreign;
native: foreign invasive; rural: urban; north: south; northern: southern; east: west; eastern: western; left: right;
inside: outside; indoors: outdoors; indoor: outdoor; inner: outer; upper: lower; top: bottom; front: back rear;
vertical: horizontal; convex: concave; even: odd; singular: plural; acid: alkaline; acidic: alkaline basic;
organic: synthetic; natural: artificial synthetic; genuine: fake; real: fake imaginary; authentic: fake;
original: copy; wild: tame domesticated domestic; nocturnal: diurnal; carnivorous: herbivorous; predator: prey;
edible: poisonous toxic; harmless: harmful dangerous toxic poisonous; beneficial: harmful; benign: malignant;
acute: chronic; fertile: barren sterile; clear: ambiguous blurry vague; precise: vague; known: unknown;
popular: unpopular; famous: obscure; reusable: disposable; renewable: fossil; wired: wireless; analog: digital;
analogue: digital; plugged: unplugged; charged: empty; sitting: standing; sit: stand; standing: lying;
walking: running; laugh: cry; smile: frown; sleeping: running; shout: whisper; same: different; identical: different;
similar: different; equal: different; together: alone apart; united: divided; independent: dependent;
autonomous: dependent; voluntary: forced; amateur: professional; senior: junior; theoretical: practical;
subjective: objective; liberal: conservative; guest: host; winner: loser; victory: defeat; exceed: undershoot;
overestimate: underestimate; overvalued: undervalued; attack: defend; advance: retreat; import: export; hire: fire;
employed: unemployed jobless; asset: liability; debit: credit; supply: demand; scheduled: cancelled;
confirmed: cancelled; commit: rollback abort; hold: release; acquire: release; allocate: free; follow: skip ignore;
honour: ignore; honor: ignore; respect: ignore violate exceed; raise: swallow suppress;
share: separate; shared: dedicated exclusive; sequential: random; ordered: random;
constant: grow increase change vary variable; inbound: outbound; incoming: outgoing; ingress: egress;
verbose: quiet terse; dense: sparse; compiled: interpreted; plaintext: encrypted hashed; required: omit;
mandatory: omit; stable: flaky; primary: secondary; leader: follower; busy: idle; pause: resume; suspend: resume;
promote: demote; append: overwrite; overwrite: preserve; strict: permissive; nested: flat; native: emulated;
inclusive: exclusive
"""
"""Entries `word: opposites`, separated by semicolons. A word may occur in several entries."""

ORDER = """
before: after; earlier: later; precede: follow; faster: slower; quicker: slower; larger: smaller; bigger: smaller;
longer: shorter; taller: shorter; higher: lower; greater: smaller; deeper: shallower; wider: narrower;
thicker: thinner; stronger: weaker; heavier: lighter; older: younger newer; harder: easier softer; warmer: colder;
hotter: colder; cheaper: costlier; richer: poorer; better: worse; brighter: darker; closer: farther; nearer: farther;
more: less fewer; above: below; first: last; exceed: trail; outperform: trail
"""
"""Opposites that compare two things: "A is larger than B" agrees with "B is smaller than A"."""

PREFIXES = ["un", "in", "im", "il", "ir", "non", "dis", "a", "de", "anti", "mis", "mal", "counter"]
"""Prefixes that turn a word into its opposite: "un" + "stable"."""

NOT_PREFIXED = """
able above about across afraid again ago agree alarm allow alone along amount apart appear apply approach area around
arrange arrest arrive assign assist assume attempt attend await award away inform inside instance instant institution
instruct insult insure intend intent invest invite increase indeed index industry inner input image impact import
important imply improve impress imitate under understand union unit unite universe until unless dispatch display
distribute district describe deploy design desire destroy detail detect develop device dedicate demand depend deposit
derive deserve irony island
"""
"""Words that begin with such letters without being an opposite."""

ENDINGS = [("less", "ful"), ("free", "laden")]
"""Pairs of endings that make opposites: "harmless" and "harmful"."""
