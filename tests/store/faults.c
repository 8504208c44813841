/* Loaded before the C library (LD_PRELOAD): counts syncs, and lets reads, or writes and syncs, fail when asked to. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/types.h>

static int syncs, until, kind, reads;

int faults_syncs(void) { return syncs; }

/* Let the n-th write or sync (or read) from now on, and all after it, fail with an error; 0 ends that. */
void faults_fail(int n, int error, int read) { until = n; kind = error; reads = read; }

static int fails(int fd, int read) {
    if (fd < 3 || until == 0 || read != reads) return 0;
    if (until > 1) { until--; return 0; }
    errno = kind;
    return 1;
}

#define REAL(type, name, ...) ((type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

int fsync(int fd) { syncs++; return fails(fd, 0) ? -1 : REAL(int, "fsync", int)(fd); }
int fdatasync(int fd) { syncs++; return fails(fd, 0) ? -1 : REAL(int, "fdatasync", int)(fd); }
ssize_t pwrite(int fd, const void *p, size_t n, off_t at) {
    return fails(fd, 0) ? -1 : REAL(ssize_t, "pwrite", int, const void *, size_t, off_t)(fd, p, n, at);
}
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at) {
    return fails(fd, 0) ? -1 : REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t)(fd, p, n, at);
}
ssize_t write(int fd, const void *p, size_t n) {
    return fails(fd, 0) ? -1 : REAL(ssize_t, "write", int, const void *, size_t)(fd, p, n);
}
ssize_t pread(int fd, void *p, size_t n, off_t at) {
    return fails(fd, 1) ? -1 : REAL(ssize_t, "pread", int, void *, size_t, off_t)(fd, p, n, at);
}
ssize_t pread64(int fd, void *p, size_t n, off64_t at) {
    return fails(fd, 1) ? -1 : REAL(ssize_t, "pread64", int, void *, size_t, off64_t)(fd, p, n, at);
}
int ftruncate(int fd, off_t n) { return fails(fd, 0) ? -1 : REAL(int, "ftruncate", int, off_t)(fd, n); }
int ftruncate64(int fd, off64_t n) { return fails(fd, 0) ? -1 : REAL(int, "ftruncate64", int, off64_t)(fd, n); }
