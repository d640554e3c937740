#define _GNU_SOURCE
#include "daemon.h"

#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

struct thread_start {
    void (*body)(void *);
    void *context;
};

static void *run_thread(void *argument) {
    struct thread_start start = *(struct thread_start *)argument;
    free(argument);
    start.body(start.context);
    return NULL;
}

int lk_thread_start(size_t stack_size, void (*body)(void *), void *context) {
    struct thread_start *start = malloc(sizeof *start);
    if (!start) return -ENOMEM;
    *start = (struct thread_start){.body = body, .context = context};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, stack_size);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_t thread;
    int error = pthread_create(&thread, &attributes, run_thread, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error != 0) {
        free(start);
        return -error;
    }
    return 0;
}

int lk_process_set_inspectable(int inspectable) {
    return prctl(PR_SET_DUMPABLE, inspectable ? 1 : 0, 0, 0, 0) == 0 ? 0 : -errno;
}

int lk_process_refuse_core_files(void) {
    struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    return setrlimit(RLIMIT_CORE, &none) == 0 ? 0 : -errno;
}

int lk_process_refuse_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : -errno;
}

int lk_process_end_with_parent(pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) != 0) return -errno;
    /* It may have ended before. */
    return getppid() == parent ? 0 : -ESRCH;
}

int lk_thread_drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return syscall(SYS_capset, &header, none) == 0 ? 0 : -errno;
}

static void fill_signals(sigset_t *signals) {
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGHUP);
}

int lk_signals_block(void) {
    sigset_t signals;
    fill_signals(&signals);
    signal(SIGPIPE, SIG_IGN);
    return -pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

int lk_signals_wait(void) {
    sigset_t signals;
    fill_signals(&signals);
    int number = 0;
    int error = sigwait(&signals, &number);
    return error == 0 ? number : -error;
}

int lk_signals_open(void) {
    sigset_t signals;
    fill_signals(&signals);
    int source = signalfd(-1, &signals, SFD_CLOEXEC);
    return source < 0 ? -errno : source;
}

int lk_signals_wait_or_readable(int signals, int descriptor, int milliseconds) {
    struct pollfd polled[] = {{.fd = signals, .events = POLLIN}, {.fd = descriptor, .events = POLLIN}};
    struct signalfd_siginfo information;
    if (poll(polled, 2, milliseconds) < 0) return -errno;
    if (polled[0].revents == 0) return 0;
    return read(signals, &information, sizeof information) < 0 ? -errno : (int)information.ssi_signo;
}

int lk_process_run_again(char *const arguments[], char *const environment[]) {
    execve("/proc/self/exe", arguments, environment);
    return -errno;
}

int lk_process_keeps_tunables(void) { return getauxval(AT_SECURE) == 0; }

int lk_process_set_name(const char *name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0) == 0 ? 0 : -errno;
}
