#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Names that the headers of Debian 12 lack. */
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

#define READ_ACCESS (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE)
#define FILE_ACCESS                                                                                        \
    (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_EXECUTE |           \
     LANDLOCK_ACCESS_FS_TRUNCATE)
/* All of version 1. */
#define VERSION_1_ACCESS ((1ULL << 13) - 1)

int lk_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version < 0 ? 0 : (int)version;
}

static int allow(int ruleset, const char *path, uint64_t access) {
    struct landlock_path_beneath_attr rule = {.allowed_access = access};
    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0) return errno == ENOENT ? 0 : -errno;
    struct stat status;
    int outcome = 0;
    if (fstat(rule.parent_fd, &status) != 0) outcome = -errno;
    if (outcome == 0) {
        if (!S_ISDIR(status.st_mode)) rule.allowed_access &= FILE_ACCESS;
        if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) outcome = -errno;
    }
    close(rule.parent_fd);
    return outcome;
}

int lk_landlock_restrict(
    const char *const *writable, size_t writable_count, const char *const *readable, size_t readable_count
) {
    int version = lk_landlock_version();
    if (version < 1) return -ENOSYS;
    uint64_t handled = VERSION_1_ACCESS;
    if (version >= 2) handled |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3) handled |= LANDLOCK_ACCESS_FS_TRUNCATE;
    if (readable_count == 0) handled &= ~(uint64_t)READ_ACCESS;
    struct landlock_ruleset_attr attributes = {.handled_access_fs = handled};
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (ruleset < 0) return -errno;
    int outcome = 0;
    for (size_t i = 0; i < writable_count && outcome == 0; i++) outcome = allow(ruleset, writable[i], handled);
    for (size_t i = 0; i < readable_count && outcome == 0; i++)
        outcome = allow(ruleset, readable[i], READ_ACCESS & ~(uint64_t)LANDLOCK_ACCESS_FS_EXECUTE);
    if (outcome == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) outcome = -errno;
    close(ruleset);
    return outcome;
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define REFUSE RETURN(SECCOMP_RET_ERRNO | EPERM)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE_CALL(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), REFUSE

int lk_seccomp_refuse(int allow_programs, int allow_internet, int only_this_thread) {
    struct sock_filter common[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
#if defined(__x86_64__)
        /* The x32 calling convention has its own numbers. */
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        REFUSE,
#endif
        REFUSE_CALL(SYS_ptrace),
        REFUSE_CALL(SYS_process_vm_readv),
        REFUSE_CALL(SYS_process_vm_writev),
        REFUSE_CALL(SYS_kcmp),
        REFUSE_CALL(SYS_pidfd_getfd),
        REFUSE_CALL(SYS_mount),
        REFUSE_CALL(SYS_umount2),
        REFUSE_CALL(SYS_pivot_root),
        REFUSE_CALL(SYS_chroot),
        REFUSE_CALL(SYS_move_mount),
        REFUSE_CALL(SYS_open_tree),
        REFUSE_CALL(SYS_fsopen),
        REFUSE_CALL(SYS_setns),
        REFUSE_CALL(SYS_unshare),
        REFUSE_CALL(SYS_bpf),
        REFUSE_CALL(SYS_perf_event_open),
        REFUSE_CALL(SYS_userfaultfd),
        REFUSE_CALL(SYS_io_uring_setup),
        REFUSE_CALL(SYS_keyctl),
        REFUSE_CALL(SYS_add_key),
        REFUSE_CALL(SYS_request_key),
        REFUSE_CALL(SYS_init_module),
        REFUSE_CALL(SYS_finit_module),
        REFUSE_CALL(SYS_delete_module),
        REFUSE_CALL(SYS_kexec_load),
        REFUSE_CALL(SYS_reboot),
        REFUSE_CALL(SYS_swapon),
        REFUSE_CALL(SYS_open_by_handle_at),
    };
    /* Only local sockets: keys must not leave through a network. */
    struct sock_filter local[] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 4),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0),
        REFUSE,
        LOAD(nr),
    };
    /* Local ones, and those of the Internet; none for raw packets, which need another type. */
    struct sock_filter internet[] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 6),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0),
        REFUSE,
        LOAD(nr),
    };
    /* Connecting is enough for a process that starts no other one. */
    struct sock_filter connecting[] = {
        REFUSE_CALL(SYS_listen),
    };
    struct sock_filter programs[] = {
        REFUSE_CALL(SYS_execve),
        REFUSE_CALL(SYS_execveat),
#if defined(__x86_64__)
        REFUSE_CALL(SYS_fork),
        REFUSE_CALL(SYS_vfork),
#endif
        /* clone3 hides its flags from the filter; without it the C library uses clone. */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        RETURN(SECCOMP_RET_ERRNO | ENOSYS),
        /* Threads are allowed, processes are not. */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        REFUSE,
    };
    struct part {
        const struct sock_filter *start;
        size_t count;
    } parts[] = {
        {common, sizeof common / sizeof *common},
        {local, allow_internet ? 0 : sizeof local / sizeof *local},
        {internet, allow_internet ? sizeof internet / sizeof *internet : 0},
        {connecting, allow_internet && !allow_programs ? sizeof connecting / sizeof *connecting : 0},
        {programs, allow_programs ? 0 : sizeof programs / sizeof *programs},
    };
    struct sock_filter filter[
        (sizeof common + sizeof local + sizeof internet + sizeof connecting + sizeof programs) / sizeof(struct sock_filter) + 1];
    size_t count = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t j = 0; j < parts[i].count; j++) filter[count++] = parts[i].start[j];
    filter[count++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)count, .filter = filter};
    unsigned flags = only_this_thread ? 0 : SECCOMP_FILTER_FLAG_TSYNC;
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0) return 0;
    return -errno;
}

#else

int lk_seccomp_refuse(int allow_programs, int allow_internet, int only_this_thread) {
    (void)allow_programs;
    (void)allow_internet;
    (void)only_this_thread;
    return -ENOSYS;
}

#endif
