#define _GNU_SOURCE
#include "socket.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* The kernel hands over at most this many descriptors with one message. */
#define MAX_DESCRIPTORS 253

/* Fills `address` for `path`. If the path is too long, `*directory` holds the descriptor that shortens it. */
static int fill_address(const char *path, struct sockaddr_un *address, int *directory) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    *directory = -1;
    size_t length = strlen(path);
    if (length < sizeof address->sun_path) {
        memcpy(address->sun_path, path, length);
        return 0;
    }
    const char *slash = strrchr(path, '/');
    if (!slash || length > 4095) return -ENAMETOOLONG;
    char parent[4096];
    size_t parent_length = (size_t)(slash - path);
    memcpy(parent, path, parent_length);
    parent[parent_length] = 0;
    int descriptor = open(parent_length ? parent : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return -errno;
    int written = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", descriptor, slash + 1);
    if (written < 0 || (size_t)written >= sizeof address->sun_path) {
        close(descriptor);
        return -ENAMETOOLONG;
    }
    *directory = descriptor;
    return 0;
}

static int close_failing(int descriptor, int directory) {
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    if (directory >= 0) close(directory);
    return -error;
}

int lk_socket_listen(const char *path, int backlog) {
    struct stat status;
    if (lstat(path, &status) == 0) {
        if (!S_ISSOCK(status.st_mode)) return -EEXIST;
        if (unlink(path) != 0) return -errno;
    }
    struct sockaddr_un address;
    int directory, on = 1;
    int outcome = fill_address(path, &address, &directory);
    if (outcome < 0) return outcome;
    int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return close_failing(-1, directory);
    /* Set before listen: connections inherit it, so that no message can arrive without credentials. */
    if (setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
        bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0 ||
        chmod(path, 0600) != 0 || listen(descriptor, backlog) != 0)
        return close_failing(descriptor, directory);
    if (directory >= 0) close(directory);
    return descriptor;
}

int lk_socket_accept(int listener) {
    for (;;) {
        int descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (descriptor >= 0) return descriptor;
        if (errno != EINTR && errno != ECONNABORTED) return -errno;
    }
}

int lk_socket_adopt(int descriptor) {
    struct stat status;
    int value = 0, on = 1;
    socklen_t size = sizeof value;
    if (fstat(descriptor, &status) != 0) return -errno;
    if (!S_ISSOCK(status.st_mode)) return -ENOTSOCK;
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &value, &size) != 0) return -errno;
    if (value != AF_UNIX) return -EAFNOSUPPORT;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &value, &size) != 0) return -errno;
    if (value != SOCK_SEQPACKET) return -EPROTOTYPE;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) != 0) return -errno;
    if (!value) return -EINVAL;
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) != 0 ||
        fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0 ||
        setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0)
        return -errno;
    return 0;
}

int lk_socket_accept_adopted(int listener) {
    int on = 1, descriptor = lk_socket_accept(listener);
    if (descriptor < 0) return descriptor;
    if (setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) return close_failing(descriptor, -1);
    return descriptor;
}

int lk_socket_path(int descriptor, char *path, size_t capacity) {
    struct sockaddr_un address = {0};
    socklen_t size = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return -errno;
    size_t start = offsetof(struct sockaddr_un, sun_path);
    size_t length = size > start ? size - start : 0;
    if (length > sizeof address.sun_path) length = sizeof address.sun_path;
    if (length > 0 && address.sun_path[0] == 0) address.sun_path[0] = '@';
    else length = strnlen(address.sun_path, length);
    if (length + 1 > capacity) return -ENAMETOOLONG;
    memcpy(path, address.sun_path, length);
    path[length] = 0;
    return (int)length;
}

int lk_socket_wait(int listener, int stopper) {
    struct pollfd sources[2] = {{.fd = stopper, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
    for (;;) {
        if (poll(sources, 2, -1) >= 0) return sources[0].revents ? 0 : 1;
        if (errno != EINTR) return -errno;
    }
}

int lk_stopper_create(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}

void lk_stopper_stop(int stopper) {
    uint64_t one = 1;
    ssize_t written = write(stopper, &one, sizeof one);
    (void)written;
}

int lk_socket_connect(const char *path) {
    struct sockaddr_un address;
    int directory;
    int outcome = fill_address(path, &address, &directory);
    if (outcome < 0) return outcome;
    int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return close_failing(-1, directory);
    while (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        if (errno != EINTR) return close_failing(descriptor, directory);
    }
    if (directory >= 0) close(directory);
    return descriptor;
}

int lk_socket_show_senders(int descriptor) {
    int on = 1;
    return setsockopt(descriptor, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 ? 0 : -errno;
}

int lk_socket_pair(int descriptors[2], int with_credentials) {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, descriptors) != 0) return -errno;
    if (!with_credentials) return 0;
    int on = 1;
    if (setsockopt(descriptors[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0) return 0;
    int error = errno;
    close(descriptors[0]);
    close(descriptors[1]);
    return -error;
}

void lk_socket_shutdown(int descriptor) {
    shutdown(descriptor, SHUT_RDWR);
}

int lk_socket_has_hung_up(int descriptor) {
    // The kernel always reports POLLHUP. A peer that only stopped writing (SHUT_WR) still reads replies.
    struct pollfd watched = {.fd = descriptor};
    return poll(&watched, 1, 0) > 0 && (watched.revents & (POLLHUP | POLLERR)) != 0;
}

int lk_socket_is_read(int descriptor) {
    int unread = 0;
    return ioctl(descriptor, SIOCOUTQ, &unread) == 0 ? unread == 0 : -errno;
}

int lk_socket_receive_limit(int descriptor, int seconds) {
    struct timeval limit = {.tv_sec = seconds};
    return setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 ? 0 : -errno;
}

int lk_socket_identify_peer(int descriptor, struct lk_socket_identity *peer, enum lk_pidfd_source source) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -errno;
    peer->pid = credentials.pid;
    peer->uid = credentials.uid;
    peer->gid = credentials.gid;
    int pidfd = -1;
    length = sizeof pidfd;
    if (source == LK_PIDFD_NONE) {
        peer->pidfd = -1;
        return 0;
    }
    if (source == LK_PIDFD_FROM_PID || getsockopt(descriptor, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &length) != 0) {
        /* Older kernels: the pid may have been reused by now, which the comparison of start times detects. */
        pidfd = credentials.pid > 0 ? (int)syscall(SYS_pidfd_open, credentials.pid, 0) : -1;
        if (pidfd < 0) pidfd = -1;
    }
    peer->pidfd = pidfd;
    return 0;
}

int lk_pidfd_is_alive(int pidfd) {
    struct pollfd query = {.fd = pidfd, .events = POLLIN};
    return poll(&query, 1, 0) == 0;
}

int lk_socket_send(int descriptor, const void *bytes, size_t count, int attached, int without_waiting) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (attached >= 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &attached, sizeof attached);
    }
    for (;;) {
        ssize_t sent = sendmsg(descriptor, &message, MSG_NOSIGNAL | (without_waiting ? MSG_DONTWAIT : 0));
        if (sent >= 0) return 0;
        if (errno != EINTR) return -errno;
    }
}

static void take_control(struct msghdr *message, struct lk_socket_packet *packet) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET) continue;
        packet->arrived = 1;
        if (part->cmsg_type == SCM_CREDENTIALS && part->cmsg_len >= CMSG_LEN(sizeof(struct ucred))) {
            struct ucred credentials;
            memcpy(&credentials, CMSG_DATA(part), sizeof credentials);
            packet->pid = credentials.pid;
        } else if (part->cmsg_type == SCM_RIGHTS) {
            size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (size_t i = 0; i < count; i++) {
                int descriptor;
                memcpy(&descriptor, CMSG_DATA(part) + i * sizeof(int), sizeof descriptor);
                if (packet->attached_count++ == 0) {
                    packet->attached = descriptor;
                } else {
                    close(descriptor);
                }
            }
        }
    }
}

int lk_socket_receive(int descriptor, void *bytes, size_t count, struct lk_socket_packet *packet) {
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    /* Room for as many descriptors as can come, so that none stays open unnoticed. */
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * MAX_DESCRIPTORS) + CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *packet = (struct lk_socket_packet){.attached = -1};
    ssize_t received;
    int resets = 0;
    for (;;) {
        received = recvmsg(descriptor, &message, MSG_CMSG_CLOEXEC);
        if (received >= 0) break;
        if (errno == EINTR) continue;
        /* The peer closed without reading everything; its earlier packets are still to be read. */
        if (errno == ECONNRESET && resets++ == 0) continue;
        return -errno;
    }
    packet->count = received;
    packet->arrived = received > 0;
    packet->is_truncated = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    take_control(&message, packet);
    /* With SO_PASSCRED the kernel delivers empty credentials even with the end of the stream. */
    if (received == 0 && packet->pid == 0 && packet->attached_count == 0) packet->arrived = 0;
    return 0;
}

void *lk_map_message_buffer(size_t count, size_t locked_count) {
    void *pages = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return NULL;
    madvise(pages, count, MADV_DONTDUMP);
    madvise(pages, count, MADV_WIPEONFORK);
    mlock(pages, locked_count < count ? locked_count : count);
    return pages;
}

void lk_unmap_message_buffer(void *bytes, size_t count) {
    munmap(bytes, count);
}

int lk_sealed_memory_create(size_t count, void **mapping) {
    int descriptor = memfd_create("latchkey-message", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -errno;
    if (ftruncate(descriptor, (off_t)count) != 0) return close_failing(descriptor, -1);
    void *pages = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (pages == MAP_FAILED) return close_failing(descriptor, -1);
    madvise(pages, count, MADV_DONTDUMP);
    *mapping = pages;
    return descriptor;
}

int lk_sealed_memory_seal(int descriptor, void *mapping, size_t count) {
    if (munmap(mapping, count) != 0) return -errno;
    int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    return fcntl(descriptor, F_ADD_SEALS, seals) == 0 ? 0 : -errno;
}

int lk_sealed_memory_open(int descriptor, size_t count, const void **mapping) {
    int needed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || (seals & needed) != needed) return -EPERM;
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -errno;
    if (status.st_size < 0 || (size_t)status.st_size != count) return -EMSGSIZE;
    void *pages = mmap(NULL, count, PROT_READ, MAP_SHARED, descriptor, 0);
    if (pages == MAP_FAILED) return -errno;
    madvise(pages, count, MADV_DONTDUMP);
    *mapping = pages;
    return 0;
}

void lk_sealed_memory_close(const void *mapping, size_t count) {
    munmap((void *)mapping, count);
}
