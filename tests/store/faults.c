/* Loaded before the C library (LD_PRELOAD): counts syncs, and lets reads, or writes and syncs, fail when asked to. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int syncs, until, kind, reads;
static int points, point, mode, counting; /* of faults_at */

int faults_syncs(void) { return syncs; }

/* Let the n-th write or sync (or read) from now on, and all after it, fail with an error; 0 ends that. */
void faults_fail(int n, int error, int read) { until = n; kind = error; reads = read; }

/* Count writes, syncs, truncations, renames and links from now on, and let the n-th fail: with mode 1 it alone, with
   mode 2 all after it, too, and with mode 3 it alone, after a write has written half; n = 0 only counts. */
void faults_at(int n, int error, int how) { points = 0; point = n; kind = error; mode = how; counting = 1; until = 0; }
int faults_end(void) { counting = 0; return points; }

static int reached(void) {
    if (!counting) return 0;
    points++;
    if (point == 0 || points < point || (points > point && mode != 2)) return 0;
    errno = kind;
    return 1;
}

static int fails(int fd, int read) {
    if (fd >= 3 && !read && reached()) return 1;
    if (fd < 3 || until == 0 || read != reads) return 0;
    if (until > 1) { until--; return 0; }
    errno = kind;
    return 1;
}

#define REAL(type, name, ...) ((type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

/* What would be left after a power failure in the worst case: beside each file, NAME.synced holds what it held when it
   was last synced. The lock lets a reader copy the files of one moment. */
static pthread_mutex_t synced = PTHREAD_MUTEX_INITIALIZER;
static int keeps_synced;
void faults_keep_synced(void) { keeps_synced = 1; }
void faults_lock(void) { pthread_mutex_lock(&synced); }
void faults_unlock(void) { pthread_mutex_unlock(&synced); }

static int done_sync(int fd, int result) {
    char link[64], name[4096], part[65536];
    if (!keeps_synced || result != 0) return result;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, sizeof name - 16);
    if (length < 0) return result;
    strcpy(name + length, ".synced");
    pthread_mutex_lock(&synced);
    int copy = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    off_t at = 0;
    for (ssize_t n; copy >= 0 && (n = REAL(ssize_t, "pread", int, void *, size_t, off_t)(fd, part, sizeof part, at)) > 0; at += n)
        REAL(ssize_t, "write", int, const void *, size_t)(copy, part, n);
    if (copy >= 0) close(copy);
    pthread_mutex_unlock(&synced);
    return result;
}

int fsync(int fd) { syncs++; return fails(fd, 0) ? -1 : done_sync(fd, REAL(int, "fsync", int)(fd)); }
int fdatasync(int fd) { syncs++; return fails(fd, 0) ? -1 : done_sync(fd, REAL(int, "fdatasync", int)(fd)); }
static ssize_t half(int fd, const void *p, size_t n, off64_t at) {
    if (mode == 3 && n > 1) {
        int error = errno;
        if (at < 0) REAL(ssize_t, "write", int, const void *, size_t)(fd, p, n / 2);
        else REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t)(fd, p, n / 2, at);
        errno = error;
    }
    return -1;
}
ssize_t pwrite(int fd, const void *p, size_t n, off_t at) {
    return fails(fd, 0) ? half(fd, p, n, at) : REAL(ssize_t, "pwrite", int, const void *, size_t, off_t)(fd, p, n, at);
}
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at) {
    return fails(fd, 0) ? half(fd, p, n, at) : REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t)(fd, p, n, at);
}
ssize_t write(int fd, const void *p, size_t n) {
    return fails(fd, 0) ? half(fd, p, n, -1) : REAL(ssize_t, "write", int, const void *, size_t)(fd, p, n);
}
ssize_t pread(int fd, void *p, size_t n, off_t at) {
    return fails(fd, 1) ? -1 : REAL(ssize_t, "pread", int, void *, size_t, off_t)(fd, p, n, at);
}
ssize_t pread64(int fd, void *p, size_t n, off64_t at) {
    return fails(fd, 1) ? -1 : REAL(ssize_t, "pread64", int, void *, size_t, off64_t)(fd, p, n, at);
}
int ftruncate(int fd, off_t n) { return fails(fd, 0) ? -1 : REAL(int, "ftruncate", int, off_t)(fd, n); }
int ftruncate64(int fd, off64_t n) { return fails(fd, 0) ? -1 : REAL(int, "ftruncate64", int, off64_t)(fd, n); }
int rename(const char *a, const char *b) { return reached() ? -1 : REAL(int, "rename", const char *, const char *)(a, b); }
int renameat(int d, const char *a, int e, const char *b) {
    return reached() ? -1 : REAL(int, "renameat", int, const char *, int, const char *)(d, a, e, b);
}
int renameat2(int d, const char *a, int e, const char *b, unsigned f) {
    return reached() ? -1 : REAL(int, "renameat2", int, const char *, int, const char *, unsigned)(d, a, e, b, f);
}
int link(const char *a, const char *b) { return reached() ? -1 : REAL(int, "link", const char *, const char *)(a, b); }
int linkat(int d, const char *a, int e, const char *b, int f) {
    return reached() ? -1 : REAL(int, "linkat", int, const char *, int, const char *, int)(d, a, e, b, f);
}
