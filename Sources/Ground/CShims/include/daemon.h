#ifndef LATCHKEY_DAEMON_H
#define LATCHKEY_DAEMON_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Starts a detached thread with all signals blocked; 0 or -errno. */
int lk_thread_start(size_t stack_size, void (*body)(void *), void *context);

/* Sets whether other processes of the user may inspect this one (ptrace, /proc/PID/mem, /proc/PID/exe). 0 or -errno. */
int lk_process_set_inspectable(int inspectable);
/* Turns core files off permanently. */
int lk_process_refuse_core_files(void);
/* Keeps set-user-ID programs from giving this process more rights. Needed before a sandbox. */
int lk_process_refuse_new_privileges(void);

/* Lets SIGTERM come when the thread that started this process ends. Returns -ESRCH if the parent is not there any more. */
int lk_process_end_with_parent(pid_t parent);
/* Drops every capability of the calling thread and of those it starts later; others keep theirs. 0 or -errno. */
int lk_thread_drop_capabilities(void);

/* Blocks SIGTERM, SIGINT and SIGHUP in this thread and those it starts, and ignores SIGPIPE. */
int lk_signals_block(void);
/* Waits for one of the blocked signals: its number, or -errno. */
int lk_signals_wait(void);
/* A descriptor for `lk_signals_wait_or_readable`, or -errno. */
int lk_signals_open(void);
/* Waits for one of the blocked signals, until another descriptor is readable if it is not negative, or until the time is over if
   it is not negative: the signal's number, 0, or -errno. */
int lk_signals_wait_or_readable(int signals, int descriptor, int milliseconds);

/* Replaces the running program with itself. Returns only on failure: -errno. */
int lk_process_run_again(char *const arguments[], char *const environment[]);
/* 0 in a process with rights that its starter lacks: the loader removes settings of the C library (GLIBC_TUNABLES) from
   its environment. */
int lk_process_keeps_tunables(void);
/* The name that ps shows; at most 15 bytes of it. 0 or -errno. */
int lk_process_set_name(const char *name);

#endif
