"""Held-out pairs for evaluating the detector; see `pairs_field`."""

CLASHING = """
The rate limit is 100 requests per minute. | The rate limit is 1,000 requests per minute.
TLS is terminated by the gateway. | TLS is terminated by the backend.
The token is valid for 15 minutes. | The token expires after one hour.
The endpoint accepts only POST. | The endpoint also accepts GET.
Sessions survive a restart of the server. | All sessions are lost when the server restarts.
The health check can be called without a token. | The health check needs a token.
The client is thread-safe. | The client must not be shared between threads.
The method is deprecated. | The method is not deprecated.
The memory leak is in the image cache. | The image cache does not leak memory.
The iterator can be used only once. | The iterator can be used any number of times.
The patch touches two files. | The patch touches seven files.
The default value of `retries` is 3. | The default value of `retries` is 5.
The argument `path` is mandatory. | The argument `path` is optional.
The type of `id` is int. | The type of `id` is str.
The package has no dependencies. | The package depends on three other packages.
The change is backward compatible. | The change breaks existing clients.
The walker follows symbolic links. | The walker skips symbolic links.
All integration tests pass on main. | Two integration tests fail on main.
The test suite takes 4 minutes. | The test suite takes 25 minutes.
The build is green. | The build is broken.
CI runs on every push. | CI runs only on pull requests.
test_login is skipped on Windows. | test_login is not skipped on Windows.
The staging database is PostgreSQL. | The staging database is MySQL.
Each tenant has its own database. | All tenants share one database.
Changing the log level requires a restart. | The log level can be changed without a restart.
The deployment has four replicas. | The deployment has a single replica.
The config file is read once at startup. | The config file is reloaded every minute.
The certificate expires on 3 March 2025. | The certificate expires on 30 June 2025.
The feature flag is off for all users. | The feature flag is on for some users.
The container runs as root. | The container does not run as root.
The job needs 16 GB of memory. | The job needs less than 4 GB of memory.
The load balancer uses round robin. | The load balancer uses least connections.
The message broker is RabbitMQ. | The message broker is Kafka.
The cron job runs at 02:00 UTC. | The cron job runs at 04:30 UTC.
Swap is disabled on all hosts. | Swap is enabled on some hosts.
The admin panel is blocked from outside. | The admin panel can be reached from outside.
The fix shipped in 4.2.1. | The fix shipped in 4.3.0.
The package is still maintained. | The package has been abandoned.
The upgrade takes ten minutes of downtime. | The upgrade needs no downtime.
The p99 latency is 120 ms. | The p99 latency is 900 ms.
The cache hit rate is above 90%. | The cache hit rate is 35%.
The search index takes up 12 GB. | The search index takes up 3 GB.
The new encoder is faster than the old one. | The old encoder is faster than the new one.
The batch contains 500 rows. | The batch contains 5,000 rows.
The table has twelve columns. | There are nine columns in the table.
The job finished in 40 minutes. | The job finished in two hours.
The outage lasted 20 minutes. | The outage lasted three hours.
The proposal was approved. | The proposal was rejected.
The contract ends in March 2026. | The contract ends in December 2026.
The ticket was closed by Priya. | The ticket is still open.
The office is located in Hamburg. | The office is located in Munich.
The vendor has signed the agreement. | The vendor has not signed the agreement yet.
The team has six engineers. | The team has eleven engineers.
The launch was a success. | The launch was a failure.
Ada Lovelace was born in 1815. | Ada Lovelace was born in 1821.
The bridge was built before the war. | The bridge was built after the war.
The email column is nullable. | The email column must not be null.
The primary key is a UUID. | The primary key is an integer.
The events table is partitioned by month. | The events table is not partitioned.
Writes are synchronous. | Writes are acknowledged asynchronously.
The schema allows null names. | The schema forbids null names.
Duplicate events are dropped. | Duplicate events are kept.
Amounts are stored as strings. | Amounts are stored as integers.
The view is refreshed every night. | The view is refreshed every five minutes.
The consumer commits offsets automatically. | The consumer commits offsets manually.
The customer table holds about 2 million rows. | The customer table holds roughly 40,000 rows.
The job is triggered by a message on the queue. | The job is triggered by a timer.
Error rates fell after the rollback. | Error rates rose after the rollback.
The SDK opens one connection per host. | The SDK opens a new connection for every request.
The operation can be undone. | The operation is irreversible.
The broker delivers messages in order. | The broker does not guarantee the order of messages.
The request is cancelled by the user. | The request is cancelled by the server.
Attachments may be up to 20 MB. | The maximum size of attachments is 5 MB.
The pool holds several connections. | The pool holds a single connection.
Refunds are possible. | Refunds are impossible.
The disk is encrypted. | The disk is not encrypted.
The importer is idempotent. | The importer is not idempotent.
The endpoint returns 201 on success. | The endpoint returns 204 on success.
The garbage collector runs in the background. | The garbage collector does not run in the background.
The old API will be removed in June. | The old API will be removed in September.
The queue is empty. | The queue holds 300 messages.
"""
"""Statements that cannot both hold: the half that is held out."""

COMPATIBLE = """
Python 3.10 is supported by the package. | Python 3.13 is supported by the package.
Server 10.1.0.4 answers pings. | Server 10.1.0.9 answers pings.
Worker 2 uses 300 MB. | Worker 7 uses 800 MB.
Step 1 builds the image. | Step 2 pushes the image.
Build 881 failed. | Build 882 passed.
Table 2 lists the errors. | Table 5 lists the timings.
Version 1.4 has the bug. | Version 1.5 does not have the bug.
Pod api-0 is running. | Pod api-1 is not running.
Commit 3f2a1c adds the test. | Commit 77be02 removes the test.
Ubuntu 20.04 ships OpenSSL 1.1. | Ubuntu 22.04 ships OpenSSL 3.0.
The queue of service 12 uses port 7001. | The queue of service 31 uses port 7002.
HTTP 404 means that the page was not found. | HTTP 403 means that access is forbidden.
Room 204 is booked on Friday. | Room 310 is free on Friday.
Python 3.12 removes distutils. | Python 3.8 includes distutils.
Sprint 14 ended on Friday. | Sprint 15 ended on Thursday.
In staging the timeout is 5 seconds. | In production the timeout is 30 seconds.
On Linux the path is /etc/app. | On macOS the path is /usr/local/etc/app.
Admins can delete records. | Guests cannot delete records.
The cache is enabled in production. | The cache is disabled in the test suite.
For small files the upload takes 2 seconds. | For large files the upload takes 40 seconds.
With the flag set, the output is JSON. | Without the flag, the output is plain text.
The call returns 200 if the user exists. | The call returns 404 if the user does not exist.
The read timeout is 10 seconds. | The connect timeout is 3 seconds.
The job runs hourly on weekdays. | The job runs daily at weekends.
The old parser was slow. | The new parser is fast.
Internal users log in with SSO. | External users log in with a password.
The default port for the admin interface is 9000. | The default port for metrics is 9100.
The build takes 3 minutes with a warm cache. | The build takes 11 minutes without a cache.
Errors are logged to stderr. | Debug messages are logged to a file.
Until May the service ran on Heroku. | Since June the service has run on AWS.
The migration locks the table on MySQL. | The migration does not lock the table on PostgreSQL.
The module exports parse. | The module exports dump.
The team uses Slack. | The team uses Jira.
The class inherits from Base. | The class inherits from Mixin.
handler.py imports json. | handler.py imports re.
The function calls validate(). | The function calls save().
The report mentions three outages. | The report mentions two security incidents.
The script is called by cron. | The script is called by the deploy hook.
The table is used by the billing service. | The table is used by the reporting service.
The club won the league in 1998. | The club won the league in 2004.
Brazil is a producer of coffee. | Vietnam is a producer of coffee.
The service went down in March 2022. | The service went down in July 2023.
The lab published a paper in 2019. | The lab published a paper in 2021.
The actor played Hamlet. | The actor played Macbeth.
The president visited Kenya in 2015. | The president visited Ghana in 2016.
Meera is a developer. | Meera is a marathon runner.
The conference took place in Vienna in 2018. | The conference took place in Dublin in 2019.
The river flows through Austria. | The river flows through Hungary.
The factory employs 300 people. | The warehouse employs 80 people.
The city hosted the Games in 1948. | The city hosted the Games in 2012.
The author was awarded a prize in 1990. | The author was awarded a prize in 1997.
Ines is the head of research. | Pavel is the head of sales.
Tom approved the request. | Tom approved the budget.
The museum is located in the old town. | The museum is located in Prague.
The cache is not disabled. | The cache is enabled.
The dump has about 2 GB. | The dump has 2,010 MB.
The suite has more than 400 tests. | The suite has 432 tests.
The job runs every 60 minutes. | The job runs once an hour.
Redis is faster than Postgres here. | Postgres is slower than Redis here.
The lock is released by the worker. | The worker releases the lock.
The function never returns None. | The function always returns a value.
The limit is 20 connections. | At most 20 connections are allowed.
The queue is unbounded. | The queue has no limit.
The library is compatible with Windows. | The library works on Windows.
The instance has 64 GB of RAM. | The instance has 65,536 MB of RAM.
There are no open bugs. | All bugs are closed.
The container does not run as root. | The container runs as an unprivileged user.
The first request takes 2 seconds. | Later requests take 50 ms.
The request queue is full. | The response queue is empty.
The write path is synchronous. | The read path is asynchronous.
get_user caches its result. | get_order does not cache its result.
The docs are up to date. | The changelog is out of date.
The API key is stored in the vault. | The API key is not logged.
The service has 3 replicas. | The service has 2 dashboards.
The image is 180 MB. | The container uses 400 MB of memory.
The SDK for Java is complete. | The SDK for Ruby is incomplete.
The module is small. | The module is not documented.
The first deploy of the day failed. | The second deploy of the day succeeded.
Jobs submitted through the API are run at once. | Jobs submitted by the scheduler are run at night.
The dashboard for Europe shows 2% errors. | The dashboard for Asia shows 7% errors.
The request is cancelled by the user. | The request is retried by the server.
"""
"""Statements that may both hold: the half that is held out."""
