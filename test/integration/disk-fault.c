/*
 * One fault of a disk, put between a process and the C library (LD_PRELOAD): the Nth call of a kind
 * on a journal or its write-ahead log fails, once. CUTCARD_FAULT is CALL:N:HOW, with CALL `write` or
 * `sync` and HOW `EIO`, `ENOSPC` or `short` (half of it is written).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char call[16], how[16];
static long nth = -1;
static long counted = 0;

__attribute__((constructor)) static void read_fault(void) {
  const char *asked = getenv("CUTCARD_FAULT");
  if (asked != NULL && sscanf(asked, "%15[a-z]:%ld:%15[A-Za-z]", call, &nth, how) != 3) nth = -1;
}

static int is_journal(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return strstr(path, ".journal") != NULL && strstr(path, ".lock") == NULL;
}

/* Whether this is the call that fails. */
static int is_due(const char *kind, int fd) {
  if (nth < 0 || strcmp(kind, call) != 0 || !is_journal(fd)) return 0;
  if (__atomic_add_fetch(&counted, 1, __ATOMIC_SEQ_CST) != nth) return 0;
  fprintf(stderr, "disk: %s %ld %s\n", call, nth, how);
  errno = strcmp(how, "ENOSPC") == 0 ? ENOSPC : EIO;
  return 1;
}

static ssize_t put(const char *name, int fd, const void *from, size_t size, off64_t at) {
  ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, name);
  if (!is_due("write", fd)) return real(fd, from, size, at);
  return strcmp(how, "short") == 0 ? real(fd, from, size / 2, at) : -1;
}

ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) {
  return put("pwrite64", fd, from, size, at);
}
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) {
  return put("pwrite", fd, from, size, at);
}

static int sync_with(const char *name, int fd) {
  int (*real)(int) = dlsym(RTLD_NEXT, name);
  return is_due("sync", fd) ? -1 : real(fd);
}

int fsync(int fd) { return sync_with("fsync", fd); }
int fdatasync(int fd) { return sync_with("fdatasync", fd); }
