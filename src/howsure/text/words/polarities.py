"""Things that software either does or does not, with the words for both: "read-only" and "accepts writes"."""

POLARITIES = """
concurrency: thread-safe, threadsafe, safe for concurrent, safe for parallel, safely share, share safely,
    safely be used by several, safe to share, concurrently safe, threads may share, threads can share
    | thread-unsafe, unsafe, race condition, data race, single thread only, not safe
idempotence: idempotent, no further effect, no additional effect, safe to retry, safe to repeat, charge once,
    same result,
    deterministic, reproducible
    | duplicate, charge twice, another one, again create, different result, twice charge
change: mutable, writable, changeable, editable, can be changed, can be edited, can be modified, can be updated,
    may be changed, may be edited, be updated in place, change in place, changed in place, updated in place, mutate,
    modify, overwrite, edit, alter, vary, change with, grow, double, differ
    | immutable, read-only, readonly, append-only, frozen, unchanged, untouched, same, constant, fixed, never changed,
    stable, as is, copy, pure, side-effect free
writing: accept write, may write, can write, write access, read-write, writable, writes can be sent, update
    | read-only, readonly, only read, read access only, reject write, refuse write, can only read
automation: automatic, automatically, on its own, by itself, of its own, unattended, without manual
    | manual, manually, by hand, themselves, by the caller, by the user, by an operator, yourself,
    has to be started, have to be started, by a person
persistence: persist, persistent, durable, survive, on disk, to disk, in the database, permanent, kept across
    | in memory, in-memory, inmemory, ephemeral, transient, volatile, lost, temporary, not survive, only in memory
encryption: encrypted, tls, https, hashed, ciphertext, encrypt, bcrypt, hash
    | plain text, plaintext, cleartext, unencrypted, plain http, clear text, in the clear, unhashed
authentication: require authentication, requires authentication, log in, login, logging in, authenticated,
    authentication
    required, require an account, need an account, need a token, bearer token, requires a token, password-protected,
    need a password, protected, credentials
    | anonymous, anonymously, unauthenticated, without authentication, without logging in, without a password,
    without a token, without an account, public, publicly, open to everyone, no authentication
enabling: enabled, on by default, active, activated, turned on, switched on, is on, open
    | disabled, off by default, inactive, deactivated, turned off, switched off, is off, closed
waiting: synchronous, synchronously, block, wait, blocking, inline, directly in the request
    | asynchronous, asynchronously, in the background, non-blocking, nonblocking, returns at once,
    returns immediately,
    from a queue, through a queue, deferred, later
laziness: lazy, lazily, on demand, on first use, on first access, when needed, as needed, only when, until it is used,
    on the first request, when asked
    | eager, eagerly, at startup, upfront, in advance, preload, all at once, ahead of time, at import
order: in order, ordered, order is kept, order is preserved, preserve order, fifo, in sequence, sorted, fixed order,
    order of arrival, order of messages is kept
    | any order, out of order, unordered, random order, arbitrary order, no order, no fixed order, unsorted, at random
delivery: at least once, duplicates are possible, may arrive twice | at most once, may be lost
case: case-sensitive, distinguish upper and lower, distinguish case, case matters,
    upper and lower case are distinguished, with regard to case
    | case-insensitive, ignore case, regardless of case, treated alike, without regard to case,
    no regard to case, case does not matter
support: support, compatible, available, run on, works on, works with, work in, can be used with, offer, possible with
    | unsupported, incompatible, unavailable, no support, lack, drop support, support dropped, support was dropped
life: still, maintained, actively developed, in use, alive, ongoing, continue to, valid, current
    | removed, dropped, abandoned, discontinued, retired, end of life, no longer, unmaintained, obsolete, expired,
    gone, decommissioned, archived, invalid
keeping: keep, kept, retain, preserve, remain, stay, survive, left untouched, restore, recover, get back
    | delete, remove, discard, erase, clear, drop, purge, empty, lose, lost, gone for good, wipe, strip, evict
acceptance: accept, allow, permit, tolerate, handle, can contain, may contain, welcome, fine, ok, valid
    | reject, refuse, forbid, fail on, disallow, deny, prohibit, ban, must not, cannot contain, never, exempt
failing: raise, throw, fail, fail on, propagate, error, warn, abort, crash, exception, complain
    | ignore, silently, skip, swallow, suppress, return none, return null, pass over, as usual
running: continue, keep running, keep going, go on, stay up, resume, proceed, tolerate, carry on, any number of
    | stop, abort, halt, terminate, cancel, die, crash, shut down, give up, quit
success: pass, succeed, work, successful, green, complete successfully
    | fail, failed, failure, broken, crash, red, unsuccessful
fixing: fixed, resolved, solved, patched, repaired, closed, corrected
    | still occur, still happen, unresolved, persist, reproducible, still crash, still broken, still open,
    remain open, still fail, unfixed
speed: fast, quick, cheap, cost little, instant, rapid, inexpensive, efficient
    | slow, expensive, take long, takes long, costly, sluggish, inefficient
sharing: shared, share, common, in common, together, same for all, global, one for all, all pods share, by all
    | own, separate, individual, dedicated, per, isolated, private, local to, exclusive, of its own
network: offline, without a network, without internet, no internet connection, no network, air-gapped, locally
    | internet connection, need the internet, needs the internet, online, network connection, requires the internet
reach: public, from the internet, externally, anyone, everyone, every user, any user, everybody, anybody, all users
    | internal, private, only administrators, only admins, only root, restricted, internal network, only the owner,
    administrators only, by root alone, administrator
uniqueness: unique, no two, distinct, exactly one, only one, a single, different from each other, exactly once,
    never twice
    | duplicate, the same, several, more than one, multiple, many, two rows, two or more, several times, twice
need: require, need, mandatory, required, must, have to, has to, necessary, compulsory, obligatory, depend on,
    prerequisite,
    rely on
    | optional, without, may be left out, can be left out, can be omitted, unnecessary, not required, voluntary,
    no need,
    free of, is enough, dispensable, may leave out
nullness: nullable, may be null, can be null, null is allowed, be empty, may be empty, may be missing,
    treated as missing
    | not null, must not be null, non-null, at least one element, treated as values, never empty
inclusion: include, contain, part of, comprise, including, cover, count
    | exclude, excluded, left out, omit, without, not part of, leave out, except, exempt
validation: validate, validated, validation, check, verify, checked, verified, scan, sanitize, review
    | without validation, unchecked, unvalidated, unverified, without any check, without check, without any scan,
    unreviewed, blindly
compression: compressed, gzip, zipped, compression
    | uncompressed, raw, not compressed
privilege: as root, root privileges, be root, administrator rights, privileged, sudo, superuser
    | non-root, unprivileged, without root, as nobody, ordinary user, rootless
linking: static, statically | dynamic, dynamically
timezone: utc, gmt | local time, local timezone
limits: unlimited, no limit, without bound, no upper bound, no maximum, any size, any number, infinite,
    as many as, unbounded, everything in one, all items,
    all at once,
    grow as needed, without limit
    | limit, at most, up to, maximum, limited to, fail above, bounded, cap, quota, fixed size, no more than, exceed
immediacy: immediately, at once, instantly, without a restart, right away, no need to restart, no restart, live,
    straight away
    | after a restart, on the next start, delayed, eventually, restart, reboot, later, next login
reversal: reversible, undo, undone, rolled back, revert, restore, way back, roll back, recover
    | irreversible, final, permanent, no way back, for good, gone for good, cannot be undone
mutation: mutate, modify, in place, change its argument, modified, alter
    | unchanged, untouched, leave its argument, copy, pure, no side effect
schedule: as planned, on time, on schedule, planned date, punctual
    | postponed, delayed, late, behind schedule, cancelled, overdue, rescheduled
resuming: resume, continue where, pick up where, continue from
    | from the beginning, start over, from scratch, start again, restart from
repetition: once, single time, one time, evaluated once, first call
    | every time, each time, every call, every access, each access, each call, repeatedly, several times,
    every request,
    each row, every row, anew
never: every, always, each, regularly, daily, weekly, monthly, hourly, rotate
    | never, not once, at no time
locking: lock, mutex, guarded, protected by, synchronized, locked
    | lock-free, without any lock, unlocked, without a lock, no lock, lockless, unprotected
payment: free, at no cost, pay nothing, gratis, complimentary
    | fee, paid, pay a, charge, subscription, cost
loss: profit, profitable, gain, earn | loss, deficit, lose money
growth: rise, rose, increase, grow, double, triple, went up, go up, climb, up by
    | fall, fell, decrease, halve, dropped by half, shrink, went down, go down, drop, decline, down by
sight: visible, shown, see, display, appear
    | hidden, invisible, not shown, hide, concealed
majority: majority, most, all, more than half, nearly all
    | hardly any, few, minority, one node, a single node, none, less than half
place in time: already, has been, was released, is out, took place
    | not yet, planned for, upcoming, in the future, scheduled for
sending: push, pushed, send | pull, pulled, fetch, poll
safety: safe, harmless, can drink, without risk, secure
    | dangerous, unsafe, harmful, risky, toxic, hazardous, insecure, vulnerable
talking: print, output, log, report, summary, message | print nothing, silent, quiet, no output, prints nothing
freshness: up to date, up-to-date, current, latest data, fresh
    | stale, outdated, old data, out of date, behind
extent: both, all, every, each, any, everyone, everywhere, too, as well, also, international, worldwide, several, two
    | only one, only the first, only, alone, single, solely, exclusively, just one, only some, at most one, none,
    nobody
application: apply, applies, subject to, affect, concern, count
    | exempt, excluded, does not apply, spared, free from, unaffected
effects: side effect, change state, impure, stateful
    | pure, stateless, side-effect free, no side effect
likeness: same, identical, equal, drop-in, compatible, like, match
    | differ, different, unlike, other than, incompatible, distinct
sufficiency: enough, sufficient, fit, suffice, can hold
    | too large, too small, too much, not enough, insufficient, too many, too slow, too little
paging: pagination, paged, in pages, page by page, chunk, batch, stream
    | in one page, all at once, everything at once, in one piece, whole
caching: cache, cached, from the cache, memoized
    | computed anew, recomputed, uncached, no cache, bypass the cache, fresh on each
choice: chosen by the client, client chooses, user-defined, configurable, can be set, customizable, adjustable
    | generated, hard-coded, hardcoded, fixed, built-in, predefined, cannot be configured
ownership: owned by, belong to, own | nobody, no owner, ownerless, unowned, orphaned
documentation: documented, described | undocumented, not documented
testing: tested, covered by tests, with tests | untested, no tests, without tests
binding: guaranteed, guarantee, promise, ensure | best effort, not guaranteed, no guarantee, may or may not
versioning: versioned, with a version | unversioned, no version
signing: signed, signature | unsigned, without a signature
presence: there is, present, exist, has a | there is no, absent, missing, does not exist, has no, lacks
completeness: full copy, complete, entire, whole, from scratch
    | incremental, only changes, partial, difference, delta
"""
"""Lines `thing: words if so | words if not so`; a longer entry goes on in indented lines."""
