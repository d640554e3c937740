#define _GNU_SOURCE
#include "include/process.h"

#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int lk_spawn(const char *path, char *const arguments[], char *const environment[], const int descriptors[3],
             int options, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return -result;
    posix_spawnattr_t attributes;
    result = posix_spawnattr_init(&attributes);
    if (result != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return -result;
    }

    /* A source below 3 could be overwritten before it is used: callers pass descriptors from 3 on, or n for n. */
    for (int target = 0; target < 3 && result == 0; target++)
        result = posix_spawn_file_actions_adddup2(&actions, descriptors[target], target);
    if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, 3);

    sigset_t blocked, all;
    if (options & LK_SPAWN_BLOCKED)
        sigfillset(&blocked);
    else
        sigemptyset(&blocked);
    sigfillset(&all);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (options & LK_SPAWN_NEW_SESSION) flags |= POSIX_SPAWN_SETSID;
    if (result == 0) result = posix_spawnattr_setsigmask(&attributes, &blocked);
    if (result == 0) result = posix_spawnattr_setsigdefault(&attributes, &all);
    if (result == 0) result = posix_spawnattr_setflags(&attributes, flags);
    if (result == 0) result = posix_spawn(pid, path, &actions, &attributes, arguments, environment);

    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return -result;
}

/* A lock that the kernel gives away when the thread that holds it ends, before it closes files, which may take long. */
static pthread_mutex_t *map_life(int descriptor) {
    void *memory = mmap(NULL, sizeof(pthread_mutex_t), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

int lk_life_begin(void) {
    int descriptor = memfd_create("latchkey-life", MFD_CLOEXEC);
    if (descriptor < 0) return -errno;
    pthread_mutex_t *life = ftruncate(descriptor, sizeof(pthread_mutex_t)) == 0 ? map_life(descriptor) : NULL;
    if (life == NULL) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    pthread_mutexattr_t attributes;
    int error = pthread_mutexattr_init(&attributes);
    if (error == 0) error = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    if (error == 0) error = pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    if (error == 0) error = pthread_mutex_init(life, &attributes);
    if (error == 0) error = pthread_mutex_lock(life);
    if (error == 0) return descriptor;
    munmap(life, sizeof(pthread_mutex_t));
    close(descriptor);
    return -error;
}

int lk_life_wait(int descriptor) {
    pthread_mutex_t *life = map_life(descriptor);
    if (life == NULL) return -errno;
    int error = pthread_mutex_lock(life);
    return error == EOWNERDEAD ? 0 : -error;
}

int lk_pidfd_open(pid_t pid) {
    long descriptor = syscall(SYS_pidfd_open, pid, 0);
    return descriptor < 0 ? -errno : (int)descriptor;
}

int lk_pidfd_send_signal(int pidfd, int signal_number) {
    return syscall(SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0) < 0 ? -errno : 0;
}

int lk_signalfd(const sigset_t *set) {
    int descriptor = signalfd(-1, set, SFD_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

int lk_signalfd_read(int descriptor) {
    struct signalfd_siginfo information;
    ssize_t count = read(descriptor, &information, sizeof information);
    if (count < 0) return -errno;
    return count == (ssize_t)sizeof information ? (int)information.ssi_signo : -EIO;
}

pid_t lk_socket_peer(int descriptor) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -errno;
    return peer.pid;
}

ssize_t lk_find_bytes(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count) {
    const char *found = memmem(haystack, haystack_count, needle, needle_count);
    return found == NULL ? -1 : found - (const char *)haystack;
}

static volatile sig_atomic_t interruption;

static void keep_signal(int signal_number) {
    interruption = signal_number;
}

void lk_interruption_begin(void) {
    static const int kept[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction before, action = {.sa_handler = keep_signal, .sa_flags = SA_RESTART | SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (sigaction(kept[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) sigaction(kept[i], &action, NULL);
}

int lk_interruption_signal(void) {
    return interruption;
}
