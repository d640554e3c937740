/* The low-level interface of libfuse 3. */
/* Without _FILE_OFFSET_BITS, which examples define: the module of glibc has its types without it. */
#define FUSE_USE_VERSION 314
#include <fuse3/fuse_lowlevel.h>

/* <sched.h> declares it for programs with _GNU_SOURCE alone. */
#include <sched.h>
int sched_getaffinity(pid_t process, size_t byteCount, cpu_set_t *processors);
