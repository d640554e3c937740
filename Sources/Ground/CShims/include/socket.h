#ifndef LATCHKEY_SOCKET_H
#define LATCHKEY_SOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Unix sockets of type SOCK_SEQPACKET. Functions that return an int return a descriptor or 0, or -errno. Paths longer
   than sun_path are reached through a descriptor of their directory. */

/* Listens on `path` with mode 0600; a socket file already there is replaced, any other file is refused (-EEXIST).
   Every message received on its connections carries the sender's credentials. */
int lk_socket_listen(const char *path, int backlog);
int lk_socket_accept(int listener);
/* Checks a passed descriptor: 0 if it is a Unix socket of type SOCK_SEQPACKET that listens; it is then closed on exec,
   and its connections carry the sender's credentials. -ENOTSOCK, -EAFNOSUPPORT (not a Unix socket), -EPROTOTYPE
   (another type), -EINVAL (does not listen), -EBADF, or another -errno. */
int lk_socket_adopt(int descriptor);
/* Accepts from an adopted socket. A client may have connected before its credentials were requested. */
int lk_socket_accept_adopted(int listener);
/* The address of the socket as text with its closing zero; the name's length or -errno. Abstract names begin with @. */
int lk_socket_path(int descriptor, char *path, size_t capacity);
/* Waits for a connection of `listener` or for anything readable at `stopper`: 1 or 0, or -errno. */
int lk_socket_wait(int listener, int stopper);
/* Makes a descriptor that is not readable; one write of 8 bytes makes it readable permanently. */
int lk_stopper_create(void);
void lk_stopper_stop(int stopper);
int lk_socket_connect(const char *path);
/* From now on messages that arrive carry the sender's credentials. 0 or -errno. */
int lk_socket_show_senders(int descriptor);
int lk_socket_pair(int descriptors[2], int with_credentials);
/* Wakes every call that is blocked on the socket. */
void lk_socket_shutdown(int descriptor);
/* 1 if the other side has closed the connection and receives no more replies; else 0. */
int lk_socket_has_hung_up(int descriptor);
/* 1 if the other side has received everything that was sent to it, 0 if not; -errno if that is unknown. */
int lk_socket_is_read(int descriptor);
/* Limits the duration of a receive; 0 removes the limit. */
int lk_socket_receive_limit(int descriptor, int seconds);

struct lk_socket_identity {
    pid_t pid;
    uid_t uid;
    gid_t gid;
    /* Owned by the caller; -1 if the kernel has none. */
    int pidfd;
};

/* The source of a peer's pidfd. */
enum lk_pidfd_source {
    /* No pidfd. */
    LK_PIDFD_NONE,
    LK_PIDFD_FROM_PID,
    /* From the socket if the kernel supports that, else from the pid. */
    LK_PIDFD_FROM_SOCKET,
};

/* The process that connected; on the client's side, the one that listens. */
int lk_socket_identify_peer(int descriptor, struct lk_socket_identity *peer, enum lk_pidfd_source source);
/* 1 if the process of the pidfd still runs, 0 if it ended. */
int lk_pidfd_is_alive(int pidfd);

/* Sends one packet, with a descriptor beside it unless `attached` is -1. 0 or -errno; never raises SIGPIPE. */
int lk_socket_send(int descriptor, const void *bytes, size_t count, int attached, int without_waiting);

struct lk_socket_packet {
    /* Bytes in the packet; those beyond the buffer were lost. */
    ssize_t count;
    /* 1 if anything at all arrived: an empty packet with credentials is not the end of the stream. */
    int arrived;
    int is_truncated;
    /* 0 unless the kernel attached credentials. */
    pid_t pid;
    /* The one attached descriptor, owned by the caller, else -1. */
    int attached;
    /* The number of attached descriptors; all but the first are already closed. */
    int attached_count;
};

/* Receives one packet; 0 or -errno. */
int lk_socket_receive(int descriptor, void *bytes, size_t count, struct lk_socket_packet *packet);

/* Pages for messages: kept out of dumps and children, the first `locked_count` bytes locked as far as
   RLIMIT_MEMLOCK allows. NULL if no memory is left. */
void *lk_map_message_buffer(size_t count, size_t locked_count);
void lk_unmap_message_buffer(void *bytes, size_t count);

/* A memory file for one large message: fill the mapping, then seal it. `*mapping` receives `count` writable bytes. */
int lk_sealed_memory_create(size_t count, void **mapping);
/* Unmaps and seals, so that no process can change or shrink the file any more; 0 or -errno. */
int lk_sealed_memory_seal(int descriptor, void *mapping, size_t count);
/* Maps a received memory file of exactly `count` bytes for reading. -EPERM if it is not sealed, -EMSGSIZE if its
   size differs. */
int lk_sealed_memory_open(int descriptor, size_t count, const void **mapping);
void lk_sealed_memory_close(const void *mapping, size_t count);

#endif
