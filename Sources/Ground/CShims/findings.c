#define _GNU_SOURCE
#include "include/findings.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int lk_findings_listeners = 0;

/* A copy of the variable's value: a program may change its environment while it runs. */
static char *asked;
/* A file, or a copy of standard error: -1 if there is none, and the reason. */
static int descriptor = -1;
static int error;

/* Never blocks, as it would on a pipe without a reader. */
static void open_log(void) {
    if (strcmp(asked, "stderr") == 0) {
        /* The program may close its own, and open another file with its number. */
        descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
        return;
    }
    descriptor = open(asked, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK, 0600);
    error = errno;
    struct stat about;
    if (descriptor < 0 || (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode))) return;
    error = 0;
    close(descriptor);
    descriptor = -1;
}

/* Runs before the program's own code, so that later calls find it open, and a relative path means the same as for its
   author. A program with more rights than its user (set-user-ID) ignores the environment. */
__attribute__((constructor)) static void read_environment(void) {
    const char *value = secure_getenv("LATCHKEY_CRYPTO_FINDINGS");
    if (value == NULL || value[0] == 0) return;
    asked = strdup(value);
    if (asked == NULL) return;
    open_log();
    lk_findings_begin();
}

void lk_findings_begin(void) { __atomic_add_fetch(&lk_findings_listeners, 1, __ATOMIC_RELAXED); }

void lk_findings_end(void) { __atomic_sub_fetch(&lk_findings_listeners, 1, __ATOMIC_RELAXED); }

bool lk_findings_logged(void) { return asked != NULL; }

static void write_all(int to, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(to, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes += written;
        count -= (size_t)written;
    }
}

static void complain(void) {
    if (descriptor >= 0 || strcmp(asked, "stderr") == 0) return;
    char line[512];
    int count = snprintf(line, sizeof line,
                         "latchkey: LATCHKEY_CRYPTO_FINDINGS names %.300s, which cannot be opened: %s. Write stderr, or "
                         "the path of a file.\n",
                         asked, error != 0 ? strerror(error) : "it is not a regular file");
    if (count > 0) write_all(STDERR_FILENO, line, (size_t)count < sizeof line ? (size_t)count : sizeof line - 1);
}

void lk_findings_write(const char *line, size_t count) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (asked == NULL) return;
    pthread_once(&once, complain);
    if (descriptor >= 0) write_all(descriptor, line, count);
}

size_t lk_call_addresses(uintptr_t *addresses, size_t capacity) {
    void *frames[64];
    int count = backtrace(frames, capacity < 64 ? (int)capacity : 64);
    for (int i = 0; i < count; i++) addresses[i] = (uintptr_t)frames[i];
    return count < 0 ? 0 : (size_t)count;
}
