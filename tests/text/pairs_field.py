"""Pairs of statements like those of agents in practice: half of them clash, half are compatible.

They were written as one list before the detector was improved for such text, and split at random: `develop` was used to
improve it, `held out` to evaluate it. Then the errors on the latter were inspected and four of them fixed, so further
work needs new pairs. Each line is a pair; a line that ends with "|" is continued on the next one.
"""

from typing import NamedTuple

from tests.text import pairs_field_held_out


class Pair(NamedTuple):
    """Two statements and whether they clash."""

    first: str
    second: str
    clash: bool


def field(split: str) -> list[Pair]:
    """Return the pairs of a split, "develop" or "held out"."""
    clashing, compatible = SPLITS[split]
    return [
        Pair(*pair, clash=clash) for listed, clash in ((clashing, True), (compatible, False)) for pair in _read(listed)
    ]


def _read(listed: str) -> list[tuple[str, str]]:
    lines = listed.replace(" |\n    ", " | ").strip().splitlines()
    return [(first, second) for first, _, second in (line.partition(" | ") for line in lines)]


CLASHING = """
The metrics endpoint is public. | The metrics endpoint requires a bearer token.
Clients must send an API key with every request. | Requests without an API key are accepted.
The search API returns 50 results per page. | The search API returns 100 results per page.
Retrying POST /orders is safe. | Retrying POST /orders creates duplicate orders.
The login endpoint locks an account after 5 failed attempts. |
    Accounts are locked by the login endpoint after 10 failed attempts.
The webhook retries failed deliveries three times. | The webhook gives up after the first failed delivery.
The API returns timestamps in UTC. | The API returns timestamps in local time.
The response body is compressed. | The response body is sent uncompressed.
The list endpoint includes archived projects. | Archived projects are left out by the list endpoint.
parse_config raises ValueError on an unknown key. | parse_config silently ignores unknown keys.
`Cache.get` returns None for a missing key. | `Cache.get` raises KeyError for a missing key.
The function sorts the list in place. | The function returns a sorted copy and leaves the list untouched.
The loader reads the file lazily. | The loader reads the file eagerly.
The helper is unused. | The helper is used in three places.
Name matching is case-sensitive. | Name matching ignores case.
The regex is compiled once at import. | The regex is compiled on every call.
The lock is held while the callback runs. | The lock is released before the callback runs.
The connection is opened in the constructor. | The connection is not opened until the first query.
The variable is never read. | The variable is read in two places.
The retry decorator swallows exceptions. | The retry decorator re-raises exceptions.
The tokenizer is written in C. | The tokenizer is written in pure Python.
Line 40 of server.py opens the socket. | Line 40 of server.py closes the socket.
The handler is registered before the server starts. | The handler is registered after the server starts.
Coverage of the billing module is 82%. | Coverage of the billing module is 64%.
The flaky test is caused by a race condition. | The flaky test is not caused by a race condition.
There are no tests for the importer. | The importer is covered by 14 tests.
The pipeline fails at the lint step. | The lint step of the pipeline succeeds.
The release was built from commit a1b2c3d. | The release was built from commit 9f8e7d6.
The nightly build is signed. | The nightly build is unsigned.
Code coverage went up by two points. | Code coverage went down by two points.
The cluster runs Kubernetes 1.27. | The cluster runs Kubernetes 1.30.
Backups are encrypted. | Backups are stored without encryption.
The service keeps logs for 30 days. | The service deletes logs after 7 days.
The setting takes effect immediately. | The setting takes effect only after a restart.
The proxy listens on port 8443. | The proxy listens on port 443.
Autoscaling is turned on in production. | Autoscaling is disabled in production.
The Redis instance is shared by all services. | Each service has its own Redis instance.
DNS is managed by the platform team. | DNS is managed by the network team.
The bucket is private. | The bucket is publicly readable.
Node 3 is healthy. | Node 3 is unhealthy.
The default log level is INFO. | The default log level is DEBUG.
The library supports Python 3.8 and later. | The library does not support Python 3.8.
The project is licensed under MIT. | The project is licensed under GPL-3.0.
The latest stable release is 2.9. | The latest stable release is 3.1.
The plugin is compatible with version 7 of the editor. |
    The plugin is incompatible with version 7 of the editor.
The vulnerability affects all versions. | Version 1.4 is not affected by the vulnerability.
The service handles 2,000 requests per second. | The service handles at most 300 requests per second.
Memory use grows over time. | Memory use stays constant.
Lookup takes constant time. | Lookup takes linear time.
Startup takes less than a second. | Startup takes about eight seconds.
Compression reduces the size by 70%. | Compression reduces the size by 20%.
The payments team is led by Maria Keller. | The payments team is led by Tom Abara.
The incident began at 14:05. | The incident began at 16:40.
The meeting was moved to Thursday. | The meeting was moved to Tuesday.
Nobody was on call that night. | Omar was on call that night.
The company was founded in 2009. | The company was founded in 2013.
The author of the module is Jonas Weber. | The author of the module is Aiko Mori.
The project exceeded its budget. | The project stayed within its budget.
The museum is free of charge. | The museum charges an entrance fee.
The mountain is 2,400 metres high. | The mountain is 3,100 metres high.
Deletes are soft. | Deletes remove the row permanently.
User names are unique. | Two users can have the same name.
The payload is JSON. | The payload is XML.
The field `email` is required. | The field `email` may be omitted.
The transaction is rolled back on error. | The transaction is committed on error.
The checksum is verified on read. | The checksum is never verified.
Order numbers are sequential. | Order numbers are random.
According to values.yaml, the ingress closes idle connections after 60 seconds. |
    The ingress closes idle connections after 300 seconds.
The exception is raised in the worker thread. | The exception is raised in the main thread.
The outage was caused by an expired certificate. | The outage was caused by a full disk.
Docker is needed to run the tests. | The tests can be run without Docker.
User input is escaped before it is rendered. | User input is rendered without being escaped.
The report is sent weekly. | The report is sent every month.
The dump contains personal data. | There is no personal data in the dump.
The script has to be run as root. | The script can be run without root.
The parameter is immutable. | The parameter can be changed at run time.
The API is usable offline. | The API needs a network connection.
Every commit is reviewed. | Some commits are not reviewed.
The service was moved to Go in 2021. | The service was moved to Go in 2023.
The client validates the certificate. | The client does not check the certificate.
The trial lasts 14 days. | The trial lasts 30 days.
"""
"""Statements that cannot both hold: the half for development."""

COMPATIBLE = """
Port 22 is blocked by the firewall. | Port 3306 is blocked by the firewall.
Shard 4 is rebuilding. | Shard 9 is rebuilding.
Issue 512 was fixed last week. | Issue 540 was fixed last week.
Line 17 imports os. | Line 203 imports os.
RFC 6749 describes OAuth 2.0. | RFC 7636 describes an extension of OAuth 2.0.
The disk of node 1 is full. | The disk of node 6 is empty.
Chapter 3 covers indexing. | Chapter 8 covers replication.
PR #210 adds the cache. | PR #214 removes the cache.
Test 14 passes. | Test 15 fails.
Section 4 requires a review. | Section 6 requires no review.
The CPU of host web-3 is idle. | The CPU of host web-5 is busy.
Error code 17 means a timeout. | Error code 23 means a full disk.
The proxy uses port 80 for HTTP. | The proxy uses port 443 for HTTPS.
The free plan allows 3 projects. | The enterprise plan allows 100 projects.
Before 3.0 the option was required. | Since 3.0 the option is optional.
Reads go to the replica. | Writes go to the primary.
The server uses 2 GB when idle. | The server uses 6 GB under load.
The function returns an int for whole numbers. | The function returns a float for fractions.
The limit is 100 per user. | The limit is 5,000 per organisation.
The button is green when the form is valid. | The button is grey when the form is incomplete.
The service depends on Redis. | The service depends on PostgreSQL.
The CLI supports JSON output. | The CLI supports YAML output.
The error occurs in login.py. | The error occurs in session.py.
The config sets a timeout of 10 seconds. | The config sets a memory limit of 512 MB.
The service writes to the audit log. | The service writes to the database.
Anna reviewed the patch. | Boris reviewed the patch.
The library was tested on Windows. | The library was tested on Linux.
The patch fixes the crash. | The patch fixes the memory leak.
The package was downloaded 400 times in May. | The package was downloaded 900 times in June.
Ruth Adler worked as a teacher. | Ruth Adler worked as an editor.
Elena Ruiz was the minister of health. | Elena Ruiz was the minister of finance.
Bonn was the capital until 1990. | Berlin has been the capital since 1990.
Nils was born on 2 May 1950 in Majorna, Gothenburg. | Nils was born in Sweden.
The band released an album in 2011. | The band released an album in 2015.
Kofi joined the storage team. | Kofi joined the security guild.
The company opened an office in Lyon. | The company opened an office in Porto.
The company is based in Bavaria. | The company is based in Munich.
The director of the film is French. | The producer of the film is Italian.
Peter manages the Berlin office. | Sofia manages the Madrid office.
An earthquake struck Chile in 1960. | An earthquake struck Chile in 2010.
Jan has lived in Oslo. | Jan has lived in Bergen.
The team deployed on Monday. | The team deployed on Wednesday.
The data centre is in Frankfurt. | The backup data centre is in Dublin.
The endpoint needs no authentication. | The endpoint can be called without authentication.
The timeout is 90 seconds. | The timeout is 1.5 minutes.
The server rejects bodies above 10 MB. | The server accepts bodies up to 10 MB.
The operation is irreversible. | The operation cannot be undone.
The project was started in 2016. | The project was started in the autumn of 2016.
The script does not need root. | The script runs without root.
The token is valid for an hour. | The token expires after 60 minutes.
Disk usage is below 80%. | Disk usage is 62%.
The parser ignores case. | The parser is case-insensitive.
The method is private. | The method is not part of the public API.
Only two tests fail. | Two tests fail.
The upgrade is required. | The upgrade is mandatory.
The config is reloaded every five minutes. | The config is reloaded 12 times an hour.
The rate is 5 requests per second. | The rate is 300 requests per minute.
The unit tests take 2 minutes. | The integration tests take 15 minutes.
The frontend is written in TypeScript. | The backend is written in Go.
The access token expires after 15 minutes. | The refresh token expires after 30 days.
3 of the 40 tests fail. | 37 tests pass.
The median latency is 20 ms. | The p99 latency is 300 ms.
The client retries 3 times. | The server retries 5 times.
The test file has 300 lines. | The source file has 900 lines.
The header is blue. | The footer is grey.
The users table has an index on email. | The orders table has no index on email.
The service starts in 3 seconds. | The service stops in 10 seconds.
The primary is in Ireland. | The replica is in Sweden.
The invoice total is 300 euros. | The invoice tax is 57 euros.
config.yaml sets debug to false. | local.yaml sets debug to true.
UserService validates input. | OrderService does not validate input.
The price rose in 2021. | The price fell in 2022.
The Go client is thread-safe. | The Python client is not thread-safe.
The minimum is 1. | The maximum is 64.
The earliest record is from 2003. | The latest record is from 2024.
According to the chart, the ingress closes idle connections after 60 seconds. |
    The ingress rejects request bodies above 10 MB.
The postmortem of the May outage blames DNS. | The postmortem of the August outage blames a full disk.
The integration tests need Docker. | The unit tests can be run without Docker.
The audit of 2021 found four weaknesses. | The audit of 2023 found none.
The index is rebuilt every night. | The cache is rebuilt every hour.
The report is written by Dana. | The summary is written by Felix.
"""
"""Statements that may both hold: the half for development."""

SPLITS = {
    "develop": (CLASHING, COMPATIBLE),
    "held out": (pairs_field_held_out.CLASHING, pairs_field_held_out.COMPATIBLE),
}
