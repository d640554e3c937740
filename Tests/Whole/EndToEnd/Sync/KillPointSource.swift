/// A library that is loaded into the programs of a device and ends one of them at a named point. The programs have no such points: the
/// library stands before libc, and names calls by what they are made for.
enum KillPointSource {
    /// The layout of the page that a test shares with the programs is that of ``KillPoint``.
    static let library = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <signal.h>
        #include <stdarg.h>
        #include <stdatomic.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        #include <sys/socket.h>
        #include <sys/syscall.h>
        #include <sys/un.h>
        #include <unistd.h>

        struct page {
            _Atomic uint32_t armed, left, killed, unused;
            char program[48], point[64];
        };
        static struct page *page;

        __attribute__((constructor)) static void begin(void) {
            const char *path = getenv("LATCHKEY_TESTS_KILL_POINT");
            int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
            if (file < 0) return;
            void *made = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            close(file);
            if (made != MAP_FAILED) page = made;
        }

        static void reach(const char *what, const char *name, const char *when) {
            if (!page || !atomic_load(&page->armed)) return;
            int saved = errno;
            char point[64];
            snprintf(point, sizeof point, "%s %s %s", when, what, name);
            if (strcmp(point, page->point) == 0 && strcmp(program_invocation_short_name, page->program) == 0 &&
                atomic_fetch_sub(&page->left, 1) == 1) {
                atomic_store(&page->armed, 0);
                atomic_store(&page->killed, 1);
                kill(getpid(), SIGKILL);
                for (;;) pause();
            }
            errno = saved;
        }

        #define REAL(name)                                                                                          \
            static typeof(&name) real;                                                                              \
            if (!real) real = (typeof(&name))dlsym(RTLD_NEXT, #name)

        /* Commits of the item database. */
        static int is_log(int file) {
            char name[64], path[512];
            snprintf(name, sizeof name, "/proc/self/fd/%d", file);
            ssize_t length = readlink(name, path, sizeof path - 1);
            if (length < 0) return 0;
            path[length] = 0;
            return length > 16 && strcmp(path + length - 16, "/keychain.db-wal") == 0;
        }

        #define SYNCS(name)                                                                                         \
            int name(int file) {                                                                                    \
                REAL(name);                                                                                         \
                int counts = page && atomic_load(&page->armed) && is_log(file);                                     \
                if (counts) reach("commit", "database", "before");                                                  \
                int outcome = real(file);                                                                           \
                if (counts) reach("commit", "database", "after");                                                   \
                return outcome;                                                                                     \
            }
        SYNCS(fsync)
        SYNCS(fdatasync)

        /* Objects of the store: the folder below that of the circle tells their kind. */
        static const char *kind(int folder) {
            char name[64], path[1024];
            snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
            ssize_t length = readlink(name, path, sizeof path - 1);
            if (length < 0) return NULL;
            path[length] = 0;
            const char *part = strstr(path, "/latchkey-sync/");
            part = part ? strchr(part + 15, '/') : NULL;
            if (!part || (part[2] != '/' && part[2] != 0)) return NULL;
            switch (part[1]) {
            case 's': return "statement";
            case 'h': return "head";
            case 'q': return "exchange";
            case 'e': return "evidence";
            case 'n': return "snapshot";
            default: return "segment";
            }
        }

        #define NAMES(name, parameters, arguments)                                                                  \
            int name parameters {                                                                                   \
                REAL(name);                                                                                         \
                const char *found = page && atomic_load(&page->armed) ? kind(other) : NULL;                         \
                if (found) reach("name", found, "before");                                                          \
                int outcome = real arguments;                                                                       \
                if (found && outcome == 0) reach("name", found, "after");                                           \
                return outcome;                                                                                     \
            }
        NAMES(renameat, (int at, const char *from, int other, const char *to), (at, from, other, to))
        NAMES(renameat2, (int at, const char *from, int other, const char *to, unsigned flags),
              (at, from, other, to, flags))
        NAMES(linkat, (int at, const char *from, int other, const char *to, int flags), (at, from, other, to, flags))

        int unlinkat(int at, const char *name, int flags) {
            REAL(unlinkat);
            const char *found = page && atomic_load(&page->armed) && !(flags & AT_REMOVEDIR) ? kind(at) : NULL;
            if (found) reach("remove", found, "before");
            int outcome = real(at, name, flags);
            if (found && outcome == 0) reach("remove", found, "after");
            return outcome;
        }

        /* Questions of the daemon to the transport. */
        enum { HEADER = 40, KIND = 5, QUESTION = 4, FLAGS = 6 };
        static const char *const questions[] = {NULL,     "circles", "list", "read", "create",
                                                "publish", "remove", "hint", "describe"};
        static _Thread_local const char *asked;
        static _Thread_local int asked_of = -1;

        static int is_transport(int s) {
            struct sockaddr_un peer;
            socklen_t length = sizeof peer;
            if (getpeername(s, (struct sockaddr *)&peer, &length) != 0 || length <= 2) return 0;
            return strstr(peer.sun_path, "transport") != NULL;
        }

        static const char *question(int s, const struct msghdr *message) {
            unsigned char bytes[HEADER + 32];
            size_t count = 0;
            for (size_t part = 0; part < message->msg_iovlen && count < sizeof bytes; part++) {
                size_t more = message->msg_iov[part].iov_len;
                if (more > sizeof bytes - count) more = sizeof bytes - count;
                memcpy(bytes + count, message->msg_iov[part].iov_base, more);
                count += more;
            }
            if (count < HEADER || memcmp(bytes, "LKYS", 4) != 0 || bytes[KIND] != QUESTION || !is_transport(s))
                return NULL;
            /* A long question is in a file beside the packet. */
            if (bytes[FLAGS] & 1) return "long";
            size_t at = HEADER + 1;
            at += bytes[at] & 0x80 ? 1 + (bytes[at] & 0x7F) : 1;
            /* The version, then the number. */
            if (at + 6 > count || bytes[at] != 2 || bytes[at + 3] != 2 || bytes[at + 4] != 1) return NULL;
            unsigned number = bytes[at + 5];
            return number < sizeof questions / sizeof *questions ? questions[number] : NULL;
        }

        ssize_t sendmsg(int s, const struct msghdr *message, int flags) {
            REAL(sendmsg);
            const char *found = page && atomic_load(&page->armed) ? question(s, message) : NULL;
            if (!found) return real(s, message, flags);
            reach("question", found, "before");
            ssize_t outcome = real(s, message, flags);
            reach("question", found, "after");
            asked = found;
            asked_of = s;
            return outcome;
        }

        ssize_t recvmsg(int s, struct msghdr *message, int flags) {
            REAL(recvmsg);
            ssize_t outcome = real(s, message, flags);
            if (page && atomic_load(&page->armed) && asked && asked_of == s && outcome > 0) {
                reach("answer", asked, "after");
                asked = NULL;
            }
            return outcome;
        }
        """#
}
