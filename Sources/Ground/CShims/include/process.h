#ifndef LATCHKEY_PROCESS_H
#define LATCHKEY_PROCESS_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

/* Of `lk_spawn`: detached from the terminal. */
#define LK_SPAWN_NEW_SESSION 1
/* Of `lk_spawn`: every signal is blocked from the first moment on, so that only SIGKILL ends the program. */
#define LK_SPAWN_BLOCKED 2

/* Starts a program with standard input, output and error from the three descriptors and no other descriptor open,
   no signal ignored, and none blocked unless `options` says so. Returns 0, or -errno. */
int lk_spawn(const char *path, char *const arguments[], char *const environment[], const int descriptors[3],
             int options, pid_t *pid);

/* Makes a mark of the calling thread's life: a descriptor of shared memory for `lk_life_wait`, or -errno. The thread keeps it
   until it ends, in whatever way; the memory is never given back. */
int lk_life_begin(void);
/* Waits, in another process, until the thread that made the mark has ended: 0, or -errno. Once. */
int lk_life_wait(int descriptor);

/* A descriptor that stands for a process and becomes readable when it ends; -errno if there is no such process. */
int lk_pidfd_open(pid_t pid);
/* Sends a signal to exactly that process, even if another process has its number by now. Returns 0, or -errno. */
int lk_pidfd_send_signal(int pidfd, int signal_number);

/* A descriptor that delivers the signals of `set`, which the caller has blocked; -errno on failure. */
int lk_signalfd(const sigset_t *set);
/* The number of the next signal of a signal descriptor, or -errno. */
int lk_signalfd_read(int descriptor);

/* The process that listens at the other end of a connected Unix socket, or -errno. */
pid_t lk_socket_peer(int descriptor);

/* The offset of `needle` in `haystack`, or -1. */
ssize_t lk_find_bytes(const void *haystack, size_t haystack_count, const void *needle, size_t needle_count);

/* From now on the first signal of each of SIGINT, SIGTERM and SIGHUP does nothing but be kept; a second one ends the
   process. Ignored signals stay ignored. */
void lk_interruption_begin(void);
/* The signal that was kept last, or 0. */
int lk_interruption_signal(void);

#endif
